import { describe, expect, it } from 'vitest';
import { Utilisation } from '../../src/results/utilisation.js';
import { run } from '../../src/run.js';
import { simulatedWorld } from '../../src/transport/world.js';
import { scenarioText } from '../simulate.js';

/** Three subagents ask for 10 s each, again and again, of what takes two at once; the third is refused after 1 s. */
function scenario(quotas: string, timeline = ''): string {
  return `
governor: { controller: none, retry: { firstDelay: 0, maxDelay: 0 } }
providers: { acme: { models: { large: { quotas: ${quotas}, retryAfter: 100s, latency: { service: 10s, refusal: 1s } } } } }
workload: { runs: [{ id: r, target: acme/large, maxConcurrency: 3, agents: { count: 3, name: 'a-{n}', requests: 100, tokens: { input: 30, output: 10 } } }] }
${timeline}
stop: { when: time, after: 60s }
`;
}

async function figuresOf(text: string, fromMs: number) {
  const resolved = scenarioText(text);
  const utilisation = new Utilisation(fromMs);
  const observe = utilisation.observe.bind(utilisation);
  await run({ scenario: resolved, world: simulatedWorld(resolved), version: 'test', observe });
  return utilisation.figures()['acme/large'];
}

describe('utilisation', () => {
  it('of places is the time they were taken, of what stood open; requests in flight at the end count', async () => {
    expect(await figuresOf(scenario('[{ concurrency: 2 }]'), 0)).toEqual({
      utilisation: 1,
      quotas: { concurrency: 1 },
      inService: 2,
      attempts: 13,
      refused: 1,
      succeeded: 12,
      refusedShare: 1 / 13,
    });
  });

  it('counts from an instant on, what was refused before it not', async () => {
    expect(await figuresOf(scenario('[{ concurrency: 4 }]'), 25_000)).toMatchObject({
      utilisation: 0.75,
      inService: 3,
      attempts: 12,
      refused: 0,
      refusedShare: 0,
    });
  });

  it('is the share of the scarcest quota; a rate is used by what it let in, tokens by what was answered', async () => {
    const quotas = '[{ concurrency: 6 }, { requests: 20, per: 1m }, { tokens: 4800, per: 2m, counts: input }]';
    const figures = await figuresOf(scenario(quotas), 0);
    expect(figures?.quotas).toEqual({
      concurrency: 0.5,
      'requests-1m': 18 / 20,
      'input-tokens-2m': (18 * 30) / 2400,
    });
    expect(figures?.utilisation).toBe(0.9);
  });

  it('follows a limit that changes', async () => {
    const timeline = `timeline: [{ at: 30s, set: { 'providers.acme.models.large.quotas[0].concurrency': 6 } }]`;
    const figures = await figuresOf(scenario('[{ concurrency: 3 }]', timeline), 0);
    expect(figures?.utilisation).toBeCloseTo(180 / (3 * 30 + 6 * 30), 9);
  });
});
