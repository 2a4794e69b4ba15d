/** What a timeline does to runs: in place, by a successor, for a while; and what a full queue does to requests. */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';

const review = (agents: string, timeline: string, { run = '', more = '' } = {}): string => `
name: changes
providers:
  p:
    models:
      large: { latency: { service: 1s } }
      small: { latency: { service: 2s } }
workload:
  runs: [{ id: review, target: p/large, ${run} agents: { ${agents} } }]
timeline: [${timeline}]
${more}`;

const of = <T extends TraceEvent['type']>(events: readonly TraceEvent[], type: T) =>
  events.filter((event): event is Extract<TraceEvent, { type: T }> => event.type === type);

/** `time agent` of each request as it is sent. */
const sent = (events: readonly TraceEvent[]): readonly string[] =>
  of(events, 'request-admitted').map(({ t, agent }) => `${t / 1000} ${agent}`);

describe('retune', () => {
  const agents = 'count: 4, name: "a{n}", requests: 3';

  it('lowers the bound in place: nothing in flight is stopped, the next requests wait for a seat', async () => {
    const { events, summary } = await simulate(
      scenarioText(review(agents, '{ at: 500ms, retune: { run: review, maxConcurrency: 2 } }')),
    );
    expect(of(events, 'run-caps-changed')).toEqual([
      { t: 500, type: 'run-caps-changed', run: 'review', previous: 8, bound: 2 },
    ]);
    expect(sent(events)).toEqual([
      ...['0 a1', '0 a2', '0 a3', '0 a4'],
      ...['1 a3', '1 a4', '2 a3', '2 a4'],
      ...['3 a1', '3 a2', '4 a1', '4 a2'],
    ]);
    expect(summary.runs.review).toMatchObject({ bound: 2, makespanMs: 5000, agents: 4, cacheHits: 0 });
  });

  it('raises it again, and null goes back to the default', async () => {
    const timeline =
      '{ at: 500ms, retune: { run: review, maxConcurrency: 2 } }, { at: 1500ms, retune: { run: review, maxConcurrency: null } }';
    const { events } = await simulate(scenarioText(review(agents, timeline)));
    expect(of(events, 'run-caps-changed').map(({ previous, bound }) => [previous, bound])).toEqual([
      [8, 2],
      [2, 8],
    ]);
    expect(sent(events).slice(4)).toEqual([
      ...['1 a3', '1 a4', '1.5 a1', '1.5 a2', '2 a3', '2 a4', '2.5 a1', '2.5 a2'],
    ]);
  });

  it('holds from the start where the run has not begun, and does nothing where it is over', async () => {
    const timeline =
      '{ at: 1s, retune: { run: review, maxConcurrency: 1 } }, { at: 1h, retune: { run: review, maxConcurrency: 3 } }';
    const text = review('count: 2, name: "a{n}"', timeline, {
      run: 'start: 2s,',
      more: 'stop: { when: time, after: 2h }',
    });
    const { events } = await simulate(scenarioText(text));
    expect(of(events, 'run-started')).toEqual([{ t: 2000, type: 'run-started', run: 'review', bound: 1, agents: 2 }]);
    expect(of(events, 'run-caps-changed')).toEqual([]);
    expect(sent(events)).toEqual(['2 a1', '3 a2']);
  });
});

describe('amend', () => {
  const amended = (name: string, amend: string): string =>
    review(`count: 3, name: "${name}", asks: 2, requests: 2`, `{ at: 2500ms, amend: { run: review, ${amend} } }`, {
      run: 'maxConcurrency: 2,',
    });

  it('with another model makes a successor: what is in flight ends, finished asks are inherited by name', async () => {
    const { events, summary } = await simulate(scenarioText(amended('a{n}', 'settings: { model: p/small }')));
    // At two seconds a1 and a2 have finished an ask each; a3 has its first request in flight, and so has a1 again.
    expect(events.filter(({ t, type }) => t === 2500 && type !== 'request-queued').map(({ type }) => type)).toEqual([
      ...['request-settled', 'request-settled', 'run-finished', 'run-started', 'node-executing', 'request-admitted'],
      ...['node-executing', 'request-admitted', 'node-waiting'],
    ]);
    expect(
      of(events, 'request-settled').flatMap(({ outcome, agent, serviceMs, lost }) =>
        outcome === 'ended' ? [[agent, serviceMs, lost]] : [],
      ),
    ).toEqual([
      ['a3', 500, true],
      ['a1', 500, true],
    ]);
    expect(of(events, 'run-finished')).toEqual([
      { t: 2500, type: 'run-finished', run: 'review', succeeded: 4, lost: 2, cacheHits: 0 },
      { t: 14_500, type: 'run-finished', run: 'review@2', succeeded: 8, lost: 0, cacheHits: 2 },
    ]);
    expect(Object.keys(summary.keys)).toEqual(['p/large', 'p/small']);
    expect(summary.runs['review@2']).toMatchObject({ bound: 2, makespanMs: 12_000, agents: 3, cacheHits: 2 });
    expect(summary.requests).toMatchObject({ logical: 14, attempts: 14, succeeded: 12, ended: 2, lost: 2 });
    expect(summary.tokens).toEqual({ input: 12_000, output: 2400, repeated: 0 });
  });

  it('with names that are not stable does everything again, and says what was paid twice', async () => {
    const { events, summary } = await simulate(scenarioText(amended('a{n}-{random}', 'settings: { model: p/small }')));
    const names = new Set(of(events, 'request-queued').map(({ agent }) => agent));
    expect(names.size).toBe(6);
    expect([...names].every((name) => /^a[123]-[0-9a-f]{8}$/.test(name ?? ''))).toBe(true);
    expect(summary.runs['review@2']).toMatchObject({ cacheHits: 0 });
    // The four requests that had succeeded, of 1,000 and 200 tokens, out of all twelve.
    expect(summary.tokens).toEqual({ input: 16_000, output: 3200, repeated: 4800 });
  });

  it('counts an ask that was half done as paid twice', async () => {
    const text = review(
      'count: 1, name: "a{n}", requests: 3',
      '{ at: 2500ms, amend: { run: review, settings: { model: p/small } } }',
    );
    const { summary } = await simulate(scenarioText(text));
    expect(summary.tokens).toEqual({ input: 5000, output: 1000, repeated: 2400 });
    expect(summary.runs['review@2']?.cacheHits).toBe(0);
  });

  it.each([
    ['of the bound alone is a retune', 'maxConcurrency: 3', 1],
    ['to what is in force does nothing', 'maxConcurrency: 2, settings: { model: p/large }', 0],
    ['to what is in force, by null, does nothing', 'settings: null', 0],
  ])('%s', async (_, amend, changes) => {
    const { events } = await simulate(scenarioText(amended('a{n}', amend)));
    expect(of(events, 'run-caps-changed').length).toBe(changes);
    expect(of(events, 'run-started').map(({ run }) => run)).toEqual(['review']);
  });

  it('may be undone: the third run inherits from both', async () => {
    const timeline =
      '{ at: 2500ms, amend: { run: review, settings: { model: p/small } } }, { at: 7s, amend: { run: review, settings: null } }';
    const text = review('count: 3, name: "a{n}", asks: 2, requests: 2', timeline, { run: 'maxConcurrency: 2,' });
    const { events } = await simulate(scenarioText(text));
    expect(of(events, 'run-finished').map(({ run, succeeded, cacheHits }) => [run, succeeded, cacheHits])).toEqual([
      ['review', 4, 0],
      ['review@2', 4, 2],
      ['review@3', 4, 4],
    ]);
    expect(of(events, 'request-queued').at(-1)?.key).toBe('p/large');
  });

  it('withdraws those in line and those that wait for a retry', async () => {
    const text = `
name: line
governor: { initial: 1, retry: { firstDelay: 10s, maxDelay: 10s } }
providers: { p: { models: { large: { quotas: [{ requests: 1, per: 1h }] }, small: {} } } }
workload: { runs: [{ id: r, target: p/large, maxConcurrency: 3, agents: { count: 3, name: "a{n}" } }] }
timeline: [{ at: 1s, amend: { run: r, settings: { model: p/small } } }]`;
    const { events, summary } = await simulate(scenarioText(text, ['governor.growthLimit=1']));
    expect(of(events, 'request-withdrawn').map(({ agent, from }) => [agent, from])).toEqual([
      ['a2', 'backoff'],
      ['a3', 'backoff'],
    ]);
    expect(summary.requests).toMatchObject({ logical: 6, succeeded: 3, refused: 2, ended: 1, lost: 3 });
  });
});

describe('pause', () => {
  it('holds back new requests for its time; what was asked goes on, its retries too', async () => {
    const text = `
name: held
governor: { initial: 4, idleReset: 5m, retry: { firstDelay: 1s, maxDelay: 1s } }
providers: { p: { models: { m: { quotas: [{ concurrency: 2 }], latency: { service: 3s, refusal: 100ms } } } } }
workload: { runs: [{ id: r, target: p/m, agents: { count: 3, name: "a{n}", requests: 2 } }] }
timeline: [{ at: 1s, pause: { run: r, for: 6m } }]`;
    const { events, summary } = await simulate(scenarioText(text));
    expect(of(events, 'run-paused')).toEqual([{ t: 1000, type: 'run-paused', run: 'r', untilMs: 361_000 }]);
    const asked = of(events, 'request-queued').map(({ t, attempt }) => [t, attempt]);
    expect(asked.filter(([, attempt]) => attempt === 1).map(([t]) => t)).toEqual([0, 0, 0, 361_000, 361_000, 361_000]);
    expect(asked.filter(([t, attempt]) => attempt! > 1 && t! < 361_000).length).toBeGreaterThan(0);
    // Six minutes of silence: what the refusals taught is forgotten.
    expect(of(events, 'concurrency-changed').filter(({ reason }) => reason === 'idle_reset')).toMatchObject([
      { t: 361_000, previous: 2, next: 4 },
    ]);
    expect(summary.requests.succeeded).toBe(6);
  });

  it('may be extended, and stands still for a run that has not begun', async () => {
    const timeline = '{ at: 0s, pause: { run: review, for: 3s } }, { at: 2s, pause: { run: review, for: 4s } }';
    const text = review('count: 1, name: "a{n}"', timeline, { run: 'start: 1s,' });
    expect(sent((await simulate(scenarioText(text))).events)).toEqual(['6 a1']);
  });

  it('is over for a run that is replaced in it only when it is over', async () => {
    const timeline =
      '{ at: 500ms, pause: { run: review, for: 4s } }, { at: 2s, amend: { run: review, settings: { model: p/small } } }';
    const { events, summary } = await simulate(scenarioText(review('count: 1, name: "a{n}", requests: 2', timeline)));
    expect(sent(events)).toEqual(['0 a1', '4.5 a1', '6.5 a1']);
    expect(summary.requests).toMatchObject({ logical: 3, succeeded: 3, lost: 0 });
  });
});

describe('a full queue', () => {
  it('turns requests away for good, says so, and stops nobody', async () => {
    const text = `
name: full
governor: { initial: 1, maxQueue: 2 }
providers: { p: { models: { m: { latency: { service: 1s } } } } }
workload: { arrivals: [{ id: web, target: p/m, rate: 1000/s, process: uniform, count: 5 }] }`;
    const { events, summary } = await simulate(scenarioText(text));
    expect(of(events, 'request-withdrawn')).toEqual([
      {
        ...{ t: 4, type: 'request-withdrawn', id: 4, attempt: 1, key: 'p/m', agent: 'web' },
        from: 'queue',
        reason: 'queue-full',
      },
      {
        ...{ t: 5, type: 'request-withdrawn', id: 5, attempt: 1, key: 'p/m', agent: 'web' },
        from: 'queue',
        reason: 'queue-full',
      },
    ]);
    expect(summary.requests).toMatchObject({ logical: 5, attempts: 5, succeeded: 3, ended: 2, lost: 2 });
    expect(summary.queue.max).toBe(2);
  });

  it('takes all its asks from an agent that never finds room, and no more', async () => {
    const text = `
name: full
governor: { controller: fixed, initial: 1, maxQueue: 1 }
providers: { p: { models: { m: { latency: { service: 1s } } } } }
workload: { runs: [{ id: r, target: p/m, maxConcurrency: 3, agents: { count: 3, asks: 20000 } }] }
stop: { when: time, after: 1ms }`;
    const { summary } = await simulate(scenarioText(text));
    expect(summary.requests).toMatchObject({ logical: 20_002, lost: 20_000, unfinished: 2 });
  });
});
