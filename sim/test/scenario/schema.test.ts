import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from '../../src/scenario/schema.js';

const published = new URL('../../../scenarios/scenario.schema.json', import.meta.url);

/** The published schema as an editor reads it: by its text alone. */
const editor = z.fromJSONSchema(JSON.parse(readFileSync(published, 'utf8')));

function scenario(model: unknown, more: object = {}): unknown {
  return {
    providers: { acme: { models: { large: model } } },
    workload: { runs: [{ id: 'r', target: 'acme/large', agents: { count: 3 } }] },
    ...more,
  };
}

describe('the published JSON Schema', () => {
  it('is current', () => {
    const current = `${JSON.stringify(jsonSchema(), null, 2)}\n`;
    const message = 'run: npx sim schema > scenarios/scenario.schema.json';
    expect(readFileSync(published, 'utf8') === current, message).toBe(true);
  });

  it.each([
    ['the least', scenario({})],
    [
      'every kind of quota',
      scenario({ quotas: [{ concurrency: 5 }, { requests: 1, per: '1m' }, { tokens: 9, per: '1h' }] }),
    ],
    ['every form of a duration', scenario({ latency: { firstToken: 0, refusal: '1m 30s', perOutputToken: '1.5ms' } })],
    ['distributions', scenario({ latency: { service: { lognormal: { median: '1s', p95: '2s' } } } })],
    ['hints', scenario({ retryAfter: { as: 'http-date', error: '10%' } })],
    [
      'lying hints',
      scenario({ retryAfter: { as: 'http-date', skew: '-30s', factor: 0.5, stale: '10s', scopes: ['ramp'] } }),
    ],
    [
      'limits that move',
      scenario({
        quotas: [
          {
            concurrency: 5,
            schedule: [{ from: '15:00+08:00', to: '18:00Z', limit: 3 }],
            others: { rate: '2/s', hold: '5s' },
          },
          { requests: 9, per: '24h', refill: 'fixed-window', reset: '00:00-08:00', growing: { max: 20 } },
          { ramp: '50%', over: '15m', above: '1000000/m' },
        ],
      }),
    ],
    [
      'troubles',
      scenario({
        overload: { every: '10m', for: '30s', status: 503 },
        server: { slots: 4, queue: 'unlimited' },
        faults: [{ kind: 'status-503', rate: '1%' }],
        latency: { perInputToken: '0.2ms', secondMode: { share: 0.1, firstToken: '2s' } },
      }),
    ],
    ['a profile alone', { ...(scenario({}) as object), providers: { acme: { profile: 'zhipu', startsAt: '22:30' } } }],
    ['the rest', scenario({}, { seed: 4, stop: { when: 'time', after: '1h' }, expect: { makespan: { max: '6m' } } })],
  ])('lets an editor accept %s', (_, written) => {
    expect(editor.safeParse(written).success).toBe(true);
  });

  it.each([
    ['an unknown field', scenario({ quota: [] })],
    ['an unknown field at the top', scenario({}, { governer: {} })],
    ['a number without a unit', scenario({ latency: { firstToken: 500 } })],
    ['a unit that is none', scenario({ latency: { firstToken: '2d' } })],
    ['a quota of no kind', scenario({ quotas: [{ name: 'rpm' }] })],
    ['a quota without a window', scenario({ quotas: [{ requests: 60 }] })],
    ['an unknown word', scenario({}, { governor: { controller: 'amid' } })],
    ['a profile that there is not', { ...(scenario({}) as object), providers: { acme: { profile: 'zhipo' } } }],
    ['a fault that there is not', scenario({ faults: [{ kind: 'status-504', rate: '1%' }] })],
    ['an hour that there is not', scenario({ quotas: [{ requests: 1, per: '1h', reset: '24:00' }] })],
    ['a rate without a unit', scenario({ quotas: [{ concurrency: 1, others: { rate: 3, hold: '1s' } }] })],
    [
      'a fraction of an agent',
      { ...(scenario({}) as object), workload: { runs: [{ id: 'r', target: 'a/b', agents: { count: 0.5 } }] } },
    ],
    ['a scenario without providers', { workload: { runs: [] } }],
  ])('lets an editor refuse %s', (_, written) => {
    expect(editor.safeParse(written).success).toBe(false);
  });

  it('describes every field of every mapping, and tells defaults', () => {
    const schema = jsonSchema() as Described;
    const bare = fieldsOf(schema, '').filter(
      ({ field }) => field.description === undefined && field.$ref === undefined,
    );
    // What a kind of distribution is made of is said by its name.
    const kinds = /distributionOf\w+\.(uniform|exponential|lognormal|normal|erlang|pareto|empirical)/;
    expect(bare.map(({ path }) => path).filter((path) => !kinds.test(path))).toEqual([]);
    expect(schema.properties?.seed?.default).toBe(1);
    expect(schema.properties?.stop?.properties?.when?.default).toBe('done');
  });
});

interface Described {
  readonly description?: string;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly $defs?: Readonly<Record<string, Described>>;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly additionalProperties?: Described | false;
}

function fieldsOf(schema: Described, path: string): { readonly path: string; readonly field: Described }[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({ path: `${path}.${name}`, field }));
  const inner = [
    ...own,
    ...Object.entries(schema.$defs ?? {}).map(([name, field]) => ({ path: name, field })),
    ...(schema.anyOf ?? []).map((field) => ({ path, field })),
    ...[schema.items, schema.additionalProperties].flatMap((field) => (field ? [{ path: `${path}.*`, field }] : [])),
  ];
  return [...own, ...inner.flatMap((place) => fieldsOf(place.field, place.path))];
}
