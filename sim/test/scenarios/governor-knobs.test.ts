/** Every option of the governor that a scenario can write does something: another value gives another run. */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

/** A limit that falls and rises again, a rate, a server with a queue, a hint that freezes, and more work than they take. */
function scenario(governor: string): string {
  return `
governor: { initial: 6, retry: { firstDelay: 0, maxDelay: 1s }, ${governor} }
providers:
  acme: { models: { large: { quotas: [{ concurrency: 8 }, { requests: 120, per: 1m, burst: 20 }], server: { slots: 6, queue: 20 }, retryAfter: 3s, latency: { firstToken: { exponential: { mean: 500ms } }, perOutputToken: { exponential: { mean: 8ms } }, refusal: 50ms } } } }
workload:
  runs:
    - { id: one, target: acme/large, agents: { count: 6, name: 'a-{n}', requests: 150 } }
    - { id: two, target: acme/large, agents: { count: 6, name: 'b-{n}', requests: 150 } }
    - { id: three, target: acme/large, agents: { count: 6, name: 'c-{n}', requests: 150 } }
timeline:
  - { at: 3m, set: { 'providers.acme.models.large.quotas[0].concurrency': 2 } }
  - { at: 5m, set: { 'providers.acme.models.large.quotas[0].concurrency': 8 } }
`;
}

/** What happened, without the settings that the trace begins with. */
async function storyOf(governor: string): Promise<string> {
  const { events } = await simulate(scenarioText(scenario(governor)));
  return JSON.stringify(events.slice(1));
}

describe('another value gives another run', () => {
  it.each([
    ['growthLimit: 12, probeBackoffMax: 1', 'growthLimit: 12, probeBackoffMax: 4'],
    ['growthLimit: 12, probeBackoffMax: 4', 'growthLimit: 12, probeBackoffMax: 8'],
    ['growthLimit: 12, recovery: additive', 'growthLimit: 12, recovery: slow-start'],
    ['growthLimit: 12, growth: streak', 'growthLimit: 12, growth: window'],
    ['growthLimit: 12, freezeOn: any', 'growthLimit: 12, freezeOn: rate'],
    ['growthLimit: 12, pacing: off', 'growthLimit: 12, pacing: headers'],
    ['preset: reference', 'preset: auto-grow'],
    ['preset: reference', 'preset: adaptive'],
  ])('%s, %s', async (one, another) => {
    expect(await storyOf(one)).not.toBe(await storyOf(another));
  });

  it('latencySignal', async () => {
    const queueing = (latencySignal: boolean): string => `
governor: { initial: 12, latencySignal: ${latencySignal} }
providers: { acme: { models: { large: { server: { slots: 4, queue: 99 }, latency: { firstToken: 500ms } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 12, name: 'a-{n}', requests: 20 } }] }
`;
    const [off, on] = await Promise.all([false, true].map((signal) => simulate(scenarioText(queueing(signal)))));
    expect([off?.summary.keys['acme/large']?.cuts, on?.summary.keys['acme/large']?.cuts]).toEqual([0, 3]);
  });

  it('and what is stated beside a preset wins', async () => {
    const all = 'growthFactor: 1, growth: streak, probeBackoffMax: 1, freezeOn: any, pacing: off';
    expect(await storyOf(`preset: adaptive, ${all}`)).toBe(await storyOf('preset: reference'));
  });
});
