/**
 * Quotas as a scenario writes them: `concurrency`, or `requests` or `tokens` in a window. Comes out as `QuotaSettings`,
 * every default filled in.
 */

import { z } from 'zod';
import { choice, pickByKey } from './choice.js';
import { readDuration } from './duration.js';
import { type FieldRule, withRules } from './field-rule.js';
import { durationText, flag, oneOf, text, whole } from './quantities.js';
import { asMapping } from './raw-data.js';
import type { QuotaSettings, Refill } from './scenario.js';

const kinds = ['concurrency', 'requests', 'tokens'];

/** One limit of a provider or a model. */
export function quota(): z.ZodType<QuotaSettings> {
  return choice<QuotaSettings>([concurrencyQuota(), requestsQuota(), tokensQuota()], (value) =>
    pickByKey(kinds, 'a quota', value),
  );
}

function limit(what: string): z.ZodType<number> {
  return whole({ min: 0 }).describe(`${what} Whole number ≥ 0; 0 refuses everything.`);
}

function commonFields(defaultName: string): {
  name: z.ZodExactOptional<z.ZodType<string>>;
  refusedCount: z.ZodPrefault<z.ZodType<boolean>>;
} {
  return {
    name: z
      .exactOptional(text('the name of the quota'))
      .describe(`The key of its count in \`refusedBy\`. Default: \`${defaultName}\`.`),
    refusedCount: flag().prefault(false).describe('Whether a refused request counts as well.'),
  };
}

function concurrencyQuota(): z.ZodType<QuotaSettings> {
  return z
    .strictObject({
      ...commonFields('concurrency'),
      concurrency: limit('Requests in flight at once, from dispatch to answer.'),
    })
    .transform(({ name, concurrency, refusedCount }) => ({
      kind: 'concurrency' as const,
      name: name ?? 'concurrency',
      limit: concurrency,
      refusedCount,
    }));
}

function windowFields(): {
  per: z.ZodType<string | 0>;
  refill: z.ZodPrefault<z.ZodType<Refill>>;
  burst: z.ZodExactOptional<z.ZodType<number>>;
} {
  return {
    per: durationText({ positive: true }).describe('The window. A duration above 0: 1s, 1m, 1h.'),
    refill: oneOf(['token-bucket', 'fixed-window', 'sliding-window'])
      .prefault('token-bucket')
      .describe('How the quota comes back: continuously, at each full window, or as each use leaves the window.'),
    burst: z
      .exactOptional(whole({ min: 1 }))
      .describe('Capacity of the token bucket. Whole number ≥ 1. Default: the limit. Of no other refill.'),
  };
}

interface WindowSettings {
  readonly perMs: number;
  readonly refill: Refill;
  readonly burst: number;
}

function windowSettings(
  written: { readonly per: string | 0; readonly refill: Refill; readonly burst?: number },
  limited: number,
): WindowSettings {
  const per = readDuration(written.per);
  return {
    perMs: per.kind === 'duration' ? per.ms : 0,
    refill: written.refill,
    burst: written.burst ?? limited,
  };
}

const burstOfBucketOnly: FieldRule = {
  field: 'burst',
  message: 'belongs to refill: token-bucket; leave it out, or change refill',
  holds: ({ refill = 'token-bucket', burst }) => burst === undefined || refill === 'token-bucket',
};

function requestsQuota(): z.ZodType<QuotaSettings> {
  const written = z.strictObject({
    ...commonFields('requests-<per>'),
    requests: limit('Requests per window.'),
    ...windowFields(),
  });
  return withRules(written, burstOfBucketOnly).transform(({ name, requests, refusedCount, ...window }) => ({
    kind: 'requests' as const,
    name: name ?? `requests-${window.per}`,
    limit: requests,
    refusedCount,
    ...windowSettings(window, requests),
  }));
}

function tokensQuota(): z.ZodType<QuotaSettings> {
  const written = z.strictObject({
    ...commonFields('<counts>-tokens-<per>'),
    tokens: limit('Tokens per window.'),
    ...windowFields(),
    counts: oneOf(['input', 'output', 'total']).prefault('total').describe('Which tokens count.'),
    reserve: oneOf(['none', 'estimate', 'max-tokens'])
      .prefault('estimate')
      .describe('What is taken from the quota when a request is admitted, before its output is known.'),
    settle: oneOf(['refund', 'keep'])
      .prefault('refund')
      .describe('Whether what was reserved and not used comes back when the request is answered.'),
  });
  return withRules(written, burstOfBucketOnly).transform(
    ({ name, tokens, refusedCount, counts, reserve, settle, ...window }) => ({
      kind: 'tokens' as const,
      name: name ?? `${counts}-tokens-${window.per}`,
      limit: tokens,
      refusedCount,
      counts,
      reserve,
      settle,
      ...windowSettings(window, tokens),
    }),
  );
}

/** The name that a quota as written has or gets; undefined if what is written does not determine one. */
export function quotaNameOf(written: unknown): string | undefined {
  const fields = asMapping(written);
  if (fields === undefined) return undefined;
  if (typeof fields.name === 'string') return fields.name;
  if (fields.concurrency !== undefined) return 'concurrency';
  if (typeof fields.per !== 'string') return undefined;
  if (fields.requests !== undefined) return `requests-${fields.per}`;
  return fields.tokens === undefined ? undefined : `${fields.counts ?? 'total'}-tokens-${fields.per}`;
}
