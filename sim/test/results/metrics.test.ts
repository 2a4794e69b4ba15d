import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/results/metrics.js';
import type { Figures } from '../../src/results/summary.js';
import type { TraceEvent } from '../../src/trace/events.js';
import {
  admitted,
  capChanged,
  KEY,
  nodeWaiting,
  queued,
  retryScheduled,
  runFinished,
  runStarted,
  STORY,
  settled,
  traceFinished,
  traceStarted,
} from './hand-written-trace.js';

function figuresOf(trace: readonly TraceEvent[]): Figures {
  const metrics = new Metrics();
  for (const event of trace) metrics.observe(event);
  return metrics.figures();
}

describe('metrics', () => {
  it('give every figure of the story', () => {
    expect(figuresOf(STORY)).toEqual({
      scenario: 'by-hand',
      seed: 7,
      mode: 'simulated',
      controller: 'aimd',
      version: '0.1.0',
      virtualMs: 2350,
      makespanMs: 2350,
      complete: true,
      requests: { logical: 4, attempts: 6, succeeded: 3, refused: 2, failed: 1, ended: 0, lost: 1, unfinished: 0 },
      refused: { share: 1 / 3, first: 250, perMinute: 2 / (2350 / 60_000) },
      tokens: { input: 60, output: 21, repeated: 0 },
      latencyMs: {
        // 0, 0, 100, 200, 0, 0; percentiles are the upper ends of classes a thousandth wide
        wait: { mean: 50, p50: 0, p90: 200, p95: 200, p99: 200, max: 200, count: 6 },
        // 100, 200, 150, 100, 100; not the one that timed out
        service: { mean: 130, p50: 100.031, p90: 200, p95: 200, p99: 200, max: 200, count: 5 },
        // 100, 200, 1450
        total: { mean: 1750 / 3, p50: 200.063, p90: 1450, p95: 1450, p99: 1450, max: 1450, count: 3 },
        firstToken: { mean: 50, p50: 50.015, p90: 60, p95: 60, p99: 60, max: 60, count: 3 },
      },
      queue: { max: 2, mean: 300 / 2350 },
      inFlight: { max: 2, mean: 700 / 2350 },
      keys: {
        [KEY]: {
          // 2 for 200 ms, 3 for 50, 2 for 2100
          cap: { initial: 2, min: 2, max: 3, final: 2, mean: (2 * 200 + 3 * 50 + 2 * 2100) / 2350 },
          inFlight: { max: 2, mean: 700 / 2350 },
          queue: { max: 2, mean: 300 / 2350 },
          cuts: 1,
          raises: 1,
          idleResets: 0,
          epochs: 1,
          cooldownMs: 1000,
          capPath: [
            [0, 2, 'initial'],
            [200, 3, 'recovered'],
            [250, 2, 'rate_limited'],
          ],
        },
      },
      runs: {
        review: {
          bound: 4,
          makespanMs: 2350,
          effective: { min: 2, mean: (2 * 200 + 3 * 50 + 2 * 2100) / 2350 },
          waitMs: 300,
          agents: 4,
          cacheHits: 0,
        },
      },
      providers: { [KEY]: { admitted: 4, refused: 2, peakInFlight: 2, refusedBy: { concurrency: 2 } } },
    });
  });

  it('of a run that was interrupted count what is open, over the time until the last settlement', () => {
    const figures = figuresOf([
      ...STORY.slice(0, 12), // 3 was admitted at 100, 4 waits
      queued(500, 5),
      nodeWaiting(500, 'a5', 'slot'),
      traceFinished(900, {}, { complete: false, stop: 'interrupted' }),
    ]);
    expect(figures).toMatchObject({ complete: false, virtualMs: 900, makespanMs: 100 });
    expect(figures.requests).toMatchObject({ logical: 5, attempts: 5, succeeded: 1, lost: 0, unfinished: 4 });
    expect(figures.queue).toEqual({ max: 2, mean: 2 });
    expect(figures.inFlight).toEqual({ max: 2, mean: 2 });
    expect(figures.keys[KEY]?.cap.mean).toBe(2);
  });

  it('are null and never NaN where nothing happened', () => {
    const figures = figuresOf([traceStarted()]);
    const none = { mean: null, p50: null, p90: null, p95: null, p99: null, max: null, count: 0 };
    expect(figures).toMatchObject({ makespanMs: null, virtualMs: 0, complete: false, runs: {}, providers: {} });
    expect(figures.refused).toEqual({ share: null, first: null, perMinute: null });
    expect(figures.latencyMs).toEqual({ wait: none, service: none, total: none, firstToken: none });
    expect(figures.inFlight).toEqual({ max: 0, mean: null });
    expect(figures.keys[KEY]).toMatchObject({
      cap: { initial: 2, final: 2, mean: null },
      queue: { max: 0, mean: null },
    });
  });

  it('are null or finite when everything happens in one instant', () => {
    const figures = figuresOf([
      traceStarted(),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(0, 1, { outcome: 'throttled', serviceMs: 0, lost: true }),
    ]);
    expect(figures).toMatchObject({ makespanMs: 0, refused: { share: 1, first: 0, perMinute: null } });
    expect(figures.inFlight).toEqual({ max: 1, mean: null });
    expect(figures.runs.review).toMatchObject({ makespanMs: 0, effective: { min: 2, mean: 2 } });
  });

  it('of an ungoverned run have no cap', () => {
    const figures = figuresOf([
      traceStarted({ controller: 'none', initial: null }),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(100, 1, { outcome: 'throttled', lost: true }),
      traceFinished(100),
    ]);
    expect(figures.keys[KEY]).toMatchObject({
      cap: { initial: null, min: null, max: null, final: null, mean: null },
      cuts: 0,
      epochs: 0,
      capPath: [],
    });
    expect(figures.runs.review?.effective).toEqual({ min: 4, mean: 4 });
  });

  it('of a fixed cap count no cut, whatever was refused', () => {
    const refusal = settled(100, 1, { outcome: 'throttled', lost: true });
    const figures = figuresOf([
      traceStarted({ controller: 'fixed' }),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      refusal,
    ]);
    expect(figures.keys[KEY]).toMatchObject({ cuts: 0, epochs: 0, capPath: [[0, 2, 'initial']] });
  });

  it('of another controller count a cut where a refusal lowered the cap', () => {
    const figures = figuresOf([
      traceStarted({ controller: 'vegas', initial: 4 }),
      capChanged(10, 4, 3, 'rate_limited'),
      capChanged(20, 3, 3, 'rate_limited', { cooldownMs: 100 }),
      capChanged(30, 3, 4, 'recovered'),
    ]);
    expect(figures.keys[KEY]).toMatchObject({ cuts: 1, raises: 1, epochs: 0, cap: { final: 4 } });
  });

  it('do not take for a queue what is admitted at once', () => {
    const figures = figuresOf([traceStarted(), runStarted(0), queued(5, 1), admitted(5, 1), settled(105, 1)]);
    expect(figures.queue).toEqual({ max: 0, mean: 0 });
    expect(figures.keys[KEY]?.queue).toEqual({ max: 0, mean: 0 });
  });
});

describe('epochs', () => {
  const refused = { outcome: 'throttled', lost: true } as const;

  it('turn with a refusal at the floor, though no change is told', () => {
    const figures = figuresOf([
      traceStarted({ initial: 1 }),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(100, 1, refused),
      queued(100, 2),
      admitted(100, 2, { epoch: 1 }),
      settled(200, 2, { ...refused, epoch: 1 }),
    ]);
    expect(figures.keys[KEY]).toMatchObject({ cuts: 2, epochs: 2, capPath: [[0, 1, 'initial']] });
  });

  it('turn without a word when an idle reset leaves the cap where it is; the next admission shows it', () => {
    const figures = figuresOf([
      traceStarted(),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(100, 1),
      queued(400_000, 2),
      admitted(400_000, 2, { epoch: 1 }),
    ]);
    expect(figures.keys[KEY]).toMatchObject({ cuts: 0, idleResets: 0, epochs: 1 });
  });

  it('turn with a reset, a seed and a lowered limit, and these are no cuts', () => {
    const figures = figuresOf([
      traceStarted(),
      capChanged(10, 2, 4, 'seeded'),
      capChanged(20, 4, 2, 'limit_lowered'),
      capChanged(30, 2, 1, 'rate_limited'),
      capChanged(400_000, 1, 2, 'idle_reset'),
    ]);
    expect(figures.keys[KEY]).toMatchObject({ cuts: 0, raises: 0, idleResets: 1, epochs: 3, cap: { min: 1, max: 4 } });
  });
});

describe('cooldownMs', () => {
  const refusal = (t: number, id: number, cooldownUntil: number): readonly TraceEvent[] => [
    queued(t, id),
    admitted(t, id),
    settled(t, id, { outcome: 'throttled', serviceMs: 0, lost: true, cooldownUntil }),
  ];

  it('is the union of the cooldowns, as far as the run goes', () => {
    const trace = [
      traceStarted(),
      runStarted(0),
      ...refusal(100, 1, 300.7),
      ...refusal(200, 2, 300.7), // the same
      ...refusal(250, 3, 400), // overlaps
      ...refusal(500, 4, 600), // on its own
      ...refusal(900, 5, 2000), // beyond the end
    ];
    expect(figuresOf([...trace, traceFinished(950)]).keys[KEY]?.cooldownMs).toBe(300 + 100 + 50);
  });
});

describe('runs', () => {
  it('are as wide as their narrowest key lets them, and no level counts that lasted for no time', () => {
    const small = { key: 'acme/small' };
    const figures = figuresOf([
      traceStarted(),
      runStarted(100, { bound: 8 }),
      queued(100, 1), // the bound raises the cap in the same instant
      capChanged(100, 2, 8, 'seeded'),
      admitted(100, 1),
      queued(300, 2, small),
      admitted(300, 2, small), // acme/small lets 2
      { t: 500, type: 'run-caps-changed', run: 'review', previous: 8, bound: 1 },
      settled(700, 1, { serviceMs: 600 }),
      settled(800, 2, { ...small, serviceMs: 500 }),
      runFinished(900, { cacheHits: 3 }),
      capChanged(950, 8, 2, 'idle_reset'),
      traceFinished(1000),
    ]);
    expect(figures.runs.review).toEqual({
      bound: 1,
      makespanMs: 700,
      effective: { min: 1, mean: (8 * 200 + 2 * 200 + 1 * 400) / 800 },
      waitMs: 0,
      agents: 4,
      cacheHits: 3,
    });
  });

  it('have no level that lasted for no time, and none after their end', () => {
    const figures = figuresOf([
      traceStarted(),
      runStarted(0, { bound: 8 }),
      queued(0, 1), // for no time at all the cap is 2
      capChanged(0, 2, 8, 'seeded'),
      admitted(0, 1),
      settled(100, 1),
      capChanged(100, 8, 4, 'limit_lowered'),
      runFinished(100),
      capChanged(200, 4, 2, 'limit_lowered'),
      traceFinished(300),
    ]);
    expect(figures.runs.review?.effective).toEqual({ min: 8, mean: 8 });
  });

  it('that are not over live until the trace ends', () => {
    const figures = figuresOf([
      traceStarted(),
      runStarted(0),
      queued(0, 1),
      capChanged(600, 2, 1, 'rate_limited'),
      traceFinished(1000),
    ]);
    expect(figures.runs.review).toMatchObject({
      makespanMs: null,
      effective: { min: 1, mean: (2 * 600 + 1 * 400) / 1000 },
    });
  });

  it('add waits up to the microsecond', () => {
    const waits = [0.1, 0.2, 0.3].flatMap((waitMs, i) => [queued(i, i + 1), admitted(i, i + 1, { waitMs })]);
    expect(figuresOf([traceStarted(), runStarted(0), ...waits]).runs.review?.waitMs).toBe(0.6);
  });
});

it('a retry is another attempt of the same request, and its backoff is part of the total', () => {
  const figures = figuresOf([
    traceStarted(),
    runStarted(0),
    queued(0, 1),
    admitted(0, 1),
    settled(50, 1, { outcome: 'failed', serviceMs: 50 }),
    retryScheduled(50, 1, 1000),
    queued(1050, 1, { attempt: 2 }),
    admitted(1050, 1, { attempt: 2 }),
    settled(1150, 1, { attempt: 2 }),
  ]);
  expect(figures.requests).toMatchObject({ logical: 1, attempts: 2, succeeded: 1, failed: 1, lost: 0, unfinished: 0 });
  expect(figures.latencyMs.total).toMatchObject({ mean: 1150, count: 1 });
});
