import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimeSeries } from '../../src/results/timeseries.js';
import { scenarioText, simulate } from '../simulate.js';

/** Any of the language together with any other of it: whatever a scenario mixes, every check of its run holds. */

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const seconds = (min: number, max: number) => fc.integer({ min, max }).map((n) => `${n}s`);
const small = (max: number) => fc.integer({ min: 1, max });
const share = fc.integer({ min: 0, max: 30 }).map((n) => `${n}%`);
const refill = fc.constantFrom('token-bucket', 'fixed-window', 'sliding-window');
const MODELS = ['acme/a', 'acme/b'] as const;
const target = fc.constantFrom(...MODELS);
const inProcess = fc.constantFrom(undefined, undefined, 'p1', 'p2');

const quota = fc.oneof(
  small(12).map((concurrency) => ({ concurrency })),
  fc.record({ requests: small(120), per: fc.constantFrom('10s', '1m'), refill }),
  fc.record(
    {
      tokens: fc.integer({ min: 5_000, max: 200_000 }),
      per: fc.constant('1m'),
      refill,
      counts: fc.constantFrom('input', 'output', 'total'),
      reserve: fc.constantFrom('max-tokens', 'none'),
      settle: fc.constantFrom('refund', 'keep'),
    },
    { requiredKeys: ['tokens', 'per'] },
  ),
);
const latency = fc.record(
  {
    firstToken: fc.constantFrom('300ms', { lognormal: { median: '500ms', p95: '2s' } }),
    perOutputToken: fc.constantFrom('5ms', '20ms'),
    refusal: fc.constantFrom('0s', '50ms'),
    load: fc.constant({ slope: 0.05 }),
  },
  { requiredKeys: [] },
);
const faultKinds = ['status-500', 'status-503', 'reset', 'hang', 'slow', 'truncated-json', 'no-headers'] as const;
const fault = fc.record({ kind: fc.constantFrom(...faultKinds), rate: share });
const model = fc.record(
  {
    quotas: fc.array(quota, { maxLength: 2 }),
    retryAfter: fc.constantFrom('none', 'exact', '7s', { as: 'seconds', rounding: 'up' }, { factor: 0.2 }),
    latency,
    faults: fc.array(fault, { maxLength: 2 }),
    overload: fc.constant({ every: '2m', for: '10s' }),
    server: fc.record({ slots: small(6), queue: fc.constantFrom(0, 3, 'unlimited') }),
  },
  { requiredKeys: ['quotas'] },
);
const tokens = fc.record(
  { input: small(2_000), output: small(300), max: fc.constantFrom(100, 1_000) },
  { requiredKeys: [] },
);
const tools = fc.record(
  {
    parallel: small(4),
    atOnce: small(3),
    modelRequests: fc.integer({ min: 0, max: 2 }),
    duration: seconds(0, 5),
    timeout: seconds(1, 10),
    taskTimeout: seconds(5, 60),
    invalidArguments: share,
    conflicts: share,
    cancellable: fc.boolean(),
  },
  { requiredKeys: [] },
);
const agents = fc.record(
  {
    count: small(12),
    asks: small(3),
    requests: small(4),
    name: fc.constantFrom('agent-{n}', 'a-{random}-{n}'),
    tokens,
    tools,
    context: fc.record({ fixed: small(2_000), window: fc.integer({ min: 4_000, max: 20_000 }) }, { requiredKeys: [] }),
    limits: fc.record({ steps: small(10), time: seconds(5, 200) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['count'] },
);
const retry = fc.record(
  {
    throttle: fc.constantFrom(0, 2, 'unlimited'),
    network: fc.constantFrom(0, 3),
    firstDelay: fc.constantFrom('100ms', '2s'),
  },
  { requiredKeys: [] },
);
const settings = fc.record(
  {
    target,
    start: seconds(0, 60),
    maxConcurrency: fc.constantFrom(null, 1, 3, 20),
    timeout: seconds(5, 60),
    process: inProcess,
    retry: fc.oneof(fc.constant('none'), retry),
    agents,
  },
  { requiredKeys: ['target', 'agents'] },
);
const open = fc.record(
  { target, rate: fc.constantFrom('1/s', '10/m'), count: small(20), start: seconds(0, 60), inProcess, tokens },
  { requiredKeys: ['target', 'rate', 'count'] },
);
const stage = fc.record(
  {
    target,
    children: small(4),
    maxConcurrency: fc.integer({ min: 0, max: 3 }),
    rounds: small(3),
    requests: small(3),
    tokens,
    tools,
    followUp: fc.record({ cachedPrefix: share, after: seconds(0, 20) }, { requiredKeys: [] }),
    steer: fc.record({ after: seconds(0, 30), requests: small(2) }, { requiredKeys: ['after'] }),
    budget: fc.record(
      {
        time: seconds(5, 120),
        warnAt: fc.constantFrom('50%', '80%'),
        finishAfterWarning: share,
        grace: seconds(0, 30),
      },
      { requiredKeys: ['time'] },
    ),
  },
  { requiredKeys: [] },
);
const pipeline = fc
  .record(
    {
      target,
      start: seconds(0, 30),
      maxConcurrency: fc.constantFrom(null, 2, 9),
      timeout: seconds(20, 120),
      sessions: small(3).map((count) => ({ count })),
      host: fc.integer({ min: 0, max: 4 }).map((maxActive) => ({ maxActive })),
      maxParallelCalls: fc.integer({ min: 0, max: 4 }),
      stages: fc.array(fc.tuple(stage, fc.boolean()), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['target', 'stages'] },
  )
  .map(({ stages, ...rest }) => ({
    id: 'line',
    ...rest,
    stages: stages.map(([one, waits], i) => ({
      name: `s${i}`,
      ...one,
      ...(waits && i > 0 && { after: [`s${i - 1}`] }),
    })),
  }));
const governor = fc.record(
  {
    preset: fc.constantFrom('reference', 'auto-grow', 'adaptive'),
    initial: fc.integer({ min: 2, max: 32 }),
    floor: fc.constantFrom(1, 2),
    decreaseFactor: fc.constantFrom(0.5, 0.75, 0.9),
    increaseAfterSuccesses: small(6),
    rememberGood: fc.boolean(),
    growthLimit: small(40),
    probeBackoffMax: fc.constantFrom(1, 8),
    pacing: fc.constantFrom('off', 'headers'),
    recovery: fc.constantFrom('additive', 'slow-start'),
    growth: fc.constantFrom('streak', 'window'),
    latencySignal: fc.boolean(),
    freezeOn: fc.constantFrom('any', 'rate'),
    resumeStagger: fc.constantFrom('0s', '200ms'),
    maxQueue: fc.constantFrom(3, 50),
    maxCooldown: fc.constantFrom('5s', '15m'),
    idleReset: fc.constantFrom('20s', '5m'),
    retry: fc.oneof(fc.constant('none'), retry),
  },
  { requiredKeys: [] },
);

/** What the timeline does to one run, which it finds by its place. */
const change = fc.record({
  at: seconds(0, 180),
  run: fc.nat(),
  deed: fc.oneof(
    fc.constantFrom(1, 2, 9, null).map((maxConcurrency) => ({ retune: { maxConcurrency } })),
    target.map((name) => ({ amend: { settings: { model: name } } })),
    fc.constant({ amend: { maxConcurrency: 2, settings: null } }),
    seconds(1, 90).map((downFor) => ({ crash: { downFor } })),
    seconds(1, 90).map((length) => ({ pause: { for: length } })),
  ),
});

const scenario = fc
  .record({
    seed: fc.nat({ max: 1_000_000 }),
    governor,
    a: model,
    b: model,
    shared: fc.array(quota, { maxLength: 1 }),
    runs: fc.array(settings, { minLength: 1, maxLength: 4 }),
    isChained: fc.boolean(),
    arrivals: maybe(open),
    observers: maybe(open),
    pipeline: maybe(pipeline),
    executors: maybe(fc.record({ pool: small(8) })),
    changes: fc.array(change, { maxLength: 4 }),
  })
  .map(({ seed, governor, a, b, shared, runs, isChained, arrivals, observers, pipeline, executors, changes }) => ({
    name: 'mixed',
    seed,
    governor,
    providers: { acme: { quotas: shared, models: { a, b } } },
    workload: {
      runs: runs.map((run, i) => ({ id: `r${i}`, ...run, ...(isChained && i > 0 && { after: [`r${i - 1}`] }) })),
      ...(arrivals && { arrivals: [{ id: 'web', ...arrivals }] }),
      ...(observers && { observers: [{ id: 'user', ...observers }] }),
      ...(pipeline && { pipelines: [pipeline] }),
      ...(executors && { executors }),
    },
    timeline: changes.map(({ at, run, deed }) => {
      const [[kind, how]] = Object.entries(deed) as [[string, object]];
      return { at, [kind]: { run: `r${run % runs.length}`, ...how } };
    }),
    stop: { after: '2h', maxRequests: 3_000 },
  }));

describe('a scenario of anything', () => {
  it('is refused with a reason or runs to an end that all checks allow, twice the same', {
    timeout: 120_000,
  }, async () => {
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        let read: ReturnType<typeof scenarioText>;
        try {
          read = scenarioText(JSON.stringify(one));
        } catch (error) {
          // What does not go together is said with the place of it.
          expect((error as Error).message).toMatch(/^\S*:?\d+:\d+ /);
          return;
        }
        ran++;
        const { events, summary, sha256 } = await simulate(read);
        expect(events.at(-1)?.type).toBe('trace-finished');
        const { logical, succeeded, lost, unfinished } = summary.requests;
        expect(logical).toBe(succeeded + lost + unfinished);
        const series = new TimeSeries();
        for (const event of events) series.observe(event);
        for (const { points } of series.series().keys) {
          for (const { inFlight, queued } of points) expect(Math.min(inFlight, queued)).toBeGreaterThanOrEqual(0);
        }
        expect((await simulate(read)).sha256).toBe(sha256);
      }),
      // A failure is told with its seed at once: to shrink one takes minutes.
      { numRuns: 80, endOnFailure: true },
    );
    expect(ran).toBeGreaterThan(30);
  });
});
