/** Pipelines as the language has them: what they come out as, and what is wrong with them, each with its line. */

import { describe, expect, it } from 'vitest';
import { problemsOf, scenarioOf } from './loading.js';

/** The first stage stands on line 7. */
function withStages(...stages: readonly string[]): string {
  return [
    'providers: { acme: { models: { large: {}, small: {} } } }',
    'workload:',
    '  pipelines:',
    '    - id: code',
    '      target: acme/large',
    '      stages:',
    ...stages.map((stage) => `        - ${stage}`),
  ].join('\n');
}

const constant = (value: number) => ({ kind: 'constant', value });

describe('a pipeline', () => {
  it('has every default filled in', () => {
    const { workload } = scenarioOf(withStages('{ name: plan }'));
    const large = { provider: 'acme', model: 'large' };
    expect(workload).toEqual({
      runs: [],
      pipelines: [
        {
          id: 'code',
          target: large,
          startMs: 0,
          maxConcurrency: null,
          timeoutMs: null,
          sessions: { count: 1, name: 'session-{n}' },
          host: { maxActive: 8 },
          maxParallelCalls: 10,
          stepMs: 5000,
          stages: [
            {
              name: 'plan',
              target: large,
              after: [],
              children: 1,
              maxConcurrency: 0,
              rounds: 1,
              requests: 1,
              tokens: { input: constant(1000), output: constant(200), max: null },
              followUp: { cachedPrefix: 0.8, afterMs: 0 },
            },
          ],
        },
      ],
    });
  });

  it('has its stages by their places, and budgets in milliseconds', () => {
    const text = withStages(
      '{ name: plan, target: acme/small, steer: { after: 30s } }',
      '{ name: code, after: [plan, test], budget: { time: 10m } }',
      '{ name: test, after: [plan] }',
    );
    const stages = scenarioOf(text).workload.pipelines?.[0]?.stages;
    expect(stages?.map(({ after }) => after)).toEqual([[], [0, 2], [0]]);
    expect(stages?.map(({ target }) => target.model)).toEqual(['small', 'large', 'large']);
    expect(stages?.[0]?.steer).toEqual({ afterMs: 30_000, requests: 1 });
    expect(stages?.[1]?.budget).toEqual({
      timeMs: 600_000,
      warnAt: 0.8,
      finishAfterWarning: 0,
      graceMs: 180_000,
      sweepMs: 15_000,
      closing: { input: constant(1000), output: constant(200), max: null },
    });
  });

  it('may be looked at by expectations, stage by stage', () => {
    const text = (path: string): string => `${withStages('{ name: plan }')}\nexpect: { ${path}: { max: 1 } }\n`;
    expect(problemsOf(text('runs.code.stages.plan.refusals'))).toEqual([]);
    expect(problemsOf(text('runs.code.stages.plam.refusals'))).toEqual([
      's/x.yaml:8:11  expect["runs.code.stages.plam.refusals"]  this run has no such field; did you mean "plan"?',
    ]);
  });
});

describe('the timeline of a pipeline', () => {
  const changed = (path: string, value: unknown): string =>
    `${withStages('{ name: plan }', '{ name: code }')}\ntimeline: [{ at: 5s, set: { "${path}": ${value} } }]\n`;

  it.each([
    ['workload.pipelines[0].stages[1].maxConcurrency', { bound: 'maxConcurrency', stage: 'code', value: 3 }],
    ['workload.pipelines[0].host.maxActive', { bound: 'maxActive', value: 3 }],
    ['workload.pipelines[0].maxParallelCalls', { bound: 'maxParallelCalls', value: 3 }],
  ])('moves %s', (path, change) => {
    expect(scenarioOf(changed(path, 3)).timeline).toEqual([
      { kind: 'pipeline', atMs: 5000, pipeline: 'code', ...change },
    ]);
  });

  it.each([
    ['workload.pipelines[0].stages[1].rounds', '3', 'cannot change during a run'],
    ['workload.pipelines[0].stages[2].maxConcurrency', '3', 'there is no [2]'],
    ['workload.pipelines[0].host.maxActve', '3', 'did you mean "maxActive"?'],
    ['workload.pipelines[0].host.maxActive', '-1', 'expected a whole number ≥ 0, got -1'],
    ['workload.pipelines[0].host.maxActive', '1.5', 'expected a whole number ≥ 0, got 1.5'],
  ])('refuses %s: %s', (path, value, message) => {
    const [problem = '', ...more] = problemsOf(changed(path, value));
    expect(more).toEqual([]);
    expect(problem).toContain(message);
    expect(problem).toMatch(/^s\/x\.yaml:9:/);
  });
});

describe('what is wrong with a pipeline', () => {
  const stages = 'workload.pipelines[0].stages';

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a circle of three',
      ['{ name: plan, after: [review] }', '{ name: code, after: [plan] }', '{ name: review, after: [code] }'],
      [
        `7:33  ${stages}[0].after[0]  goes round in a circle: plan after review after code after plan; none of them could begin`,
      ],
    ],
    [
      'a stage after itself',
      ['{ name: plan }', '{ name: code, after: [plan, code] }'],
      [`8:39  ${stages}[1].after[1]  goes round in a circle: code after code; none of them could begin`],
    ],
    [
      'two circles, each once; what only comes after one is in none',
      [
        '{ name: a, after: [b] }',
        '{ name: b, after: [a] }',
        '{ name: c, after: [a] }',
        '{ name: d, after: [e, c] }',
        '{ name: e, after: [d] }',
      ],
      [
        `7:30  ${stages}[0].after[0]  goes round in a circle: a after b after a; none of them could begin`,
        `10:30  ${stages}[3].after[0]  goes round in a circle: d after e after d; none of them could begin`,
      ],
    ],
    [
      'a stage that is not there',
      ['{ name: plan }', '{ name: code, after: [plam] }', '{ name: test, after: [deployment] }'],
      [
        `8:33  ${stages}[1].after[0]  there is no stage "plam"; did you mean "plan"?`,
        `9:33  ${stages}[2].after[0]  there is no stage "deployment"; there is plan, code, test`,
      ],
    ],
    [
      'two stages of one name',
      ['{ name: plan }', '{ name: plan }'],
      [`8:19  ${stages}[1].name  "plan" is the name of stages[0] as well; each has its own`],
    ],
    [
      'a model that is not there',
      ['{ name: plan, target: acme/smal }'],
      [`7:33  ${stages}[0].target  there is no "acme/smal"; did you mean "acme/small"?`],
    ],
    [
      'fields, numbers and shares that cannot be',
      [
        '{ name: plan, childs: 3, rounds: 0, maxConcurrency: -1 }',
        '{ name: code, budget: { warnAt: 0%, sweep: 0s }, followUp: { cachedPrefix: 120% } }',
      ],
      [
        `7:25  ${stages}[0].childs  unknown field; the fields here are name, after, target, children, maxConcurrency, rounds, requests, tokens, tools, context, limits, followUp, steer, budget`,
        `7:44  ${stages}[0].rounds  expected a whole number from 1 to 1000000000, got 0`,
        `7:63  ${stages}[0].maxConcurrency  expected a whole number ≥ 0, got -1`,
        `8:25  ${stages}[1].budget.time  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)`,
        `8:43  ${stages}[1].budget.warnAt  expected a share, 0% to 100% or 0 to 1, and above 0, got "0%"`,
        `8:54  ${stages}[1].budget.sweep  expected a duration above 0, got "0s"`,
        `8:86  ${stages}[1].followUp.cachedPrefix  expected a share, 0% to 100% or 0 to 1, got "120%"`,
      ],
    ],
    [
      'more children than fit',
      ['{ name: plan, children: 600000 }', '{ name: code, children: 400001 }'],
      [`7:9  ${stages}  makes more than 1000000 children; have fewer sessions, or fewer children in a stage`],
    ],
  ])('%s', (_, written, problems) => {
    expect(problemsOf(withStages(...written))).toEqual(problems.map((problem) => `s/x.yaml:${problem}`));
  });

  it('its sessions have one name, its id is taken, it has no stages', () => {
    const text = [
      'providers: { acme: { models: { large: {} } } }',
      'workload:',
      '  runs: [{ id: code, target: acme/large, agents: { count: 1 } }]',
      '  pipelines:',
      '    - { id: code, target: acme/large, sessions: { count: 2, name: s }, stages: [{ name: a }] }',
      '    - { id: other, target: acme/large, stages: [] }',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      's/x.yaml:5:13  workload.pipelines[0].id  "code" is the id of runs[0] as well; each has its own',
      "s/x.yaml:5:67  workload.pipelines[0].sessions.name  gives all sessions one name; put {n}, the session's number, into it",
      's/x.yaml:6:48  workload.pipelines[1].stages  is empty; give it at least one stage',
    ]);
  });

  it('a model of it may hang, and it has no timeout', () => {
    const text = [
      'providers: { acme: { models: { large: {}, small: { faults: [{ kind: hang, rate: 1% }] } } } }',
      'workload:',
      '  pipelines:',
      '    - { id: code, target: acme/large, stages: [{ name: a, target: acme/small }] }',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      's/x.yaml:4:7  workload.pipelines[0].timeout  is missing; "acme/small" may hang (faults[0]), and an attempt that hangs ends only by a timeout',
    ]);
  });
});
