/**
 * The reference controller: additive increase on proof, multiplicative decrease on refusal, one cut per wave.
 *
 * The gate is per request, so a single refusal says "a little too high", not "congestion collapse": the cut is mild
 * (× 0.75) and a wave of refusals counts once. Requests carry the epoch they were admitted in; a cut turns the epoch,
 * and what was admitted before it is neither proof nor disproof of the new cap. After K successes a cap is proven; a
 * probe above a proven cap that fails falls back to it instead of cutting.
 */

import {
  type CapChange,
  type CapChangeReason,
  type ConcurrencyController,
  type ControllerSnapshot,
  NO_CHANGES,
  type Sample,
  type ThrottleReason,
} from './controller.js';
import type { Draft } from './draft.js';
import { Growth } from './growth.js';
import { refuseSettlement } from './invariant.js';
import { LatencySignal } from './latency-signal.js';
import { type AimdOptions, type ResolvedAimdOptions, refuseOption, resolveAimdOptions } from './options.js';

/** Not set. NaN keeps the field a double (no allocation per write) and fails every comparison. */
const UNSET = Number.NaN;

/** The reference controller of one key: raises on proof, cuts once per wave of refusals, forgets after idleness. */
export class AimdController implements ConcurrencyController {
  readonly #options: ResolvedAimdOptions;
  /** What raises take beyond the reference; undefined in the reference itself. */
  readonly #growth: Growth | undefined;
  readonly #latency: LatencySignal | undefined;
  #growthLimit: number;
  #cap: number;
  #epoch = 0;
  #inFlight = 0;
  #waiters = 0;
  #successStreak = 0;
  /** 0 = no level is proven or disproven: caps are at least 1. */
  #lastGood = 0;
  #lastBad = 0;
  #cooldownUntil: number = UNSET;
  #lastRequestAt: number = UNSET;
  #lastThrottledAt: number = UNSET;

  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: AimdOptions) {
    this.#options = resolveAimdOptions(options);
    this.#growth = Growth.of(this.#options);
    this.#latency = this.#options.latencySignal ? new LatencySignal() : undefined;
    this.#growthLimit = this.#options.growthLimit;
    this.#cap = this.#options.initial;
  }

  canAdmit(now: number): boolean {
    return this.#inFlight < this.#cap && !(now < this.#cooldownUntil);
  }

  observed(now: number): readonly CapChange[] {
    // Written so that an unset `lastRequestAt` (NaN) is never idle.
    if (this.#inFlight > 0 || !(now - this.#lastRequestAt >= this.#options.idleResetMs)) return NO_CHANGES;
    return this.#forget(now);
  }

  admitted(now: number): number {
    this.#inFlight++;
    this.#lastRequestAt = now;
    return this.#epoch;
  }

  succeeded(now: number, epoch: number, sample?: Sample): readonly CapChange[] {
    this.#settle(now);
    if (epoch !== this.#epoch) return NO_CHANGES;
    if (this.#latency !== undefined && sample?.firstTokenMs !== undefined) {
      const places = this.#latency.places(sample, sample.firstTokenMs);
      if (places !== undefined && places < Number.POSITIVE_INFINITY) return this.#cutToPlaces(places, this.#latency);
      // A server that queues lets everything succeed: only a judgement shows that a level is none too high.
      if (places !== undefined) this.#growth?.levelHeld(this.#cap, this.#wall);
    }
    this.#successStreak++;
    this.#growth?.succeeded();
    if (this.#latency === undefined) this.#growth?.levelHeld(sample?.inFlightAtAdmission ?? this.#cap, this.#lastBad);
    const isProven = this.#successStreak >= this.#options.increaseAfterSuccesses;
    if (isProven && this.#options.rememberGood && this.#cap > this.#lastGood) this.#lastGood = this.#cap;
    // The gates of a raise that are there with every success; the rest is asked only of those that pass.
    if (this.#waiters === 0 || this.#cap >= this.#growthLimit || !this.#mayRaise(isProven)) return NO_CHANGES;
    return this.#raise();
  }

  #raise(): readonly CapChange[] {
    const previous = this.#cap;
    this.#cap = this.#raised();
    this.#successStreak = 0;
    this.#growth?.raised();
    this.#latency?.raised();
    return [this.#change(previous, 'recovered')];
  }

  throttled(now: number, epoch: number, reason: ThrottleReason, retryAfterMs?: number): readonly CapChange[] {
    this.#settle(now);
    this.#successStreak = 0;
    this.#lastThrottledAt = now;
    const cooldownMs = retryAfterMs !== undefined && retryAfterMs > 0 ? retryAfterMs : undefined;
    if (cooldownMs !== undefined && !(this.#cooldownUntil >= now + cooldownMs)) this.#cooldownUntil = now + cooldownMs;
    return epoch === this.#epoch ? this.#cut(reason, cooldownMs) : NO_CHANGES;
  }

  /** The cap has been too high. */
  #cut(reason: ThrottleReason, cooldownMs?: number): readonly CapChange[] {
    const previous = this.#cap;
    if (this.#lastGood > 0 && previous > this.#lastGood) {
      this.#cap = this.#lastGood;
      this.#growth?.probeFailed(previous, this.#lastBad);
    } else {
      this.#growth?.disproved(this.#lastGood);
      this.#cap = Math.max(this.#options.floor, Math.floor(previous * this.#options.decreaseFactor));
      this.#lastGood = 0;
    }
    return this.#newEpoch(previous, reason, cooldownMs);
  }

  /** The server queues what is more than `places`. */
  #cutToPlaces(places: number, latency: LatencySignal): readonly CapChange[] {
    const previous = this.#cap;
    this.#cap = Math.max(this.#options.floor, Math.min(previous - 1, Math.round(places)));
    this.#growth?.probeFailed(this.#cap + 1, latency.wall);
    latency.cutTo(this.#cap);
    this.#lastGood = 0;
    return this.#newEpoch(previous, 'provider_overloaded');
  }

  #newEpoch(previous: number, reason: ThrottleReason, cooldownMs?: number): readonly CapChange[] {
    this.#lastBad = previous;
    this.#successStreak = 0;
    this.#latency?.newEpoch();
    // Even where the cap cannot fall: the rest of this wave is the same evidence.
    this.#epoch++;
    if (this.#cap === previous && cooldownMs === undefined) return NO_CHANGES;
    return [this.#change(previous, reason, cooldownMs)];
  }

  failed(now: number): readonly CapChange[] {
    this.#settle(now);
    this.#successStreak = 0;
    return NO_CHANGES;
  }

  ended(now: number): readonly CapChange[] {
    this.#settle(now);
    return NO_CHANGES;
  }

  waiting(now: number, count: number): readonly CapChange[] {
    const reset = this.observed(now);
    this.#waiters = count;
    return reset;
  }

  /** @throws RangeError when `limit` is not finite. */
  setGrowthLimit(now: number, limit: number): readonly CapChange[] {
    if (!Number.isFinite(limit)) refuseOption('growthLimit', limit, 'a finite number');
    const reset = this.observed(now);
    this.#growthLimit = Math.max(this.#options.initial, Math.floor(limit));
    if (this.#growthLimit >= this.#cap) return reset;
    const previous = this.#cap;
    this.#cap = this.#growthLimit;
    this.#lastGood = Math.min(this.#lastGood, this.#cap);
    this.#successStreak = 0;
    this.#growth?.raised();
    this.#epoch++;
    return [...reset, this.#change(previous, 'limit_lowered')];
  }

  /** @throws RangeError when `target` is not finite. */
  seed(now: number, target: number): readonly CapChange[] {
    if (!Number.isFinite(target)) refuseOption('seed', target, 'a finite number');
    const reset = this.observed(now);
    const next = Math.min(Math.floor(target), this.#growthLimit);
    const refusedLately = now - this.#lastThrottledAt < this.#options.idleResetMs;
    if (next <= this.#cap || refusedLately) return reset;
    const previous = this.#cap;
    this.#cap = next;
    this.#lastGood = 0;
    this.#lastBad = 0;
    this.#successStreak = 0;
    this.#growth?.reset();
    this.#epoch++;
    return [...reset, this.#change(previous, 'seeded')];
  }

  snapshot(): ControllerSnapshot {
    const snapshot: Draft<ControllerSnapshot> = {
      key: this.#options.key,
      initial: this.#options.initial,
      growthLimit: this.#growthLimit,
      cap: this.#cap,
      epoch: this.#epoch,
      inFlight: this.#inFlight,
      waiters: this.#waiters,
      successStreak: this.#successStreak,
    };
    if (!Number.isNaN(this.#cooldownUntil)) snapshot.cooldownUntil = this.#cooldownUntil;
    if (!Number.isNaN(this.#lastRequestAt)) snapshot.lastRequestAt = this.#lastRequestAt;
    if (this.#lastGood !== 0) snapshot.lastGood = this.#lastGood;
    if (this.#lastBad !== 0) snapshot.lastBad = this.#lastBad;
    if (!Number.isNaN(this.#lastThrottledAt)) snapshot.lastThrottledAt = this.#lastThrottledAt;
    return snapshot;
  }

  #settle(now: number): void {
    if (this.#inFlight === 0) refuseSettlement(this.#options.key);
    this.#inFlight--;
    this.#lastRequestAt = now;
  }

  /** What was too much: for a server that queues, or the one that refused. */
  get #wall(): number {
    return this.#latency?.wall || this.#lastBad;
  }

  #raised(): number {
    return Math.min(this.#growthLimit, this.#cap + this.#options.increaseStep);
  }

  #mayRaise(isProven: boolean): boolean {
    if (this.#latency?.mayRaise(this.#cap) === false) return false;
    if (this.#growth === undefined) return isProven;
    return this.#growth.mayRaise({ cap: this.#cap, next: this.#raised(), wall: this.#wall }, this.#successStreak);
  }

  /** The idle reset, once the key is known to be idle. A provider's wait outlives idleness. */
  #forget(now: number): readonly CapChange[] {
    if (now < this.#cooldownUntil || this.#isClean()) return NO_CHANGES;
    const previous = this.#cap;
    this.#cap = this.#options.initial;
    this.#successStreak = 0;
    this.#cooldownUntil = UNSET;
    this.#lastGood = 0;
    this.#lastBad = 0;
    this.#lastThrottledAt = UNSET;
    this.#growth?.reset();
    this.#latency?.reset();
    this.#epoch++;
    return previous === this.#cap ? NO_CHANGES : [this.#change(previous, 'idle_reset')];
  }

  /** Nothing learned: a reset would change nothing, so it must not turn the epoch either. */
  #isClean(): boolean {
    return (
      this.#cap === this.#options.initial &&
      this.#successStreak === 0 &&
      this.#lastGood === 0 &&
      this.#lastBad === 0 &&
      Number.isNaN(this.#cooldownUntil) &&
      Number.isNaN(this.#lastThrottledAt)
    );
  }

  #change(previous: number, reason: CapChangeReason, cooldownMs?: number): CapChange {
    const change: Draft<CapChange> = { key: this.#options.key, previous, next: this.#cap, reason };
    if (this.#lastGood !== 0) change.lastGood = this.#lastGood;
    if (this.#lastBad !== 0) change.lastBad = this.#lastBad;
    if (cooldownMs !== undefined) change.cooldownMs = cooldownMs;
    return change;
  }
}
