/**
 * Wall-clock budgets in whole runs, on a provider that answers in exactly 40 seconds: warnings, interrupts wherever the
 * request is, closing reports, hard stops.
 */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { type Simulated, scenarioText, simulate } from '../simulate.js';

function budgeted(stage: string, model = '', rest = ''): Promise<Simulated> {
  return simulate(
    scenarioText(`
governor: { controller: none, retry: { firstDelay: 60s, maxDelay: 60s } }
providers: { acme: { models: { m: { latency: { service: 40s, refusal: 50ms }${model} } } } }
workload: { pipelines: [{ id: p, target: acme/m, step: 5s, ${rest} stages: [{ name: a, ${stage} }] }] }
`),
  );
}

const told = ['stage-dispatched', 'budget-warned', 'turn-interrupted', 'child-stopped', 'child-settled'];

/** What becomes of the children, with the second. */
function story(events: readonly TraceEvent[]): readonly string[] {
  return events
    .filter(({ type }) => told.includes(type))
    .map((event) => `${event.t / 1000} ${event.type}${event.type === 'child-settled' ? ` ${event.end}` : ''}`);
}

function requestsOf(events: readonly TraceEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'request-settled') return [`${event.t / 1000} ${event.id} ${event.outcome}`];
    return event.type === 'request-withdrawn' ? [`${event.t / 1000} ${event.id} withdrawn from ${event.from}`] : [];
  });
}

describe('a budget', () => {
  it('warns at 80 %, interrupts at the end, and has a report written: each at a sweep', async () => {
    const { events, summary } = await budgeted('requests: 20, budget: { time: 5m }');
    expect(story(events)).toEqual([
      '0 stage-dispatched',
      '240 budget-warned',
      '300 turn-interrupted',
      '340 child-settled reported',
    ]);
    // Seven answers, the eighth abandoned in flight, the report.
    expect(requestsOf(events).slice(6)).toEqual(['280 7 succeeded', '300 8 ended', '340 9 succeeded']);
    expect(summary.requests).toMatchObject({ attempts: 9, succeeded: 8, ended: 1, lost: 1 });
    expect(summary.providers['acme/m']).toMatchObject({ admitted: 9 });
  });

  it('lets a warned child finish with the request that it is at', async () => {
    const { events, summary } = await budgeted('requests: 20, budget: { time: 5m, finishAfterWarning: 100% }');
    expect(story(events)).toEqual(['0 stage-dispatched', '240 budget-warned', '280 child-settled wound-up']);
    expect(summary.requests).toMatchObject({ attempts: 7, succeeded: 7 });
  });

  it('stops for good whoever has not written the report when the grace is over', async () => {
    const { events, summary } = await budgeted('requests: 20, rounds: 3, budget: { time: 5m, grace: 30s }');
    expect(story(events).slice(2)).toEqual(['300 turn-interrupted', '330 child-stopped', '330 child-settled stopped']);
    // Its further rounds are gone with it, and the pipeline is done all the same.
    expect(summary.runs.p?.stages?.a).toMatchObject({ rounds: 1, interrupts: 1, reports: 0, hardStops: 1 });
    expect([summary.complete, summary.requests.lost, summary.requests.ended]).toEqual([true, 2, 2]);
  });

  it('keeps the child that was interrupted: it goes on in the next round, with a budget of its own', async () => {
    const { events } = await budgeted('requests: 4, rounds: 2, budget: { time: 2m, warnAt: 100% }');
    expect(story(events)).toEqual([
      '0 stage-dispatched',
      '120 turn-interrupted',
      '160 child-settled reported',
      '160 stage-dispatched',
      '285 turn-interrupted',
      '325 child-settled reported',
    ]);
  });

  it('takes a request that queues out of its line', async () => {
    const { events, summary } = await simulate(
      scenarioText(`
governor: { controller: fixed, initial: 1 }
providers: { acme: { models: { m: { latency: { service: 40s } } } } }
workload:
  pipelines:
    - id: p
      target: acme/m
      maxConcurrency: 2
      stages: [{ name: a, children: 2, requests: 2, budget: { time: 60s, warnAt: 100%, sweep: 60s } }]
`),
    );
    // At 60 s the second child is in flight and the first, with its second request, in line.
    expect(requestsOf(events)).toEqual([
      '40 1 succeeded',
      '60 3 withdrawn from queue',
      '60 2 ended',
      '100 4 succeeded',
      '140 5 succeeded',
    ]);
    expect(story(events).slice(2)).toEqual([
      '60 turn-interrupted',
      '60 turn-interrupted',
      '100 child-settled reported',
      '140 child-settled reported',
    ]);
    expect(summary.requests).toMatchObject({ attempts: 5, succeeded: 3, ended: 2, lost: 2, logical: 5, unfinished: 0 });
  });

  it('ends a backoff', async () => {
    const { events, summary } = await budgeted(
      'requests: 2, budget: { time: 60s, warnAt: 100% }',
      ', quotas: [{ requests: 1, per: 1h }]',
    );
    // The second request is refused at 40.05 s and would come again not before 70 s; the report is refused too, until it is stopped.
    expect(requestsOf(events).slice(0, 4)).toEqual([
      '40 1 succeeded',
      '40.05 2 throttled',
      '60 2 withdrawn from backoff',
      '60.05 3 throttled',
    ]);
    expect(story(events).at(-1)).toBe('240 child-settled stopped');
    expect(summary.requests).toMatchObject({ logical: 3, succeeded: 1, lost: 2, unfinished: 0 });
  });

  it('runs while the child waits for its seat: it ends without a report then', async () => {
    const { events } = await simulate(
      scenarioText(`
providers: { acme: { models: { m: { latency: { service: 40s } } } } }
workload:
  pipelines:
    - id: p
      target: acme/m
      maxConcurrency: 1
      stages: [{ name: a, children: 2, requests: 2, budget: { time: 75s } }]
`),
    );
    expect(story(events)).toEqual([
      '0 stage-dispatched',
      '0 stage-dispatched',
      '60 budget-warned',
      '60 budget-warned',
      '75 turn-interrupted',
      '75 turn-interrupted',
      '75 child-settled unreported',
      '115 child-settled reported',
    ]);
  });

  it('abandons in its very instant what is sent in the instant of the sweep', async () => {
    // The second request is granted at 40 s, when the sweep comes.
    const { events, summary } = await budgeted('requests: 2, budget: { time: 40s, sweep: 40s }');
    expect(requestsOf(events)).toEqual(['40 1 succeeded', '40 2 ended', '80 3 succeeded']);
    expect(summary.providers['acme/m']).toMatchObject({ admitted: 3, peakInFlight: 1 });
  });

  it('counts for a follow-up from its own dispatch, not while the child is settled', async () => {
    const { events } = await budgeted('requests: 2, rounds: 3, followUp: { after: 10m }, budget: { time: 2m }');
    expect(story(events).filter((line) => !line.includes('settled done'))).toEqual([
      '0 stage-dispatched',
      '680 stage-dispatched',
      '1360 stage-dispatched',
    ]);
  });
});

describe('a budget of turns with tools', () => {
  /** Steps of 40 s for the model and 50 s for the tools after it. */
  const tools = 'tools: { parallel: 2, duration: 50s, timeout: 2m, cancellable: true }';
  const outcomes = (events: readonly TraceEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === 'tool-finished' ? [`${event.t / 1000} ${event.outcome}`] : []));

  it('cuts the tools off that run when the time is up', async () => {
    const { events, summary } = await budgeted(`requests: 9, ${tools}, budget: { time: 150s }`);
    // Steps at 0, 90; the tools of the second run from 130 to 180 s.
    expect(story(events)).toEqual([
      '0 stage-dispatched',
      '120 budget-warned',
      '150 turn-interrupted',
      '190 child-settled reported',
    ]);
    expect(outcomes(events)).toEqual(['90 done', '90 done', '150 cut', '150 cut']);
    expect(summary.requests).toMatchObject({ logical: 3, succeeded: 3, lost: 0 });
    expect(summary.tasks?.endedBy).toMatchObject({ done: 0, time: 1 });
  });

  it('gives up the request that a step is at, and those inside its tools', async () => {
    const atStep = await budgeted(`requests: 9, ${tools}, budget: { time: 105s }`);
    expect(requestsOf(atStep.events)).toEqual(['40 1 succeeded', '105 2 ended', '145 3 succeeded']);
    const inTools = await budgeted(
      'requests: 9, tools: { parallel: 2, modelRequests: 1, timeout: 2m }, budget: { time: 60s, warnAt: 100% }',
    );
    expect(requestsOf(inTools.events)).toEqual(['40 1 succeeded', '60 2 ended', '60 3 ended', '100 4 succeeded']);
    expect(story(inTools.events).at(-1)).toBe('100 child-settled reported');
  });

  it('lets a warned child finish its step, the tools included', async () => {
    const { events } = await budgeted(`requests: 9, ${tools}, budget: { time: 200s, finishAfterWarning: 100% }`);
    expect(story(events)).toEqual(['0 stage-dispatched', '165 budget-warned', '180 child-settled wound-up']);
  });

  it('goes on with the context of the turns before, most of it cached', async () => {
    const { events, summary } = await budgeted(
      'rounds: 2, tokens: { input: 100, output: 50 }, context: { fixed: 850 }, followUp: { cachedPrefix: 50% }',
    );
    const prompts = events.flatMap((event) =>
      event.type === 'request-settled' ? [[event.inputTokens, event.cachedTokens]] : [],
    );
    // 850 and 100; then the 150 of the first turn as well.
    expect(prompts).toEqual([
      [950, undefined],
      [1100, 550],
    ]);
    expect(summary.runs.p?.stages?.a?.cachedTokens).toBe(550);
  });

  it('has its turn made longer by a message, in the middle of its tools', async () => {
    const { events, summary } = await budgeted(`requests: 1, ${tools}, steer: { after: 60s, requests: 2 }`);
    expect(story(events)).toEqual(['0 stage-dispatched', '270 child-settled done']);
    expect(summary.requests.logical).toBe(3);
  });
});
