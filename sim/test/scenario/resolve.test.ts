import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import type { ModelSettings, ProviderSettings, QuotaSettings } from '../../src/scenario/scenario.js';
import { changesIn, minimal, scenarioOf, withModel } from './loading.js';

const quotas = (concurrency: number): readonly QuotaSettings[] => [
  { kind: 'concurrency', name: 'concurrency', limit: concurrency, refusedCount: false },
  { kind: 'requests', name: 'rpm', limit: 60, perMs: 60_000, refill: 'token-bucket', burst: 10, refusedCount: false },
  {
    kind: 'tokens',
    name: 'tpm',
    limit: 200_000,
    perMs: 60_000,
    refill: 'token-bucket',
    burst: 200_000,
    refusedCount: false,
    counts: 'total',
    reserve: 'max-tokens',
    settle: 'refund',
  },
];

const acme = (concurrency: number): ProviderSettings => ({
  wire: 'openai',
  quotas: [],
  models: {
    large: {
      quotas: quotas(concurrency),
      retryAfter: { kind: 'exact', as: 'seconds', rounding: 'none', error: 0 },
      latency: {
        service: {
          kind: 'tokens',
          firstTokenMs: { kind: 'lognormal', median: 600, p95: 2000 },
          perOutputTokenMs: { kind: 'constant', value: 12 },
        },
        refusalMs: { kind: 'constant', value: 50 },
        load: { slope: 0, kneeStart: 10, kneeBase: 1.1 },
      },
    },
  },
});

describe('a scenario', () => {
  it('comes out resolved: units converted, defaults filled in, the timeline applied', () => {
    const scenario = scenarioOf(`# The worked example of the scenario language.
name: example
question: Thirty files, one subagent each, what does a provider that takes five at once do to the cap?
seed: 1
governor:
  preset: reference
  controller: aimd
  initial: 8
  idleReset: 5m
  maxCooldown: 15m
  resumeStagger: 0
  retry: { throttle: unlimited, network: 3, business: 0, firstDelay: 2s, maxDelay: 60s, maxRetryAfter: 5m }
providers:
  acme:
    wire: openai
    quotas: []
    models:
      large:
        quotas:
          - concurrency: 5
          - { name: rpm, requests: 60, per: 1m, refill: token-bucket, burst: 10, refusedCount: false }
          - { name: tpm, tokens: 200000, per: 1m, counts: total, reserve: max-tokens, settle: refund }
        retryAfter: exact
        latency:
          firstToken: { lognormal: { median: 600ms, p95: 2s } }
          perOutputToken: 12ms
          refusal: 50ms
          load: { slope: 0, kneeStart: 10, kneeBase: 1.1 }
        faults: []
workload:
  runs:
    - id: review
      target: acme/large
      start: 0s
      maxConcurrency: 8
      timeout: 10m
      agents:
        count: 30
        name: "reviewer-{n}"
        asks: 1
        requests: 4
        tokens: { input: { lognormal: { median: 3000, p95: 9000 } }, output: { lognormal: { median: 300, p95: 900 } }, max: 4096 }
timeline:
  - { at: 5m, set: { "providers.acme.models.large.quotas[0].concurrency": 3 } }
stop: { when: done, after: 2h, maxRequests: 100000 }
expect:
  makespan: { max: 6m }
  refused.share: { max: 0.12 }
  'keys["acme/large"].cap.final': { min: 4, max: 6 }
`);
    expect(scenario).toEqual({
      name: 'example',
      question: 'Thirty files, one subagent each, what does a provider that takes five at once do to the cap?',
      seed: 1,
      governor: {
        preset: 'reference',
        controller: 'aimd',
        options: { initial: 8, idleResetMs: 300_000, maxCooldownMs: 900_000, resumeStaggerMs: 0 },
        retry: {
          throttle: null,
          network: 3,
          business: 0,
          firstDelayMs: 2000,
          maxDelayMs: 60_000,
          maxRetryAfterMs: 300_000,
        },
      },
      providers: { acme: acme(5) },
      workload: {
        runs: [
          {
            id: 'review',
            target: { provider: 'acme', model: 'large' },
            startMs: 0,
            maxConcurrency: 8,
            timeoutMs: 600_000,
            agents: {
              population: { kind: 'count', count: 30, name: 'reviewer-{n}' },
              asks: 1,
              requests: 4,
              tokens: {
                input: { kind: 'lognormal', median: 3000, p95: 9000 },
                output: { kind: 'lognormal', median: 300, p95: 900 },
                max: 4096,
              },
            },
          },
        ],
      },
      timeline: [
        {
          kind: 'set',
          atMs: 300_000,
          path: 'providers.acme.models.large.quotas[0].concurrency',
          value: 3,
          provider: 'acme',
          becomes: acme(3),
        },
      ],
      stop: { when: 'done', afterMs: 7_200_000, maxRequests: 100_000 },
      expect: [
        { path: 'makespan', max: 360_000 },
        { path: 'refused.share', max: 0.12 },
        { path: 'keys["acme/large"].cap.final', min: 4, max: 6 },
      ],
    });
  });

  it('has the documented defaults where nothing is written', () => {
    expect(scenarioOf(minimal())).toEqual({
      name: 'x',
      question: '',
      seed: 1,
      governor: {
        preset: 'reference',
        controller: 'aimd',
        options: {},
        retry: {
          throttle: null,
          network: 3,
          business: 0,
          firstDelayMs: 2000,
          maxDelayMs: 60_000,
          maxRetryAfterMs: 300_000,
        },
      },
      providers: {
        acme: {
          wire: 'openai',
          quotas: [],
          models: {
            large: {
              quotas: [],
              retryAfter: { kind: 'none' },
              latency: {
                service: {
                  kind: 'tokens',
                  firstTokenMs: { kind: 'constant', value: 500 },
                  perOutputTokenMs: { kind: 'constant', value: 10 },
                },
                refusalMs: { kind: 'constant', value: 50 },
                load: { slope: 0, kneeStart: null, kneeBase: 1 },
              },
            },
          },
        },
      },
      workload: {
        runs: [
          {
            id: 'r',
            target: { provider: 'acme', model: 'large' },
            startMs: 0,
            maxConcurrency: null,
            timeoutMs: null,
            agents: {
              population: { kind: 'count', count: 3, name: 'agent-{n}' },
              asks: 1,
              requests: 1,
              tokens: {
                input: { kind: 'constant', value: 1000 },
                output: { kind: 'constant', value: 200 },
                max: null,
              },
            },
          },
        ],
      },
      timeline: [],
      stop: { when: 'done', afterMs: null, maxRequests: null },
      expect: [],
    });
  });

  it('may be JSON, indented by tabs, with the address of its schema', () => {
    const written = {
      $schema: './scenario.schema.json',
      providers: { acme: { models: { large: {} } } },
      workload: { runs: [{ id: 'r', target: 'acme/large', agents: { count: 3 } }] },
    };
    expect(scenarioOf(JSON.stringify(written, null, '\t'))).toEqual(scenarioOf(minimal()));
  });

  it('is plain JSON: nothing is lost in a trace', () => {
    const scenario = scenarioOf(minimal('stop: { after: 1h }', 'governor: { controller: none }'));
    expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
  });

  it('without a file to be named after is called scenario', () => {
    const readFile = (): string => '';
    const result = loadScenario({ text: minimal(), readFile });
    expect(result.kind === 'scenario' && result.scenario.name).toBe('scenario');
  });

  it('keeps a slash in the name of a model: only the first one divides a target', () => {
    const scenario = scenarioOf(
      [
        'providers: { router: { models: { zai/glm-4.6: {} } } }',
        'workload: { runs: [{ id: r, target: router/zai/glm-4.6, agents: { count: 1 } }] }',
      ].join('\n'),
    );
    expect(scenario.workload.runs[0]?.target).toEqual({ provider: 'router', model: 'zai/glm-4.6' });
  });
});

function modelOf(written: string): ModelSettings | undefined {
  return scenarioOf(withModel(written)).providers.acme?.models.large;
}

describe('a quota', () => {
  it.each([
    ['{ concurrency: 5 }', { kind: 'concurrency', name: 'concurrency', limit: 5, refusedCount: false }],
    [
      '{ requests: 60, per: 1m }',
      {
        kind: 'requests',
        name: 'requests-1m',
        limit: 60,
        perMs: 60_000,
        refill: 'token-bucket',
        burst: 60,
        refusedCount: false,
      },
    ],
    [
      '{ tokens: 500, per: 90s, counts: input, refill: sliding-window, refusedCount: true }',
      {
        kind: 'tokens',
        name: 'input-tokens-90s',
        limit: 500,
        perMs: 90_000,
        refill: 'sliding-window',
        burst: 500,
        refusedCount: true,
        counts: 'input',
        reserve: 'estimate',
        settle: 'refund',
      },
    ],
    [
      '{ tokens: 500, per: 1h, name: tph, reserve: none, settle: keep, refill: fixed-window }',
      {
        kind: 'tokens',
        name: 'tph',
        limit: 500,
        perMs: 3_600_000,
        refill: 'fixed-window',
        burst: 500,
        refusedCount: false,
        counts: 'total',
        reserve: 'none',
        settle: 'keep',
      },
    ],
  ])('written %s has its default name, burst and rest', (written, quota) => {
    expect(modelOf(`{ quotas: [${written}] }`)?.quotas).toEqual([quota]);
  });

  it('may be of the provider as a whole', () => {
    const text = minimal().replace('{ models', '{ quotas: [{ requests: 9, per: 1s }], models');
    expect(scenarioOf(text).providers.acme?.quotas).toMatchObject([{ name: 'requests-1s', limit: 9, perMs: 1000 }]);
  });
});

describe('retryAfter', () => {
  it.each([
    ['none', { kind: 'none' }],
    ['exact', { kind: 'exact', as: 'seconds', rounding: 'none', error: 0 }],
    ['20s', { kind: 'constant', ms: 20_000, as: 'seconds', rounding: 'none', error: 0 }],
    ['0', { kind: 'constant', ms: 0, as: 'seconds', rounding: 'none', error: 0 }],
    ['{ as: ms, rounding: up, error: 10% }', { kind: 'exact', as: 'ms', rounding: 'up', error: 0.1 }],
    ['{ error: 0.25 }', { kind: 'exact', as: 'seconds', rounding: 'none', error: 0.25 }],
    // A date has whole seconds; cut down, it would come before its time.
    ['{ as: http-date }', { kind: 'exact', as: 'http-date', rounding: 'up', error: 0 }],
  ])('written %s', (written, retryAfter) => {
    expect(modelOf(`{ retryAfter: ${written} }`)?.retryAfter).toEqual(retryAfter);
  });
});

describe('a distribution', () => {
  it.each([
    ['2s', { kind: 'constant', value: 2000 }],
    ['0', { kind: 'constant', value: 0 }],
    ['{ uniform: { min: 1s, max: 1s } }', { kind: 'uniform', min: 1000, max: 1000 }],
    ['{ exponential: { mean: 3s } }', { kind: 'exponential', mean: 3000 }],
    ['{ lognormal: { median: 600ms, p95: 2s } }', { kind: 'lognormal', median: 600, p95: 2000 }],
    ['{ normal: { mean: 1s, sd: 200ms } }', { kind: 'normal', mean: 1000, sd: 200 }],
    ['{ erlang: { k: 3, mean: 1s } }', { kind: 'erlang', k: 3, mean: 1000 }],
    ['{ pareto: { min: 1s, alpha: 1.5 } }', { kind: 'pareto', min: 1000, alpha: 1.5 }],
    ['{ empirical: [1s, 250ms, 1s] }', { kind: 'empirical', values: [1000, 250, 1000] }],
  ])('of times, written %s', (written, distribution) => {
    expect(modelOf(`{ latency: { service: ${written} } }`)?.latency.service).toEqual({
      kind: 'service',
      serviceMs: distribution,
    });
  });

  it.each([
    ['700', { kind: 'constant', value: 700 }],
    ['{ uniform: { min: 10, max: 20.5 } }', { kind: 'uniform', min: 10, max: 20.5 }],
    ['{ empirical: [5, 6] }', { kind: 'empirical', values: [5, 6] }],
  ])('of tokens, written %s', (written, distribution) => {
    const text = minimal().replace('count: 3', `count: 3, tokens: { input: ${written} }`);
    expect(scenarioOf(text).workload.runs[0]?.agents.tokens).toEqual({
      input: distribution,
      output: { kind: 'constant', value: 200 },
      max: null,
    });
  });
});

describe('the governor', () => {
  it('comes out with exactly the options that are written, in milliseconds', () => {
    const written = [
      'governor:',
      '  controller: fixed',
      '  initial: 16',
      '  growthLimit: 4', // Below initial it counts as initial, which is for the governor to say.
      '  growthFactor: 2',
      '  decreaseFactor: 0.5',
      '  increaseStep: 2',
      '  increaseAfterSuccesses: 8',
      '  floor: 2',
      '  rememberGood: false',
      '  freezeOn: rate',
      '  idleReset: 1m',
      '  maxCooldown: 30s',
      '  resumeStagger: 250ms',
    ];
    expect(scenarioOf(minimal(...written)).governor).toMatchObject({
      controller: 'fixed',
      options: {
        initial: 16,
        growthLimit: 4,
        growthFactor: 2,
        decreaseFactor: 0.5,
        increaseStep: 2,
        increaseAfterSuccesses: 8,
        floor: 2,
        rememberGood: false,
        freezeOn: 'rate',
        idleResetMs: 60_000,
        maxCooldownMs: 30_000,
        resumeStaggerMs: 250,
      },
    });
  });

  it.each([
    [
      'none',
      { throttle: 0, network: 0, business: 0, firstDelayMs: 2000, maxDelayMs: 60_000, maxRetryAfterMs: 300_000 },
    ],
    [
      '{ throttle: 2, network: unlimited, firstDelay: 0, maxRetryAfter: 10m }',
      { throttle: 2, network: null, business: 0, firstDelayMs: 0, maxDelayMs: 60_000, maxRetryAfterMs: 600_000 },
    ],
    [
      '{ delays: [1s, 1s, 2s] }',
      {
        throttle: null,
        network: 3,
        business: 0,
        firstDelayMs: 2000,
        maxDelayMs: 60_000,
        maxRetryAfterMs: 300_000,
        delaysMs: [1000, 1000, 2000],
      },
    ],
  ])('retries as written: %s', (written, retry) => {
    expect(scenarioOf(minimal(`governor: { retry: ${written} }`)).governor.retry).toEqual(retry);
  });
});

describe('the timeline', () => {
  const timed = (...entries: readonly string[]): string =>
    [
      'providers:',
      '  acme:',
      '    models:',
      '      large: { quotas: [{ concurrency: 5 }, { requests: 10, per: 1m }] }',
      'workload: { runs: [{ id: r, target: acme/large, agents: { count: 3 } }] }',
      'timeline:',
      ...entries.map((entry) => `  - ${entry}`),
    ].join('\n');

  it('changes the provider as the changes before it left it, in order of time and then of the file', () => {
    const timeline = changesIn(
      timed(
        '{ at: 2m, set: { "providers.acme.models.large.quotas[0].concurrency": 3 } }',
        '{ at: 1m, set: { "providers.acme.models.large.quotas[1].requests": 30, "providers.acme.models.large.retryAfter": 5s } }',
        '{ at: 2m, set: { "providers.acme.models.large.quotas[0].concurrency": 7 } }',
        '{ at: 3m, set: { \'providers["acme"].models.large.quotas[1].per\': 2m } }',
      ),
    );
    const story = timeline.map(({ atMs, becomes }) => {
      const { quotas, retryAfter } = becomes.models.large as ModelSettings;
      return { atMs, limits: quotas.map(({ limit }) => limit), hint: retryAfter.kind };
    });
    expect(story).toEqual([
      { atMs: 60_000, limits: [5, 30], hint: 'none' },
      { atMs: 60_000, limits: [5, 30], hint: 'constant' },
      { atMs: 120_000, limits: [3, 30], hint: 'constant' },
      { atMs: 120_000, limits: [7, 30], hint: 'constant' },
      { atMs: 180_000, limits: [7, 30], hint: 'constant' },
    ]);
    expect(timeline.map(({ path, value }) => [path, value]).at(-1)).toEqual([
      'providers["acme"].models.large.quotas[1].per',
      '2m',
    ]);
  });

  it('leaves a quota its name, also where a default name would follow the new window', () => {
    const timeline = changesIn(timed('{ at: 1m, set: { "providers.acme.models.large.quotas[1].per": 2m } }'));
    expect(timeline[0]?.becomes.models.large?.quotas[1]).toMatchObject({ name: 'requests-1m', perMs: 120_000 });
  });

  it('moves a default burst along with its limit', () => {
    const timeline = changesIn(timed('{ at: 1m, set: { "providers.acme.models.large.quotas[1].requests": 30 } }'));
    expect(timeline[0]?.becomes.models.large?.quotas[1]).toMatchObject({ limit: 30, burst: 30 });
  });

  it('leaves the provider at the start of the run alone', () => {
    const scenario = scenarioOf(timed('{ at: 1m, set: { "providers.acme.models.large.quotas[0].concurrency": 1 } }'));
    expect(scenario.providers.acme?.models.large?.quotas[0]).toMatchObject({ limit: 5 });
  });
});

describe('the command line', () => {
  it('wins over the file, the last value over those before it', () => {
    const scenario = scenarioOf(minimal('seed: 3', 'governor: { initial: 2 }'), {
      options: {
        set: [
          'seed=4',
          'governor.initial=3',
          'governor.initial=4',
          'governor.retry.network=9',
          'workload.runs[0].agents.count=7',
          'providers.acme.models.large.quotas=[{concurrency: 3}]',
          'providers.acme.models["large"].quotas[0].concurrency=2',
          'expect["makespan"]={max: 3m}',
          'question=Is a = b?',
        ],
        seed: 5,
        controller: 'none',
      },
    });
    expect(scenario.seed).toBe(5);
    expect(scenario.governor).toMatchObject({ controller: 'none', options: { initial: 4 }, retry: { network: 9 } });
    expect(scenario.workload.runs[0]?.agents.population).toMatchObject({ count: 7 });
    expect(scenario.providers.acme?.models.large?.quotas).toMatchObject([{ kind: 'concurrency', limit: 2 }]);
    expect(scenario.expect).toEqual([{ path: 'makespan', max: 180_000 }]);
    expect(scenario.question).toBe('Is a = b?');
  });

  it('fixes the cap with fixed:N', () => {
    const { governor } = scenarioOf(minimal('governor: { initial: 2 }'), { options: { controller: 'fixed:5' } });
    expect(governor).toMatchObject({ controller: 'fixed', options: { initial: 5 } });
  });

  it('changes only what it names, also where an anchor shares the value', () => {
    const text = minimal().replace(
      '{ models: { large: {} } }',
      '{ models: { large: &m { retryAfter: 1s }, small: *m } }',
    );
    const { providers } = scenarioOf(text, { options: { set: ['providers.acme.models.small.retryAfter=9s'] } });
    expect(providers.acme?.models.large?.retryAfter).toMatchObject({ ms: 1000 });
    expect(providers.acme?.models.small?.retryAfter).toMatchObject({ ms: 9000 });
  });
});

describe('a CSV file', () => {
  it('brings one agent per row, four bytes a token', () => {
    const text = minimal().replace('count: 3', 'csv: files.csv');
    const files = { 'files.csv': 'bytes,file,author\n1001,a.ts,me\n0,"b, c.ts",you\n' };
    expect(scenarioOf(text, { files }).workload.runs[0]?.agents.population).toEqual({
      kind: 'rows',
      rows: [
        { name: 'a.ts', inputTokens: 251 },
        { name: 'b, c.ts', inputTokens: 0 },
      ],
    });
  });

  it('may state tokens itself', () => {
    const text = minimal().replace('count: 3', 'csv: files.csv');
    const files = { 'files.csv': '\ufeff"name",input,output,bytes\r\na,10,3,999\r\n\r\nb,20,4,999\r\n' };
    expect(scenarioOf(text, { files }).workload.runs[0]?.agents.population).toEqual({
      kind: 'rows',
      rows: [
        { name: 'a', inputTokens: 10, outputTokens: 3 },
        { name: 'b', inputTokens: 20, outputTokens: 4 },
      ],
    });
  });

  it('brings the values of an empirical distribution, milliseconds where it says no unit', () => {
    const model = '{ latency: { firstToken: { empirical: { csv: t.csv, column: ms } } } }';
    const scenario = scenarioOf(withModel(model), { files: { 't.csv': 'id,ms\n1,120\n2,1.5s\n3,0.5\n' } });
    expect(scenario.providers.acme?.models.large?.latency.service).toMatchObject({
      firstTokenMs: { kind: 'empirical', values: [120, 1500, 0.5] },
    });
  });
});
