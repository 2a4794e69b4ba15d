/**
 * The profiles: their numbers, each with its source, and on the facts that they are known for, that they behave so.
 */

import { describe, expect, it } from 'vitest';
import { createProvider } from '../src/models/provider.js';
import type { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import { hintMs } from '../src/models/retry-after.js';
import type { RefusalScope, Verdict } from '../src/models/verdict.js';
import {
  isProfileName,
  modelProfile,
  type ProfileName,
  profileNames,
  profileOf,
  profileProvider,
} from '../src/profiles/catalogue.js';
import { type Cited, PROFILES_COLLECTED } from '../src/profiles/profile.js';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** `rpm 500/1m bucket`: what a quota allows, in a few words. */
function inWords(spec: QuotaSpec): string {
  if (spec.kind === 'concurrency') return `${spec.limit} at once`;
  const per = { [SECOND]: '1s', [MINUTE]: '1m', [24 * HOUR]: '1d', [720 * HOUR]: '30d' }[spec.perMs];
  return `${spec.name} ${spec.limit}/${per} ${spec.kind === 'ramp' ? 'ramp' : spec.refill}`;
}

describe('a profile', () => {
  it.each<[ProfileName, string[]]>([
    ['openai', ['rpm 500/1m token-bucket', 'tpm 30000/1m token-bucket']],
    ['azure-openai', ['rpm 300/1m sliding-window', 'tpm 50000/1m sliding-window']],
    ['anthropic', ['rpm 50/1m token-bucket', 'itpm 30000/1m token-bucket', 'otpm 8000/1m token-bucket']],
    ['gemini', ['rpm 10/1m fixed-window', 'input-tpm 250000/1m fixed-window', 'rpd 250/1d fixed-window']],
    ['bedrock', ['rpm 50/1m token-bucket', 'tpm 400000/1m token-bucket', 'tpd 576000000/1d token-bucket']],
    ['zhipu', ['3 at once']],
    ['deepseek', ['500 at once']],
    ['moonshot', ['50 at once', 'rpm 200/1m token-bucket', 'tpm 2000000/1m token-bucket']],
    ['dashscope', ['rpm 600/1m sliding-window', 'tpm 1000000/1m sliding-window']],
    ['mistral', ['rps 1/1s token-bucket', 'tpm 500000/1m token-bucket', 'tokens-month 1000000000/30d fixed-window']],
    ['groq', ['rpm 30/1m token-bucket', 'rpd 1000/1d token-bucket', 'tpm 6000/1m token-bucket']],
    ['openrouter', ['rpm 20/1m fixed-window', 'rpd 50/1d fixed-window']],
    ['xai', ['rps 150/1s fixed-window', 'tpm 50000000/1m token-bucket']],
    ['minimax', ['rpm 500/1m token-bucket', 'tpm 20000000/1m token-bucket']],
    ['vllm', []],
    ['ollama', []],
    ['litellm', ['rpm 10/1m sliding-window']],
    ['generic', ['8 at once', 'rpm 100/1m token-bucket']],
  ])('of %s has the numbers of its tier', (name, words) => {
    const profile = profileOf(name);
    expect(profile.name).toBe(name);
    const [first] = Object.values(profile.models);
    expect([...profile.quotas, ...(first?.quotas ?? [])].map(({ value }) => inWords(value))).toEqual(words);
  });

  it('is there for every provider that is named, and each can be created and admits', () => {
    expect(profileNames).toHaveLength(18);
    for (const name of profileNames) {
      const provider = createProvider(profileProvider(profileOf(name)));
      for (const model of Object.keys(profileOf(name).models)) {
        expect(provider.model(model).decide({ inputTokens: 100, maxTokens: 100 }, 0).kind).toBe('admitted');
      }
    }
  });

  it('says of every number where it comes from, and when that was', () => {
    expect(PROFILES_COLLECTED).toMatch(/^\d{4}-\d\d-\d\d$/);
    const facts = profileNames.flatMap((name): (Cited<unknown> | undefined)[] => {
      const { quotas, models } = profileOf(name);
      const ofModels = Object.values(models).flatMap((model) => [
        ...model.quotas,
        model.retryAfter,
        model.latency,
        model.server,
      ]);
      return [...quotas, ...ofModels];
    });
    const cited = facts.filter((fact) => fact !== undefined);
    expect(cited.length).toBeGreaterThan(80);
    expect(cited.filter(({ source }) => source.length < 10)).toEqual([]);
  });

  it('knows its models and takes its first for any other, and no other names', () => {
    const zhipu = profileOf('zhipu');
    expect(modelProfile(zhipu, 'glm-5.2').quotas[0]?.value).toMatchObject({ limit: 10 });
    expect(modelProfile(zhipu, 'glm-9')).toBe(zhipu.models['glm-4.7']);
    expect(modelProfile(zhipu, 'constructor')).toBe(zhipu.models['glm-4.7']);
    expect(['openai', 'opanai', 'constructor'].map(isProfileName)).toEqual([true, false, false]);
  });

  it('is plain JSON', () => {
    for (const name of profileNames) expect(JSON.parse(JSON.stringify(profileOf(name)))).toEqual(profileOf(name));
  });
});

/** The first model of the profile; the run begins at a time of day, in ms after midnight UTC. */
function modelOf(name: ProfileName, model?: string, startsAtMs: number = 0): ProviderModel {
  const profile = profileOf(name);
  const provider = createProvider({ ...profileProvider(profile), startsAtMs });
  return provider.model(model ?? (Object.keys(profile.models)[0] as string));
}

function ask(model: ProviderModel, ms: number, inputTokens: number = 100, maxTokens: number = 0): Verdict {
  return model.decide({ inputTokens, maxTokens }, ms);
}

function hintOf(name: ProfileName, verdict: Verdict, model: string = ''): number | null {
  if (verdict.kind === 'admitted') throw new Error('expected a refusal');
  return hintMs(modelProfile(profileOf(name), model).retryAfter.value, verdict, 0, 0);
}

describe('the hints', () => {
  const refusal = (scope: RefusalScope, waitMs: number | null): Verdict => ({
    kind: 'refused',
    quota: 'any',
    scope,
    waitMs,
    tooLarge: false,
    lease: null,
  });

  it.each<[ProfileName, (number | null)[]]>([
    // a wait of 7.6604 s for requests, for tokens; in flight; overload
    ['openai', [7661, 7661, null, null]], // milliseconds, beside whole seconds
    ['azure-openai', [8000, 8000, null, null]],
    ['anthropic', [8000, 8000, null, null]],
    ['gemini', [7660.4, 7660.4, null, null]], // RetryInfo
    ['bedrock', [null, null, null, null]],
    ['zhipu', [null, null, null, null]],
    ['deepseek', [null, null, null, null]],
    ['moonshot', [1000, null, 1000, null]], // the text says one second, whatever is true
    ['dashscope', [null, null, null, null]],
    ['mistral', [null, null, null, null]],
    ['groq', [7660.4, 7660.4, null, null]],
    ['openrouter', [7661, null, null, null]], // a reset header
    ['xai', [null, null, null, null]],
    ['minimax', [null, null, null, null]],
    ['vllm', [null, null, null, null]],
    ['ollama', [null, null, null, null]],
    ['litellm', [60_000, 60_000, 60_000, 60_000]], // the size of the window
    ['generic', [8000, 8000, null, null]],
  ])('of %s are %o', (name, hints) => {
    const refusals = [
      refusal('requests', 7660.4),
      refusal('tokens', 7660.4),
      refusal('concurrency', null),
      refusal('overload', null),
    ];
    expect(refusals.map((verdict) => hintOf(name, verdict))).toEqual(hints);
  });
});

describe('what providers are known for', () => {
  it('openai: a wait to the millisecond, from max(prompt, max_tokens) and a continuous refill', () => {
    const model = modelOf('openai');
    ask(model, 0, 400, 29_937); // the larger of the two counts
    const verdict = ask(model, 0, 385, 100);
    expect(verdict).toMatchObject({ kind: 'refused', quota: 'tpm' });
    expect(hintOf('openai', verdict)).toBe(644); // as a real refusal said of these numbers
  });

  it('openai: refusals count, so that a hot retry keeps the door closed', () => {
    const model = modelOf('openai');
    for (let n = 0; n < 500; n += 1) ask(model, 0, 1);
    for (let ms = 10; ms < 1000; ms += 10) ask(model, ms, 1); // 8 a second come back
    expect(ask(model, 1000, 1).kind).toBe('refused');
  });

  it('openai at tier 5: no more than half as much again in a quarter of an hour above a million tokens a minute', () => {
    const model = modelOf('openai', 'gpt-4.1');
    const admitted = (minute: number): number =>
      [...Array(30).keys()].filter(() => ask(model, minute * MINUTE, 100_000).kind === 'admitted').length;
    expect(Array.from({ length: 31 }, (_, minute) => admitted(minute)).filter((_, n) => n % 15 === 0)).toEqual([
      10, 15, 22,
    ]);
    expect(ask(model, 31 * MINUTE, 2_250_001)).toMatchObject({ quota: 'slow_down', scope: 'ramp' });
  });

  it('azure: the 51st request of ten seconds is refused, with 250 of the minute left', () => {
    const model = modelOf('azure-openai');
    const verdicts = Array.from({ length: 51 }, (_, n) => ask(model, n, 10));
    expect(verdicts.at(-2)?.kind).toBe('admitted');
    expect(verdicts.at(-1)).toMatchObject({ quota: 'rpm', waitMs: 9950 });
    expect(model.standings({ inputTokens: 10, maxTokens: 0 }, 60)[0]?.remaining).toBe(250);
  });

  it('anthropic: max_tokens is taken from the output quota, and what was not generated comes back', () => {
    const model = modelOf('anthropic');
    const first = ask(model, 0, 100, 8000);
    expect(ask(model, 1, 100, 1000)).toMatchObject({ quota: 'otpm', scope: 'tokens' });
    if (first.kind === 'admitted') first.lease.answered({ inputTokens: 100, outputTokens: 200 }, 2);
    expect(ask(model, 3, 100, 1000).kind).toBe('admitted');
  });

  it('gemini: the day of 250 requests ends at midnight Pacific', () => {
    const model = modelOf('gemini', undefined, 20 * HOUR); // 20:00 UTC, noon there
    for (let minute = 0; minute < 25; minute += 1) {
      for (let n = 0; n < 10; n += 1) ask(model, minute * MINUTE, 1);
    }
    expect(ask(model, HOUR, 1)).toMatchObject({ quota: 'rpd', waitMs: 11 * HOUR });
    expect(ask(model, 12 * HOUR, 1).kind).toBe('admitted');
  });

  it('bedrock: an output token costs five when all is settled', () => {
    const model = modelOf('bedrock', 'claude-sonnet-4');
    const verdict = ask(model, 0, 1000, 500_000);
    if (verdict.kind === 'admitted') verdict.lease.answered({ inputTokens: 1000, outputTokens: 100_000 }, 0);
    expect(model.standings({ inputTokens: 0, maxTokens: 0 }, 0)[0]?.remaining).toBe(2_000_000 - 501_000);
  });

  it('zhipu: three at once, and one at peak hours', () => {
    const atOnce = (hour: number): number => {
      const model = modelOf('zhipu', 'glm-4.7', hour * HOUR);
      return [0, 1, 2, 3, 4].filter((ms) => ask(model, ms).kind === 'admitted').length;
    };
    expect([0, 6, 7, 9, 10].map(atOnce)).toEqual([3, 3, 1, 1, 3]); // 15:00 to 18:00 in UTC+8
  });

  it('moonshot: what was reserved and not used stays spent, and all models share one account', () => {
    const provider = createProvider({
      ...profileProvider(profileOf('moonshot')),
      models: { a: { quotas: [] }, b: { quotas: [] } },
    });
    const facts = { inputTokens: 0, maxTokens: 1_500_000 };
    const verdict = provider.model('a').decide(facts, 0);
    if (verdict.kind === 'admitted') verdict.lease.answered({ inputTokens: 0, outputTokens: 1 }, 0);
    expect(provider.model('b').decide(facts, 0)).toMatchObject({ quota: 'tpm' });
  });

  it('dashscope: the eleventh request of a second is refused, and a prompt larger than a second of tokens is not', () => {
    const model = modelOf('dashscope');
    expect(Array.from({ length: 11 }, (_, n) => ask(model, n, 10)).at(-1)).toMatchObject({ quota: 'rpm', waitMs: 990 });
    expect(ask(model, 5000, 100_000).kind).toBe('admitted');
  });

  it('openrouter: refused requests count', () => {
    const model = modelOf('openrouter');
    for (let n = 0; n < 50; n += 1) ask(model, n);
    expect(ask(model, MINUTE)).toMatchObject({ quota: 'rpd' });
    expect(model.ledger().admitted).toBe(20);
  });

  it('ollama: one at a time, 512 in silence, and no more; vllm: as many as like to wait', () => {
    const admitted = (name: ProfileName): number => {
      const model = modelOf(name);
      return Array.from({ length: 2000 }, (_, ms) => ask(model, ms)).filter(({ kind }) => kind === 'admitted').length;
    };
    expect([admitted('ollama'), admitted('vllm')]).toEqual([513, 2000]);
    expect(modelOf('vllm').inService).toBe(0);
  });
});
