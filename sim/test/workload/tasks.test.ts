/** Tasks: contexts that grow and are summarised, limits with their reasons, layered retries, executors. */

import { describe, expect, it } from 'vitest';
import { problemsOf } from '../scenario/loading.js';
import { runOf, scenario, story, storyOf } from './story.js';

describe('a growing context', () => {
  it('sends the fixed layer, what was said, the results and what is new', async () => {
    const text = scenario({
      agents:
        'count: 1, requests: 3, tokens: { input: 100, output: 20 }, context: { fixed: 1000 }, tools: { resultTokens: 300 }',
    });
    const { events, summary } = await runOf(text);
    expect(story(events, 'step-started')).toEqual([
      '0 step 1: 1000+0+0+0+100',
      '2 step 2: 1000+0+120+300+100',
      '4 step 3: 1000+0+240+600+100',
    ]);
    expect(summary.context).toEqual({
      compactions: 0,
      largest: 1940,
      inputTokens: { fixed: 3000, summary: 0, turns: 360, results: 900, fresh: 300, summarising: 0 },
    });
    expect(summary.tokens.input).toBe(1100 + 1520 + 1940);
  });

  it('is summarised by a request of its own when the next one would pass the share of the window', async () => {
    const text = scenario({
      agents:
        'count: 1, requests: 6, tokens: { input: 900, output: 100 }, context: { fixed: 1000, keepTurns: 1, summary: 200, window: 6000, compactAt: 70% }',
    });
    const { events, summary } = await runOf(text);
    expect(story(events, 'step-started', 'context-compacted')).toEqual([
      '0 step 1: 1000+0+0+0+900',
      '1 step 2: 1000+0+1000+0+900',
      '2 step 3: 1000+0+2000+0+900',
      // 4900 would pass 4200: everything said so far goes into a summary, and the latest turn stays.
      '3 step 4 summary: 1000+0+3000+0+0',
      '4 compacted 4900 to 3100',
      '4 step 4: 1000+200+1000+0+900',
      '5 step 5: 1000+200+2000+0+900',
      '6 step 6 summary: 1000+200+3000+0+0',
      '7 compacted 5100 to 3100',
      '7 step 6: 1000+200+1000+0+900',
    ]);
    expect(summary.context).toMatchObject({ compactions: 2, inputTokens: { summarising: 8200 } });
    expect(summary.requests.succeeded).toBe(8);
    expect(summary.tasks?.steps).toBe(6);
  });

  it('goes on over the asks of an agent', async () => {
    const text = scenario({
      agents: 'count: 1, asks: 2, tokens: { input: 100, output: 20 }, context: { fixed: 0 }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'step-started')).toEqual(['0 step 1: 0+0+0+0+100', '1 step 1: 0+0+120+0+100']);
  });

  it('ends a task whose next request would not fit', async () => {
    const text = scenario({
      agents:
        'count: 1, requests: 9, tokens: { input: 2000, output: 0 }, context: { fixed: 0, keepTurns: 9, window: 5000 }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'task-ended')).toEqual(['2 task 1 context-window after 2']);
  });
});

describe('limits end a task with their reason', () => {
  it.each([
    ['steps: 2', '2 task 1 steps after 2'],
    ['tokens: 2500', '3 task 1 tokens after 3'],
    ['time: 2500ms', '3 task 1 time after 3'],
    ['time: 3s', '3 task 1 time after 3'],
    ['steps: 5', '5 task 1 done after 5'],
    ['time: 1h', '5 task 1 done after 5'],
  ])('%s', async (limits, end) => {
    const text = scenario({
      agents: `count: 1, requests: 5, tokens: { input: 800, output: 200 }, limits: { ${limits} }`,
    });
    expect(story((await runOf(text)).events, 'task-ended')).toEqual([end]);
  });

  it('time stops the wait for tools at once', async () => {
    const { events } = await runOf(
      scenario({ agents: 'count: 1, tools: { duration: 20s, atOnce: 1, parallel: 2 }, limits: { time: 5s }' }),
    );
    expect(story(events, 'tool-started', 'tool-finished', 'task-ended')).toEqual([
      '1 tool 1.1',
      '5 tool 1.1 cut 0',
      '5 task 1 time after 1',
    ]);
  });

  it('the next ask begins all the same', async () => {
    const { events, summary } = await runOf(
      scenario({ agents: 'count: 1, asks: 2, requests: 3, limits: { steps: 2 }' }),
    );
    expect(story(events, 'task-ended')).toEqual(['2 task 1 steps after 2', '4 task 2 steps after 2']);
    expect(summary.tasks).toMatchObject({ steps: 4, endedBy: { steps: 2, done: 0 }, durationMs: { max: 2000 } });
  });
});

describe('layered retries', () => {
  const refusing = 'latency: { service: 1s }, quotas: [{ requests: 1, per: 1h }]';

  it('a run may have its own, in place of the governor’s', async () => {
    const own = scenario({
      agents: 'count: 1, requests: 2, limits: {}',
      model: refusing,
      run: 'retry: { throttle: 2, network: 3, business: 0 }',
    });
    const { events, summary } = await runOf(own);
    expect(story(events, 'request-settled').map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'succeeded 1.1',
      'throttled 2.1',
      'throttled 2.2',
      'throttled 2.3',
    ]);
    expect(summary.tasks?.endedBy['request-lost']).toBe(1);
  });

  it('an error of the request itself is the next result, and the loop goes on', async () => {
    const text = scenario({
      agents: 'count: 1, requests: 3, tokens: { input: 100, output: 20 }, limits: {}',
      model: 'latency: { service: 1s }, quotas: [{ tokens: 50, per: 1m }]',
      run: 'retry: { throttle: 2, network: 3, business: 0 }',
    });
    const { events, summary } = await runOf(text);
    expect(story(events, 'request-settled', 'task-ended')).toEqual([
      '0.05 ended 1.1',
      '0.1 ended 2.1',
      '0.15 ended 3.1',
      '0.15 task 1 done after 3',
    ]);
    expect(summary.requests.lost).toBe(3);
  });
});

describe('executors', () => {
  const agents = 'count: 3, requests: 2, tools: { duration: 10s }';

  it('one per task: nobody waits for another’s tools', async () => {
    const { summary } = await runOf(scenario({ agents }));
    expect(summary.tasks?.durationMs.max).toBe(22_000);
    expect(summary).not.toHaveProperty('executors');
  });

  it('a pool of one place: every step and tool of everyone after the other', async () => {
    const { events, summary } = await runOf(scenario({ agents, workload: 'executors: { pool: 1 }' }));
    expect(summary.tasks?.durationMs.max).toBe(66_000);
    expect(events.filter(({ type }) => type === 'step-started').map(({ t }) => t / 1000)).toEqual([
      0, 1, 2, 33, 34, 35,
    ]);
    expect(summary.executors?.waitMs).toMatchObject({ count: 6, max: 20_000 });
  });

  it('a tool that timed out and cannot be cancelled keeps its place in the pool', async () => {
    const text = scenario({
      agents: 'count: 2, tools: { duration: 100s, timeout: 30s }',
      workload: 'executors: { pool: 1 }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'tool-started', 'tool-finished', 'tool-released')).toEqual([
      '2 tool 1.1',
      '32 tool 1.1 timed-out 50',
      '102 tool 1.1 released',
      '102 tool 1.1',
      '132 tool 1.1 timed-out 50',
    ]);
  });

  it('a task whose time is up leaves the line', async () => {
    const text = scenario({
      agents: 'count: 2, requests: 2, tools: { duration: 10s }, limits: { time: 9s }',
      workload: 'executors: { pool: 1 }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'tool-started', 'tool-finished', 'tool-released', 'task-ended')).toEqual([
      '2 tool 1.1',
      '9 tool 1.1 cut 0',
      '9 task 1 time after 1',
      '9 task 1 time after 1',
    ]);
  });
});

it('a pool that is held by tasks without a seat is named when nothing is left to happen', async () => {
  const { events } = await runOf(
    scenario({
      agents: 'count: 4, requests: 4, tools: { parallel: 2, duration: 2s }',
      run: 'maxConcurrency: 4',
      workload: 'executors: { pool: 1 }',
      more: 'timeline: [{ at: 1s, retune: { run: r, maxConcurrency: 1 } }]',
    }),
  );
  expect(events.at(-1)).toMatchObject({
    ...{ type: 'trace-finished', complete: false, stop: 'never-finishes' },
    detail: expect.stringMatching(
      /^nothing is left to happen, and the work is not done: all executors \(1\) are taken and \d wait for one; raise workload\.executors\.pool, or the bound of the runs/,
    ),
  });
});

const KNOBS = scenario({
  agents:
    'count: 4, requests: 12, tokens: { input: 300, output: 100 }, context: { fixed: 500, keepTurns: 2, summary: 200, window: 4000, compactAt: 70% }, tools: { parallel: 2, duration: 3s, maxResultTokens: 300 }, limits: { steps: 9, tokens: 40000, time: 60s }',
  model: 'latency: { firstToken: 500ms, perInputToken: 1ms }, quotas: [{ concurrency: 2 }]',
  run: 'retry: { throttle: 2, network: 1, firstDelay: 500ms, maxDelay: 4s }',
  workload: 'executors: { pool: 3 }',
});

describe('another value gives another run', () => {
  it.each([
    ['agents.context.fixed', '400'],
    ['agents.context.keepTurns', '1'],
    ['agents.context.summary', '100'],
    ['agents.context.window', '5000'],
    ['agents.context.compactAt', '90%'],
    ['agents.limits.steps', '3'],
    ['agents.limits.tokens', '9000'],
    ['agents.limits.time', '20s'],
    ['retry.throttle', '3'],
    ['retry.firstDelay', '900ms'],
    ['retry.maxDelay', '300ms'],
  ])('%s=%s', async (name, value) => {
    expect(await storyOf(KNOBS, [`workload.runs[0].${name}=${value}`])).not.toBe(await storyOf(KNOBS));
  });

  it('executors.pool', async () => {
    expect(await storyOf(KNOBS, ['workload.executors.pool=2'])).not.toBe(await storyOf(KNOBS));
  });
});

describe('problems', () => {
  it('are all listed, each with its line', () => {
    const text = `
providers: { acme: { models: { large: {} } } }
workload:
  executors: { pool: 0 }
  runs:
    - id: r
      target: acme/large
      retry: { throttle: -1 }
      agents:
        count: 1
        tools: { per: ask, atonce: 4, duration: 3, timeout: 0s, invalidArguments: 110% }
        context: { window: 2400, compactAt: 0% }
        limits: { steps: 0 }
    - { id: s, target: acme/large, agents: { count: 1, tools: { invalidArguments: 100% } } }
`;
    expect(problemsOf(text)).toEqual([
      's/x.yaml:4:22  workload.executors.pool  expected a whole number ≥ 1, got 0',
      's/x.yaml:8:26  workload.runs[0].retry.throttle  expected a whole number ≥ 0 or unlimited, got -1',
      's/x.yaml:11:23  workload.runs[0].agents.tools.per  expected request, got "ask"',
      's/x.yaml:11:28  workload.runs[0].agents.tools.atonce  unknown field; did you mean "atOnce"?',
      's/x.yaml:11:49  workload.runs[0].agents.tools.duration  3 has no unit; write 3ms, 3s, 3m or 3h',
      's/x.yaml:11:61  workload.runs[0].agents.tools.timeout  expected a duration above 0, got "0s"',
      's/x.yaml:11:83  workload.runs[0].agents.tools.invalidArguments  expected a share, 0% to 100% or 0 to 1, got "110%"',
      's/x.yaml:12:28  workload.runs[0].agents.context.window  must be above fixed + summary: no request would fit',
      's/x.yaml:12:45  workload.runs[0].agents.context.compactAt  expected a share, 0% to 100% or 0 to 1, and above 0, got "0%"',
      's/x.yaml:13:26  workload.runs[0].agents.limits.steps  expected a whole number from 1 to 1000000000, got 0',
      's/x.yaml:14:63  workload.runs[1].agents.tools  with invalidArguments 100% never ends; give less, or limits.steps',
    ]);
  });
});
