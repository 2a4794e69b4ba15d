/**
 * The hint of a refusal as a scenario writes it: a word, a duration, or a mapping of how it is said and how it lies. Comes
 * out as `RetryAfterSettings`, every default filled in.
 */

import { z } from 'zod';
import { choice } from './choice.js';
import { type FieldRule, withRules } from './field-rule.js';
import { didYouMean } from './nearest.js';
import { duration, expected, number, oneOf, share, signedDuration } from './quantities.js';
import { asMapping } from './raw-data.js';
import type { RetryAfterSettings } from './scenario.js';

const plainHint = { as: 'seconds', rounding: 'none', error: 0 } as const;

const rules: readonly FieldRule[] = [
  {
    field: 'skew',
    message: 'belongs to as: http-date; nothing else tells a date',
    holds: ({ as = 'seconds', skew }) => skew === undefined || as === 'http-date',
  },
  {
    field: 'stale',
    message: 'belongs to a hint that is computed; a constant one is always as old',
    holds: ({ constant, stale }) => constant === undefined || stale === undefined,
  },
];

const described = withRules(
  z.strictObject({
    constant: z
      .exactOptional(duration())
      .describe('Always this wait, whatever refused. Default: exact, the wait until this request would fit.'),
    as: oneOf(['seconds', 'ms', 'http-date']).prefault('seconds').describe('How the hint is written.'),
    rounding: z
      .exactOptional(oneOf(['up', 'none']))
      .describe('Whether to whole seconds. Default: up for http-date, which cannot be finer; else none.'),
    error: share().prefault(0).describe('How far the hint may be off, either way. A share: 10% or 0.1.'),
    factor: z
      .exactOptional(number({ min: 0 }))
      .describe('A lie: what is said is this many times the wait that is meant. Number ≥ 0. Default 1.'),
    stale: z
      .exactOptional(duration({ positive: true }))
      .describe('How often the hint is computed; in between it is repeated and so too long. Default: always fresh.'),
    skew: z
      .exactOptional(signedDuration())
      .describe('How far the clock that writes the date is ahead of the one that stamps the answer. Default 0.'),
    scopes: z
      .exactOptional(
        z
          .array(oneOf(['concurrency', 'requests', 'tokens', 'ramp', 'overload']), {
            error: expected('a list of what may refuse, as [requests, tokens]'),
          })
          .min(1),
      )
      .describe('The refusals that carry a hint: concurrency, requests, tokens, ramp, overload. Default: all.'),
  }),
  ...rules,
).transform(({ constant, as, rounding, error, factor, stale, skew, scopes }): RetryAfterSettings => {
  const said = {
    as,
    rounding: rounding ?? (as === 'http-date' ? 'up' : 'none'),
    error,
    ...(factor !== undefined && { factor }),
    ...(stale !== undefined && { staleMs: stale }),
    ...(skew !== undefined && { skewMs: skew }),
    ...(scopes !== undefined && { scopes }),
  };
  return constant === undefined ? { kind: 'exact', ...said } : { kind: 'constant', ms: constant, ...said };
});

export function retryAfter(): z.ZodType<RetryAfterSettings> {
  const words = ['none', 'exact'] as const;
  return choice<RetryAfterSettings>(
    [
      z
        .enum(words, {
          error: ({ input }) =>
            expected('none, exact, a duration (20s) or { as, rounding, error, … }')({ input }) +
            (typeof input === 'string' ? didYouMean(input, words) : ''),
        })
        .transform((kind) => (kind === 'none' ? { kind } : { kind, ...plainHint })),
      duration().transform((ms) => ({ kind: 'constant' as const, ms, ...plainHint })),
      described,
    ],
    (value) => {
      const isDuration = typeof value === 'number' || (typeof value === 'string' && /^[-+\d.]/.test(value));
      return { kind: 'branch', index: asMapping(value) !== undefined ? 2 : isDuration ? 1 : 0 };
    },
  );
}
