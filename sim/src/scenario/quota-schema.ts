/**
 * Quotas as a scenario writes them: `concurrency`, `requests` or `tokens` in a window, or a `ramp`. Comes out as
 * `QuotaSettings`, every default filled in.
 */

import type { WindowSpec } from '@tidegate/providers-mock';
import { z } from 'zod';
import { choice, pickByKey } from './choice.js';
import { readDuration } from './duration.js';
import { type FieldRule, withRules } from './field-rule.js';
import { growing, limitFields, limitOverTime, othersPlaces, othersSpending } from './limit-over-time-schema.js';
import { duration, durationText, flag, oneOf, rate, share, text, timeOfDay, whole } from './quantities.js';
import { asMapping } from './raw-data.js';
import type { QuotaSettings } from './scenario.js';

const kinds = ['concurrency', 'requests', 'tokens', 'ramp'];

/** One limit of a provider or a model. */
export function quota(): z.ZodType<QuotaSettings> {
  return choice<QuotaSettings>([concurrencyQuota(), requestsQuota(), tokensQuota(), rampQuota()], (value) =>
    pickByKey(kinds, 'a quota', value, { known: 'name' }),
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
      ...limitFields(),
      others: z
        .exactOptional(othersPlaces())
        .describe('Other tenants, who hold places as well: { rate: 30/m, hold: 5s }.'),
    })
    .transform(({ name, concurrency, refusedCount, others, ...moving }) => ({
      kind: 'concurrency' as const,
      name: name ?? 'concurrency',
      limit: concurrency,
      refusedCount,
      ...limitOverTime(moving),
      ...(others && { others }),
    }));
}

/** Optional here means: not there in the settings either. */
const windowFields = {
  per: durationText({ positive: true }).describe('The window. A duration above 0: 1s, 1m, 1h.'),
  refill: oneOf(['token-bucket', 'fixed-window', 'sliding-window'])
    .prefault('token-bucket')
    .describe('How the quota comes back: continuously, at each full window, or as each use leaves the window.'),
  burst: z
    .exactOptional(whole({ min: 1 }))
    .describe('Capacity of the token bucket. Whole number ≥ 1. Default: the limit. Of no other refill.'),
  reset: z
    .exactOptional(timeOfDay())
    .describe(
      'A time of day at which a fixed window begins, with its zone if that is not UTC: 00:00-08:00. Default: windows begin with the run.',
    ),
  subWindow: z
    .exactOptional(duration({ positive: true }))
    .describe(
      'The limit is enforced over this shorter window as well, by its share, rounded up. Not of a token bucket.',
    ),
  ...limitFields(),
  growing: z
    .exactOptional(growing())
    .describe('The limit follows sustained success: { max: 600, by: 20%, every: 1m, use: 50% }.'),
  others: z
    .exactOptional(othersSpending())
    .describe('Other tenants, who use the same quota: { rate: 30/m, amount: 1000 }.'),
};

type WindowFields = z.output<z.ZodObject<typeof windowFields>>;

function windowSettings(written: WindowFields, limited: number): Omit<WindowSpec, 'name' | 'limit' | 'refusedCount'> {
  const { refill, burst, reset, subWindow, growing: grows, others, ...moving } = written;
  const per = readDuration(written.per);
  return {
    perMs: per.kind === 'duration' ? per.ms : 0,
    refill,
    burst: burst ?? limited,
    ...(reset !== undefined && { resetAtMs: reset }),
    ...(subWindow !== undefined && { subWindowMs: subWindow }),
    ...limitOverTime(moving),
    ...(grows && { growing: grows }),
    ...(others && { others }),
  };
}

const dayMs = 24 * 3_600_000;

function msOf(duration: unknown): number | undefined {
  const reading = readDuration(duration);
  return reading.kind === 'duration' ? reading.ms : undefined;
}

const windowRules: readonly FieldRule[] = [
  {
    field: 'burst',
    message: 'belongs to refill: token-bucket; leave it out, or change refill',
    holds: ({ refill = 'token-bucket', burst }) => burst === undefined || refill === 'token-bucket',
  },
  {
    field: 'reset',
    message: 'belongs to refill: fixed-window; a quota that comes back little by little has no reset',
    holds: ({ refill = 'token-bucket', reset }) => reset === undefined || refill === 'fixed-window',
  },
  {
    field: 'reset',
    message: 'needs a window that goes into a day a whole number of times, as 24h, 6h or 1h',
    holds: ({ per, reset }) => reset === undefined || dayMs % (msOf(per) || dayMs) === 0,
  },
  {
    field: 'subWindow',
    message: 'belongs to refill: fixed-window or sliding-window; a token bucket has its burst for that',
    holds: ({ refill = 'token-bucket', subWindow }) => subWindow === undefined || refill !== 'token-bucket',
  },
  {
    field: 'subWindow',
    message: 'must be shorter than per',
    // Durations may be as written or, where they were read, in milliseconds.
    holds: ({ per, subWindow }) => {
      const [partMs, wholeMs] = [typeof subWindow === 'number' ? subWindow : msOf(subWindow), msOf(per)];
      return partMs === undefined || wholeMs === undefined || partMs < wholeMs;
    },
  },
  {
    field: 'growing',
    message: 'has a max below the limit, from which it starts',
    holds: ({ growing: grows, requests, tokens }) => {
      const max = asMapping(grows)?.max;
      const start = requests ?? tokens;
      return typeof max !== 'number' || typeof start !== 'number' || max >= start;
    },
  },
];

function requestsQuota(): z.ZodType<QuotaSettings> {
  const written = z.strictObject({
    ...commonFields('requests-<per>'),
    requests: limit('Requests per window.'),
    ...windowFields,
  });
  return withRules(written, ...windowRules).transform(({ name, requests, refusedCount, ...window }) => ({
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
    ...windowFields,
    counts: oneOf(['input', 'output', 'total']).prefault('total').describe('Which tokens count.'),
    reserve: oneOf(['none', 'estimate', 'max-tokens', 'larger'])
      .prefault('estimate')
      .describe(
        'What is taken from the quota when a request is admitted, before its output is known: nothing, the prompt, the prompt and max_tokens, or the larger of the two.',
      ),
    settle: oneOf(['refund', 'keep'])
      .prefault('refund')
      .describe('Whether what was reserved and not used comes back when the request is answered.'),
    cached: oneOf(['counted', 'free'])
      .prefault('counted')
      .describe('Whether input tokens that the provider has in its prompt cache count.'),
    outputWeight: z
      .exactOptional(whole({ min: 1 }))
      .describe('What an output token costs of a total when the request is answered. Whole number ≥ 1. Default 1.'),
  });
  const rules: readonly FieldRule[] = [
    ...windowRules,
    {
      field: 'outputWeight',
      message: 'belongs to counts: total',
      holds: ({ counts = 'total', outputWeight }) => outputWeight === undefined || counts === 'total',
    },
    {
      field: 'cached',
      message: 'belongs to counts: input or total; no output comes out of a prompt cache',
      holds: ({ counts = 'total', cached }) => cached !== 'free' || counts !== 'output',
    },
  ];
  return withRules(written, ...rules).transform(
    ({ name, tokens, refusedCount, counts, reserve, settle, cached, outputWeight, ...window }) => ({
      kind: 'tokens' as const,
      name: name ?? `${counts}-tokens-${window.per}`,
      limit: tokens,
      refusedCount,
      counts,
      reserve,
      settle,
      ...(cached === 'free' && { cached }),
      ...(outputWeight !== undefined && { outputWeight }),
      ...windowSettings(window, tokens),
    }),
  );
}

/** Each window of a ramp is remembered twice. */
const mostRampWindows = 10_000;

function rampQuota(): z.ZodType<QuotaSettings> {
  const written = z.strictObject({
    ...commonFields('ramp'),
    ramp: share({ unbounded: true }).describe(
      'A limit on growth: by how much more than `over` ago may be used. A share: 50%, or 100% for twice as much.',
    ),
    over: duration({ positive: true }).describe('The time that the growth is measured over: 15m.'),
    above: rate().describe('Up to this rate, growth is free: 1000000/m. Its unit is also the window that is compared.'),
    counts: oneOf(['requests', 'input', 'output', 'total'])
      .prefault('total')
      .describe('What grows: requests, or tokens as they are asked for, an output by its max_tokens.'),
  });
  return withRules(written, {
    field: 'over',
    message: `must be a whole number of the unit of above, 1 to ${mostRampWindows}`,
    holds: ({ over, above }) => {
      const overMs = typeof over === 'number' ? over : msOf(over);
      const unit = asMapping(above)?.perMs;
      if (overMs === undefined || typeof unit !== 'number') return true;
      return Number.isInteger(overMs / unit) && overMs >= unit && overMs <= mostRampWindows * unit;
    },
  }).transform(({ name, ramp, over, above, counts, refusedCount }) => ({
    kind: 'ramp' as const,
    name: name ?? 'ramp',
    counts,
    limit: Math.floor(above.amount),
    perMs: above.perMs,
    growth: ramp,
    overMs: over,
    refusedCount,
  }));
}

/** The name that a quota as written has or gets; undefined if what is written does not determine one. */
export function quotaNameOf(written: unknown): string | undefined {
  const fields = asMapping(written);
  if (fields === undefined) return undefined;
  if (typeof fields.name === 'string') return fields.name;
  if (fields.concurrency !== undefined) return 'concurrency';
  if (fields.ramp !== undefined) return 'ramp';
  if (typeof fields.per !== 'string') return undefined;
  if (fields.requests !== undefined) return `requests-${fields.per}`;
  if (fields.tokens === undefined) return undefined;
  const { counts = 'total' } = fields;
  return typeof counts === 'string' ? `${counts}-tokens-${fields.per}` : undefined;
}
