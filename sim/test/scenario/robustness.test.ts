import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem, type Problem } from '../../src/scenario/problems.js';
import { load } from './loading.js';

const whole = {
  name: 'example',
  seed: 1,
  governor: { initial: 8, floor: 2, idleReset: '5m', retry: { network: 3, firstDelay: '2s' } },
  providers: {
    acme: {
      quotas: [{ tokens: 200_000, per: '1m', counts: 'input' }],
      startsAt: '22:30',
      models: {
        large: {
          quotas: [
            { concurrency: 5, schedule: [{ from: '15:00+08:00', to: '18:00', limit: 3 }] },
            { name: 'rpm', requests: 60, per: '1m', burst: 10, growing: { max: 90 }, others: { rate: '2/s' } },
            { ramp: '50%', over: '15m', above: '100/m' },
          ],
          overload: { every: '10m', for: '30s' },
          server: { slots: 4, queue: 9 },
          faults: [{ kind: 'reset', rate: '1%' }],
          retryAfter: { as: 'seconds', error: '10%' },
          latency: { firstToken: { lognormal: { median: '600ms', p95: '2s' } }, load: { kneeStart: 3, kneeBase: 1.1 } },
        },
        small: { latency: { service: { empirical: ['1s', '2s'] } } },
      },
    },
    real: { profile: 'zhipu', models: { 'glm-4.7': { latency: { perInputToken: '0.2ms' } } } },
  },
  workload: {
    runs: [
      {
        id: 'a',
        target: 'acme/large',
        maxConcurrency: 8,
        agents: { count: 30, tokens: { input: { uniform: { min: 1, max: 2 } } } },
      },
      { id: 'b', target: 'acme/small', start: '1m', agents: { csv: 'a.csv', asks: 2 } },
    ],
  },
  timeline: [{ at: '5m', set: { 'providers.acme.models.large.quotas[0].concurrency': 3 } }],
  stop: { when: 'done', after: '2h' },
  expect: { makespan: { max: '6m' }, 'keys["acme/large"].cap.final': { min: 4, max: 6 } },
};

const files = { 'a.csv': 'name,bytes\nx,400\n' };

type Step = string | number;

function placesOf(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const parts: readonly Step[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const below = parts.flatMap((part) => placesOf((value as Record<Step, unknown>)[part], [...path, part]));
  return [path, ...below];
}

function replaced(value: unknown, [part, ...rest]: readonly Step[], by: unknown): unknown {
  if (part === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<Step, unknown>;
  copy[part] = replaced(copy[part], rest, by);
  return copy;
}

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    '1m',
    '-1s',
    '10%',
    0,
    -1,
    0.5,
    1e300,
    'none',
    'exact',
    'unlimited',
    'acme/large',
    '__proto__',
    'constructor',
  ),
  fc.dictionary(
    fc.constantFrom('uniform', 'lognormal', 'csv', 'requests', 'per', 'at', 'set', 'min', 'toString'),
    fc.jsonValue(),
  ),
);

/** Fit to be printed: one line of a bearable length that says something, at a place. */
function isFit(problem: Problem): boolean {
  const line = formatProblem(problem);
  return !line.includes('\n') && line.length < 1200 && problem.message.length > 0 && problem.line >= 0;
}

// Hundreds of loads in a test: on a busy machine that takes longer than the usual limit.
describe('loading', { timeout: 60_000 }, () => {
  it('of a scenario with anything anywhere gives it or problems, and never throws', () => {
    expect(load(JSON.stringify(whole), { files }).kind).toBe('scenario');
    fc.assert(
      fc.property(fc.constantFrom(...placesOf(whole)), strange, (path, value) => {
        const result = load(JSON.stringify(replaced(whole, path, value)), { files });
        if (result.kind === 'scenario') expect(JSON.parse(JSON.stringify(result.scenario))).toEqual(result.scenario);
        else expect(result.problems.length > 0 && result.problems.every(isFit)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it('of any text gives problems, and never throws', () => {
    const scrap = fc.constantFrom(
      'a: ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '\n',
      '  ',
      '\t',
      '"',
      "'",
      '|\n',
      '!!x ',
      '%',
      '---\n',
      '#',
      '? ',
      ': ',
      '\0',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(scrap, { maxLength: 25 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        const result = load(written);
        expect(result.kind === 'problems' && result.problems.length > 0 && result.problems.every(isFit)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });

  it('with any command line gives the scenario or problems, and never throws', () => {
    const path = fc.constantFrom(
      'seed',
      'governor.retry',
      'providers.acme.models.large.quotas[0]',
      'providers["acme"].quotas',
      'workload.runs[1].agents.csv',
      'expect["makespan"].max',
      'timeline[0].set["seed"]',
      'timeline[0]',
      'a..b',
      '[',
    );
    const set = fc.tuple(path, fc.oneof(fc.string(), fc.json())).map(([where, value]) => `${where}=${value}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(set, fc.string()), { maxLength: 3 }), fc.string(), (sets, controller) => {
        const result = load(JSON.stringify(whole), { files, options: { set: sets, controller } });
        expect(result.kind === 'scenario' || (result.problems.length > 0 && result.problems.every(isFit))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
