/** A run whose process dies and comes back: what breaks off, what waits on, what is done once. */

import { describe, expect, it } from 'vitest';
import { problemsOf } from '../scenario/loading.js';
import { runOf, scenario, story, storyOf } from './story.js';

const REQUESTS = ['request-queued', 'request-admitted', 'request-settled'] as const;
const CRASHES = ['run-crashed', 'run-resumed', 'request-resumed'] as const;

describe('requests over a crash', () => {
  const text = scenario({
    agents: 'count: 3, requests: 2',
    run: 'maxConcurrency: 3',
    model: 'latency: { service: 4s }',
    governor: '{ controller: fixed, initial: 1 }',
    more: 'timeline: [{ at: 5s, crash: { run: r, downFor: 10s } }]',
  });

  it('what is in flight breaks off and is made again; what waits stays the attempt it is; nothing finished is repeated', async () => {
    const { events, summary } = await runOf(text);
    expect(story(events, ...REQUESTS, ...CRASHES)).toEqual([
      '0 queued 1.1',
      '0 admitted 1.1',
      '0 queued 2.1',
      '0 queued 3.1',
      '4 succeeded 1.1',
      '4 admitted 2.1',
      '4 queued 4.1',
      // Request 2 is in flight; 3 and 4 wait.
      '5 run-crashed',
      '5 ended 2.1',
      '15 queued 2.2',
      '15 run-resumed',
      '15 request-resumed',
      '15 admitted 3.1',
      '15 request-resumed',
      '15 request-resumed',
      '19 succeeded 3.1',
      '19 admitted 4.1',
      '19 queued 5.1',
      '23 succeeded 4.1',
      '23 admitted 2.2',
      '27 succeeded 2.2',
      '27 admitted 5.1',
      '27 queued 6.1',
      '31 succeeded 5.1',
      '31 admitted 6.1',
      '35 succeeded 6.1',
    ]);
    expect(summary.requests).toMatchObject({ logical: 6, attempts: 7, succeeded: 6, ended: 1, lost: 0 });
    expect(summary.crashes).toEqual({ count: 1, downMs: 10_000, brokenOff: 1, resumed: 3, duplicatesSuppressed: 0 });
    expect(summary.providers['acme/large']?.admitted).toBe(7);
  });

  it('every attempt is queued, admitted and settled once, and its wait counts from its queueing', async () => {
    const { events } = await runOf(text);
    const of = (type: string) =>
      events.flatMap((e) => (e.type === type && 'attempt' in e ? [`${e.id}.${e.attempt}`] : []));
    const queued = of('request-queued').sort();
    expect(of('request-admitted').sort()).toEqual(queued);
    expect(of('request-settled').sort()).toEqual(queued);
    expect(new Set(queued).size).toBe(7);
    const waited = events.flatMap((e) => (e.type === 'request-admitted' && e.id === 3 ? [e.waitMs] : []));
    expect(waited).toEqual([15_000]);
  });

  it('a retry that comes due while the run is down waits for it', async () => {
    const { events } = await runOf(
      scenario({
        agents: 'count: 1',
        model: 'latency: { service: 1s }, quotas: [{ requests: 1, per: 1h }]',
        workload: 'arrivals: [{ id: a, target: acme/large, process: uniform, rate: 1000/s, count: 1 }]',
        run: 'start: 1s, retry: { throttle: 1, firstDelay: 4s }',
        more: 'timeline: [{ at: 2s, crash: { run: r, downFor: 20s } }]',
      }),
    );
    expect(story(events, ...REQUESTS, ...CRASHES).filter((line) => !line.includes(' 1.1'))).toEqual([
      '1 queued 2.1',
      '1 admitted 2.1',
      '1.05 throttled 2.1',
      '2 run-crashed',
      expect.stringMatching(/^[345]\.\d+ queued 2\.2$/),
      '22 run-resumed',
      '22 request-resumed',
      '22 admitted 2.2',
      '22.05 throttled 2.2',
    ]);
  });

  it('a request comes back to the gate of its own process, and says so', async () => {
    const { events } = await runOf(text.replace('maxConcurrency: 3', 'maxConcurrency: 3, process: p2'));
    expect(events.filter(({ type }) => type === 'request-resumed')).toEqual(
      [3, 4, 2].map((id) => expect.objectContaining({ t: 15_000, id, process: 'p2', key: 'acme/large' })),
    );
  });

  it('whoever waited for a seat waits for one again', async () => {
    const { events } = await runOf(
      scenario({
        agents: 'count: 3',
        run: 'maxConcurrency: 1',
        model: 'latency: { service: 4s }',
        more: 'timeline: [{ at: 5s, crash: { run: r, downFor: 10s } }]',
      }),
    );
    expect(story(events, 'request-admitted', ...CRASHES)).toEqual([
      '0 admitted 1.1',
      '4 admitted 2.1',
      '5 run-crashed',
      '15 run-resumed',
      '15 request-resumed',
      '15 admitted 2.2',
      '19 admitted 3.1',
    ]);
  });

  it('it may crash again, be retuned while it is down, and be amended after; before its start and after its end nothing dies', async () => {
    const { summary, events } = await runOf(`
governor: { initial: 4 }
providers: { acme: { models: { large: { latency: { service: 4s }, quotas: [{ concurrency: 3 }] }, small: { latency: { service: 2s } } } } }
workload: { runs: [{ id: r, target: acme/large, start: 10s, agents: { count: 6, asks: 2, requests: 3 } }] }
timeline:
  - { at: 5s, crash: { run: r, downFor: 10s } }
  - { at: 15s, crash: { run: r, downFor: 10s } }
  - { at: 20s, retune: { run: r, maxConcurrency: 2 } }
  - { at: 26s, crash: { run: r, downFor: 3s } }
  - { at: 50s, amend: { run: r, settings: { model: acme/small } } }
  - { at: 60s, crash: { run: r, downFor: 5s } }
  - { at: 2h, crash: { run: r, downFor: 10s } }
`);
    expect(summary.complete).toBe(true);
    expect(summary.crashes).toMatchObject({ count: 3, downMs: 18_000 });
    expect(summary.runs.r?.bound).toBe(2);
    expect(events.flatMap((e) => (e.type === 'run-finished' ? [e.run] : []))).toEqual(['r', 'r@2']);
    const perRequest = new Set(
      events.flatMap((e) => (e.type === 'request-settled' && e.outcome === 'succeeded' ? [e.id] : [])),
    );
    expect(perRequest.size).toBe(summary.requests.succeeded);
  });
});

it('replaced as it comes back, with fewer seats than it had: who waits without a seat is withdrawn, and the checks hold', async () => {
  const { summary, events } = await runOf(`
providers: { acme: { models: { large: { latency: { service: 1s }, quotas: [{ concurrency: 2 }] }, small: { latency: { service: 1s } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 4, requests: 3 } }] }
timeline:
  - { at: 1s, crash: { run: r, downFor: 1s } }
  - { at: 2s, crash: { run: r, downFor: 1s } }
  - { at: 2s, amend: { run: r, settings: { model: acme/small } } }
  - { at: 2s, retune: { run: r, maxConcurrency: 1 } }
`);
  expect(summary.complete).toBe(true);
  expect(summary.crashes?.count).toBe(2);
  expect(events.flatMap((e) => (e.type === 'request-withdrawn' ? [`${e.t} ${e.id} ${e.from}`] : []))).toEqual([
    '3000 3 queue',
    '3000 4 queue',
    '3000 6 queue',
  ]);
});

it('a successor inherits what was finished before the crash', async () => {
  const { summary } = await runOf(`
providers: { acme: { models: { large: { latency: { service: 4s } }, small: { latency: { service: 2s } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 2, asks: 4 } }] }
timeline:
  - { at: 9s, crash: { run: r, downFor: 1s } }
  - { at: 15s, amend: { run: r, settings: { model: acme/small } } }
`);
  // Two asks of each agent before the crash, one between it and the change.
  expect(summary.runs['r@2']?.cacheHits).toBe(6);
  expect(summary.tokens.repeated).toBe(0);
});

describe('tools over a crash', () => {
  const TOOLS = ['tool-started', 'tool-finished', 'tool-released'] as const;
  const crash = (at: string, downFor: string) => `timeline: [{ at: ${at}, crash: { run: r, downFor: ${downFor} } }]`;
  const one = (tools: string, more: string) =>
    scenario({ agents: `count: 1, tools: { resultTokens: 10, ${tools} }`, more });

  it('work that ended meanwhile is not done again: the key gets its result', async () => {
    const { events, summary } = await runOf(one('parallel: 2, duration: 5s', crash('3s', '10s')));
    expect(story(events, ...TOOLS, ...CRASHES)).toEqual([
      '1 tool 1.1',
      '1 tool 1.2',
      '3 run-crashed',
      '13 run-resumed',
      '13 tool 1.1 again',
      '13 tool 1.1 done 10',
      '13 tool 1.2 again',
      '13 tool 1.2 done 10',
    ]);
    expect(summary.tools).toMatchObject({ calls: 2, done: 2 });
    expect(summary.crashes).toMatchObject({ duplicatesSuppressed: 2 });
    const keys = events.flatMap((e) => (e.type === 'tool-started' ? [e.idempotencyKey] : []));
    expect(keys).toEqual(['agent-1/1/1.1', 'agent-1/1/1.2', 'agent-1/1/1.1', 'agent-1/1/1.2']);
  });

  it('work that goes on is joined, with a time of its own', async () => {
    const { events } = await runOf(one('duration: 25s, timeout: 20s', crash('3s', '10s')));
    expect(story(events, ...TOOLS)).toEqual(['1 tool 1.1', '13 tool 1.1 again', '26 tool 1.1 done 10']);
  });

  it('a model request inside a call is made again, and the call goes on', async () => {
    const { events } = await runOf(one('modelRequests: 2, duration: 5s', crash('2500ms', '10s')));
    expect(story(events, ...TOOLS, 'request-settled')).toEqual([
      '1 succeeded 1.1',
      '1 tool 1.1',
      '2 succeeded 2.1',
      '2.5 ended 3.1',
      '12.5 tool 1.1 again',
      '13.5 succeeded 3.2',
      '18.5 tool 1.1 done 10',
    ]);
  });

  it('places are new ones: what nobody waits for any more is gone with the process', async () => {
    const { events } = await runOf(one('parallel: 2, atOnce: 1, duration: 50s, timeout: 5s', crash('10s', '10s')));
    expect(story(events, ...TOOLS)).toEqual([
      '1 tool 1.1',
      '6 tool 1.1 timed-out 50',
      '10 tool 1.1 released',
      '20 tool 1.2',
      '25 tool 1.2 timed-out 50',
    ]);
  });

  it('the time of a task goes on while it is down', async () => {
    const text = scenario({
      agents: 'count: 1, requests: 3, tools: { duration: 5s }, limits: { time: 9s }',
      more: crash('3s', '10s'),
    });
    expect(story((await runOf(text)).events, 'task-ended', 'tool-finished')).toEqual([
      expect.stringMatching(/^13 tool 1\.1 done/),
      '13 task 1 time after 1',
    ]);
  });

  it('places in a pool of executors are given back, and taken again', async () => {
    const text = scenario({
      agents: 'count: 4, requests: 3, tools: { parallel: 2, duration: 5s }',
      workload: 'executors: { pool: 3 }',
      more: crash('7s', '4s'),
    });
    const { summary } = await runOf(text);
    expect(summary.complete).toBe(true);
    expect(summary.tasks?.endedBy.done).toBe(4);
    expect(summary.tools).toMatchObject({ calls: 24, done: 24 });
  });
});

it('what comes while it is down is made when it is back, one after the other, as ever at the end of an instant', async () => {
  const { events } = await runOf(`
providers: { acme: { models: { large: { latency: { service: 4s } }, small: { latency: { service: 2s } } } } }
workload: { runs: [{ id: r, target: acme/large, maxConcurrency: 2, agents: { count: 2 } }] }
timeline:
  - { at: 1s, crash: { run: r, downFor: 10s } }
  - { at: 2s, amend: { run: r, settings: { model: acme/small } } }
  - { at: 3s, amend: { run: r, settings: null } }
`);
  expect(story(events, 'request-admitted', 'request-settled', 'run-started', ...CRASHES).slice(3)).toEqual([
    '1 run-crashed',
    '1 ended 1.1',
    '1 ended 2.1',
    '11 run-resumed',
    '11 request-resumed',
    '11 admitted 1.2',
    '11 request-resumed',
    '11 admitted 2.2',
    '11 ended 1.2',
    '11 ended 2.2',
    '11 run-started',
    '11 admitted 3.1',
    '11 admitted 4.1',
    '11 ended 3.1',
    '11 ended 4.1',
    '11 run-started',
    '11 admitted 5.1',
    '11 admitted 6.1',
    '15 succeeded 5.1',
    '15 succeeded 6.1',
  ]);
});

it('both numbers change a trace', async () => {
  const text = scenario({
    agents: 'count: 3, requests: 3',
    more: 'timeline: [{ at: 2500ms, crash: { run: r, downFor: 4s } }]',
  });
  const before = await storyOf(text);
  for (const set of ['timeline[0].at=1500ms', 'timeline[0].crash.downFor=5s'])
    expect(await storyOf(text, [set])).not.toBe(before);
});

it('problems: a run that is not there, a time that is none, a field left out', () => {
  const text = (crash: string) => `
providers: { acme: { models: { large: {} } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 1 } }] }
timeline: [{ at: 1s, crash: ${crash} }]
`;
  expect(
    ['{ run: q, downFor: 1s }', '{ run: r, downFor: 0s }', '{ run: r }'].flatMap((one) => problemsOf(text(one))),
  ).toEqual([
    's/x.yaml:4:36  timeline[0].crash.run  there is no run "q"; the runs are r',
    's/x.yaml:4:48  timeline[0].crash.downFor  expected a duration above 0, got "0s"',
    's/x.yaml:4:22  timeline[0].crash.downFor  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
  ]);
});

it.each([
  ['{ at: 5s, crash: { run: r, downFor: 1000h } }', 'run r is down until 1000h 5s'],
  ['{ at: 5s, pause: { run: r, for: 500h } }', 'run r is paused until 500h 5s'],
])('a run that stands still when the time is up is named: %s', async (change, named) => {
  const { events } = await runOf(
    scenario({
      agents: 'count: 1, requests: 9',
      model: 'latency: { service: 4s }',
      more: `timeline: [${change}]\nstop: { after: 1h }`,
    }),
  );
  expect(events.at(-1)).toMatchObject({
    type: 'trace-finished',
    stop: 'after',
    detail: `stop.after 3600000 ms came before the work was done: ${named}`,
  });
});
