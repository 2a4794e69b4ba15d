/**
 * Pipelines on a provider that has room for all and answers in exactly ten seconds, so that every time is written out: the
 * order of stages, bounds and refusals, calls, follow-ups, messages.
 */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import type { PipelineEvent } from '../../src/trace/pipeline-events.js';
import { type Simulated, scenarioText, simulate } from '../simulate.js';

interface Parts {
  /** In flow style: what the pipeline has besides its stages. */
  readonly pipeline?: string;
  readonly stages: string;
  readonly model?: string;
  readonly governor?: string;
  readonly timeline?: string;
}

/** Answers take ten seconds each; steps are seven, so that no step falls on an answer. */
function pipelines({
  pipeline = 'step: 7s',
  stages,
  model = '',
  governor,
  timeline = '[]',
}: Parts): Promise<Simulated> {
  const latency = 'latency: { service: 10s, refusal: 50ms }';
  return simulate(
    scenarioText(`
governor: { ${governor ?? 'controller: none'} }
providers: { acme: { models: { m: { ${latency}${model} }, other: { ${latency} } } } }
workload: { pipelines: [{ id: p, target: acme/m, ${pipeline}, stages: [${stages}] }] }
timeline: ${timeline}
`),
  );
}

type OfChild = Exclude<PipelineEvent, { type: 'pipeline-changed' }>;

function ofChildren(events: readonly TraceEvent[]): readonly OfChild[] {
  return events.filter((event): event is OfChild => 'session' in event);
}

/** Lines of those types: `10 plan-1` in seconds, without the session where there is one only. */
function told(events: readonly TraceEvent[], ...types: readonly OfChild['type'][]): readonly string[] {
  return ofChildren(events)
    .filter(({ type }) => types.includes(type))
    .map((event) => {
      const name = event.agent.replace(/^session-1\//, '');
      const detail =
        event.type === 'stage-refused' ? ` by ${event.by}` : event.type === 'child-settled' ? ` ${event.end}` : '';
      return `${event.t / 1000} ${name}${detail}`;
    });
}

describe('stages', () => {
  it('begin when all stages before them are done, for their own session', async () => {
    const { events, summary } = await pipelines({
      pipeline: 'sessions: { count: 2 }',
      stages:
        '{ name: plan }, { name: code, after: [plan], requests: 2 }, { name: docs, after: [plan] }, { name: review, after: [code, docs] }',
    });
    expect(told(events, 'stage-dispatched')).toEqual([
      '0 plan-1',
      '0 session-2/plan-1',
      '10 code-1',
      '10 docs-1',
      '10 session-2/code-1',
      '10 session-2/docs-1',
      '30 review-1',
      '30 session-2/review-1',
    ]);
    expect([summary.makespanMs, summary.complete, summary.runs.p?.agents]).toEqual([40_000, true, 8]);
  });

  it('ask the model that they name, and else that of their pipeline', async () => {
    const { summary } = await pipelines({ stages: '{ name: a, children: 3 }, { name: b, target: acme/other }' });
    expect([summary.providers['acme/m']?.admitted, summary.providers['acme/other']?.admitted]).toEqual([3, 1]);
  });

  it('go on when a request is given up: that ends the turn, not the stage', async () => {
    const { events, summary } = await pipelines({
      governor: 'controller: none, retry: none',
      model: ', quotas: [{ concurrency: 1 }]',
      stages: '{ name: a, children: 2, requests: 2 }, { name: b, after: [a] }',
    });
    expect(told(events, 'child-settled')).toEqual(['0.05 a-2 lost', '20 a-1 done', '30 b-1 done']);
    expect([summary.requests.lost, summary.complete]).toEqual([1, true]);
  });
});

describe('a bound', () => {
  it('of a stage refuses, and the dispatch is made again at the next step', async () => {
    const { events, summary } = await pipelines({ stages: '{ name: a, children: 3, maxConcurrency: 1 }' });
    // Refused ones line up again in their order; the free seat at 10 s waits for the step at 14 s.
    expect(told(events, 'stage-dispatched', 'stage-refused')).toEqual([
      '0 a-1',
      '0 a-2 by stage',
      '0 a-3 by stage',
      '7 a-2 by stage',
      '7 a-3 by stage',
      '14 a-2',
      '14 a-3 by stage',
      '21 a-3 by stage',
      '28 a-3',
    ]);
    expect(summary.runs.p?.stages?.a).toMatchObject({ dispatches: 3, refusals: 6, rounds: 3 });
    expect([summary.makespanMs, summary.requests.lost]).toEqual([38_000, 0]);
  });

  it('of 0 is none', async () => {
    const { events } = await pipelines({
      pipeline: 'host: { maxActive: 0 }, maxParallelCalls: 0',
      stages: '{ name: a, children: 30, maxConcurrency: 0 }',
    });
    expect(told(events, 'stage-dispatched').every((line) => line.startsWith('0 '))).toBe(true);
    expect(told(events, 'stage-refused')).toEqual([]);
  });

  it('of the host is one for all stages and sessions; of two in one instant the first is let in, not none', async () => {
    const { events } = await pipelines({
      pipeline: 'sessions: { count: 2 }, host: { maxActive: 1 }, step: 7s',
      stages: '{ name: a }, { name: b }',
    });
    expect(told(events, 'stage-dispatched', 'stage-refused').slice(0, 7)).toEqual([
      '0 a-1',
      '0 b-1 by host',
      '0 session-2/a-1 by host',
      '0 session-2/b-1 by host',
      '7 b-1 by host',
      '7 session-2/a-1 by host',
      '7 session-2/b-1 by host',
    ]);
    expect(told(events, 'stage-dispatched')).toEqual(['0 a-1', '14 b-1', '28 session-2/a-1', '42 session-2/b-1']);
  });

  it('of calls makes the program wait: the next is made as soon as one returns, and nothing is refused', async () => {
    const { events } = await pipelines({ pipeline: 'maxParallelCalls: 2', stages: '{ name: a, children: 5 }' });
    expect(told(events, 'stage-dispatched')).toEqual(['0 a-1', '0 a-2', '10 a-3', '10 a-4', '20 a-5']);
    expect(told(events, 'stage-refused')).toEqual([]);
  });

  it('of calls is open for a refused one until the next step', async () => {
    const { events } = await pipelines({
      pipeline: 'maxParallelCalls: 2, step: 7s',
      stages: '{ name: a, children: 2, maxConcurrency: 1 }, { name: b }',
    });
    // Two calls fill the step. At the next the one that was not tried goes first, and the other when the first returns.
    expect(told(events, 'stage-dispatched', 'stage-refused')).toEqual(['0 a-1', '0 a-2 by stage', '7 b-1', '10 a-2']);
  });

  it('of the run itself is the governor’s: a dispatched child waits for its seat there', async () => {
    const { events, summary } = await pipelines({
      governor: 'initial: 8',
      pipeline: 'maxConcurrency: 2',
      stages: '{ name: a, children: 3 }',
    });
    expect(told(events, 'stage-dispatched')).toEqual(['0 a-1', '0 a-2', '0 a-3']);
    expect(events.filter(({ type }) => type === 'node-waiting')).toEqual([
      { t: 0, type: 'node-waiting', run: 'p', node: 'session-1/a-3', reason: 'seat' },
    ]);
    expect([summary.runs.p?.bound, summary.makespanMs]).toEqual([2, 20_000]);
  });
});

describe('a bound that the timeline moves', () => {
  it('holds from the next dispatch on and stops nobody', async () => {
    const { events, summary } = await pipelines({
      pipeline: 'step: 7s, host: { maxActive: 3 }',
      stages: '{ name: a, children: 6, maxConcurrency: 2 }',
      timeline: `
  - { at: 5s, set: { "workload.pipelines[0].stages[0].maxConcurrency": 3 } }
  - { at: 8s, set: { "workload.pipelines[0].host.maxActive": 1 } }
  - { at: 30s, set: { "workload.pipelines[0].host.maxActive": 0, "workload.pipelines[0].stages[0].maxConcurrency": 0 } }`,
    });
    // The third has its seat at the first step after 5 s; the host of one lets nobody in before 17 s, when all three settled.
    expect(told(events, 'stage-dispatched')).toEqual(['0 a-1', '0 a-2', '7 a-3', '21 a-4', '35 a-5', '35 a-6']);
    expect(events.filter(({ type }) => type === 'pipeline-changed').map(({ t, type, ...rest }) => [t, rest])).toEqual([
      [5000, { run: 'p', bound: 'maxConcurrency', stage: 'a', value: 3 }],
      [8000, { run: 'p', bound: 'maxActive', value: 1 }],
      [30_000, { run: 'p', bound: 'maxActive', value: 0 }],
      [30_000, { run: 'p', bound: 'maxConcurrency', stage: 'a', value: 0 }],
    ]);
    expect(summary.requests.succeeded).toBe(6);
  });

  it('of calls lets more be made at once; before the pipeline begins it counts as well', async () => {
    const { events } = await pipelines({
      pipeline: 'start: 2s, maxParallelCalls: 5',
      stages: '{ name: a, children: 5 }',
      timeline: `
  - { at: 1s, set: { "workload.pipelines[0].maxParallelCalls": 1 } }
  - { at: 6s, set: { "workload.pipelines[0].maxParallelCalls": 4 } }`,
    });
    expect(told(events, 'stage-dispatched')).toEqual(['2 a-1', '6 a-2', '6 a-3', '6 a-4', '12 a-5']);
  });
});

describe('follow-ups', () => {
  it('ask the same child again, when its parent has thought', async () => {
    const { events, summary } = await pipelines({
      stages: '{ name: a, children: 2, rounds: 3, followUp: { after: 4s } }, { name: b, after: [a] }',
    });
    expect(told(events, 'stage-dispatched')).toEqual([
      '0 a-1',
      '0 a-2',
      '14 a-1',
      '14 a-2',
      '28 a-1',
      '28 a-2',
      '38 b-1',
    ]);
    expect(ofChildren(events).flatMap((event) => (event.type === 'stage-dispatched' ? [event.round] : []))).toEqual([
      1, 1, 2, 2, 3, 3, 1,
    ]);
    expect(summary.runs.p?.stages?.a).toMatchObject({ dispatches: 2, rounds: 6 });
  });

  it('have most of their prompt cached, which a quota may leave out', async () => {
    const quota = (cached: string): string => `, quotas: [{ tokens: 1400, per: 1h, counts: input, cached: ${cached} }]`;
    const stages = '{ name: a, rounds: 3, tokens: { input: 1000 }, followUp: { cachedPrefix: 80% } }';
    // 1,000 and twice 200: exactly what there is. Where all count, two rounds wait for the bucket.
    const free = await pipelines({ model: quota('free'), stages });
    const counted = await pipelines({ model: quota('counted'), stages });
    expect([free.summary.requests.refused, free.summary.makespanMs]).toEqual([0, 30_000]);
    expect(counted.summary.requests.refused).toBeGreaterThan(0);
    expect(free.summary.runs.p?.stages?.a?.cachedTokens).toBe(1600);
    expect(free.summary.tokens.input).toBe(3000);
  });

  it('need a seat of the host, but none of their stage', async () => {
    const { events } = await pipelines({
      pipeline: 'host: { maxActive: 2 }, step: 7s',
      // When `a-1` is to go on at 12 s, `a-2` (from 7 s, in the free seat of the host) fills its stage, and the host has one.
      stages: '{ name: a, children: 2, maxConcurrency: 1, rounds: 2, followUp: { after: 5s } }',
    });
    expect(told(events, 'stage-dispatched', 'stage-refused')).toEqual([
      '0 a-1',
      '0 a-2 by stage',
      '7 a-2 by stage',
      '14 a-2',
      '15 a-1',
      '29 a-2',
    ]);
    const full = await pipelines({
      pipeline: 'host: { maxActive: 1 }, step: 7s',
      stages: '{ name: a, children: 2, rounds: 2, followUp: { after: 5s } }',
    });
    expect(told(full.events, 'stage-dispatched', 'stage-refused')).toEqual([
      '0 a-1',
      '0 a-2 by host',
      '7 a-2 by host',
      '14 a-2',
      '15 a-1 by host',
      '22 a-1 by host',
      '29 a-1',
      '29 a-2 by host',
      '36 a-2 by host',
      '43 a-2',
    ]);
  });
});

describe('a message', () => {
  it('to a running child makes its turn longer and needs no seat, to a settled one it needs one of the host', async () => {
    const { events } = await pipelines({
      pipeline: 'host: { maxActive: 1 }, step: 7s',
      stages: '{ name: a, steer: { after: 6s, requests: 2 } }, { name: b, steer: { after: 12s } }',
    });
    expect(told(events, 'stage-dispatched', 'stage-refused', 'child-steered', 'child-settled')).toEqual([
      '0 a-1',
      '0 b-1 by host',
      '6 a-1',
      '7 b-1 by host',
      '14 b-1 by host',
      '21 b-1 by host',
      '28 b-1 by host',
      '30 a-1 done',
      '35 b-1',
      '45 b-1 done',
      '47 b-1',
      '57 b-1 done',
    ]);
    const last = ofChildren(events).findLast(({ type }) => type === 'stage-dispatched');
    expect(last).toMatchObject({ reason: 'steer', round: 1, agent: 'session-1/b-1' });
  });

  it('that finds a settled child in line for its next round is read in that round', async () => {
    const { events, summary } = await pipelines({
      pipeline: 'host: { maxActive: 1 }, step: 7s',
      stages: '{ name: a, rounds: 2, followUp: { after: 5s }, steer: { after: 16s, requests: 3 } }, { name: b }',
    });
    expect(told(events, 'stage-dispatched', 'stage-refused', 'child-steered', 'child-settled')).toEqual([
      '0 a-1',
      '0 b-1 by host',
      '7 b-1 by host',
      '10 a-1 done',
      '14 b-1',
      '15 a-1 by host',
      '22 a-1 by host',
      '24 b-1 done',
      '29 a-1',
      '29 a-1',
      '69 a-1 done',
    ]);
    expect(summary.requests.logical).toBe(1 + 4 + 1);
  });
});
