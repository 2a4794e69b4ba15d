/** `profile: zhipu` in a scenario: resolved into plain settings, every field of it open to change. */

import { modelProfile, type ProfileName, profileNames, profileOf } from '@tidegate/providers-mock';
import { describe, expect, it } from 'vitest';
import type { ProviderSettings } from '../../src/scenario/scenario.js';
import { changesIn, problemsOf, scenarioOf } from './loading.js';

/** A scenario whose provider is this, and whose run targets its first model. */
function withProvider(provider: string, model: string, ...more: readonly string[]): string {
  return [
    `providers: { real: ${provider} }`,
    `workload: { runs: [{ id: r, target: "real/${model}", agents: { count: 3 } }] }`,
    ...more,
    '',
  ].join('\n');
}

function realOf(provider: string, model: string, ...more: readonly string[]): ProviderSettings {
  return scenarioOf(withProvider(provider, model, ...more)).providers.real as ProviderSettings;
}

describe('a provider with a profile', () => {
  it.each<ProfileName>([...profileNames])(
    'of %s has its models, quotas, hints and latencies, number by number',
    (name) => {
      const profile = profileOf(name);
      const models = Object.keys(profile.models);
      const real = realOf(`{ profile: ${name} }`, models[0] as string);
      expect(Object.keys(real.models)).toEqual(models);
      expect([real.wire, real.refusal]).toEqual([profile.wire, profile.refusal]);
      expect(real.quotas).toEqual(profile.quotas.map(({ value }) => value));
      for (const model of models) {
        const { quotas, retryAfter, server, latency } = modelProfile(profile, model);
        const settings = real.models[model];
        expect(settings?.quotas).toEqual(quotas.map(({ value }) => value));
        expect(settings?.retryAfter).toEqual(retryAfter.value);
        expect(settings?.server).toEqual(server?.value);
        expect(settings?.latency.service).toEqual(
          latency === undefined
            ? { kind: 'tokens', firstTokenMs: constant(500), perOutputTokenMs: constant(10) }
            : {
                kind: 'tokens',
                firstTokenMs: {
                  kind: 'lognormal',
                  median: latency.value.firstToken.medianMs,
                  p95: latency.value.firstToken.p95Ms,
                },
                ...(latency.value.perInputTokenMs && { perInputTokenMs: constant(latency.value.perInputTokenMs) }),
                perOutputTokenMs: constant(latency.value.perOutputTokenMs),
              },
        );
      }
    },
  );

  it('keeps what it states itself, field by field, and takes the rest', () => {
    const real = realOf(
      '{ profile: openai, startsAt: 22:30, models: { gpt-4o: { quotas: [{ concurrency: 5 }], latency: { perOutputToken: 1ms } } } }',
      'gpt-4o',
    );
    const { quotas, retryAfter, latency } = real.models['gpt-4o'] ?? {};
    expect(quotas).toEqual([{ kind: 'concurrency', name: 'concurrency', limit: 5, refusedCount: false }]);
    expect(retryAfter).toMatchObject({ kind: 'exact', as: 'ms', rounding: 'up' });
    expect(latency?.service).toEqual({
      kind: 'tokens',
      firstTokenMs: { kind: 'lognormal', median: 450, p95: 1200 },
      perOutputTokenMs: constant(1),
    });
    expect(real.startsAtMs).toBe(22.5 * 3_600_000);
  });

  it('may have models of other names: they are like its first; and only those that are named', () => {
    const real = realOf('{ profile: zhipu, models: { glm-9: {} } }', 'glm-9');
    expect(Object.keys(real.models)).toEqual(['glm-9']);
    expect(real.models['glm-9']?.quotas).toMatchObject([{ limit: 3, schedule: [{ limit: 1 }] }]);
  });

  it('may have a whole service time instead of the parts of the profile', () => {
    const real = realOf('{ profile: vllm, models: { m: { latency: { service: 2s } } } }', 'm');
    expect(real.models.m?.latency.service).toEqual({ kind: 'service', serviceMs: constant(2000) });
  });

  it('may have fewer places than the server of the profile, which keeps its other ways', () => {
    const real = realOf(
      '{ profile: deepseek, models: { deepseek-flash: { server: { slots: 2 } } } }',
      'deepseek-flash',
    );
    expect(real.models['deepseek-flash']).toMatchObject({ server: { slots: 2, queue: null }, keepAliveMs: 10_000 });
    expect(realOf('{ profile: deepseek }', 'deepseek-v4-pro').models['deepseek-v4-pro']).toMatchObject({
      server: { slots: 500, queue: null },
      keepAliveMs: 10_000,
    });
    const silent = realOf('{ profile: vllm, models: { m: { server: { keepAlive: 5s } } } }', 'm');
    expect(silent.models.m).toMatchObject({ server: { slots: 256, queue: null }, keepAliveMs: 5_000 });
  });

  it('can be chosen and changed from the command line, in whatever order', () => {
    const { providers } = scenarioOf(withProvider('{ models: { glm-4.7: {} } }', 'glm-4.7'), {
      options: {
        set: [
          'providers.real.models["glm-4.7"].quotas[0].concurrency=7',
          'providers.real.profile=zhipu',
          'providers.real.models["glm-5.2"]={}',
        ],
      },
    });
    expect(providers.real?.models['glm-4.7']?.quotas).toMatchObject([{ limit: 7, schedule: [{ limit: 1 }] }]);
    expect(providers.real?.models['glm-5.2']?.quotas).toMatchObject([{ limit: 10 }]);
  });

  it('can be changed by a timeline, which finds the quotas of the profile', () => {
    const timeline = changesIn(
      withProvider(
        '{ profile: zhipu }',
        'glm-4.6',
        'timeline: [{ at: 1m, set: { \'providers.real.models["glm-4.6"].quotas[0].concurrency\': 2 } }]',
      ),
    );
    expect(timeline[0]?.becomes.models['glm-4.6']?.quotas).toMatchObject([{ limit: 2 }]);
  });

  it('has the quotas of the profile in its summary', () => {
    const expectation = 'expect: { \'providers["real/gpt-4o"].refusedBy.tpm\': { max: 3 } }';
    expect(problemsOf(withProvider('{ profile: openai }', 'gpt-4o', expectation))).toEqual([]);
  });

  it('is self-contained: the resolved scenario says it all, in plain JSON, and names no profile', () => {
    const real = realOf('{ profile: azure-openai }', 'gpt-4o');
    expect(JSON.parse(JSON.stringify(real))).toEqual(real);
    expect(JSON.stringify(real)).not.toContain('"profile"');
  });

  it.each([
    [
      '{ profile: opanai }',
      'providers.real.profile  expected openai | azure-openai | anthropic | gemini | bedrock | zhipu | deepseek | moonshot | dashscope | mistral | groq | openrouter | xai | minimax | vllm | ollama | litellm | generic, got "opanai"; did you mean "openai"?',
    ],
    [
      '{ profile: openai, models: { gpt-4o: { quotas: [{ concurrency: five }] } } }',
      'providers.real.models.gpt-4o.quotas[0].concurrency  expected a whole number ≥ 0, got "five"',
    ],
    [
      '{ profile: openai, models: { gpt-4o: null } }',
      'providers.real.models.gpt-4o  expected a model: a mapping, {} for the defaults, got nothing',
    ],
    ['{ profile: openai, models: 5 }', 'providers.real.models  expected a mapping from model names to models, got 5'],
    ['{}', 'providers.real.models  is missing; expected a mapping from model names to models'],
  ])('written %s is refused', (written, line) => {
    const found = problemsOf(withProvider(written, 'gpt-4o'));
    expect(
      found.filter((problem) => !problem.includes('target')).map((problem) => problem.replace(/^\S+ {2}/, '')),
    ).toEqual([line]);
  });
});

function constant(value: number): object {
  return { kind: 'constant', value };
}
