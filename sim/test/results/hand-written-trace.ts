/**
 * Traces written by hand, for the tests of what is folded out of them: one function per event, with what the tests of
 * this folder mostly want as defaults. Times are in milliseconds. Knows nothing of the engine.
 */

import type { Scenario } from '../../src/scenario/scenario.js';
import type {
  ConcurrencyChanged,
  CountedModel,
  NodeWaiting,
  RequestAdmitted,
  RequestQueued,
  RequestSettled,
  RequestWithdrawn,
  RetryScheduled,
  RunFinished,
  RunStarted,
  TraceEvent,
  TraceFinished,
  TraceStarted,
} from '../../src/trace/events.js';

/** Without what every event of its kind in these traces has in common. */
type Details<E> = Partial<Omit<E, 'type' | 't'>>;

export const KEY = 'acme/large';
const constant = (value: number) => ({ kind: 'constant', value }) as const;

/** Acme's large model takes two at once; one run of four agents asks it. */
export const SCENARIO: Scenario = {
  name: 'by-hand',
  question: 'What do the figures of a trace say?',
  seed: 7,
  governor: {
    preset: 'reference',
    controller: 'aimd',
    options: { initial: 2, increaseAfterSuccesses: 2 },
    retry: {
      throttle: null,
      network: 3,
      business: 0,
      firstDelayMs: 2000,
      maxDelayMs: 60_000,
      maxRetryAfterMs: 300_000,
    },
  },
  providers: {
    acme: {
      wire: 'openai',
      quotas: [],
      models: {
        large: {
          quotas: [{ kind: 'concurrency', name: 'concurrency', limit: 2, refusedCount: false }],
          retryAfter: { kind: 'none' },
          latency: {
            service: { kind: 'service', serviceMs: constant(100) },
            refusalMs: constant(50),
            load: { slope: 0, kneeStart: null, kneeBase: 1 },
          },
        },
      },
    },
  },
  workload: {
    runs: [
      {
        id: 'review',
        target: { provider: 'acme', model: 'large' },
        startMs: 0,
        maxConcurrency: 4,
        timeoutMs: 50,
        agents: {
          population: { kind: 'count', count: 4, name: 'a{n}' },
          asks: 1,
          requests: 1,
          tokens: { input: constant(10), output: constant(5), max: null },
        },
      },
    ],
  },
  timeline: [],
  stop: { when: 'done', afterMs: null, maxRequests: null },
  expect: [],
};

export function traceStarted(details: Details<TraceStarted> = {}): TraceStarted {
  return {
    t: 0,
    type: 'trace-started',
    scenario: SCENARIO,
    seed: 7,
    controller: 'aimd',
    mode: 'simulated',
    version: '0.1.0',
    initial: 2,
    increaseAfterSuccesses: 2,
    floor: 1,
    ...details,
  };
}

export function runStarted(t: number, details: Details<RunStarted> = {}): RunStarted {
  return { t, type: 'run-started', run: 'review', bound: 4, agents: 4, ...details };
}

/** Request `id` is asked by agent `a<id>`. */
function attempt(t: number, id: number) {
  return { t, id, attempt: 1, key: KEY, run: 'review', agent: `a${id}` };
}

export function queued(t: number, id: number, details: Details<RequestQueued> = {}): RequestQueued {
  return { ...attempt(t, id), type: 'request-queued', ...details };
}

export function admitted(t: number, id: number, details: Details<RequestAdmitted> = {}): RequestAdmitted {
  return { ...attempt(t, id), type: 'request-admitted', epoch: 0, waitMs: 0, ...details };
}

export function settled(t: number, id: number, details: Details<RequestSettled> = {}): RequestSettled {
  return { ...attempt(t, id), type: 'request-settled', outcome: 'succeeded', serviceMs: 100, epoch: 0, ...details };
}

export function retryScheduled(
  t: number,
  id: number,
  delayMs: number,
  details: Details<RetryScheduled> = {},
): RetryScheduled {
  return { ...attempt(t, id), type: 'retry-scheduled', delayMs, ...details };
}

export function withdrawn(
  t: number,
  id: number,
  from: RequestWithdrawn['from'],
  details: Details<RequestWithdrawn> = {},
): RequestWithdrawn {
  return { ...attempt(t, id), type: 'request-withdrawn', from, ...details };
}

export function capChanged(
  t: number,
  previous: number,
  next: number,
  reason: string,
  details: Details<ConcurrencyChanged> = {},
): ConcurrencyChanged {
  return { t, type: 'concurrency-changed', key: KEY, previous, next, reason, ...details };
}

export function nodeWaiting(t: number, node: string, reason: NodeWaiting['reason']): NodeWaiting {
  return { t, type: 'node-waiting', run: 'review', node, reason };
}

export function runFinished(t: number, details: Details<RunFinished> = {}): RunFinished {
  return { t, type: 'run-finished', run: 'review', succeeded: 3, lost: 1, cacheHits: 0, ...details };
}

export function traceFinished(
  t: number,
  ledger: Partial<CountedModel> = {},
  details: Details<TraceFinished> = {},
): TraceFinished {
  const entry = { admitted: 0, refused: 0, abandoned: 0, peakInFlight: 0, inFlight: 0, refusedBy: {}, ...ledger };
  return { t, type: 'trace-finished', complete: true, stop: 'done', ledger: { [KEY]: entry }, ...details };
}

/**
 * Four agents under a cap of two. Two successes with somebody waiting raise it to three; the provider, which takes two,
 * refuses 3 with a Retry-After of a second (a cut, back to two) and 4 of the same wave. Both come again: 3 succeeds,
 * 4 times out for good.
 */
export const STORY: readonly TraceEvent[] = [
  traceStarted(),
  runStarted(0),
  queued(0, 1),
  admitted(0, 1),
  queued(0, 2),
  admitted(0, 2),
  queued(0, 3),
  nodeWaiting(0, 'a3', 'slot'),
  queued(0, 4),
  nodeWaiting(0, 'a4', 'slot'),
  settled(100, 1, { inputTokens: 10, outputTokens: 5, firstTokenMs: 40 }),
  admitted(100, 3, { waitMs: 100 }),
  settled(200, 2, { serviceMs: 200, inputTokens: 20, outputTokens: 7, firstTokenMs: 60 }),
  capChanged(200, 2, 3, 'recovered', { lastGood: 2 }),
  admitted(200, 4, { waitMs: 200 }),
  settled(250, 3, {
    outcome: 'throttled',
    serviceMs: 150,
    retryAfterMs: 1000,
    cooldownUntil: 1250,
    refusedBy: 'concurrency',
  }),
  capChanged(250, 3, 2, 'rate_limited', { lastGood: 2, lastBad: 3, cooldownMs: 1000 }),
  retryScheduled(250, 3, 1100),
  nodeWaiting(250, 'a3', 'backoff'),
  settled(300, 4, { outcome: 'throttled', cooldownUntil: 1250, refusedBy: 'concurrency' }),
  retryScheduled(300, 4, 2000),
  queued(1350, 3, { attempt: 2 }),
  admitted(1350, 3, { attempt: 2, epoch: 1 }),
  settled(1450, 3, { attempt: 2, epoch: 1, inputTokens: 30, outputTokens: 9, firstTokenMs: 50 }),
  queued(2300, 4, { attempt: 2 }),
  admitted(2300, 4, { attempt: 2, epoch: 1 }),
  settled(2350, 4, { attempt: 2, epoch: 1, outcome: 'failed', serviceMs: 50, lost: true }),
  runFinished(2350),
  traceFinished(2350, { admitted: 4, refused: 2, abandoned: 1, peakInFlight: 2, refusedBy: { concurrency: 2 } }),
];
