/**
 * Fits a mock provider to a trace, of whatever mode: which limits it had, what its refusals said, how long its answers
 * took. Looks only at what a client sees. Pure: reads no file and runs nothing.
 */

import { formatDuration } from '../scenario/duration.js';
import type { Scenario } from '../scenario/scenario.js';
import type { TraceEvent, TraceStarted } from '../trace/events.js';
import { type FittedDistribution, fitDistribution } from './fit-distribution.js';
import { type FittedHint, fitHint } from './fit-hint.js';
import { explainedBy, fitQuota, type QuotaFit, waitsOf } from './fit-quota.js';
import { WorkloadFit } from './fit-workload.js';
import { Histories, type History, type Sent } from './history.js';
import { type Seen, type Steps, stepsOf } from './steps.js';

export interface KeyFit {
  readonly key: string;
  readonly attempts: number;
  readonly refusals: number;
  /** The limits, the one that explains most first; none where nothing was refused. */
  readonly quotas: readonly QuotaFit[];
  /** Refusals that no limit explains. */
  readonly unexplained: number;
  readonly hint: FittedHint;
  readonly latency: {
    /** Undefined where answers came as a whole; then `service` is known. */
    readonly firstToken: FittedDistribution | undefined;
    readonly perOutputToken: FittedDistribution | undefined;
    readonly service: FittedDistribution | undefined;
    readonly refusal: FittedDistribution | undefined;
  };
}

export interface Calibration {
  readonly started: TraceStarted;
  readonly keys: readonly KeyFit[];
  /** The work that the trace shows, as a scenario writes it. */
  readonly workload: object;
}

/** Told every event of a trace, in order; then asked once. */
export class Calibrator {
  readonly #histories = new Histories();
  readonly #workload = new WorkloadFit();
  #started: TraceStarted | undefined;

  observe(event: TraceEvent): void {
    if (event.type === 'trace-started') this.#started = event;
    this.#histories.observe(event);
    this.#workload.observe(event);
  }

  /** @throws RangeError if nothing has been observed. */
  calibration(): Calibration {
    const started = this.#started;
    if (started === undefined) throw new RangeError('calibration: expected a trace, got no trace-started event');
    const maxTokens = (key: string): number | null => maxTokensOf(started.scenario as Scenario, key);
    return {
      started,
      keys: this.#histories.histories().map((history) => {
        const lateMs = started.mode === 'simulated' ? 0 : latenessOf(history);
        return fitKey(history, { maxTokens: maxTokens(history.key), lateMs });
      }),
      workload: this.#workload.written(maxTokens),
    };
  }
}

function maxTokensOf({ workload }: Scenario, key: string): number | null {
  const { runs, arrivals = [] } = workload;
  const asked = [
    ...runs.map(({ target, agents }) => ({ target, tokens: agents.tokens })),
    ...arrivals.map(({ target, tokens }) => ({ target, tokens })),
  ];
  return asked.find(({ target }) => `${target.provider}/${target.model}` === key)?.tokens.max ?? null;
}

/** Nothing is on its way for longer than the quickest answer took. */
function latenessOf({ sent }: History): number {
  const quickest = sent.reduce((least, each) => Math.min(least, serviceMs(each)), LATE_AT_MOST_MS);
  return Math.max(LATE_AT_LEAST_MS, quickest);
}

/** A busy client notices its answers late, wherever the provider is. */
const LATE_AT_LEAST_MS = 10;
/** More would blur what the limits of a second do. */
const LATE_AT_MOST_MS = 100;

function fitKey(history: History, seen: Seen): KeyFit {
  const steps = stepsOf(history, seen);
  const { quotas, unexplained } = fitQuotas(steps);
  const { sent } = history;
  const refused = sent.filter(({ outcome }) => outcome === 'refused');
  const first = quotas[0];
  const waits = first === undefined ? [] : waitsOf(first.best, steps);
  return {
    key: history.key,
    attempts: sent.length,
    refusals: refused.length,
    quotas,
    unexplained,
    hint: fitHint(
      waits,
      steps.isRefused.reduce((sum, each) => sum + each, 0),
    ),
    latency: {
      ...answerTimes(sent.filter(({ outcome }) => outcome === 'admitted')),
      refusal: fitDistribution(refused.map(serviceMs)),
    },
  };
}

/** A second limit must explain most of what the first one leaves. */
function fitQuotas(steps: Steps): Pick<KeyFit, 'quotas' | 'unexplained'> {
  const first = fitQuota(steps, steps.isEvidence);
  if (first === undefined) return { quotas: [], unexplained: 0 };
  const left = unexplainedBy(first, steps, steps.isEvidence);
  const open = refusalsIn(left, steps);
  if (open < FEW) return { quotas: [first], unexplained: open };
  const second = fitQuota(steps, left);
  if (second === undefined) return { quotas: [first], unexplained: open };
  const rest = refusalsIn(unexplainedBy(second, steps, left), steps);
  if (rest >= open / 3 || second.best.errors >= open / 3) return { quotas: [first], unexplained: open };
  // Again, without what the second explains: it had been bent to explain some of that too.
  const alone = fitQuota(steps, unexplainedBy(second, steps, steps.isEvidence)) ?? first;
  return { quotas: [alone, second], unexplained: rest };
}

/** Fewer are not enough to tell a limit by. */
const FEW = 5;

/** What is counted, without the refusals that this limit explains. */
function unexplainedBy({ best }: QuotaFit, steps: Steps, isCounted: Uint8Array): Uint8Array {
  const explained = explainedBy(best, steps);
  return isCounted.map((each, i) => (explained[i] === 1 ? 0 : each));
}

function refusalsIn(isCounted: Uint8Array, { isRefused }: Steps): number {
  return isCounted.reduce((sum, each, i) => sum + (each === 1 && isRefused[i] === 1 ? 1 : 0), 0);
}

function serviceMs({ sentMs, endMs }: Sent): number {
  return endMs - sentMs;
}

function answerTimes(answered: readonly Sent[]): Pick<KeyFit['latency'], 'firstToken' | 'perOutputToken' | 'service'> {
  const told = answered.filter(({ firstTokenMs }) => firstTokenMs !== null);
  if (told.length < answered.length / 2) {
    const service = fitDistribution(answered.map(serviceMs));
    return { firstToken: undefined, perOutputToken: undefined, service };
  }
  const perToken = told
    .filter(({ outputTokens }) => outputTokens > 0)
    .map((each) => Math.max(0, serviceMs(each) - (each.firstTokenMs ?? 0)) / each.outputTokens);
  return {
    firstToken: fitDistribution(told.map(({ firstTokenMs }) => firstTokenMs ?? 0)),
    perOutputToken: fitDistribution(perToken),
    service: undefined,
  };
}

/** A distribution of milliseconds as a scenario writes it. */
export function writtenDuration({ kind, numbers }: FittedDistribution): unknown {
  const written = Object.fromEntries(
    Object.entries(numbers).map(([name, ms]) => [name, formatDuration(threeDigits(ms))]),
  );
  return kind === 'constant' ? written.value : { [kind]: written };
}

function threeDigits(ms: number): number {
  return ms === 0 ? 0 : Math.max(0.001, Number(ms.toPrecision(3)));
}
