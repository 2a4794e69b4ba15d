/** Tools of an agent: places, timeouts, what cannot be cancelled, conflicts, invalid arguments, requests inside, results. */

import { describe, expect, it } from 'vitest';
import { runOf, scenario, story, storyOf } from './story.js';

const TOOLS = ['tool-started', 'tool-finished', 'tool-released'] as const;

/** One agent that asks once and then calls these tools; results of 10 tokens. */
function once(tools: string, more = ''): string {
  return scenario({ agents: `count: 1, tools: { resultTokens: 10, ${tools} }${more}` });
}

describe('places', () => {
  it('of five calls three run at once, and the others when a place is free', async () => {
    const { events, summary } = await runOf(once('parallel: 5, duration: 3s'));
    expect(story(events, ...TOOLS)).toEqual([
      '1 tool 1.1',
      '1 tool 1.2',
      '1 tool 1.3',
      '4 tool 1.1 done 10',
      '4 tool 1.4',
      '4 tool 1.2 done 10',
      '4 tool 1.5',
      '4 tool 1.3 done 10',
      '7 tool 1.4 done 10',
      '7 tool 1.5 done 10',
    ]);
    expect(summary.tools).toMatchObject({ calls: 5, done: 5, runningMax: 3, resultTokens: 50 });
    expect(summary.tools?.waitMs).toMatchObject({ max: 3000, mean: 1200 });
  });

  it('a running tool holds no ticket', async () => {
    const { summary } = await runOf(scenario({ agents: 'count: 8, tools: { parallel: 3, duration: 9s }' }));
    expect(summary.inFlight).toEqual({ max: 8, mean: 8 });
    expect([summary.makespanMs, summary.virtualMs]).toEqual([1000, 10_000]);
  });

  it('conflicting calls run one at a time', async () => {
    const { events } = await runOf(once('parallel: 3, duration: 3s, conflicts: 100%'));
    expect(story(events, 'tool-started')).toEqual(['1 tool 1.1', '4 tool 1.2', '7 tool 1.3']);
  });
});

describe('timeouts', () => {
  it('a call that cannot be cancelled keeps its place until its work is done', async () => {
    const { events, summary } = await runOf(once('parallel: 2, atOnce: 1, duration: 40s'));
    expect(story(events, ...TOOLS)).toEqual([
      '1 tool 1.1',
      '31 tool 1.1 timed-out 50',
      '41 tool 1.1 released',
      '41 tool 1.2',
      '71 tool 1.2 timed-out 50',
    ]);
    expect(summary.tools).toMatchObject({ timedOut: 2, lateMs: { count: 1, max: 10_000 } });
  });

  it('one that can be cancelled gives its place back at once', async () => {
    const { events } = await runOf(once('parallel: 2, atOnce: 1, duration: 40s, cancellable: true'));
    expect(story(events, ...TOOLS)).toEqual([
      '1 tool 1.1',
      '31 tool 1.1 timed-out 50',
      '31 tool 1.2',
      '61 tool 1.2 timed-out 50',
    ]);
  });

  it('a place that is kept is missing in the steps that follow', async () => {
    const text = scenario({
      agents: 'count: 1, requests: 2, tools: { parallel: 3, duration: 100s, timeout: 30s }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'tool-started').slice(3)).toEqual(['101 tool 2.1', '101 tool 2.2', '101 tool 2.3']);
  });

  it('all waiting for tools in one task has its time: then the task ends with that reason', async () => {
    const { events, summary } = await runOf(
      scenario({ agents: 'count: 1, requests: 9, tools: { duration: 20s, taskTimeout: 50s }' }),
    );
    expect(story(events, 'step-started', 'tool-finished', 'task-ended').map((line) => line.replace(/:.*/, ''))).toEqual(
      [
        '0 step 1',
        expect.stringMatching(/^21 tool 1\.1 done/),
        '21 step 2',
        expect.stringMatching(/^42 tool 2\.1 done/),
        '42 step 3',
        '53 tool 3.1 cut 0',
        '53 task 1 tool-time after 3',
      ],
    );
    expect(summary.tasks?.endedBy).toMatchObject({ 'tool-time': 1, done: 0 });
  });
});

describe('what goes wrong comes back as a result', () => {
  it('invalid arguments cost another request, which makes the refused calls again', async () => {
    const text = scenario({
      agents: 'count: 40, requests: 1, tools: { parallel: 4, duration: 1s, invalidArguments: 25% }',
      governor: '{ controller: none }',
    });
    const { events, summary } = await runOf(text);
    const { calls, done, invalidArguments } = summary.tools ?? { calls: 0, done: 0, invalidArguments: 0 };
    expect(done).toBe(160);
    expect(calls).toBe(done + invalidArguments);
    expect(invalidArguments / calls).toBeCloseTo(0.25, 1);
    // Each further step of an agent makes as many calls as the step before had refused.
    const ofFirst = events.filter((event) => 'agent' in event && event.agent === 'agent-1');
    const refused = (step: number) =>
      ofFirst.filter((e) => e.type === 'tool-finished' && e.step === step && e.outcome === 'invalid-arguments').length;
    const made = (step: number) => ofFirst.filter((e) => e.type === 'tool-started' && e.step === step).length;
    const steps = ofFirst.filter(({ type }) => type === 'step-started').length;
    for (let step = 1; step <= steps; step++) expect(made(step + 1)).toBe(refused(step));
    expect(made(1)).toBe(4);
  });

  it('a call whose model request is given up has failed', async () => {
    const text = scenario({
      agents: 'count: 1, tools: { modelRequests: 2 }',
      model: 'latency: { service: 1s }, faults: [{ kind: status-500, from: 1500ms, to: 1h }]',
      governor: '{ retry: none }',
    });
    const { events } = await runOf(text);
    expect(story(events, ...TOOLS, 'request-settled')).toEqual([
      '1 succeeded 1.1',
      '1 tool 1.1',
      '2 succeeded 2.1',
      '2.05 failed 3.1',
      '2.05 tool 1.1 failed 50',
    ]);
  });
});

describe('model requests inside a tool', () => {
  it('take tickets of their own, one after the other, before the work of the call', async () => {
    const { events } = await runOf(once('modelRequests: 2, duration: 3s'));
    expect(story(events, ...TOOLS, 'request-queued', 'request-settled')).toEqual([
      '0 queued 1.1',
      '1 succeeded 1.1',
      '1 tool 1.1',
      '1 queued 2.1',
      '2 succeeded 2.1',
      '2 queued 3.1',
      '3 succeeded 3.1',
      '6 tool 1.1 done 10',
    ]);
  });

  it('stop the clock of their call while they queue', async () => {
    const text = scenario({
      run: 'maxConcurrency: 2',
      agents: 'count: 2, tools: { modelRequests: 1, timeout: 15s, duration: 6s }',
      model: 'latency: { service: 8s }',
      governor: '{ controller: fixed, initial: 1 }',
    });
    const { events } = await runOf(text);
    // 8 s in flight and 6 s of work are within 15 s; the 8 s before, in the queue behind the other's, do not count.
    expect(story(events, ...TOOLS).map((line) => line.replace(/done .*/, 'done'))).toEqual([
      '8 tool 1.1',
      '16 tool 1.1',
      '30 tool 1.1 done',
      '38 tool 1.1 done',
    ]);
  });

  it('stop the clock of no other call', async () => {
    const text = scenario({
      run: 'maxConcurrency: 2',
      agents: 'count: 1, tools: { parallel: 2, modelRequests: 1, timeout: 10s }',
      model: 'latency: { service: 12s }',
      governor: '{ controller: fixed, initial: 1 }',
    });
    const { events } = await runOf(text);
    // The first request is in flight from 12 to 24 s; the second queues as long, and only its own call's clock stands still.
    expect(story(events, 'tool-finished')).toEqual(['22 tool 1.1 timed-out 50', '34 tool 1.2 timed-out 50']);
  });

  it('are let come to their end when the call times out, and no other follows; the task waits for that', async () => {
    const text = scenario({
      agents: 'count: 1, tools: { modelRequests: 3, timeout: 1s }',
      model: 'latency: { service: 4s }',
    });
    const { events } = await runOf(text);
    expect(story(events, ...TOOLS, 'request-queued', 'task-ended', 'run-finished')).toEqual([
      '0 queued 1.1',
      '4 tool 1.1',
      '4 queued 2.1',
      '5 tool 1.1 timed-out 50',
      '5 task 1 done after 1',
      '8 tool 1.1 released',
      '8 run-finished',
    ]);
  });
});

describe('results', () => {
  it('go into the next request, cut to maxResultTokens', async () => {
    const text = scenario({
      agents:
        'count: 1, requests: 3, tokens: { input: 100 }, tools: { parallel: 2, resultTokens: 5000, maxResultTokens: 700 }',
    });
    const { events } = await runOf(text);
    expect(story(events, 'step-started')).toEqual([
      '0 step 1: 0+0+0+0+100',
      '2 step 2: 0+0+0+1400+100',
      '4 step 3: 0+0+0+1400+100',
    ]);
    expect(events.flatMap((e) => (e.type === 'request-settled' ? [e.inputTokens] : []))).toEqual([100, 1500, 1500]);
  });
});

const KNOBS = scenario({
  agents:
    'count: 6, requests: 4, tokens: { input: 100 }, tools: { parallel: 4, atOnce: 2, duration: { exponential: { mean: 8s } }, timeout: 12s, taskTimeout: 60s, modelRequests: 1, invalidArguments: 10%, conflicts: 30%, maxResultTokens: 900, resultTokens: { exponential: { mean: 500 } } }',
  model: 'latency: { firstToken: 500ms, perInputToken: 1ms }, quotas: [{ concurrency: 3 }]',
});

describe('another value gives another run', () => {
  it.each([
    ['parallel', '3'],
    ['atOnce', '3'],
    ['duration.exponential.mean', '9s'],
    ['timeout', '11s'],
    ['taskTimeout', '30s'],
    ['modelRequests', '2'],
    ['invalidArguments', '20%'],
    ['conflicts', '60%'],
    ['cancellable', 'true'],
    ['maxResultTokens', '200'],
    ['resultTokens.exponential.mean', '400'],
  ])('%s=%s', async (name, value) => {
    expect(await storyOf(KNOBS, [`workload.runs[0].agents.tools.${name}=${value}`])).not.toBe(await storyOf(KNOBS));
  });

  it('and the same values the same run', async () => {
    expect(await storyOf(KNOBS)).toBe(await storyOf(KNOBS));
  });
});
