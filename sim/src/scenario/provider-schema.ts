/**
 * Providers as a scenario writes them: what a refusal looks like, which quotas refuse, what else goes wrong, and how long
 * answers take. Comes out as `ProviderSettings`, every default filled in. What a profile brings has been written in before.
 */

import { profileNames, profileOf } from '@tidegate/providers-mock';
import { z } from 'zod';
import type { Distributions } from './distribution-schema.js';
import { withRules } from './field-rule.js';
import { retryAfter } from './hint-schema.js';
import { latency } from './latency-schema.js';
import { expected, oneOf, timeOfDay } from './quantities.js';
import { quota } from './quota-schema.js';
import type { ModelSettings, ProviderSettings } from './scenario.js';
import { faults, overload, server } from './trouble-schema.js';

const modelsError = expected('a mapping from model names to models');

export function provider(distributions: Distributions): z.ZodType<ProviderSettings> {
  const written = z.strictObject(
    {
      profile: z
        .exactOptional(oneOf(profileNames))
        .describe(
          'Behaves as this provider does, dated facts: its models, quotas, hints and latencies. Fields beside it win.',
        ),
      wire: oneOf(['openai', 'anthropic', 'gemini']).prefault('openai').describe('What a refusal looks like.'),
      startsAt: z
        .exactOptional(timeOfDay())
        .describe('The time of day at which the run begins, for what follows the day. Default 00:00 UTC.'),
      overload: z
        .exactOptional(overload())
        .describe('Episodes in which all models refuse whoever comes: { every: 30m, for: 1m }.'),
      quotas: quotas('Limits that all models of the provider share.'),
      models: z
        .exactOptional(
          z
            .record(z.string(), model(distributions), { error: modelsError })
            .refine((models) => Object.keys(models).length > 0, {
              error: 'is empty; a provider needs at least one model',
            }),
        )
        .meta({
          description:
            'The models, by name. `{}` is a model without limits or, with a profile, as the profile has it. Default: those of the profile.',
          minProperties: 1,
        }),
    },
    { error: expected('a provider: a mapping with models') },
  );
  return withRules(written, {
    field: 'models',
    message: modelsError({}),
    holds: (fields) => 'models' in fields || 'profile' in fields,
  }).transform(({ profile, wire, startsAt, overload: overloaded, quotas: shared, models = {} }) => ({
    wire,
    ...(profile !== undefined && { refusal: profileOf(profile).refusal }),
    ...(startsAt !== undefined && { startsAtMs: startsAt }),
    ...(overloaded && { overload: overloaded }),
    quotas: shared,
    models,
  }));
}

/** What needs no file is made once, for all scenarios. */
const anyQuota = quota().meta({ id: 'quota' });
const anyRetryAfter = retryAfter();

function quotas(description: string): z.ZodType<ProviderSettings['quotas']> {
  return z
    .array(anyQuota, { error: expected('a list of quotas') })
    .prefault([])
    .describe(description);
}

function model(distributions: Distributions): z.ZodType<ModelSettings> {
  const written = z.strictObject(
    {
      quotas: quotas('Limits of this model. The first that refuses a request answers it.'),
      retryAfter: anyRetryAfter
        .prefault('none')
        .describe('What hint a refusal carries: none, exact (the wait until this request would fit), or a duration.'),
      latency: latency(distributions).prefault({}).describe('How long answers take.'),
      overload: z
        .exactOptional(overload())
        .describe('Episodes in which it refuses whoever comes, whatever the load: { every: 30m, for: 1m }.'),
      server: z
        .exactOptional(server())
        .describe(
          'Works on so many requests at once and lets the others wait: { slots: 4, queue: 512, keepAlive: 10s }.',
        ),
      faults: z
        .exactOptional(faults())
        .describe('What goes wrong with answers besides: [{ kind: status-503, rate: 1% }].'),
    },
    { error: expected('a model: a mapping, {} for the defaults') },
  );
  return written.transform(
    ({ quotas: own, retryAfter: hint, latency: times, overload: overloaded, server: served, faults: wrong }) => ({
      quotas: own,
      retryAfter: hint,
      latency: times,
      ...(overloaded && { overload: overloaded }),
      ...served,
      ...(wrong?.length && { faults: wrong }),
    }),
  );
}
