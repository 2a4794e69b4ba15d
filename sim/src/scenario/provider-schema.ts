/**
 * Providers as a scenario writes them: what a refusal looks like, which quotas refuse, and how long answers take. Comes
 * out as `ProviderSettings`, every default filled in.
 */

import { z } from 'zod';
import { choice } from './choice.js';
import type { Distributions } from './distribution-schema.js';
import { withRules } from './field-rule.js';
import { didYouMean } from './nearest.js';
import { duration, expected, number, oneOf, share, whole } from './quantities.js';
import { quota } from './quota-schema.js';
import { asMapping } from './raw-data.js';
import type { HintForm, LatencySettings, ModelSettings, ProviderSettings, RetryAfterSettings } from './scenario.js';

export function provider(distributions: Distributions): z.ZodType<ProviderSettings> {
  return z.strictObject(
    {
      wire: oneOf(['openai', 'anthropic', 'gemini']).prefault('openai').describe('What a refusal looks like.'),
      quotas: quotas('Limits that all models of the provider share.'),
      models: z
        .record(z.string(), model(distributions), { error: expected('a mapping from model names to models') })
        .refine((models) => Object.keys(models).length > 0, { error: 'is empty; a provider needs at least one model' })
        .meta({ description: 'The models, by name. `{}` is a model without limits.', minProperties: 1 }),
    },
    { error: expected('a provider: a mapping with models') },
  );
}

const plainHint = { as: 'seconds', rounding: 'none', error: 0 } as const;

/** What needs no file is made once, for all scenarios. */
const anyQuota = quota().meta({ id: 'quota' });
const anyRetryAfter = retryAfter();
const anyLoad = load();

function quotas(description: string): z.ZodType<ProviderSettings['quotas']> {
  return z
    .array(anyQuota, { error: expected('a list of quotas') })
    .prefault([])
    .describe(description);
}

function model(distributions: Distributions): z.ZodType<ModelSettings> {
  return z.strictObject(
    {
      quotas: quotas('Limits of this model. The first that refuses a request answers it.'),
      retryAfter: anyRetryAfter
        .prefault('none')
        .describe('What hint a refusal carries: none, exact (the wait until this request would fit), or a duration.'),
      latency: latency(distributions).prefault({}).describe('How long answers take.'),
    },
    { error: expected('a model: a mapping, {} for the defaults') },
  );
}

function retryAfter(): z.ZodType<RetryAfterSettings> {
  const words = ['none', 'exact'] as const;
  return choice<RetryAfterSettings>(
    [
      z
        .enum(words, {
          error: ({ input }) =>
            expected('none, exact, a duration (20s) or { as, rounding, error }')({ input }) +
            (typeof input === 'string' ? didYouMean(input, words) : ''),
        })
        .transform((kind) => (kind === 'none' ? { kind } : { kind, ...plainHint })),
      duration().transform((ms) => ({ kind: 'constant' as const, ms, ...plainHint })),
      z
        .strictObject({
          as: oneOf(['seconds', 'ms', 'http-date']).prefault('seconds').describe('How the hint is written.'),
          rounding: z
            .exactOptional(oneOf(['up', 'none']))
            .describe('Whether to whole seconds. Default: up for http-date, which cannot be finer; else none.'),
          error: share().prefault(0).describe('How far the hint may be off, either way. A share: 10% or 0.1.'),
        })
        .transform(({ as, rounding, error }) => ({
          kind: 'exact' as const,
          as,
          rounding: roundingOf(as, rounding),
          error,
        })),
    ],
    (value) => {
      const isDuration = typeof value === 'number' || (typeof value === 'string' && /^[-+\d.]/.test(value));
      return { kind: 'branch', index: asMapping(value) !== undefined ? 2 : isDuration ? 1 : 0 };
    },
  );
}

function roundingOf(as: HintForm, written: 'up' | 'none' | undefined): 'up' | 'none' {
  return written ?? (as === 'http-date' ? 'up' : 'none');
}

const defaultLatency = { firstToken: 500, perOutputToken: 10, refusal: '50ms' } as const;

function latency({ time }: Distributions): z.ZodType<LatencySettings> {
  const written = z.strictObject(
    {
      service: z.exactOptional(time).describe('The whole service time, instead of firstToken and perOutputToken.'),
      firstToken: z.exactOptional(time).describe(`Time to the first token. Default ${defaultLatency.firstToken}ms.`),
      perOutputToken: z
        .exactOptional(time)
        .describe(`Time per output token. Default ${defaultLatency.perOutputToken}ms.`),
      refusal: time.prefault(defaultLatency.refusal).describe('Time until a refusal arrives.'),
      load: anyLoad.prefault({}).describe('How service times grow with the requests in flight. Default: they do not.'),
    },
    { error: expected('a latency: a mapping') },
  );
  return withRules(written, {
    field: 'service',
    message: 'takes the place of firstToken and perOutputToken; give one or the other',
    holds: (fields) => !('service' in fields) || !('firstToken' in fields || 'perOutputToken' in fields),
  }).transform(({ service, firstToken, perOutputToken, refusal, load: loaded }) => ({
    service:
      service === undefined
        ? {
            kind: 'tokens' as const,
            firstTokenMs: firstToken ?? { kind: 'constant', value: defaultLatency.firstToken },
            perOutputTokenMs: perOutputToken ?? { kind: 'constant', value: defaultLatency.perOutputToken },
          }
        : { kind: 'service' as const, serviceMs: service },
    refusalMs: refusal,
    load: loaded,
  }));
}

function load(): z.ZodType<LatencySettings['load']> {
  const written = z.strictObject(
    {
      slope: number({ min: 0 }).prefault(0).describe('Share added per further request in flight. Number ≥ 0.'),
      kneeStart: z
        .exactOptional(whole({ min: 0 }))
        .describe('Requests in flight beyond which times grow exponentially. Whole number ≥ 0. Default: never.'),
      kneeBase: z
        .exactOptional(number({ min: 1 }))
        .describe('Factor per request beyond kneeStart. Number ≥ 1. Belongs to kneeStart.'),
    },
    { error: expected('{ slope, kneeStart, kneeBase }') },
  );
  return withRules(written, {
    message: 'has only one of kneeStart and kneeBase; the knee needs both',
    holds: (fields) => 'kneeStart' in fields === 'kneeBase' in fields,
  }).transform(({ slope, kneeStart, kneeBase }) => ({ slope, kneeStart: kneeStart ?? null, kneeBase: kneeBase ?? 1 }));
}
