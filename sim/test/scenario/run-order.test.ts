/** What a scenario says of its runs and their changes, and what of it is refused, with line and path. */

import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import { minimal, problemsOf, scenarioOf } from './loading.js';

const runs = (...written: readonly string[]): string =>
  ['providers: { acme: { models: { large: {}, small: {} } } }', 'workload:', '  runs:', ...written.map(run), ''].join(
    '\n',
  );
const run = (fields: string): string => `    - { ${fields}, target: acme/large, agents: { count: 1 } }`;

describe('the order of runs', () => {
  it('comes out as written', () => {
    const { workload } = scenarioOf(runs('id: a', 'id: b, after: [a], gate: 80%'));
    expect(workload.runs[1]).toMatchObject({ after: ['a'], gate: 0.8 });
    expect(workload.runs[0]).not.toHaveProperty('after');
  });

  it.each([
    [
      'of nobody',
      ['id: review', 'id: verify, after: [reveiw]'],
      ['s/x.yaml:5:29  workload.runs[1].after[0]  there is no run "reveiw"; did you mean "review"?'],
    ],
    [
      'in a circle',
      ['id: a, after: [c]', 'id: b, after: [a]', 'id: c, after: [b]', 'id: d, after: [a]'],
      [
        's/x.yaml:4:24  workload.runs[0].after[0]  goes in a circle, so that none of its runs can ever start: a → c → b → a',
      ],
    ],
    [
      'of itself',
      ['id: a, after: [a]'],
      ['s/x.yaml:4:24  workload.runs[0].after[0]  goes in a circle, so that none of its runs can ever start: a → a'],
    ],
    [
      'with a gate on nothing',
      ['id: a, gate: 50%'],
      ['s/x.yaml:4:22  workload.runs[0].gate  is about the runs before it; say which they are with after'],
    ],
    [
      'of an empty list',
      ['id: a, after: []'],
      ['s/x.yaml:4:23  workload.runs[0].after  is empty; name at least one run'],
    ],
  ])('%s is refused', (_, written, lines) => {
    expect(problemsOf(runs(...written))).toEqual(lines);
  });
});

describe('a change of a run', () => {
  const at = (entry: string): string => minimal(`timeline: [{ at: 1s, ${entry} }]`);

  it('comes out in order of time, among the changes of providers', () => {
    const text = minimal(
      'timeline:',
      '  - { at: 3m, pause: { run: r, for: 6m } }',
      '  - { at: 1m, set: { "providers.acme.models.large.retryAfter": 3s } }',
      '  - { at: 1m, retune: { run: r, maxConcurrency: null } }',
      '  - { at: 2m, amend: { run: r, maxConcurrency: 4, settings: { model: acme/large } } }',
      '  - { at: 2m, amend: { run: r, settings: null } }',
    );
    expect(scenarioOf(text).timeline).toMatchObject([
      { kind: 'set', atMs: 60_000 },
      { kind: 'retune', atMs: 60_000, run: 'r', maxConcurrency: null },
      { kind: 'amend', atMs: 120_000, run: 'r', maxConcurrency: 4, target: { provider: 'acme', model: 'large' } },
      { kind: 'amend', atMs: 120_000, run: 'r', target: null },
      { kind: 'pause', atMs: 180_000, run: 'r', forMs: 360_000 },
    ]);
  });

  it.each([
    [
      'of nobody',
      'pause: { run: q, for: 1m }',
      's/x.yaml:3:36  timeline[0].pause.run  there is no run "q"; the runs are r',
    ],
    [
      'of two kinds',
      'pause: { run: r, for: 1m }, retune: { run: r, maxConcurrency: 1 }',
      's/x.yaml:3:12  timeline[0]  has exactly one of set, retune, amend, pause, crash',
    ],
    [
      'to no model',
      'amend: { run: r, settings: { model: acme/smal } }',
      's/x.yaml:3:58  timeline[0].amend.settings.model  there is no "acme/smal"; there is acme/large',
    ],
    [
      'to nothing',
      'amend: { run: r }',
      's/x.yaml:3:29  timeline[0].amend  changes nothing; give maxConcurrency or settings',
    ],
    [
      'to no bound',
      'retune: { run: r, maxConcurrency: 0 }',
      's/x.yaml:3:56  timeline[0].retune.maxConcurrency  expected a whole number ≥ 1 or null, got 0',
    ],
  ])('%s is refused', (_, entry, line) => {
    expect(problemsOf(at(entry))).toEqual([line]);
  });

  it('makes the successors of a run known to expectations', () => {
    const amend = '{ at: 1s, amend: { run: r, settings: null } }';
    const text = (id: string): string =>
      minimal(`timeline: [${amend}]`, `expect: { 'runs["${id}"].cacheHits': { min: 0 } }`);
    expect(problemsOf(text('r@2'))).toEqual([]);
    expect(problemsOf(text('r@3'))).toEqual([
      's/x.yaml:4:11  expect["runs[\\"r@3\\"].cacheHits"]  this run has no such field; did you mean "r@2"?',
    ]);
  });
});

describe('agents of files', () => {
  const text =
    'providers: { p: { models: { m: {} } } }\nworkload: { runs: [{ id: r, target: p/m, agents: { files: "src/*.ts" } }] }\n';
  const load = (written: string, found: readonly { path: string; bytes: number }[]) =>
    loadScenario({ text: written, readFile: () => '', findFiles: () => found });

  it('are one per file, in order of their paths, with four bytes a token', () => {
    const loaded = load(text, [
      { path: 'src/b.ts', bytes: 9 },
      { path: 'src/a.ts', bytes: 8 },
      { path: 'src/Z.ts', bytes: 0 },
    ]);
    expect(loaded).toMatchObject({
      scenario: {
        workload: {
          runs: [
            {
              agents: {
                population: {
                  kind: 'rows',
                  rows: [
                    { name: 'src/Z.ts', inputTokens: 0 },
                    { name: 'src/a.ts', inputTokens: 2 },
                    { name: 'src/b.ts', inputTokens: 3 },
                  ],
                },
              },
            },
          ],
        },
      },
    });
  });

  it.each([
    ['that match nothing', text, 'matches no file; the pattern is relative to the scenario: "../src/**/*.ts"'],
    [
      'of an absolute path',
      text.replace('src/', '/src/'),
      'is an absolute path; give a pattern relative to the scenario',
    ],
    [
      'beside a count',
      text.replace('{ files', '{ count: 2, files'),
      'stands beside count or csv; give one of the three',
    ],
  ])('%s are refused', (_, written, message) => {
    expect(load(written, [])).toMatchObject({
      problems: [{ line: 2, path: 'workload.runs[0].agents.files', message }],
    });
  });
});
