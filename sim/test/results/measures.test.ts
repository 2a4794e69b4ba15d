import { describe, expect, it } from 'vitest';
import { jainIndex } from '../../src/results/measures/fairness.js';
import { Measures } from '../../src/results/measures/measures.js';
import type { ProviderSettings, Scenario } from '../../src/scenario/scenario.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';
import {
  admitted,
  capChanged,
  queued,
  runFinished,
  runStarted,
  SCENARIO,
  settled,
  traceFinished,
  traceStarted,
  withdrawn,
} from './hand-written-trace.js';

function measured(events: readonly TraceEvent[], options = {}) {
  const measures = new Measures(options);
  for (const event of events) measures.observe(event);
  return measures.figures();
}

const acme = SCENARIO.providers.acme as ProviderSettings;
const large = acme.models.large!;

function withQuotas(quotas: ProviderSettings['quotas']): Scenario {
  return { ...SCENARIO, providers: { acme: { ...acme, models: { large: { ...large, quotas } } } } };
}

const CHANGED = 'providers.acme.models.large.quotas[0].concurrency';

/** The provider takes two; from 1 s on it takes `limit`. */
function withChange(limit: number): Scenario {
  const { providers } = withQuotas([{ kind: 'concurrency', name: 'concurrency', limit, refusedCount: false }]);
  const change = {
    kind: 'set',
    atMs: 1000,
    path: CHANGED,
    value: limit,
    provider: 'acme',
    becomes: providers.acme!,
  } as const;
  return { ...SCENARIO, timeline: [change] };
}

/** Request `id`, queued at once, in flight from `start` to `end`. */
function request(id: number, start: number, end: number, queuedAt = 0): readonly TraceEvent[] {
  return [
    queued(queuedAt, id),
    admitted(start, id, { waitMs: start - queuedAt }),
    settled(end, id, { serviceMs: end - start }),
  ];
}

function inOrder(...parts: readonly (readonly TraceEvent[])[]): readonly TraceEvent[] {
  return parts.flat().toSorted((a, b) => a.t - b.t);
}

describe('counts', () => {
  const events = inOrder(
    [traceStarted(), runStarted(0)],
    request(1, 0, 100),
    [queued(0, 2), admitted(0, 2), settled(50, 2, { outcome: 'throttled', refusedBy: 'concurrency' })],
    [queued(90, 2, { attempt: 2 }), admitted(100, 2, { attempt: 2, waitMs: 10 })],
    [settled(300, 2, { attempt: 2, inputTokens: 7, outputTokens: 3 })],
    [traceFinished(300)],
  );

  it('are of attempts that ended, successes and their tokens', () => {
    expect(measured(events)).toMatchObject({
      complete: true,
      makespanMs: 300,
      succeeded: 2,
      lost: 0,
      throughput: 2 / 0.3,
      refusedShare: 1 / 3,
      refusalsPerThousand: 500,
      tokens: 10,
      waitP99Ms: 10,
    });
  });

  it('leave out what ended before the measuring began', () => {
    expect(measured(events, { fromMs: 100 })).toMatchObject({ succeeded: 2, refusedShare: 0, throughput: 2 / 0.2 });
  });

  it('are null where nothing settled', () => {
    expect(measured([traceStarted(), traceFinished(5)])).toMatchObject({
      ...{ makespanMs: null, throughput: null, refusedShare: null, refusalsPerThousand: null, utilisation: null },
      ...{ convergeMs: null, recoverMs: null, overshoot: null, unsettled: 0, waitP99Ms: null, fairness: null },
    });
  });
});

describe('a request that is given up while it waits', () => {
  it('is lost, and is open no longer', () => {
    const figures = measured(
      inOrder([traceStarted()], request(1, 0, 100), [queued(0, 2), withdrawn(50, 2, 'queue')], [traceFinished(100)]),
    );
    // Open: two for [0, 50), one for [50, 100); served: one throughout.
    expect(figures.utilisation).toBeCloseTo(100 / (2 * 50 + 50), 12);
    expect(figures).toMatchObject({ succeeded: 1, lost: 1, refusedShare: 0 });
  });

  it('is no attempt more where it waited for its retry', () => {
    const refused = [queued(0, 2), admitted(0, 2), settled(50, 2, { outcome: 'throttled', refusedBy: 'concurrency' })];
    const figures = measured(
      inOrder([traceStarted()], request(1, 0, 100), refused, [withdrawn(80, 2, 'backoff'), traceFinished(100)]),
    );
    expect(figures).toMatchObject({ succeeded: 1, lost: 1, refusedShare: 1 / 2 });
  });
});

describe('utilisation', () => {
  it('of two places: one is empty for half the time in which two requests were open', () => {
    // Open: two for [0, 100), one for [100, 200). Served: one for [0, 50), two for [50, 100), one for [100, 200).
    const { utilisation } = measured(
      inOrder([traceStarted()], request(1, 0, 100), request(2, 50, 200), [traceFinished(200)]),
    );
    expect(utilisation).toBeCloseTo((50 + 100 + 100) / (200 + 100), 12);
  });

  it('does not count an attempt that was refused, though it was in flight', () => {
    const refused = [queued(0, 2), admitted(0, 2), settled(100, 2, { outcome: 'throttled', refusedBy: 'concurrency' })];
    const { utilisation } = measured(
      inOrder([traceStarted()], request(1, 0, 100), refused, [
        admitted(100, 2, { attempt: 2 }),
        settled(200, 2, { attempt: 2 }),
        traceFinished(200),
      ]),
    );
    expect(utilisation).toBeCloseTo((100 + 100) / (200 + 100), 12);
  });

  it('follows the limit: what was let in before it fell is no more than the limit afterwards', () => {
    const scenario = withChange(1);
    const { utilisation } = measured(
      inOrder([traceStarted({ scenario })], request(1, 0, 2000), request(2, 0, 1500), [
        { t: 1000, type: 'provider-changed', path: CHANGED, value: 1 },
        traceFinished(2000),
      ]),
    );
    expect(utilisation).toBe(1);
  });

  it('of a window quota is what was served over a full bucket and its refill while requests were open', () => {
    const quota = { kind: 'requests', name: 'rpm', limit: 60, perMs: 60_000, refusedCount: false } as const;
    const scenario = withQuotas([{ ...quota, refill: 'token-bucket', burst: 2 }]);
    const requests = Array.from({ length: 6 }, (_, i) => request(i + 1, i * 1000, (i + 1) * 1000));
    const events = inOrder([traceStarted({ scenario })], ...requests, [traceFinished(6000)]);
    expect(measured(events).utilisation).toBe(6 / (2 + 6));
    expect(measured(events, { fromMs: 2500 }).utilisation).toBe(4 / 3.5);
  });

  it('is that of the most used limit', () => {
    const scenario = withQuotas([
      { kind: 'concurrency', name: 'concurrency', limit: 100, refusedCount: false },
      { kind: 'concurrency', name: 'pool', limit: 1, refusedCount: false },
    ]);
    const { utilisation } = measured(
      inOrder([traceStarted({ scenario })], request(1, 0, 100), request(2, 100, 300), [traceFinished(300)]),
    );
    expect(utilisation).toBe(1);
  });
});

describe('settling', () => {
  /** Ten requests that are open all the time, so that the limit binds from 0 to 4 s. */
  const crowd = Array.from({ length: 10 }, (_, i) => request(i + 1, 3900, 4000));
  const judged = (limit: number, caps: readonly (readonly [number, number, number])[], scenario?: Scenario) => {
    const providers = withQuotas([{ kind: 'concurrency', name: 'concurrency', limit, refusedCount: false }]);
    return measured(
      inOrder(
        [traceStarted({ scenario: scenario ?? providers, initial: caps[0]![1] })],
        ...crowd,
        caps.map(([t, previous, next]) =>
          capChanged(t, previous, next, next < previous ? 'rate_limited' : 'recovered'),
        ),
        scenario === undefined ? [] : [{ t: 1000, type: 'provider-changed', path: CHANGED, value: 0 } as const],
        [traceFinished(4000)],
      ),
    );
  };

  it('comes when the cap stays within a quarter of the limit: 16, 12, 9 against 8', () => {
    expect(
      judged(8, [
        [100, 16, 12],
        [300, 12, 9],
        [900, 9, 8],
      ]),
    ).toMatchObject({
      ...{ convergeMs: 300, recoverMs: null, overshoot: 0, unsettled: 0 },
      phases: [{ key: 'acme/large', fromMs: 0, limit: 8, settledMs: 300, cuts: 2, overshoot: 0 }],
    });
  });

  it('does not come while the cap is near in passing, and forgives a short dip', () => {
    // Near from 0.5 s to 1 s, far until 3 s; near from there but for 50 ms.
    const caps = [
      [500, 4, 8],
      [1000, 8, 4],
      [3000, 4, 8],
      [3500, 8, 4],
      [3550, 4, 8],
    ] as const;
    expect(judged(8, caps).convergeMs).toBe(3000);
  });

  it('never comes where the cap stays far', () => {
    expect(judged(8, [[100, 3, 4]])).toMatchObject({ convergeMs: null, unsettled: 1 });
  });

  it('is judged anew when the limit changes, and overshoot counts after the cap was at the limit', () => {
    const figures = judged(
      2,
      [
        [1000, 2, 3],
        [1500, 3, 7],
        [2000, 7, 10],
        [2500, 10, 8],
      ],
      withChange(8),
    );
    expect(figures).toMatchObject({ convergeMs: 0, recoverMs: 500, overshoot: 0.25, unsettled: 0 });
    expect(figures.phases.map(({ settledMs, cuts }) => [settledMs, cuts])).toEqual([
      [0, 0],
      [500, 0],
    ]);
  });

  it('is not judged where demand never reaches the limit', () => {
    expect(judged(11, [[100, 3, 4]])).toMatchObject({ convergeMs: null, unsettled: 0, phases: [] });
  });
});

describe('a limit that processes share', () => {
  it('is for none of their caps to find: settling is not judged', () => {
    const scenario = withQuotas([{ kind: 'concurrency', name: 'concurrency', limit: 2, refusedCount: false }]);
    const asked = (id: number, process: string): readonly TraceEvent[] => [
      queued(0, id, { process }),
      admitted(0, id, { process }),
      settled(4000, id, { process }),
    ];
    const caps = [capChanged(100, 8, 2, 'rate_limited', { process: 'one' })];
    const of = (...processes: readonly string[]) =>
      measured(
        inOrder(
          [traceStarted({ scenario, initial: 8 })],
          ...processes.map((process, i) => asked(i + 1, process)),
          caps,
          [traceFinished(4000)],
        ),
      );
    expect(of('one', 'one', 'one')).toMatchObject({ convergeMs: 100, phases: [{ limit: 2 }] });
    expect(of('one', 'two', 'two')).toMatchObject({ convergeMs: null, unsettled: 0, phases: [] });
  });
});

describe('fairness', () => {
  it.each([
    { shares: [5, 5, 5], index: 1 },
    { shares: [1, 0, 0, 0], index: 0.25 },
    { shares: [80, 20], index: 10_000 / (2 * 6800) },
    { shares: [3], index: null },
    { shares: [0, 0], index: null },
  ])('of $shares is $index', ({ shares, index }) => {
    expect(jainIndex(shares)).toBe(index);
  });

  it('counts what runs got while all of them were open', () => {
    const [first] = SCENARIO.workload.runs;
    const scenario = { ...SCENARIO, workload: { runs: [first!, { ...first!, id: 'other' }] } };
    const of = (run: string, id: number, end: number) => [
      queued(0, id, { run }),
      admitted(0, id, { run }),
      settled(end, id, { run }),
    ];
    const { fairness } = measured(
      inOrder(
        [traceStarted({ scenario }), runStarted(0), runStarted(0, { run: 'other' })],
        of('review', 1, 10),
        of('review', 2, 20),
        of('review', 3, 30),
        of('other', 4, 25),
        [runFinished(30)],
        of('other', 5, 40),
        [runFinished(40, { run: 'other' }), traceFinished(40)],
      ),
    );
    expect(fairness).toBe(16 / (2 * 10));
  });
});

it('asks for a trace', () => {
  expect(() => new Measures().figures()).toThrow(RangeError);
});

describe('tokens burned', () => {
  const spent = async (more: string, model = '', requests = 1): Promise<number> => {
    const scenario = scenarioText(`
governor: { retry: { network: 1, firstDelay: 1s, maxDelay: 1s } }
providers: { acme: { models: { large: { ${model} latency: { firstToken: 1s, perOutputToken: 10ms } } } } }
workload: { runs: [{ id: r, target: acme/large, ${more} agents: { count: 1, requests: ${requests}, tokens: { input: 50, output: 100 } } }] }
`);
    const { events } = await simulate(scenario);
    return measured(events).tokens;
  };

  it('are those of a success', async () => {
    expect(await spent('')).toBe(150);
  });

  it('are those of a success and of the attempt before it, as far as it was generated when its client gave it up', async () => {
    // Each of two attempts is given up after half of its output.
    expect(await spent('timeout: 1500ms,')).toBe(2 * (50 + 50));
  });

  it('are not those of a refusal, nor of an answer that never began', async () => {
    // The second of two requests is refused before it succeeds.
    expect(await spent('', 'quotas: [{ requests: 1, per: 1m }], retryAfter: exact,', 2)).toBe(2 * 150);
    expect(await spent('timeout: 900ms,', 'faults: [{ kind: status-500, rate: 100% }],')).toBe(0);
  });

  it('are those of what a faulty answer had cost', async () => {
    expect(await spent('', 'faults: [{ kind: truncated-json, rate: 100% }],')).toBe(2 * 150);
  });
});
