import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import { formatProblem } from '../../src/scenario/problems.js';
import { minimal, problemsOf, withModel } from './loading.js';

const fields = 'name, question, seed, governor, providers, workload, timeline, stop, expect, live';

describe('a text that is no scenario', () => {
  it.each([
    ['nothing at all', '', ['s/x.yaml:1:1  is empty; a scenario is a mapping with providers and workload']],
    ['a comment', '# to do\n', ['s/x.yaml:1:1  is empty; a scenario is a mapping with providers and workload']],
    ['a list', '- 1\n', ['s/x.yaml:1:1  expected a scenario: a mapping with providers and workload, got a list']],
    ['a word', 'hello', ['s/x.yaml:1:1  expected a scenario: a mapping with providers and workload, got "hello"']],
    [
      'an empty mapping',
      '{}',
      [
        's/x.yaml:1:1  providers  is missing; expected a mapping from provider names to providers',
        's/x.yaml:1:1  workload  is missing; expected a mapping with runs, arrivals or pipelines',
      ],
    ],
    [
      'names without values',
      'providers:\nworkload:\n',
      [
        's/x.yaml:1:1  providers  expected a mapping from provider names to providers, got nothing',
        's/x.yaml:2:1  workload  expected a mapping with runs, arrivals or pipelines, got nothing',
      ],
    ],
    ['a tab', minimal('stop:', '\twhen: done'), ['s/x.yaml:4:1  is not YAML: Tabs are not allowed as indentation']],
    [
      'an open bracket',
      minimal('timeline: [1, 2', 'seed: 1'),
      ['s/x.yaml:4:1  is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'two documents',
      minimal('---', 'seed: 2'),
      ['s/x.yaml:3:1  a second document starts; a scenario is one document'],
    ],
    [
      'a tag',
      minimal('seed: !!js/function "x"'),
      ['s/x.yaml:3:7  is not YAML: Unresolved tag: tag:yaml.org,2002:js/function'],
    ],
    [
      'keys that no field can have',
      '__proto__: { seed: 1 }\n? [a]\n: 1\n~: 2\n',
      [
        's/x.yaml:1:1  "__proto__" cannot be the name of a field',
        's/x.yaml:2:3  a key cannot be the name of a field',
        's/x.yaml:4:1  a key cannot be the name of a field',
      ],
    ],
    ['an alias of itself', minimal('timeline: &a [*a]'), ['s/x.yaml:3:15  timeline[0]  *a contains itself']],
    ['an alias of nothing', minimal('seed: *a'), ['s/x.yaml:3:7  seed  there is no anchor &a before it']],
  ])('%s is a problem with its line', (_, text, lines) => {
    expect(problemsOf(text)).toEqual(lines);
  });

  it('without a path has problems with lines alone', () => {
    const readFile = (): string => '';
    const result = loadScenario({ text: minimal('sed: 1'), readFile });
    expect(result.kind === 'problems' && result.problems.map(formatProblem)).toEqual([
      '3:1  sed  unknown field; did you mean "seed"?',
    ]);
  });
});

describe('a text that only serves to exhaust its reader', { timeout: 60_000 }, () => {
  it('with aliases of aliases is refused unread', () => {
    const level = (name: string, of: string): string => `${name}: &${name} [${Array(10).fill(`*${of}`).join(', ')}]`;
    const text = ['a: &a [x, x, x, x, x]', level('b', 'a'), level('c', 'b'), level('d', 'c'), level('e', 'd')].join(
      '\n',
    );
    expect(problemsOf(text)).toEqual([
      's/x.yaml:1:1  its aliases cannot be resolved: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  it('with thousands of aliases is refused at the first too many', () => {
    const text = `a: &a 1\nb: [${'*a, '.repeat(5000)}]\n`;
    expect(problemsOf(text)).toEqual(['s/x.yaml:2:405  more than 100 aliases']);
  });

  it('nested a hundred thousand times is refused at the first level too many', () => {
    expect(problemsOf('['.repeat(100_000))).toEqual(['s/x.yaml:1:65  nested deeper than 64 levels']);
    expect(problemsOf('- '.repeat(20_000))).toEqual(['s/x.yaml:1:129  nested deeper than 64 levels']);
  });

  it('in a line of a megabyte gets messages of ordinary length', () => {
    const long = 'x'.repeat(1_000_000);
    expect(problemsOf(minimal(`seed: ${long}`))).toEqual([
      `s/x.yaml:3:7  seed  expected a whole number ≥ 0, got "${'x'.repeat(60)}…"`,
    ]);
    expect(problemsOf(minimal(`"${long.slice(0, 1000)}": 1`))).toEqual([
      `s/x.yaml:3:1  ["${'x'.repeat(60)}…"]  unknown field; the fields here are ${fields}`,
    ]);
    expect(problemsOf(minimal(`${long}: 1`))).toEqual([
      's/x.yaml:3:1  is not YAML: The : indicator must be at most 1024 chars after the start of an implicit block mapping key',
    ]);
    expect(problemsOf(minimal(), { options: { set: [`seed=${long}`, long] } })).toEqual([
      `--set  ${'x'.repeat(60)}…  expected path=value, as seed=2`.replace(/ (x+…) /, ' ["$1"] '),
      `--set  seed  expected a whole number ≥ 0, got "${'x'.repeat(60)}…"`,
    ]);
  });

  it('with two thousand unknown fields gets two thousand problems', () => {
    const lines = problemsOf(minimal(...Array.from({ length: 2000 }, (_, i) => `k${i}: 1`)));
    expect(lines).toHaveLength(2000);
    expect(lines.at(-1)).toBe(`s/x.yaml:2002:1  k1999  unknown field; the fields here are ${fields}`);
  });
});

describe('all problems', () => {
  it('are listed at once, in order of their lines, each with path, value and what is allowed', () => {
    const text = `name: ../elsewhere
governer: {}
governor:
  floor: 9
  initial: 4
  idleReset: 300000
  decreaseFactor: 1
  retry: { network: unlimitd }
providers:
  acme:
    models:
      large:
        quotas:
          - concurency: 5
          - { requests: -60, per: 1 m, refil: fixed-window }
        latency: { firstToken: { lognormal: { median: 2s, p95: 1s } } }
        retryafter: exact
workload:
  runs:
    - { id: r, target: acme/lrge, agents: { count: 0 } }
    - { id: r, target: acme/large, agents: { count: 1 } }
stop: { when: time }
expect:
  makespn: { max: 6m }
seed: 1
seed: 2
`;
    expect(problemsOf(text)).toEqual([
      's/x.yaml:1:7  name  expected a name: up to 100 characters, no slash or line break, not starting with a dot or a space, got "../elsewhere"',
      's/x.yaml:2:1  governer  unknown field; did you mean "governor"?',
      's/x.yaml:4:10  governor.floor  9 is above initial, 4; the cap starts at or above its floor',
      's/x.yaml:6:14  governor.idleReset  300000 has no unit; write 300000ms, 300000s, 300000m or 300000h',
      's/x.yaml:7:19  governor.decreaseFactor  expected a number between 0 and 1, both excluded, got 1',
      's/x.yaml:8:21  governor.retry.network  expected a whole number ≥ 0 or unlimited, got "unlimitd"',
      's/x.yaml:14:13  providers.acme.models.large.quotas[0].concurency  unknown field; did you mean "concurrency"?',
      's/x.yaml:15:25  providers.acme.models.large.quotas[1].requests  expected a whole number ≥ 0, got -60',
      's/x.yaml:15:35  providers.acme.models.large.quotas[1].per  expected a duration with its unit (250ms, 20s, 5m, 1h), got "1 m"',
      's/x.yaml:15:40  providers.acme.models.large.quotas[1].refil  unknown field; did you mean "refill"?',
      's/x.yaml:16:64  providers.acme.models.large.latency.firstToken.lognormal.p95  must be above median',
      's/x.yaml:17:9  providers.acme.models.large.retryafter  unknown field; did you mean "retryAfter"?',
      's/x.yaml:20:24  workload.runs[0].target  there is no "acme/lrge"; did you mean "acme/large"?',
      's/x.yaml:20:52  workload.runs[0].agents.count  expected a whole number from 1 to 1000000, got 0',
      's/x.yaml:21:13  workload.runs[1].id  "r" is the id of runs[0] as well; each has its own',
      's/x.yaml:22:7  stop  when: time needs after, the time at which to stop',
      's/x.yaml:24:3  expect.makespn  this run has no such field; did you mean "makespan"?',
      's/x.yaml:26:1  seed  given twice; first on line 25',
    ]);
  });
});

describe('a governor', () => {
  it.each([
    ['{ floor: 9 }', 20, 'governor.floor  9 is above initial, by default 8; the cap starts at or above its floor'],
    ['{ decreaseFactor: 0 }', 29, 'governor.decreaseFactor  expected a number between 0 and 1, both excluded, got 0'],
    ['{ initial: 2.5 }', 22, 'governor.initial  expected a whole number ≥ 1, got 2.5'],
    ['{ initial: .inf }', 22, 'governor.initial  expected a whole number ≥ 1, got Infinity'],
    ['{ growthFactor: .nan }', 27, 'governor.growthFactor  expected a number ≥ 1, got NaN'],
    ['{ idleResetMs: 5m }', 13, 'governor.idleResetMs  unknown field; did you mean "idleReset"?'],
    ['{ idleReset: 0 }', 24, 'governor.idleReset  expected a duration above 0, got 0'],
    ['{ rememberGood: yes }', 27, 'governor.rememberGood  expected true or false, got "yes"'],
    [
      '{ controller: amid }',
      25,
      'governor.controller  expected aimd | fixed | none | gradient2 | vegas | netflix-aimd | arc | true-aimd | pacer | oracle | the path of a module, got "amid"; did you mean "aimd"?',
    ],
    [
      '{ retry: never }',
      20,
      'governor.retry  expected none or { throttle, network, business, firstDelay, maxDelay, delays, maxRetryAfter }, got "never"',
    ],
  ])('written %s is refused', (written, column, line) => {
    expect(problemsOf(minimal(`governor: ${written}`))).toEqual([`s/x.yaml:3:${column}  ${line}`]);
  });
});

describe('a model', () => {
  const kinds = 'a constant, uniform, exponential, lognormal, normal, erlang, pareto, empirical';
  const oneKind = 'exactly one of uniform, exponential, lognormal, normal, erlang, pareto, empirical';
  const oneQuota = 'a quota has exactly one of concurrency, requests, tokens, ramp';

  it.each([
    // Quotas: which kind is meant decides what is said.
    [
      '{ quotas: [{ requests: 60 }] }',
      'quotas[0].per  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
    ],
    ['{ quotas: [{ requests: 60, concurrency: 3 }] }', `quotas[0]  has concurrency and requests; ${oneQuota}`],
    [
      '{ quotas: [{ concurrency: 5, per: 1m }] }',
      'quotas[0].per  unknown field; the fields here are name, refusedCount, concurrency, schedule, squeeze, others',
    ],
    ['{ quotas: [{ name: x }] }', `quotas[0]  ${oneQuota}; it has name`],
    ['{ quotas: [{}] }', `quotas[0]  is empty; ${oneQuota}`],
    ['{ quotas: [5] }', `quotas[0]  ${oneQuota}; got 5`],
    ['{ quotas: { concurrency: 5 } }', 'quotas  expected a list of quotas, got a mapping'],
    ['{ quotas: [{ requests: 5, per: 0s }] }', 'quotas[0].per  expected a duration above 0, got "0s"'],
    [
      '{ quotas: [{ tokens: 5, per: 1m, counts: totel }] }',
      'quotas[0].counts  expected input | output | total, got "totel"; did you mean "total"?',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1s, refill: fixed-window, burst: 3 }] }',
      'quotas[0].burst  belongs to refill: token-bucket; leave it out, or change refill',
    ],
    [
      '{ quotas: [{ requests: 5, per: 1m }, { requests: 9, per: 1m }] }',
      'quotas[1]  is named "requests-1m", as [0] is; give one of them another name',
    ],
    // Hints.
    [
      '{ retryAfter: exat }',
      'retryAfter  expected none, exact, a duration (20s) or { as, rounding, error, … }, got "exat"; did you mean "exact"?',
    ],
    ['{ retryAfter: 20 }', 'retryAfter  20 has no unit; write 20ms, 20s, 20m or 20h'],
    ['{ retryAfter: -5s }', 'retryAfter  "-5s" is negative; a duration is 0 or more'],
    [
      '{ retryAfter: [1s] }',
      'retryAfter  expected none, exact, a duration (20s) or { as, rounding, error, … }, got a list',
    ],
    ['{ retryAfter: { error: 110% } }', 'retryAfter.error  expected a share, 0% to 100% or 0 to 1, got "110%"'],
    ['{ retryAfter: { at: ms } }', 'retryAfter.at  unknown field; did you mean "as"?'],
    // Latency.
    ['{ latency: { firstToken: 500 } }', 'latency.firstToken  500 has no unit; write 500ms, 500s, 500m or 500h'],
    ['{ latency: { firstToken: 2d } }', 'latency.firstToken  "2d": "d" is no unit; the units are ms, s, m and h'],
    [
      '{ latency: { firstToken: { gamma: { k: 1 } } } }',
      `latency.firstToken.gamma  unknown distribution; the kinds are ${kinds}`,
    ],
    [
      '{ latency: { firstToken: { lognorml: { median: 1s } } } }',
      'latency.firstToken.lognorml  unknown field; did you mean "lognormal"?',
    ],
    [
      '{ latency: { firstToken: { normal: { mean: 1s, sd: 1s }, pareto: { min: 1s, alpha: 2 } } } }',
      `latency.firstToken  has normal and pareto; a distribution has ${oneKind}`,
    ],
    [
      '{ latency: { firstToken: { lognormal: { median: 1s } } } }',
      'latency.firstToken.lognormal.p95  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
    ],
    [
      '{ latency: { firstToken: { uniform: { min: 2s, max: 1s } } } }',
      'latency.firstToken.uniform.max  must be at least min',
    ],
    [
      '{ latency: { firstToken: { erlang: { k: 1.5, mean: 1s } } } }',
      'latency.firstToken.erlang.k  expected a whole number from 1 to 1000, got 1.5',
    ],
    [
      '{ latency: { firstToken: { pareto: { min: 1s, alpha: 0 } } } }',
      'latency.firstToken.pareto.alpha  expected a number above 0, got 0',
    ],
    ['{ latency: { firstToken: [1s] } }', 'latency.firstToken  a list is no distribution; write { empirical: [ … ] }'],
    [
      '{ latency: { firstToken: { empirical: 1s } } }',
      'latency.firstToken.empirical  expected a list of values, or { csv, column }, got "1s"',
    ],
    [
      '{ latency: { firstToken: { empirical: [1s, 5] } } }',
      'latency.firstToken.empirical[1]  5 has no unit; write 5ms, 5s, 5m or 5h',
    ],
    [
      '{ latency: { service: 1s, perOutputToken: 1ms } }',
      'latency.service  takes the place of firstToken, perInputToken and perOutputToken; give one or the other',
    ],
    [
      '{ latency: { load: { kneeStart: 3 } } }',
      'latency.load  has only one of kneeStart and kneeBase; the knee needs both',
    ],
    ['{ latency: { load: { slope: -1 } } }', 'latency.load.slope  expected a number ≥ 0, got -1'],
    [
      '{ wire: openai }',
      'wire  unknown field; the fields here are quotas, retryAfter, latency, overload, server, faults',
    ],
  ])('written %s is refused', (written, line) => {
    const [only, ...others] = problemsOf(withModel(written));
    expect(others).toEqual([]);
    expect(only?.replace(/^s\/x.yaml:3:\d+ {2}providers\.acme\.models\.large\./, '')).toBe(line);
  });

  it('without a value is told how to take the defaults', () => {
    expect(problemsOf(withModel('null'))).toEqual([
      's/x.yaml:3:22  providers.acme.models.large  expected a model: a mapping, {} for the defaults, got nothing',
    ]);
  });

  it('keeps what is wrong in a rule apart from what is wrong in a field', () => {
    expect(
      problemsOf(withModel('{ latency: { firstToken: { lognormal: { median: 2s, p95: 1s, mean: 1s } } } }')),
    ).toEqual([
      's/x.yaml:3:79  providers.acme.models.large.latency.firstToken.lognormal.p95  must be above median',
      's/x.yaml:3:83  providers.acme.models.large.latency.firstToken.lognormal.mean  unknown field; did you mean "median"?',
    ]);
  });
});

describe('a provider', () => {
  it.each([
    [
      '{ a/b: { models: { m: {} } }, acme: { models: { large: {} } } }',
      's/x.yaml:1:14  providers["a/b"]  the name of a provider has no slash and is not empty; a key is written provider/model',
    ],
    [
      '{ acme: { models: { large: {} }, wire: opanai } }',
      's/x.yaml:1:51  providers.acme.wire  expected openai | anthropic | gemini, got "opanai"; did you mean "openai"?',
    ],
    [
      '{ acme: { models: { large: {} } }, other: { models: {} } }',
      's/x.yaml:1:64  providers.other.models  is empty; a provider needs at least one model',
    ],
    // A property of every object is no provider.
    [
      '{ acme: { models: { large: {} } }, constructor: 1 }',
      's/x.yaml:1:60  providers.constructor  expected a provider: a mapping with models, got 1',
    ],
  ])('among %s is refused', (written, line) => {
    const text = minimal().replace(/^providers: .*/, `providers: ${written}`);
    expect(problemsOf(text).filter((found) => !found.includes('target'))).toEqual([line]);
  });
});

describe('a run', () => {
  const runs = (...written: readonly string[]): string =>
    minimal().replace(/workload: .*/, `workload:\n  runs:\n${written.map((run) => `    - ${run}`).join('\n')}`);

  it.each([
    [
      '{ id: r, target: acme/constructor, agents: { count: 1 } }',
      's/x.yaml:4:24  workload.runs[0].target  there is no "acme/constructor"; there is acme/large',
    ],
    [
      '{ id: r, target: acme, agents: { count: 1 } }',
      's/x.yaml:4:24  workload.runs[0].target  expected provider/model, got "acme"',
    ],
    [
      '{ target: acme/large, agents: { count: 1 } }',
      's/x.yaml:4:7  workload.runs[0].id  is missing; expected the name of the run',
    ],
    [
      '{ id: r, target: acme/large, agents: {} }',
      's/x.yaml:4:44  workload.runs[0].agents  says nothing of how many there are; give count, csv with one agent per row, or files with one per file',
    ],
    [
      '{ id: r, target: acme/large, agents: { count: 2, name: worker } }',
      "s/x.yaml:4:62  workload.runs[0].agents.name  gives all agents one name; put {n}, the agent's number, into it",
    ],
    [
      '{ id: r, target: acme/large, agents: { count: 2, tokens: { input: 1.5 } } }',
      's/x.yaml:4:73  workload.runs[0].agents.tokens.input  expected a whole number ≥ 0, got 1.5',
    ],
    [
      '{ id: r, target: acme/large, agents: { count: 2 }, maxConcurrency: 0 }',
      's/x.yaml:4:74  workload.runs[0].maxConcurrency  expected a whole number ≥ 1 or null, got 0',
    ],
    [
      '{ id: r, target: acme/large, agents: { count: 2 }, timeout: 0 }',
      's/x.yaml:4:67  workload.runs[0].timeout  expected a duration above 0, got 0',
    ],
  ])('written %s is refused', (written, line) => {
    expect(problemsOf(runs(written))).toEqual([line]);
  });

  it('is needed', () => {
    const message = 'workload.runs  nothing is asked of the providers; give at least one run, arrival or pipeline';
    expect(problemsOf(minimal().replace(/workload: .*/, 'workload: {}'))).toEqual([`s/x.yaml:2:1  ${message}`]);
    expect(problemsOf(minimal().replace(/workload: .*/, 'workload: { runs: [] }'))).toEqual([
      `s/x.yaml:2:19  ${message}`,
    ]);
  });
});

describe('a stop rule', () => {
  it('says what is wrong with it as a whole also where a field of it is wrong', () => {
    expect(problemsOf(minimal('stop: { when: time, maxRequests: many }'))).toEqual([
      's/x.yaml:3:7  stop  when: time needs after, the time at which to stop',
      's/x.yaml:3:34  stop.maxRequests  expected a whole number ≥ 1, got "many"',
    ]);
  });
});

describe('a CSV file', () => {
  const agents = minimal().replace('count: 3', 'csv: a.csv');

  it.each([
    ['an absent one', undefined, ['s/a.csv  workload.runs[0].agents.csv  cannot be read: no such file']],
    [
      'an empty one',
      '',
      ['s/a.csv  workload.runs[0].agents.csv  is empty; it needs a header row and at least one row'],
    ],
    [
      'a header alone',
      'name,bytes\n',
      ['s/a.csv:1:1  workload.runs[0].agents.csv  holds only its header; it needs at least one row'],
    ],
    [
      'one without the columns',
      'file;bytes\na;1\n',
      [
        's/a.csv:1:1  workload.runs[0].agents.csv  has no column "input" or "bytes"; its columns are file;bytes',
        's/a.csv:1:1  workload.runs[0].agents.csv  has no column "name" or "file" or "path"; its columns are file;bytes',
      ],
    ],
    [
      'one with bad rows',
      'name,bytes,output\na,1,2\nb,-1,x\n\nc,,1\n,4,1\na,NaN,1\nd,1\n',
      [
        's/a.csv:3:1  workload.runs[0].agents.csv  bytes: expected a whole number ≥ 0, got "-1"',
        's/a.csv:3:1  workload.runs[0].agents.csv  output: expected a whole number ≥ 0, got "x"',
        's/a.csv:5:1  workload.runs[0].agents.csv  bytes: expected a whole number ≥ 0, got ""',
        's/a.csv:6:1  workload.runs[0].agents.csv  name: is empty; every agent needs a name',
        's/a.csv:7:1  workload.runs[0].agents.csv  name: "a" is taken by line 2; every agent has its own name',
        's/a.csv:7:1  workload.runs[0].agents.csv  bytes: expected a whole number ≥ 0, got "NaN"',
        's/a.csv:8:1  workload.runs[0].agents.csv  has 2 cells where the header has 3',
        's/a.csv:8:1  workload.runs[0].agents.csv  output: expected a whole number ≥ 0, got ""',
      ],
    ],
  ])('%s is a problem with its own name and line', (_, content, lines) => {
    const files: Record<string, string> = content === undefined ? {} : { 'a.csv': content };
    const named = lines.map((line) => `${line} (named in s/x.yaml:2:64)`);
    expect([...problemsOf(agents, { files })].sort()).toEqual(named.sort());
  });

  it('with an open quote is refused where the parser stopped', () => {
    const [line] = problemsOf(agents, { files: { 'a.csv': 'name,bytes\n"a,1\n' } });
    expect(line).toMatch(/^s\/a\.csv:\d+:1 {2}workload\.runs\[0\]\.agents\.csv {2}is not CSV: Quote Not Closed/);
  });

  it('of times is refused by column and cell', () => {
    const text = withModel(
      '{ latency: { firstToken: { empirical: { csv: t.csv, column: mss } }, refusal: { empirical: { csv: t.csv, column: ms } } } }',
    );
    expect(problemsOf(text, { files: { 't.csv': 'ms,x\n1,2\nsoon,2\n' } })).toEqual([
      's/t.csv:1:1  providers.acme.models.large.latency.firstToken.empirical.csv  has no column "mss"; did you mean "ms"? (named in s/x.yaml:3:67)',
      's/t.csv:3:1  providers.acme.models.large.latency.refusal.empirical.csv  ms: expected milliseconds ≥ 0 or a duration with its unit, got "soon" (named in s/x.yaml:3:120)',
    ]);
  });

  it('comes after the problems of the scenario itself', () => {
    expect(problemsOf(`${agents}sed: 1\n`)).toEqual([
      's/x.yaml:3:1  sed  unknown field; did you mean "seed"?',
      's/a.csv  workload.runs[0].agents.csv  cannot be read: no such file (named in s/x.yaml:2:64)',
    ]);
  });
});

describe('a change of the timeline', () => {
  const timed = (entry: string): string =>
    [
      'providers: { acme: { models: { large: { quotas: [{ concurrency: 5 }, { requests: 10, per: 1m }] } } } }',
      'workload: { runs: [{ id: r, target: acme/large, agents: { count: 3 } }] }',
      'timeline:',
      `  - ${entry}`,
    ].join('\n');
  const changeable =
    'cannot change during a run; what can are the numbers of a quota (concurrency, requests, tokens, per, burst), latency, retryAfter, server.slots and server.queue, as providers.acme.models.large.quotas[0].concurrency, and the bounds of a pipeline, as workload.pipelines[0].stages[1].maxConcurrency';

  it.each([
    ['providers.acme.models.large.quotas[0].concurrency', '-1', 'expected a whole number ≥ 0, got -1'],
    ['providers.acme.models.large.quotas[0].concurency', '1', 'no such field; did you mean "concurrency"?'],
    [
      'providers.acme.models.large.quotas[2].requests',
      '1',
      'providers.acme.models.large.quotas has 2 entries, [0] to [1]; there is no [2]',
    ],
    ['providers.acme.models.lrge.retryAfter', '1s', 'no such name in providers.acme.models; did you mean "large"?'],
    ['providers.acm.models.large.retryAfter', '1s', 'no such name in providers; did you mean "acme"?'],
    ['providers.acme.wire', 'gemini', changeable],
    ['providers.acme.models.large.quotas', '[]', changeable],
    ['providers.acme.models.large.quotas[1].refill', 'fixed-window', changeable],
    ['providers.acme.models.small', '{}', changeable],
    ['seed', '2', changeable],
    ['providers.acme.models.large.latency', '{ firstToken: 3 }', 'firstToken: 3 has no unit; write 3ms, 3s, 3m or 3h'],
    [
      'providers.acme.models.large.quotas[0].requests',
      '5',
      'providers.acme.models.large.quotas[0]: has concurrency and requests; a quota has exactly one of concurrency, requests, tokens, ramp',
    ],
  ])('at %s to %s is refused at its entry', (path, value, message) => {
    const [only, ...others] = problemsOf(timed(`{ at: 1m, set: { "${path}": ${value} } }`));
    expect(others).toEqual([]);
    expect(only).toMatch(/^s\/x\.yaml:4:\d+ {2}timeline\[0\]\.set/);
    expect(only?.slice(only.lastIndexOf(']  ') + 3).replace(/^.*set\.seed {2}/, '')).toBe(message);
  });

  it.each([
    [
      '{ set: { "providers.acme.models.large.retryAfter": 1s } }',
      's/x.yaml:4:5  timeline[0].at  is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)',
    ],
    ['{ at: 1m }', 's/x.yaml:4:5  timeline[0]  has exactly one of set, retune, amend, pause, crash'],
    ['{ at: 1m, set: {} }', 's/x.yaml:4:20  timeline[0].set  is empty; give it at least one path and value'],
    ['{ at: 1m, sett: {} }', 's/x.yaml:4:5  timeline[0]  has exactly one of set, retune, amend, pause, crash'],
  ])('written %s is refused', (entry, line) => {
    expect(problemsOf(timed(entry))[0]).toBe(line);
  });

  it('is not judged against a provider that is wrong itself', () => {
    const text = timed('{ at: 1m, set: { "providers.acme.models.large.quotas[0].concurrency": 3 } }');
    expect(problemsOf(text.replace('concurrency: 5', 'concurrency: five'))).toEqual([
      's/x.yaml:1:65  providers.acme.models.large.quotas[0].concurrency  expected a whole number ≥ 0, got "five"',
    ]);
  });
});

describe('the command line', () => {
  it('is named where it brought the problem', () => {
    const set = [
      'sed=4',
      'governor.inital=3',
      'governor.floor=20',
      'governor.pacing=on',
      'workload.runs[1].id=x',
      'providers.acm.wire=gemini',
      'seed.x=3',
      'seed=[',
      'a..b=3',
      'seed',
    ];
    expect(problemsOf(minimal('governor: { initial: 0 }'), { options: { set, seed: -1, controller: 'fixd' } })).toEqual(
      [
        '--controller  governor.controller  expected aimd | fixed | none | gradient2 | vegas | netflix-aimd | arc | true-aimd | pacer | oracle | the path of a module, got "fixd"; did you mean "fixed"?',
        '--seed  seed  expected a whole number ≥ 0, got -1',
        '--set  sed  no such field; did you mean "seed"?',
        '--set  governor.inital  no such field; did you mean "initial"?',
        '--set  workload.runs[1].id  workload.runs has one entry, [0]; there is no [1]',
        '--set  providers.acm.wire  no such name in providers; did you mean "acme"?',
        '--set  seed.x  seed is a single value; nothing is below it',
        '--set  seed  the value is not YAML: Flow sequence must end with a ]',
        '--set  ["a..b"]  cannot be read at character 2; a path is written a.b[0].c, and a name with dots or slashes as ["acme/large"]',
        '--set  seed  expected path=value, as seed=2',
        '--set  governor.pacing  expected off | headers, got "on"; did you mean "off"?',
        '--set  governor.floor  20 is above initial, 0; the cap starts at or above its floor',
        's/x.yaml:3:22  governor.initial  expected a whole number ≥ 1, got 0',
      ],
    );
  });

  it('cannot fix the cap at what is no number', () => {
    expect(problemsOf(minimal(), { options: { controller: 'fixed:many' } })).toEqual([
      '--controller  governor.initial  expected a whole number ≥ 1, got "many"',
    ]);
  });
});
