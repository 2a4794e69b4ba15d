/** What comes by itself: when, how much of it, and how it gets past the gate. */

import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import { formatProblem } from '../../src/scenario/problems.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';

const open = (arrivals: string, { model = '{ latency: { service: 1s } }', more = '' } = {}): string => `
name: open
providers: { p: { models: { m: ${model} } } }
workload: { ${arrivals} }
${more}`;
const web = (fields: string): string => `arrivals: [{ id: web, target: p/m, ${fields} }]`;

const of = <T extends TraceEvent['type']>(events: readonly TraceEvent[], type: T) =>
  events.filter((event): event is Extract<TraceEvent, { type: T }> => event.type === type);

const arrivalsOf = async (scenario: Scenario): Promise<readonly number[]> =>
  of((await simulate(scenario)).events, 'request-queued').map(({ t }) => t);

function withFile(text: string, csv: string) {
  return loadScenario({ text, path: 'x.yaml', readFile: () => csv });
}

describe('when they come', () => {
  it.each([
    ['a number of them', 'rate: 2/s, process: uniform, count: 4', [500, 1000, 1500, 2000]],
    ['for a time, its end included', 'rate: 30/m, process: uniform, for: 6s', [2000, 4000, 6000]],
    ['whichever comes first', 'rate: 1/s, process: uniform, count: 9, for: 2500ms', [1000, 2000]],
    ['from a start', 'rate: 1/s, process: uniform, count: 2, start: 10s', [11_000, 12_000]],
    ['without adding up rounding errors', 'rate: 3/s, process: uniform, count: 3', [333.334, 666.667, 1000]],
  ])('%s, at equal distances', async (_, fields, times) => {
    expect(await arrivalsOf(scenarioText(open(web(fields))))).toEqual(times);
  });

  it('at random, as often as the rate says, and the same under every governor', async () => {
    const text = open(web('rate: 5/s, process: poisson, count: 4000'), {
      model: '{ quotas: [{ concurrency: 20 }], latency: { service: { exponential: { mean: 2s } } } }',
    });
    const of1 = await arrivalsOf(scenarioText(text, ['governor.controller=none', 'governor.retry=none']));
    expect(of1.length).toBe(4000);
    // Four thousand exponential gaps: their sum is off by 1/√4000 = 1.6 % on average.
    expect(of1.at(-1)! / 800_000).toBeGreaterThan(0.95);
    expect(of1.at(-1)! / 800_000).toBeLessThan(1.05);
    const { events } = await simulate(scenarioText(text, ['governor.initial=30']));
    expect(of(events, 'request-queued').flatMap(({ t, attempt }) => (attempt === 1 ? [t] : []))).toEqual(of1);
    expect(await arrivalsOf(scenarioText(text, ['seed=2']))).not.toEqual(of1);
  });

  it('as they were recorded, in order of time, with the sizes that were recorded', async () => {
    const csv = 'who,at,bytes,output\na,1.5s,4001,7\nb,250,400,9\nc,2s,8,1\n';
    const text = open(web('process: trace, csv: t.csv, count: 2'));
    const loaded = withFile(text, csv);
    if (loaded.kind === 'problems') throw new Error(loaded.problems.map(formatProblem).join('\n'));
    const { events } = await simulate(loaded.scenario);
    expect(of(events, 'request-queued').map(({ t }) => t)).toEqual([250, 1500]);
    expect(of(events, 'request-settled').map((e) => [e.t, e.inputTokens, e.outputTokens])).toEqual([
      [1250, 100, 9],
      [2500, 1001, 7],
    ]);
  });
});

describe('an arrival', () => {
  it('is a request of its own: no run, no seat, no bound, and the end waits for it', async () => {
    const { events, summary } = await simulate(
      scenarioText(open(web('rate: 10/s, process: uniform, count: 12'), { more: 'governor: { initial: 3 }' })),
    );
    expect(of(events, 'request-queued')[0]).toEqual({
      ...{ t: 100, type: 'request-queued', id: 1, attempt: 1, key: 'p/m', agent: 'web' },
    });
    expect(summary.runs).toEqual({});
    expect(Object.keys(summary.keys)).toEqual(['p/m']);
    expect(summary.keys['p/m']!.cap.max).toBe(3);
    // Three at a time, a second each, the first at 100 ms.
    expect([summary.makespanMs, summary.requests.succeeded]).toEqual([4300, 12]);
  });

  it('is retried by the policy of the governor, and lost when that is over', async () => {
    const model = '{ quotas: [{ concurrency: 0 }] }';
    const more = 'governor: { retry: { throttle: 2, firstDelay: 1s, maxDelay: 1s } }';
    const { summary } = await simulate(
      scenarioText(open(web('rate: 1/s, process: uniform, count: 5'), { model, more })),
    );
    expect(summary.requests).toMatchObject({ logical: 5, attempts: 15, refused: 15, lost: 5 });
  });

  it.each<[string, string, readonly number[]]>([
    ['as long as a list says, the last one again and again', '', [1000, 2050, 5100, 8150, 11_200]],
    ['no less than a hint says', ', retryAfter: 5s', [1000, 6050, 11_100, 16_150, 21_200]],
  ])('waits between its retries %s', async (_, hint, times) => {
    const model = `{ quotas: [{ concurrency: 0 }]${hint} }`;
    const more = 'governor: { retry: { throttle: 4, delays: [1s, 3s] } }';
    const { events } = await simulate(
      scenarioText(open(web('rate: 1/s, process: uniform, count: 1'), { model, more })),
    );
    expect(of(events, 'request-queued').map(({ t }) => t)).toEqual(times);
  });

  it('has a timeout of its own', async () => {
    const more = 'governor: { retry: none }';
    const { events } = await simulate(
      scenarioText(open(web('rate: 1/s, process: uniform, count: 2, timeout: 300ms'), { more })),
    );
    expect(of(events, 'request-settled').map(({ t, outcome }) => [t, outcome])).toEqual([
      [1300, 'failed'],
      [2300, 'failed'],
    ]);
  });
});

describe('an observer', () => {
  const beside = (more: string): string => `
name: beside
governor: { initial: 2, idleReset: 1h }
providers: { p: { models: { m: { quotas: [{ requests: 3, per: 1m }], retryAfter: exact, latency: { service: 4s } } } } }
workload:
  arrivals: [{ id: bulk, target: p/m, rate: 1/s, process: uniform, count: 8 }]
  observers: [{ id: user, target: p/m, rate: 1/s, process: uniform, start: 1500ms, count: 3 }]
${more}`;

  it('passes a full gate and a cooldown at once, and counts in flight', async () => {
    const { events, summary } = await simulate(scenarioText(beside('')));
    const ofUser = events.filter((e) => 'agent' in e && e.agent === 'user' && 'attempt' in e && e.attempt === 1);
    expect(ofUser.slice(0, 2)).toEqual([
      ...[{ t: 2500, type: 'request-queued', id: 3, attempt: 1, key: 'p/m', agent: 'user', observer: true }],
      {
        ...{ t: 2500, type: 'request-admitted', id: 3, attempt: 1, key: 'p/m', agent: 'user', observer: true },
        ...{ epoch: 0, waitMs: 0 },
      },
    ]);
    expect(summary.inFlight.max).toBeGreaterThan(2);
    const cooling = of(events, 'request-settled').find(({ cooldownUntil }) => cooldownUntil !== undefined)!;
    const past = of(events, 'request-admitted').filter(({ t }) => t > cooling.t && t < cooling.cooldownUntil!);
    expect(past.length).toBeGreaterThan(0);
    expect(past.every(({ observer }) => observer === true)).toBe(true);
  });

  it('is not enough to ask', () => {
    expect(() => scenarioText(open('observers: [{ id: u, target: p/m, rate: 1/s, count: 1 }]'))).toThrow(
      'nothing is asked of the providers; give at least one run, arrival or pipeline',
    );
  });
});

describe('what is wrong with arrivals', () => {
  const problems = (fields: string, csv = ''): readonly string[] => {
    const loaded = withFile(open(fields), csv);
    return loaded.kind === 'problems' ? loaded.problems.map(formatProblem) : [];
  };

  it.each([
    [
      'no rate',
      web('count: 1'),
      ['x.yaml:4:24  workload.arrivals[0].rate  is missing; say how many come: 2/s, 30/m or 0.5/h'],
    ],
    [
      'no end',
      web('rate: 1/s'),
      ['x.yaml:4:24  workload.arrivals[0]  says nothing of its end; give count, for how many, or for, for how long'],
    ],
    [
      'too fast',
      web('rate: 2000000/s, count: 1'),
      ['x.yaml:4:54  workload.arrivals[0].rate  must be at most 1000000/s'],
    ],
    [
      'a trace without its file',
      web('process: trace'),
      ['x.yaml:4:24  workload.arrivals[0].csv  is missing; process: trace replays the times of a CSV file'],
    ],
    [
      'a trace with a rate',
      web('process: trace, rate: 1/s, csv: t.csv'),
      ['x.yaml:4:70  workload.arrivals[0].rate  belongs to poisson and uniform; a trace has the times of its csv'],
    ],
    [
      'an id twice',
      'runs: [{ id: web, target: p/m, agents: { count: 1 } }], arrivals: [{ id: web, target: p/x, rate: 1/s, count: 1 }]',
      [
        'x.yaml:4:86  workload.arrivals[0].id  "web" is the id of runs[0] as well; each has its own',
        'x.yaml:4:99  workload.arrivals[0].target  there is no "p/x"; did you mean "p/m"?',
      ],
    ],
  ])('%s', (_, fields, lines) => {
    expect(problems(fields, 'at\n1\n')).toEqual(lines);
  });

  it('a time that is none, with its line in the file', () => {
    expect(problems(web('process: trace, csv: t.csv'), 'at\n1\nNaN\n-3s\n')).toEqual([
      't.csv:3:1  workload.arrivals[0].csv  at: expected milliseconds ≥ 0 or a duration with its unit, got "NaN" (named in x.yaml:4:69)',
      't.csv:4:1  workload.arrivals[0].csv  at: expected milliseconds ≥ 0 or a duration with its unit, got "-3s" (named in x.yaml:4:69)',
    ]);
  });
});
