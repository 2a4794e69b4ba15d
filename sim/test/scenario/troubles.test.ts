/**
 * What a scenario says of providers besides plain quotas: moving limits, other tenants, faults, overload, servers, lies
 * and further latencies. As written, resolved; and what is wrong with it.
 */

import { describe, expect, it } from 'vitest';
import type { ModelSettings, ProviderSettings } from '../../src/scenario/scenario.js';
import { changesIn, minimal, problemsOf, scenarioOf, withModel } from './loading.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function modelOf(written: string): ModelSettings | undefined {
  return scenarioOf(withModel(written)).providers.acme?.models.large;
}

const requests = {
  kind: 'requests',
  name: 'requests-24h',
  limit: 250,
  perMs: 24 * HOUR,
  burst: 250,
  refusedCount: false,
};

describe('a quota', () => {
  it.each<[string, object]>([
    [
      '{ requests: 250, per: 24h, refill: fixed-window, reset: 00:00-08:00 }',
      { ...requests, refill: 'fixed-window', resetAtMs: 8 * HOUR },
    ],
    [
      '{ requests: 250, per: 24h, refill: fixed-window, reset: 05:30+05:30 }',
      { ...requests, refill: 'fixed-window', resetAtMs: 0 },
    ],
    [
      '{ requests: 250, per: 24h, refill: sliding-window, subWindow: 10s }',
      { ...requests, refill: 'sliding-window', subWindowMs: 10_000 },
    ],
    [
      '{ requests: 250, per: 24h, growing: { max: 600 } }',
      { ...requests, refill: 'token-bucket', growing: { max: 600, growth: 0.2, everyMs: MINUTE, use: 0.5 } },
    ],
    [
      '{ requests: 250, per: 24h, growing: { max: 600, by: 150%, every: 5m, use: 0.9 } }',
      { ...requests, refill: 'token-bucket', growing: { max: 600, growth: 1.5, everyMs: 5 * MINUTE, use: 0.9 } },
    ],
    [
      '{ requests: 250, per: 24h, others: { rate: 30/m } }',
      { ...requests, refill: 'token-bucket', others: { everyMs: 2000, amount: 1 } },
    ],
    [
      '{ concurrency: 5, schedule: [{ from: 15:00+08:00, to: 18:00+08:00, limit: 3 }] }',
      {
        kind: 'concurrency',
        name: 'concurrency',
        limit: 5,
        refusedCount: false,
        schedule: [{ fromMs: 7 * HOUR, toMs: 10 * HOUR, limit: 3 }],
      },
    ],
    [
      '{ concurrency: 5, squeeze: { every: 20m, for: 5m, limit: 2 }, others: { rate: 0.5/s, hold: 4s } }',
      {
        kind: 'concurrency',
        name: 'concurrency',
        limit: 5,
        refusedCount: false,
        squeeze: { everyMs: 20 * MINUTE, forMs: 5 * MINUTE, limit: 2 },
        others: { everyMs: 2000, holdMs: 4000 },
      },
    ],
    [
      '{ tokens: 500, per: 1m, reserve: larger, outputWeight: 5, others: { rate: 1/s, amount: 40 } }',
      {
        kind: 'tokens',
        name: 'total-tokens-1m',
        limit: 500,
        perMs: MINUTE,
        refill: 'token-bucket',
        burst: 500,
        refusedCount: false,
        counts: 'total',
        reserve: 'larger',
        settle: 'refund',
        outputWeight: 5,
        others: { everyMs: 1000, amount: 40 },
      },
    ],
    [
      '{ ramp: 50%, over: 15m, above: 1000000/m, counts: input }',
      {
        kind: 'ramp',
        name: 'ramp',
        counts: 'input',
        limit: 1_000_000,
        perMs: MINUTE,
        growth: 0.5,
        overMs: 15 * MINUTE,
        refusedCount: false,
      },
    ],
    [
      '{ name: slow, ramp: 2, over: 10s, above: 2.5/s, refusedCount: true }',
      {
        kind: 'ramp',
        name: 'slow',
        counts: 'total',
        limit: 2,
        perMs: 1000,
        growth: 2,
        overMs: 10_000,
        refusedCount: true,
      },
    ],
  ])('written %s', (written, quota) => {
    expect(modelOf(`{ quotas: [${written}] }`)?.quotas).toEqual([quota]);
  });
});

describe('retryAfter', () => {
  it.each<[string, object]>([
    [
      '{ constant: 1s, rounding: up, scopes: [requests, ramp] }',
      { kind: 'constant', ms: 1000, as: 'seconds', rounding: 'up', error: 0, scopes: ['requests', 'ramp'] },
    ],
    [
      '{ factor: 0.5, stale: 10s }',
      { kind: 'exact', as: 'seconds', rounding: 'none', error: 0, factor: 0.5, staleMs: 10_000 },
    ],
    ['{ as: http-date, skew: -30s }', { kind: 'exact', as: 'http-date', rounding: 'up', error: 0, skewMs: -30_000 }],
    ['{ as: http-date, skew: 0 }', { kind: 'exact', as: 'http-date', rounding: 'up', error: 0, skewMs: 0 }],
    ['{ as: http-date, skew: -0s }', { kind: 'exact', as: 'http-date', rounding: 'up', error: 0, skewMs: 0 }],
  ])('written %s', (written, retryAfter) => {
    expect(modelOf(`{ retryAfter: ${written} }`)?.retryAfter).toStrictEqual(retryAfter);
  });
});

describe('a latency', () => {
  const constant = (value: number) => ({ kind: 'constant', value });
  const plain = { kind: 'tokens', firstTokenMs: constant(500), perOutputTokenMs: constant(10) };

  it.each<[string, object, object?]>([
    ['{ perInputToken: 0.2ms }', { ...plain, perInputTokenMs: constant(0.2) }],
    [
      '{ secondMode: { share: 10%, firstToken: 2s } }',
      plain,
      { share: 0.1, service: { ...plain, firstTokenMs: constant(2000) } },
    ],
    [
      '{ firstToken: 1s, perInputToken: 1ms, secondMode: { share: 0.5, perOutputToken: 3ms } }',
      { ...plain, firstTokenMs: constant(1000), perInputTokenMs: constant(1) },
      {
        share: 0.5,
        service: {
          ...plain,
          firstTokenMs: constant(1000),
          perInputTokenMs: constant(1),
          perOutputTokenMs: constant(3),
        },
      },
    ],
    [
      '{ secondMode: { share: 1%, service: 1m } }',
      plain,
      { share: 0.01, service: { kind: 'service', serviceMs: constant(MINUTE) } },
    ],
    [
      '{ service: 1s, secondMode: { share: 1%, firstToken: 2s } }',
      { kind: 'service', serviceMs: constant(1000) },
      { share: 0.01, service: { ...plain, firstTokenMs: constant(2000) } },
    ],
  ])('written %s', (written, service, secondMode) => {
    const latency = modelOf(`{ latency: ${written} }`)?.latency;
    expect([latency?.service, latency?.secondMode]).toEqual([service, secondMode]);
  });
});

describe('what goes wrong', () => {
  it('comes out in the shapes of the models', () => {
    const model = modelOf(
      '{ faults: [{ kind: status-503, from: 1m, to: 2m }, { kind: slow, rate: 0.5, to: 5s }], overload: { every: 10m, for: 30s }, server: { slots: 4 } }',
    );
    expect(model?.faults).toEqual([
      { kind: 'status-503', rate: 1, fromMs: MINUTE, toMs: 2 * MINUTE },
      { kind: 'slow', rate: 0.5, fromMs: null, toMs: 5000 },
    ]);
    expect(model?.overload).toEqual({ everyMs: 10 * MINUTE, forMs: 30_000, share: 1, status: 529 });
    expect(model?.server).toEqual({ slots: 4, queue: null });
  });

  it('may be of the provider as a whole, which begins at a time of the day', () => {
    const provider = 'startsAt: 08:15+08:00, overload: { every: 1h, for: 1m, share: 50%, status: 503 }, models';
    const { acme } = scenarioOf(minimal().replace('{ models', `{ ${provider}`)).providers;
    const { startsAtMs, overload } = acme as ProviderSettings;
    expect(startsAtMs).toBe(15 * MINUTE);
    expect(overload).toEqual({ everyMs: HOUR, forMs: MINUTE, share: 0.5, status: 503 });
  });

  it('is not there where nothing is written, or nothing in a list', () => {
    const quiet = modelOf('{ quotas: [{ concurrency: 5, schedule: [] }], faults: [] }');
    expect(Object.keys(quiet ?? {})).toEqual(['quotas', 'retryAfter', 'latency']);
    expect(Object.keys(quiet?.quotas[0] ?? {})).toEqual(['kind', 'name', 'limit', 'refusedCount']);
  });

  it('has its names among the fields of the summary', () => {
    const text = `${withModel('{ overload: { every: 1h, for: 1m }, server: { slots: 1, queue: 1 } }')}expect:
  'providers["acme/large"].refusedBy.overload': { max: 3 }
  'providers["acme/large"].refusedBy.queue': { max: 3 }
`;
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text.replace('server: { slots: 1, queue: 1 }', ''))).toEqual([
      's/x.yaml:7:3  expect["providers[\\"acme/large\\"].refusedBy.queue"]  this run has no such field; the fields of providers["acme/large"].refusedBy are overload',
    ]);
  });
});

describe('a server in a timeline', () => {
  const timed = (model: string, change: string): string =>
    `${withModel(model)}timeline: [{ at: 1m, set: { ${change} } }]\n`;

  it('may have other places from some time on', () => {
    const timeline = changesIn(
      timed('{ server: { slots: 4, queue: 9 } }', '"providers.acme.models.large.server.slots": 2'),
    );
    expect(timeline[0]?.becomes.models.large?.server).toEqual({ slots: 2, queue: 9 });
  });

  it('must be there from the start', () => {
    expect(problemsOf(timed('{}', '"providers.acme.models.large.server.slots": 2'))).toEqual([
      's/x.yaml:5:29  timeline[0].set["providers.acme.models.large.server.slots"]  the model has no server whose places could change',
    ]);
  });
});

describe('a model', () => {
  const time = 'a time of day, 00:00 to 23:59, with its zone if that is not UTC (15:00+08:00)';

  it.each([
    [
      '{ quotas: [{ requests: 5, per: 1h, reset: 00:00 }] }',
      'quotas[0].reset  belongs to refill: fixed-window; a quota that comes back little by little has no reset',
    ],
    [
      '{ quotas: [{ requests: 5, per: 5h, refill: fixed-window, reset: 00:00 }] }',
      'quotas[0].reset  needs a window that goes into a day a whole number of times, as 24h, 6h or 1h',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1h, refill: fixed-window, reset: 24:00 }] }',
      `quotas[0].reset  expected ${time}, got "24:00"`,
    ],
    [
      '{ quotas: [{ requests: 5, per: 1h, refill: fixed-window, reset: 9am }] }',
      `quotas[0].reset  expected ${time}, got "9am"`,
    ],
    [
      '{ quotas: [{ requests: 5, per: 1h, subWindow: 1s }] }',
      'quotas[0].subWindow  belongs to refill: fixed-window or sliding-window; a token bucket has its burst for that',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, refill: sliding-window, subWindow: 60s }] }',
      'quotas[0].subWindow  must be shorter than per',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, growing: { max: 4 } }] }',
      'quotas[0].growing  has a max below the limit, from which it starts',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, growing: { max: 9, by: 0% } }] }',
      'quotas[0].growing.by  expected a share, 50% or 0.5, and above 0, got "0%"',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, others: { rate: 3 } }] }',
      'quotas[0].others.rate  expected a rate above 0, as 2/s, 30/m or 0.5/h, got 3',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, others: { rate: 0/s } }] }',
      'quotas[0].others.rate  expected a rate above 0, as 2/s, 30/m or 0.5/h, got "0/s"',
    ],
    [
      '{ quotas: [{ concurrency: 5, others: { rate: 1/s } }] }',
      'quotas[0].others.hold  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
    ],
    [
      '{ quotas: [{ concurrency: 5, schedule: [{ from: 15:00, to: 15:00, limit: 3 }] }] }',
      'quotas[0].schedule[0].to  is the same time as from',
    ],
    [
      '{ quotas: [{ concurrency: 5, schedule: { from: 15:00, to: 16:00, limit: 3 } }] }',
      'quotas[0].schedule  expected a list of entries, as [{ from: 15:00, to: 18:00, limit: 3 }], got a mapping',
    ],
    [
      '{ quotas: [{ concurrency: 5, squeeze: { every: 1m, limit: 3 } }] }',
      'quotas[0].squeeze.for  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
    ],
    [
      '{ quotas: [{ tokens: 5, per: 1m, counts: input, outputWeight: 2 }] }',
      'quotas[0].outputWeight  belongs to counts: total',
    ],
    [
      '{ quotas: [{ tokens: 5, per: 1m, counts: output, cached: free }] }',
      'quotas[0].cached  belongs to counts: input or total; no output comes out of a prompt cache',
    ],
    [
      '{ quotas: [{ ramp: 50%, over: 90s, above: 5/m }] }',
      'quotas[0].over  must be a whole number of the unit of above, 1 to 10000',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m, others: { rate: 1001/s } }] }',
      'quotas[0].others.rate  must be at most 1000/s',
    ],
    ['{ overload: { every: 0.5ms, for: 1s } }', 'overload.every  must be at least 100ms'],
    ['{ quotas: [{ ramp: -1, over: 1m, above: 5/m }] }', 'quotas[0].ramp  expected a share, 50% or 0.5, got -1'],
    // Hints.
    ['{ retryAfter: { skew: 30s } }', 'retryAfter.skew  belongs to as: http-date; nothing else tells a date'],
    [
      '{ retryAfter: { as: http-date, skew: 30 } }',
      'retryAfter.skew  expected a duration, negative or not (30s, -30s), got 30',
    ],
    [
      '{ retryAfter: { constant: 1s, stale: 5s } }',
      'retryAfter.stale  belongs to a hint that is computed; a constant one is always as old',
    ],
    [
      '{ retryAfter: { scopes: [request] } }',
      'retryAfter.scopes[0]  expected concurrency | requests | tokens | ramp | overload, got "request"; did you mean "requests"?',
    ],
    ['{ retryAfter: { factor: -1 } }', 'retryAfter.factor  expected a number ≥ 0, got -1'],
    // Latency.
    [
      '{ latency: { secondMode: { share: 1%, service: 1s, firstToken: 1s } } }',
      'latency.secondMode.service  takes the place of firstToken, perInputToken and perOutputToken; give one or the other',
    ],
    [
      '{ latency: { secondMode: { firstToken: 1s } } }',
      'latency.secondMode.share  is missing; expected a share, 0% to 100% or 0 to 1',
    ],
    // Faults, overload, servers.
    [
      '{ faults: [{ kind: status-504, rate: 1% }] }',
      'faults[0].kind  expected status-500 | status-502 | status-503 | status-529 | html-page | empty-body | truncated-json | reset | hang | slow | cut-stream | error-event | error-in-200 | no-headers, got "status-504"; did you mean "status-500"?',
    ],
    ['{ faults: [{ kind: reset }] }', 'faults[0]  says neither how often nor when; give rate, or from and to'],
    ['{ faults: [{ kind: reset, from: 2m, to: 1m }] }', 'faults[0].to  must be after from'],
    ['{ faults: [{ kind: reset, rate: 2 }] }', 'faults[0].rate  expected a share, 0% to 100% or 0 to 1, got 2'],
    ['{ faults: { kind: reset, rate: 1% } }', 'faults  expected a list of faults, got a mapping'],
    ['{ overload: { every: 1m, for: 0s } }', 'overload.for  expected a duration above 0, got "0s"'],
    ['{ overload: { every: 1m, for: 1s, status: 429 } }', 'overload.status  expected 503 or 529, got 429'],
    [
      '{ overload: { every: 1m, for: 1s, share: 0% } }',
      'overload.share  expected a share, 0% to 100% or 0 to 1, and above 0, got "0%"',
    ],
    ['{ server: { slots: 0 } }', 'server.slots  expected a whole number ≥ 1, got 0'],
    [
      '{ server: { slots: 1, queue: endless } }',
      'server.queue  expected a whole number ≥ 0 or unlimited, got "endless"',
    ],
  ])('written %s is refused', (written, line) => {
    const [only, ...others] = problemsOf(withModel(written));
    expect(others).toEqual([]);
    expect(only?.replace(/^s\/x.yaml:3:\d+ {2}providers\.acme\.models\.large\./, '')).toBe(line);
  });

  it('that may hang needs runs with a timeout: without one an attempt would never end', () => {
    const text = withModel('{ faults: [{ kind: reset, rate: 1% }, { kind: hang, rate: 1% }] }');
    expect(problemsOf(text)).toEqual([
      's/x.yaml:4:20  workload.runs[0].timeout  is missing; "acme/large" may hang (faults[1]), and an attempt that hangs ends only by a timeout',
    ]);
    expect(problemsOf(text.replace('agents:', 'timeout: 1m, agents:'))).toEqual([]);
  });

  it('with a mapping where a word belongs gets a problem, however odd the mapping', () => {
    expect(problemsOf(withModel('{ quotas: [{ tokens: 5, per: 1m, counts: { toString: {} } }] }'))).toEqual([
      's/x.yaml:3:63  providers.acme.models.large.quotas[0].counts  expected input | output | total, got a mapping',
    ]);
  });
});
