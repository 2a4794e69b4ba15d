/** Runs that come after others: when they start, what a gate lets through, and what is said of a run that is left out. */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';

const phases = (runs: string, model = '{ latency: { service: 1s } }', more = ''): string => `
name: phases
governor: { retry: none }
providers: { p: { models: { m: ${model} } } }
workload: { runs: [${runs}] }
${more}`;

const told = (events: readonly TraceEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === 'run-started') return [`${event.t} ${event.run} starts`];
    if (event.type === 'run-finished') return [`${event.t} ${event.run} is over`];
    return event.type === 'run-skipped' ? [`${event.t} ${event.run} is skipped`] : [];
  });

describe('after', () => {
  it('starts a run when all of those before it are over, and as much later as it says', async () => {
    const { events } = await simulate(
      scenarioText(
        phases(`
        { id: last, target: p/m, after: [one, two], start: 500ms, agents: { count: 1 } },
        { id: one, target: p/m, agents: { count: 2, requests: 2 } },
        { id: two, target: p/m, start: 2s, agents: { count: 1 } }`),
      ),
    );
    expect(told(events)).toEqual([
      ...['0 one starts', '2000 one is over', '2000 two starts', '3000 two is over'],
      ...['3500 last starts', '4500 last is over'],
    ]);
  });

  it('waits for the successor of a run that was replaced', async () => {
    const text = phases(
      '{ id: a, target: p/m, agents: { count: 1, requests: 2 } }, { id: b, target: p/n, after: [a], agents: { count: 1 } }',
      '{ latency: { service: 1s } }, n: { latency: { service: 3s } }',
      'timeline: [{ at: 500ms, amend: { run: a, settings: { model: p/n } } }]',
    );
    const { events } = await simulate(scenarioText(text));
    expect(told(events)).toEqual([
      ...['0 a starts', '500 a is over', '500 a@2 starts', '6500 a@2 is over', '6500 b starts', '9500 b is over'],
    ]);
  });
});

describe('a gate', () => {
  // Four of ten are let in at a time, and nobody tries again.
  const half = (gate: string, more = ''): string =>
    phases(
      `{ id: draft, target: p/m, maxConcurrency: 10, agents: { count: 10 } },
       { id: verify, target: p/m, after: [draft], gate: ${gate}, agents: { count: 3 } }${more}`,
      '{ quotas: [{ concurrency: 4 }], latency: { service: 1s } }',
    );

  it.each([
    ['40%', ['0 draft starts', '1000 draft is over', '1000 verify starts', '2000 verify is over']],
    ['41%', ['0 draft starts', '1000 draft is over', '1000 verify is skipped']],
  ])('of %s', async (gate, story) => {
    expect(told((await simulate(scenarioText(half(gate)))).events)).toEqual(story);
  });

  it('says what it saw, and the summary shows the run that was left out', async () => {
    const { events, summary } = await simulate(
      scenarioText(half('0.5', ', { id: report, target: p/m, after: [verify], agents: { count: 1 } }')),
    );
    expect(events.find(({ type }) => type === 'run-skipped')).toEqual({
      ...{ t: 1000, type: 'run-skipped', run: 'verify', agents: 3, asks: 10, finishedAsks: 4, gate: 0.5 },
    });
    expect(summary.runs.verify).toEqual({
      ...{
        bound: 0,
        makespanMs: null,
        effective: { min: 0, mean: 0 },
        waitMs: 0,
        agents: 3,
        cacheHits: 0,
        skipped: true,
      },
    });
    expect(summary.runs.draft).not.toHaveProperty('skipped');
    // A run without a gate goes on whatever came of those before it.
    expect(told(events).at(-1)).toBe('2000 report is over');
    expect(summary.complete).toBe(true);
  });

  it('closes on a run that was left out itself: none of its asks were answered', async () => {
    const { events } = await simulate(
      scenarioText(half('100%', ', { id: report, target: p/m, after: [verify], gate: 1%, agents: { count: 1 } }')),
    );
    expect(told(events).slice(2)).toEqual(['1000 verify is skipped', '1000 report is skipped']);
  });
});
