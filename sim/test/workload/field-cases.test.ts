/**
 * Small workloads on which tools of this field went wrong: more tasks than the account takes, waves in place of a line, a
 * limit of one, parents that wait for their children.
 */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';

const provider = (model: string): string => `providers: { acme: { models: { m: { ${model} } } } }`;

describe('six tasks on an account that takes three', () => {
  const six = (governor: string, faults = ''): string => `
governor: { ${governor} }
${provider(`quotas: [{ concurrency: 3 }], latency: { service: 10s, refusal: 50ms }${faults}`)}
workload: { runs: [{ id: r, target: acme/m, maxConcurrency: 6, timeout: 30s, agents: { count: 6 } }] }
`;

  it('queue and are all done, without a hint from the provider', async () => {
    const { summary } = await simulate(scenarioText(six('initial: 6')));
    expect(summary.requests).toMatchObject({ logical: 6, succeeded: 6, lost: 0 });
    // Half of the first wave, and a probe or two above the limit.
    expect(summary.requests.refused).toBeGreaterThanOrEqual(3);
    expect(summary.requests.refused).toBeLessThanOrEqual(6);
  });

  it('are reported though one of them fails for good', async () => {
    // The first answer is none: it hangs, and is not tried again.
    const hang = ', faults: [{ kind: hang, from: 0s, to: 1s }]';
    const { summary } = await simulate(scenarioText(six('controller: fixed, initial: 1, retry: { network: 0 }', hang)));
    expect(summary.requests).toMatchObject({ logical: 6, succeeded: 5, lost: 1, unfinished: 0 });
    expect(summary.complete).toBe(true);
  });
});

/** How many work at once, at most: run, session or stage alike. */
function mostAtOnce(events: readonly TraceEvent[]): number {
  let now = 0;
  let most = 0;
  for (const { type } of events) {
    if (type === 'request-admitted') now++;
    if (type === 'request-settled') now--;
    most = Math.max(most, now);
  }
  return most;
}

describe('six tasks under a limit', () => {
  const latency = 'latency: { service: 5s }';
  const limits: readonly (readonly [string, number, number])[] = [
    ['1', 1, 30_000],
    ['2', 2, 15_000],
    ['4', 4, 10_000],
    // None: the number of tasks.
    ['null', 6, 5000],
  ];

  it.each(limits)('of a run, %s: six results, and never more than that', async (limit, most, makespanMs) => {
    const { events, summary } = await simulate(
      scenarioText(`
${provider(latency)}
workload: { runs: [{ id: r, target: acme/m, maxConcurrency: ${limit}, agents: { count: 6 } }] }
`),
    );
    expect([summary.requests.succeeded, mostAtOnce(events), summary.makespanMs]).toEqual([6, most, makespanMs]);
  });

  it.each(limits)('of a stage, %s: six results, and never more than that', async (limit, most, makespanMs) => {
    const bound = limit === 'null' ? 0 : limit;
    const { events, summary } = await simulate(
      scenarioText(`
${provider(latency)}
workload:
  pipelines:
    - { id: p, target: acme/m, step: 5s, stages: [{ name: a, children: 6, maxConcurrency: ${bound} }] }
`),
    );
    expect([summary.requests.succeeded, mostAtOnce(events), summary.makespanMs]).toEqual([6, most, makespanMs]);
  });
});

describe('twenty tasks of one to ten seconds, five at once', () => {
  const latency = 'latency: { service: { uniform: { min: 1s, max: 10s } } }';

  /** As list scheduling does: each in its order to whoever is free first. */
  function listMakespan(durations: readonly number[], places: number): number {
    const free = new Array<number>(places).fill(0);
    for (const duration of durations) {
      const first = free.indexOf(Math.min(...free));
      free[first] = (free[first] as number) + duration;
    }
    return Math.max(...free);
  }

  function durationsOf(events: readonly TraceEvent[]): readonly number[] {
    const settled = events.flatMap((event) => (event.type === 'request-settled' ? [event] : []));
    return settled.sort((a, b) => a.id - b.id).map(({ serviceMs }) => serviceMs);
  }

  const asRun = `{ runs: [{ id: r, target: acme/m, maxConcurrency: 5, agents: { count: 20 } }] }`;
  const asCalls = `{ pipelines: [{ id: p, target: acme/m, maxConcurrency: 20, maxParallelCalls: 5, stages: [{ name: a, children: 20 }] }] }`;
  const asWaves = `
  pipelines:
    - id: p
      target: acme/m
      maxConcurrency: 20
      stages:
        - { name: a, children: 5 }
        - { name: b, children: 5, after: [a] }
        - { name: c, children: 5, after: [b] }
        - { name: d, children: 5, after: [c] }
`;

  async function makespans(workload: string, seed: number) {
    const text = `seed: ${seed}\ngovernor: { controller: none }\n${provider(latency)}\nworkload: ${workload}\n`;
    const { events, summary } = await simulate(scenarioText(text));
    const durations = durationsOf(events);
    expect(durations).toHaveLength(20);
    expect(mostAtOnce(events)).toBe(5);
    return { ofRun: summary.makespanMs ?? 0, ofList: listMakespan(durations, 5) };
  }

  it.each([1, 2, 3, 4, 5])('seed %i: as fast as list scheduling, as a run and as calls of a program', async (seed) => {
    for (const workload of [asRun, asCalls]) {
      const { ofRun, ofList } = await makespans(workload, seed);
      expect(ofRun / ofList).toBeLessThan(1.1);
      expect(ofRun / ofList).toBeGreaterThan(0.999);
    }
  });

  it('in waves of five take the longest of each wave: a quarter more, over ten seeds', async () => {
    const mean = async (workload: string): Promise<number> => {
      let sum = 0;
      for (let seed = 1; seed <= 10; seed++) sum += (await makespans(workload, seed)).ofRun;
      return sum / 10;
    };
    const [line, waves] = [await mean(asCalls), await mean(asWaves)];
    console.log(`makespan, mean of 10 seeds: in a line ${Math.round(line)} ms, in waves ${Math.round(waves)} ms`);
    expect(waves / line).toBeGreaterThan(1.2);
  });
});

describe('five parents with two children each, three at once', () => {
  it('come to an end: a parent that waits for its children holds no place that they need', async () => {
    const { summary } = await simulate(
      scenarioText(`
governor: { controller: fixed, initial: 3 }
${provider('latency: { service: 4s }')}
workload:
  pipelines:
    - id: p
      target: acme/m
      sessions: { count: 5 }
      host: { maxActive: 3 }
      stages: [{ name: parent }, { name: child, after: [parent], children: 2 }]
`),
    );
    expect(summary.requests).toMatchObject({ succeeded: 15, lost: 0, unfinished: 0 });
    expect([summary.complete, summary.providers['acme/m']?.peakInFlight]).toEqual([true, 3]);
  });
});
