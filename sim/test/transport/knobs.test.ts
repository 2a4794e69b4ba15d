/**
 * Every number of a provider's troubles does something: another value gives another run. Each part in a scenario of its
 * own, so that no other part hides it.
 */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

interface Part {
  /** Of the model, in flow style. */
  readonly model: string;
  readonly provider?: string;
  readonly agents?: string;
}

function scenario({ model, provider, agents = 'count: 10, name: "a-{n}", requests: 12' }: Part): string {
  return `
governor: { controller: none, retry: { firstDelay: 500ms, maxDelay: 1s } }
providers: { acme: { ${provider ? `${provider}, ` : ''}models: { large: ${model} } } }
workload:
  runs:
    - id: r
      target: acme/large
      agents: { ${agents}, tokens: { input: 300, output: { lognormal: { median: 40, p95: 100 } }, max: 120 } }
`;
}

const latency = 'latency: { firstToken: { exponential: { mean: 300ms } }, perOutputToken: 10ms }';

const PARTS = {
  overload: {
    provider: 'overload: { every: 10s, for: 3s, share: 90% }',
    model: `{ ${latency}, overload: { every: 8s, for: 2s } }`,
  },
  places: {
    provider: 'startsAt: 06:59',
    model: `{ ${latency}, quotas: [{ concurrency: 9, schedule: [{ from: 07:00, to: 07:01, limit: 3 }], squeeze: { every: 6s, for: 3s, limit: 6 }, others: { rate: 1/s, hold: 2s } }] }`,
    agents: 'count: 10, name: "a-{n}", requests: 200',
  },
  window: {
    provider: 'startsAt: 06:29',
    model: `{ ${latency}, quotas: [{ requests: 30, per: 1h, refill: fixed-window, reset: 00:30 }] }`,
    agents: 'count: 10, name: "a-{n}", requests: 5',
  },
  smooth: { model: `{ ${latency}, quotas: [{ requests: 60, per: 1m, refill: sliding-window, subWindow: 5s }] }` },
  bucket: {
    model: `{ ${latency}, quotas: [{ tokens: 20000, per: 1m, reserve: larger, outputWeight: 2, growing: { max: 26000, by: 30%, every: 5s, use: 50% }, others: { rate: 2/s, amount: 40 } }] }`,
  },
  ramp: { model: `{ ${latency}, quotas: [{ ramp: 40%, over: 4s, above: 3/s, counts: requests }] }` },
  hints: {
    model: `{ ${latency}, quotas: [{ requests: 20, per: 20s }], retryAfter: { as: http-date, stale: 3s, skew: 2s, factor: 1.2, error: 10% } }`,
  },
  constant: { model: `{ ${latency}, quotas: [{ concurrency: 3 }], retryAfter: { constant: 1500ms, factor: 1.5 } }` },
  latency: {
    model:
      '{ latency: { firstToken: 100ms, perInputToken: 0.1ms, secondMode: { share: 20%, firstToken: 2s, perInputToken: 0.2ms, perOutputToken: 20ms } } }',
  },
  server: { model: `{ ${latency}, server: { slots: 6, queue: 2 } }` },
  faults: { model: `{ ${latency}, faults: [{ kind: status-503, rate: 3% }, { kind: reset, from: 2s, to: 4s }] }` },
} as const satisfies Readonly<Record<string, Part>>;

/** What happened, without the settings that the trace begins with. */
async function storyOf(part: Part, set: readonly string[] = []): Promise<string> {
  const { events } = await simulate(scenarioText(scenario(part), set));
  return JSON.stringify(events.slice(1));
}

describe('another value gives another run', () => {
  it.each<[keyof typeof PARTS, string, string]>([
    ['overload', 'overload.every', '20s'],
    ['overload', 'overload.for', '9s'],
    ['overload', 'overload.share', '10%'],
    ['overload', 'models.large.overload.every', '3s'],
    ['overload', 'models.large.overload.for', '6s'],
    ['places', 'startsAt', '06:58'],
    ['places', 'models.large.quotas[0].schedule[0].from', '06:59'],
    ['places', 'models.large.quotas[0].schedule[0].to', '07:02'],
    ['places', 'models.large.quotas[0].schedule[0].limit', '2'],
    ['places', 'models.large.quotas[0].squeeze.every', '9s'],
    ['places', 'models.large.quotas[0].squeeze.for', '5s'],
    ['places', 'models.large.quotas[0].squeeze.limit', '5'],
    ['places', 'models.large.quotas[0].others.rate', '3/s'],
    ['places', 'models.large.quotas[0].others.hold', '5s'],
    ['window', 'startsAt', '06:28'],
    ['window', 'models.large.quotas[0].reset', '00:31'],
    ['smooth', 'models.large.quotas[0].subWindow', '7s'],
    ['bucket', 'models.large.quotas[0].outputWeight', '3'],
    ['bucket', 'models.large.quotas[0].growing.max', '21000'],
    ['bucket', 'models.large.quotas[0].growing.by', '5%'],
    ['bucket', 'models.large.quotas[0].growing.every', '9s'],
    ['bucket', 'models.large.quotas[0].growing.use', '100%'],
    ['bucket', 'models.large.quotas[0].others.rate', '4/s'],
    ['bucket', 'models.large.quotas[0].others.amount', '100'],
    ['ramp', 'models.large.quotas[0].ramp', '80%'],
    ['ramp', 'models.large.quotas[0].over', '2s'],
    ['ramp', 'models.large.quotas[0].above', '5/s'],
    ['hints', 'models.large.retryAfter.stale', '7s'],
    ['hints', 'models.large.retryAfter.skew', '-1s'],
    ['hints', 'models.large.retryAfter.factor', '0.5'],
    ['hints', 'models.large.retryAfter.error', '50%'],
    ['constant', 'models.large.retryAfter.constant', '2s'],
    ['constant', 'models.large.retryAfter.factor', '2'],
    ['latency', 'models.large.latency.perInputToken', '0.2ms'],
    ['latency', 'models.large.latency.secondMode.share', '30%'],
    ['latency', 'models.large.latency.secondMode.firstToken', '3s'],
    ['latency', 'models.large.latency.secondMode.perInputToken', '0.3ms'],
    ['latency', 'models.large.latency.secondMode.perOutputToken', '30ms'],
    ['server', 'models.large.server.slots', '5'],
    ['server', 'models.large.server.queue', '1'],
    ['faults', 'models.large.faults[0].rate', '6%'],
    ['faults', 'models.large.faults[1].from', '1s'],
    ['faults', 'models.large.faults[1].to', '3s'],
  ])('of %s: %s=%s', async (name, path, value) => {
    const part = PARTS[name];
    expect(await storyOf(part, [`providers.acme.${path}=${value}`])).not.toBe(await storyOf(part));
  });

  it.each(Object.keys(PARTS) as (keyof typeof PARTS)[])('and the same values the same run: %s', async (name) => {
    expect(await storyOf(PARTS[name])).toBe(await storyOf(PARTS[name]));
  });
});
