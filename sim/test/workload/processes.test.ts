/** Several processes, each with a governor of its own, on the quotas of one provider. */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

const SHARED = `
name: shared
governor: { initial: 2 }
providers: { p: { models: { m: { quotas: [{ concurrency: 3 }], latency: { service: 1s, refusal: 100ms } } } } }
workload:
  runs:
    - { id: a, process: one, target: p/m, agents: { count: 2, name: "a{n}" } }
    - { id: b, process: two, target: p/m, agents: { count: 2, name: "b{n}" } }
    - { id: c, target: p/m, start: 1h, agents: { count: 3, name: "c{n}" } }
  arrivals: [{ id: w, target: p/m, inProcess: one, rate: 1/s, process: uniform, start: 2h, count: 1 }]`;

describe('processes', () => {
  it('share the quota and not the governor: each has its own cap, and learns from its own refusals', async () => {
    const { events, summary } = await simulate(scenarioText(SHARED));
    const admitted = events.flatMap((e) =>
      e.type === 'request-admitted' && e.t < 3_600_000 && e.attempt === 1 ? [[e.t, e.agent, e.process]] : [],
    );
    // Four pass two gates of two; the quota takes three.
    expect(admitted).toEqual([
      [0, 'a1', 'one'],
      [0, 'a2', 'one'],
      [0, 'b1', 'two'],
      [0, 'b2', 'two'],
    ]);
    expect(events.filter(({ type }) => type === 'concurrency-changed')).toEqual([
      {
        ...{ t: 100, type: 'concurrency-changed', key: 'p/m', process: 'two', previous: 2, next: 1 },
        ...{ reason: 'rate_limited', lastBad: 2 },
      },
    ]);
    expect(Object.keys(summary.keys)).toEqual(['p/m@one', 'p/m@two', 'p/m']);
    expect(Object.keys(summary.providers)).toEqual(['p/m']);
    expect(summary.keys['p/m@one']!.cap.min).toBe(2);
    expect(summary.keys['p/m@two']!.cap.min).toBe(1);
    // The process that a scenario has anyway has a gate of two, too: the third of its agents waits for a seat.
    expect(summary.keys['p/m']!.inFlight.max).toBe(2);
    expect(summary.providers['p/m']).toMatchObject({ admitted: 8, refused: 1, peakInFlight: 3 });
  });

  it('are known to expectations by their gates', () => {
    const expecting = (gate: string): string => `${SHARED}\nexpect: { 'keys["${gate}"].cap.min': { min: 1 } }`;
    expect(() => scenarioText(expecting('p/m@two'))).not.toThrow();
    expect(() => scenarioText(expecting('p/m@three'))).toThrow('this run has no such field');
  });
});
