/** Scenarios that once broke a check or the engine, each the smallest of its kind. */

import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import { scenarioText, simulate } from '../simulate.js';

const one = (model: string, run = 'agents: { count: 4 }', more = ''): string => `
name: one
providers: { p: { models: { m: ${model} } } }
workload: { runs: [{ id: a, target: p/m, ${run} }] }
${more}`;

describe('runs', () => {
  it('a run whose first asking raises the cap lets others in before itself, and the turns stay as they are', async () => {
    const { summary } = await simulate(
      scenarioText(`
name: turns
providers: { p: { models: { m: {} } } }
workload:
  runs:
    - { id: a, target: p/m, agents: { count: 2 } }
    - { id: b, target: p/m, agents: { count: 8 } }
    - { id: c, target: p/m, maxConcurrency: 40, agents: { count: 1 } }
`),
    );
    expect(summary.requests).toMatchObject({ succeeded: 11, lost: 0 });
  });

  it('a key that is forgotten for being idle begins again, and its reset is told', async () => {
    const { events, summary } = await simulate(
      scenarioText(`
name: forgotten
governor: { initial: 8 }
providers: { p: { models: { x: { quotas: [{ concurrency: 3 }] }, y: {} } } }
workload:
  runs:
    - { id: a, target: p/x, agents: { count: 8 } }
    - { id: b, target: p/y, start: 10m, agents: { count: 1 } }
    - { id: c, target: p/x, start: 10m, agents: { count: 1 } }
`),
    );
    const resets = events.flatMap((event) =>
      event.type === 'concurrency-changed' && event.reason === 'idle_reset'
        ? [[event.t, event.previous, event.next]]
        : [],
    );
    expect(resets).toEqual([[600_000, 3, 8]]);
    expect(summary.keys['p/x']).toMatchObject({ idleResets: 1, cap: { final: 8 } });
  });

  it.each(['aimd', 'arc', 'vegas', 'oracle'])(
    'and so it is where %s had only raised its cap, in its first epoch',
    async (controller) => {
      const { events } = await simulate(
        scenarioText(`
name: raised
governor: { initial: 2, growthLimit: 20, controller: ${controller} }
providers: { p: { models: { x: { latency: { service: 1s } }, y: { latency: { service: 1s } } } } }
workload:
  arrivals:
    - { id: a, target: p/x, rate: 10/s, process: uniform, count: 200 }
    - { id: b, target: p/y, start: 20m, rate: 1/s, process: uniform, count: 3 }
    - { id: c, target: p/x, start: 21m, rate: 10/s, process: uniform, count: 20 }
`),
      );
      const late = events.filter(({ t, type }) => type === 'concurrency-changed' && t >= 1_260_000);
      expect(late[0]).toMatchObject({ key: 'p/x', next: 2, reason: 'idle_reset' });
    },
  );
});

describe('numbers that grow beyond all measure', () => {
  it.each([
    [
      'a knee with a thousand in flight',
      one(
        '{ latency: { load: { kneeStart: 10, kneeBase: 2 } } }',
        'agents: { count: 1100 }',
        'governor: { controller: none }',
      ),
    ],
    [
      'a hint that lies by a large factor',
      one('{ quotas: [{ concurrency: 1 }], retryAfter: { constant: 1000h, factor: 1.0e+300 } }'),
    ],
    [
      'a tail without a mean',
      one('{}', 'agents: { count: 4, tokens: { output: { pareto: { min: 1.0e+300, alpha: 0.01 } } } }'),
    ],
    ['a growth factor', one('{}', undefined, 'governor: { initial: 9007199254740991, growthFactor: 1.0e+300 }')],
  ])('%s ends', async (_, text) => {
    const { summary } = await simulate(scenarioText(text));
    expect(summary.requests.logical).toBeGreaterThan(0);
  });

  it.each([
    ['ten million agents', one('{}', 'agents: { count: 10000000 }'), 'from 1 to 1000000'],
    [
      'a sum of more exponentials than anyone draws',
      one('{ latency: { service: { erlang: { k: 9007199254740991, mean: 1s } } } }'),
      'from 1 to 1000',
    ],
    [
      'what happens a thousand times a second, for ever',
      one('{ quotas: [{ concurrency: 10, squeeze: { every: 1ms, for: 1ms, limit: 1 } }] }'),
      'at least 100ms',
    ],
    ['a name that no folder can have', one('{}').replace('name: one', 'name: "a\\0b"'), 'expected a name'],
    ['no provider at all', one('{}').replace('{ p: { models: { m: {} } } }', '{}'), 'there is no "p/m"'],
  ])('%s is refused with its range', (_, text, words) => {
    const loaded = loadScenario({ text, readFile: () => '' });
    expect(loaded.kind === 'problems' && loaded.problems.map(({ message }) => message).join()).toContain(words);
  });
});
