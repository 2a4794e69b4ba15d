/**
 * Every number of a workload and of its timeline does something: another value gives another run. Each part in a scenario
 * of its own, so that no other part hides it.
 */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

const PROVIDER = `
providers:
  p:
    models:
      m: { quotas: [{ concurrency: 4 }], latency: { firstToken: { exponential: { mean: 300ms } } } }
      n: { latency: { service: 1s } }
governor: { initial: 6, maxQueue: 1000, retry: { firstDelay: 500ms, maxDelay: 2s } }
seed: 1
`;

const PARTS = {
  runs: `
workload:
  runs:
    - id: a
      target: p/m
      start: 1s
      maxConcurrency: 5
      timeout: 4s
      agents: { count: 8, name: "a-{n}", asks: 2, requests: 3, tokens: { input: 900, output: 100, max: 90 } }
    - { id: b, target: p/m, after: [a], gate: 50%, agents: { count: 2, tokens: { input: 10 } } }`,
  poisson: `
workload:
  arrivals:
    - { id: web, target: p/m, rate: 4/s, process: poisson, count: 60, start: 1s, timeout: 3s, tokens: { input: 900, output: 100, max: 90 } }`,
  uniform: `
workload:
  arrivals: [{ id: web, target: p/m, rate: 4/s, process: uniform, for: 10s }]
  observers: [{ id: user, target: p/m, rate: 1/s, process: uniform, for: 10s, start: 500ms, timeout: 3s, tokens: { input: 9, output: 80, max: 70 } }]`,
  crowd: `
workload: { arrivals: [{ id: web, target: p/m, rate: 100/s, process: uniform, count: 90 }] }`,
  changes: `
workload: { runs: [{ id: a, target: p/m, agents: { count: 8, name: "a-{n}", requests: 4 } }] }
timeline:
  - { at: 1s, retune: { run: a, maxConcurrency: 2 } }
  - { at: 3s, amend: { run: a, maxConcurrency: 3, settings: { model: p/n } } }
  - { at: 4s, pause: { run: a, for: 5s } }`,
} as const;

/** What happened, without the settings that the trace begins with. */
async function storyOf(part: keyof typeof PARTS, set: readonly string[] = []): Promise<string> {
  const { events } = await simulate(scenarioText(`name: ${part}\n${PROVIDER}${PARTS[part]}`, set));
  return JSON.stringify(events.slice(1));
}

describe('another value gives another run', () => {
  it.each<[keyof typeof PARTS, string, string]>([
    ['runs', 'seed', '2'],
    ['runs', 'workload.runs[0].start', '2s'],
    ['runs', 'workload.runs[0].maxConcurrency', '4'],
    ['runs', 'workload.runs[0].timeout', '900ms'],
    ['runs', 'workload.runs[0].agents.count', '9'],
    ['runs', 'workload.runs[0].agents.asks', '3'],
    ['runs', 'workload.runs[0].agents.requests', '2'],
    ['runs', 'workload.runs[0].agents.tokens.input', '901'],
    ['runs', 'workload.runs[0].agents.tokens.output', '50'],
    ['runs', 'workload.runs[0].agents.tokens.max', '80'],
    ['runs', 'workload.runs[1].start', '3s'],
    ['runs', 'workload.runs[1].agents.count', '3'],
    ['poisson', 'workload.arrivals[0].rate', '5/s'],
    ['poisson', 'workload.arrivals[0].count', '61'],
    ['poisson', 'workload.arrivals[0].start', '2s'],
    ['poisson', 'workload.arrivals[0].timeout', '700ms'],
    ['poisson', 'workload.arrivals[0].tokens.input', '901'],
    ['poisson', 'workload.arrivals[0].tokens.output', '50'],
    ['poisson', 'workload.arrivals[0].tokens.max', '80'],
    ['uniform', 'workload.arrivals[0].rate', '3/s'],
    ['uniform', 'workload.arrivals[0].for', '9s'],
    ['uniform', 'workload.observers[0].rate', '2/s'],
    ['uniform', 'workload.observers[0].for', '5s'],
    ['uniform', 'workload.observers[0].start', '600ms'],
    ['uniform', 'workload.observers[0].timeout', '500ms'],
    ['uniform', 'workload.observers[0].tokens.input', '10'],
    ['uniform', 'workload.observers[0].tokens.output', '60'],
    ['uniform', 'workload.observers[0].tokens.max', '65'],
    ['crowd', 'governor.maxQueue', '20'],
    ['changes', 'timeline[0].at', '2s'],
    ['changes', 'timeline[0].retune.maxConcurrency', '1'],
    ['changes', 'timeline[1].at', '2s'],
    ['changes', 'timeline[1].amend.maxConcurrency', '4'],
    ['changes', 'timeline[2].at', '5s'],
    ['changes', 'timeline[2].pause.for', '6s'],
  ])('of %s: %s=%s', async (part, path, value) => {
    expect(await storyOf(part, [`${path}=${value}`])).not.toBe(await storyOf(part));
  });

  it('of a gate, where too little came of what went before', async () => {
    const losing = ['governor.retry=none'];
    const shut = await storyOf('runs', [...losing, 'workload.runs[1].gate=100%']);
    expect(shut).toContain('run-skipped');
    expect(await storyOf('runs', [...losing, 'workload.runs[1].gate=0%'])).not.toContain('run-skipped');
  });

  it.each(Object.keys(PARTS) as (keyof typeof PARTS)[])('and the same values the same run: %s', async (part) => {
    expect(await storyOf(part)).toBe(await storyOf(part));
  });
});
