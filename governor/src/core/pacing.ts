/**
 * Pacing: where the wall is a rate and not a number of requests at once, admissions are spaced to it instead of probing
 * against it. Rates come from what answers announce; without, from the shape of refusals: the rate at which requests were
 * let in when one was refused for its rate. Others may spend from the same quota, so a refusal lowers the share of it that
 * is asked for, and time raises it again; governors that share a quota come to equal shares that way. Pure: it is told
 * the time, and holds no timer.
 */

import type { RateLimit, Usage } from './announced-limits.js';
import type { Scope } from './answer.js';
import { type Cost, Meter } from './meter.js';
import { RollingSum } from './rolling-sum.js';

/** What the pacer keeps of a request in flight. */
export interface Paced {
  readonly admittedAt: number;
  readonly inFlightAtAdmission: number;
  /** What it is expected to cost; set when it is let in. */
  expected: Expected | undefined;
}

/** What a request may cost, as its caller states it: its tokens in all, or the prompt and the most that comes of it. */
export type StatedTokens = number | { readonly prompt: number; readonly output: number };

interface Expected {
  readonly input: number;
  readonly output: number;
  /** In all, as stated; undefined where nothing is. */
  readonly stated: number | undefined;
}

/** A wave of refusals takes this much of the share; little where nearly all was spent here, so that it is chance. */
const CUT = 0.85;
const CHANCE_CUT = 0.95;
const NEARLY_ALL = 0.9;
/** Time gives back this much a minute, of the whole. */
const GAIN = 0.1;
const LEARNED_GAIN = 2;
const MINUTE_MS = 60_000;
/** Over the number of requests that a rate feeds on average. */
const HEADROOM = 1.25;
/** Requests over which the mean cost of one is learned. */
const MEMORY = 50;

export class Pacer {
  readonly #meters = new Map<string, Meter>();
  /** Whether the one meter there is was learned from refusals. */
  #isLearned = false;
  #share = 1;
  #shareAt = 0;
  #cutAt = Number.NEGATIVE_INFINITY;
  readonly #accepted = new RollingSum(MINUTE_MS);
  /** The most in flight with a success, this minute and the one before. */
  readonly #peaks = { minute: 0, now: 0, before: 0 };
  /** The latest first refusal of a wave: when, and how many were let in in the minute before. */
  #wave = { at: Number.NEGATIVE_INFINITY, accepted: 0 };
  /** Of the requests answered so far. */
  readonly #mean = { requests: 1, input: 0, output: 0, tokens: 0, statedOutput: 0, latencyMs: 0 };
  #told = 0;

  /** When the next request may go out. @param tokens what its caller takes it to cost. */
  nextAt(tokens: StatedTokens | undefined, now: number): number {
    if (this.#meters.size === 0) return Number.NEGATIVE_INFINITY;
    const expected = this.#expect(tokens);
    const share = this.#shareNow(now);
    let latest = Number.NEGATIVE_INFINITY;
    for (const meter of this.#meters.values()) {
      latest = Math.max(latest, meter.nextAt(costOf(expected, meter), now, share));
    }
    return latest;
  }

  admitted(request: Paced, now: number, tokens: StatedTokens | undefined): void {
    this.#accepted.add(now, 1);
    const expected = this.#expect(tokens);
    request.expected = expected;
    const share = this.#shareNow(now);
    for (const meter of this.#meters.values()) meter.spend(costOf(expected, meter), now, share);
  }

  /** What an answer announced. */
  learned(limits: readonly RateLimit[], now: number): void {
    if (limits.length > 0 && this.#isLearned) this.#meters.clear();
    for (const { name, counts, limit, perMs, remaining } of limits) {
      this.#isLearned = false;
      let meter = this.#meters.get(name);
      if (meter?.perMs !== perMs) meter = new Meter(counts, perMs, now);
      meter.limit = limit;
      meter.isExhausted = remaining !== undefined && remaining < Math.max(1, this.#mean[counts]);
      this.#meters.set(name, meter);
    }
  }

  /** How many requests at once the announced rates feed; 0 = nobody knows. */
  places(): number {
    if (this.#isLearned || this.#meters.size === 0) return 0;
    const perMs = [...this.#meters.values()].map(({ counts, limit, perMs: per }) => limit / per / this.#mean[counts]);
    const places = HEADROOM * this.#mean.latencyMs * Math.min(...perMs);
    return Number.isFinite(places) ? Math.ceil(places) : 0;
  }

  /** Answered in full; the difference to what it was charged is made up for. */
  succeeded({ inFlightAtAdmission, admittedAt, expected }: Paced, now: number, usage: Usage | undefined): void {
    this.#peakIs(inFlightAtAdmission, now);
    const { inputTokens: input = 0, outputTokens: output = 0 } = usage ?? {};
    const share = this.#shareNow(now);
    if (expected !== undefined && input + output > 0) {
      for (const meter of this.#meters.values()) {
        meter.answered(costOf(expected, meter), costOf({ input, output }, meter), admittedAt, now, share);
      }
    }
    this.#told = Math.min(MEMORY, this.#told + 1);
    const statedOutput = (expected?.stated ?? input + output) - input;
    const seen = { requests: 1, input, output, tokens: input + output, statedOutput, latencyMs: now - admittedAt };
    for (const what of Object.keys(seen) as (keyof typeof seen)[]) {
      this.#mean[what] += (seen[what] - this.#mean[what]) / this.#told;
    }
  }

  /**
   * Refused for a limit. True where it was one of rate, which the pacer answers and not the cap.
   *
   * @param scope what the limit counts, if the answer told.
   */
  refused(request: Paced, now: number, scope: Scope | undefined): boolean {
    this.#accepted.add(now, -1);
    const isRate = scope === undefined ? this.#looksLikeRate(request, now) : !/^(?:conc|util)/.test(scope);
    // Once per wave: what was admitted before is the same evidence.
    if (isRate && request.admittedAt >= this.#cutAt) this.#slowDown(now);
    return isRate;
  }

  /** Callers state the most that may come of a request; what comes of it is learned. */
  #expect(tokens: StatedTokens | undefined): Expected {
    const { input, output, statedOutput } = this.#mean;
    if (tokens === undefined) return { input, output, stated: undefined };
    if (typeof tokens === 'number') return { input: Math.max(0, tokens - statedOutput), output, stated: tokens };
    const more = tokens.output - statedOutput;
    return { input: tokens.prompt, output: Math.max(0, output + more), stated: tokens.prompt + tokens.output };
  }

  #looksLikeRate({ inFlightAtAdmission }: Paced, now: number): boolean {
    for (const { isExhausted } of this.#meters.values()) if (isExhausted) return true;
    const accepted = this.#accepted.sum(now);
    const { at, accepted: before } = this.#wave;
    if (now - at < MINUTE_MS) return false;
    this.#wave = { at: now, accepted };
    this.#peakIs(0, now);
    const isLow = 2 * inFlightAtAdmission <= Math.max(this.#peaks.now, this.#peaks.before);
    // Half the places let in half as much; a rate lets in the same however many are in flight.
    return isLow && Math.abs(accepted - before) <= 0.1 * before;
  }

  #slowDown(now: number): void {
    const isMeasured = this.#meters.size === 0 || (this.#isLearned && now - this.#cutAt >= MINUTE_MS);
    this.#cutAt = now;
    if (isMeasured) {
      this.#isLearned = true;
      const meter = this.#meters.get('') ?? new Meter('requests', MINUTE_MS, now);
      meter.limit = Math.max(1, this.#accepted.sum(now));
      this.#meters.set('', meter);
      this.#share = CUT;
      meter.spend(ONE, now, CUT);
    } else {
      const isChance = [...this.#meters.values()].some((meter) => meter.use(now) >= NEARLY_ALL);
      this.#share = this.#shareNow(now) * (isChance ? CHANCE_CUT : CUT);
    }
    this.#shareAt = now;
  }

  /** A learned rate may turn out to be higher than it was measured; an announced one may not. */
  #shareNow(now: number): number {
    const gain = this.#isLearned ? LEARNED_GAIN / Math.sqrt(this.#meters.get('')!.limit) : GAIN;
    const share = this.#share + (gain * (now - this.#shareAt)) / MINUTE_MS;
    return this.#isLearned ? share : Math.min(1, share);
  }

  #peakIs(level: number, now: number): void {
    const peaks = this.#peaks;
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== peaks.minute) {
      peaks.before = minute === peaks.minute + 1 ? peaks.now : 0;
      peaks.now = 0;
      peaks.minute = minute;
    }
    peaks.now = Math.max(peaks.now, level);
  }
}

const ONE: Cost = { prompt: 1, total: 1 };

/** In the units of a limit; the prompt is what can be counted before there is an answer. */
function costOf({ input, output }: Pick<Expected, 'input' | 'output'>, { counts }: Meter): Cost {
  switch (counts) {
    case 'requests':
      return ONE;
    case 'input':
      return { prompt: input, total: input };
    case 'output':
      return { prompt: 0, total: output };
    case 'tokens':
      return { prompt: input, total: input + output };
  }
}
