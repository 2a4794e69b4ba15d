/** The least makespan that the work of a run allows: which of its three reasons it is, with its number; and no run beats it. */

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type MakespanBound, MakespanBounds } from '../../src/results/makespan-bound.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { scenarioFile, scenarioText, simulate } from '../simulate.js';

async function boundOf(scenario: Scenario): Promise<{ bound: MakespanBound | undefined; makespanMs: number }> {
  const { events, summary } = await simulate(scenario);
  const bounds = new MakespanBounds();
  for (const event of events) bounds.observe(event);
  return { bound: bounds.bound(), makespanMs: summary.makespanMs ?? 0 };
}

const text = (model: string, workload: string, more = ''): string =>
  `name: bound\nproviders: { p: { models: { m: ${model} } } }\nworkload: { ${workload} }\n${more}`;
const second = 'latency: { service: 1s, refusal: 50ms }';
const run = (fields: string): string => `{ target: p/m, ${fields} }`;

describe('the bound of a makespan', () => {
  it.each([
    [
      'work by limit: ten seconds of work, two at once',
      text(`{ quotas: [{ concurrency: 2 }], ${second} }`, `runs: [${run('id: r, agents: { count: 10 }')}]`),
      { ms: 5000, kind: 'work', by: 'quota "concurrency" of p/m' },
    ],
    [
      'the highest limit, where the timeline moves it',
      text(
        `{ quotas: [{ concurrency: 2 }], ${second} }`,
        `runs: [${run('id: r, agents: { count: 10 }')}]`,
        'timeline: [{ at: 1s, set: { "providers.p.models.m.quotas[0].concurrency": 4 } }]',
      ),
      { ms: 2500, kind: 'work', by: 'quota "concurrency" of p/m' },
    ],
    [
      'the critical path: what an agent does in turn, one run after another, from the start on',
      text(
        `{ ${second} }`,
        `runs: [${run('id: a, start: 3s, agents: { count: 4, requests: 6 }')}, ${run('id: b, after: [a], start: 2s, agents: { count: 1, asks: 2 }')}]`,
      ),
      { ms: 13_000, kind: 'critical path', by: 'b' },
    ],
    [
      'requests by rate: ten at once, then one a second',
      text(
        '{ quotas: [{ requests: 60, per: 1m, burst: 10 }], latency: { service: 1ms, refusal: 1ms } }',
        `runs: [${run('id: r, agents: { count: 30 }')}]`,
      ),
      { ms: 20_000, kind: 'rate', by: 'quota "requests-1m" of p/m' },
    ],
    [
      'tokens by rate, of a quota that takes them at admission',
      text(
        '{ quotas: [{ tokens: 6000, per: 1m, burst: 1000, reserve: max-tokens }], latency: { service: 1ms, refusal: 1ms } }',
        `runs: [${run('id: r, agents: { count: 30, tokens: { input: 90, output: 10 } }')}]`,
      ),
      { ms: 20_000, kind: 'rate', by: 'quota "total-tokens-1m" of p/m' },
    ],
    [
      'the last to come, where they come by themselves',
      text(`{ ${second} }`, 'arrivals: [{ id: web, target: p/m, rate: 1/s, process: uniform, count: 9 }]'),
      { ms: 10_000, kind: 'critical path', by: 'web' },
    ],
  ])('is %s', async (_, written, bound) => {
    const measured = await boundOf(scenarioText(written));
    expect(measured.bound).toEqual(bound);
    expect(measured.makespanMs).toBeGreaterThanOrEqual(bound.ms);
  });

  it('is none where nothing succeeds', async () => {
    const written = text(
      '{ quotas: [{ concurrency: 0 }] }',
      `runs: [${run('id: r, agents: { count: 2 }')}]`,
      'governor: { retry: none }',
    );
    expect((await boundOf(scenarioText(written))).bound).toBeUndefined();
  });

  it.each(['fanout30', 'recovery', 'retry-after', 'arrivals', 'dynamic-workflow', 'shared-key'])(
    'is met by %s',
    async (name) => {
      const path = fileURLToPath(new URL(`../../../scenarios/${name}.yaml`, import.meta.url));
      const { bound, makespanMs } = await boundOf(scenarioFile(path));
      console.log(`${name}: ${makespanMs} ms, at best ${bound?.ms} ms: ${bound?.kind}, ${bound?.by}`);
      expect(bound?.ms).toBeGreaterThan(0);
      expect(makespanMs).toBeGreaterThanOrEqual(bound!.ms);
    },
  );
});
