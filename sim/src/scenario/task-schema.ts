/** The context of an agent and the limits of its tasks as a scenario writes them, every default filled in. */

import { z } from 'zod';
import { withRules } from './field-rule.js';
import { duration, expected, share, whole } from './quantities.js';
import type { ContextSettings, LimitsSettings } from './task-settings.js';

const MOST_TOKENS = 1_000_000_000;
const MOST_STEPS = 1_000_000_000;

export function context(): z.ZodType<ContextSettings> {
  const tokens = (min: number): z.ZodType<number> => whole({ min, max: MOST_TOKENS });
  const written = z.strictObject(
    {
      fixed: tokens(0).prefault(2000).describe('Tokens sent with every request: instructions, tools. Default 2000.'),
      keepTurns: whole({ min: 0, max: 1000 })
        .prefault(3)
        .describe('Latest turns that a compaction leaves as they are. Whole number from 0 to 1000; default 3.'),
      summary: tokens(1).prefault(500).describe('Tokens of the summary of older turns. Default 500.'),
      window: tokens(1).prefault(128_000).describe('Tokens that a request may have at most. Default 128000.'),
      compactAt: share({ positive: true })
        .prefault(0.7)
        .describe('Share of the window above which older turns are summarised, by a request. Default 70%.'),
    },
    { error: expected('a mapping, as { window: 128000, compactAt: 70% }') },
  );
  return withRules(written, {
    field: 'window',
    message: 'must be above fixed + summary: no request would fit',
    holds: ({ window = 128_000, fixed = 2000, summary = 500 }) =>
      typeof window !== 'number' ||
      typeof fixed !== 'number' ||
      typeof summary !== 'number' ||
      window > fixed + summary,
  });
}

export function limits(): z.ZodType<LimitsSettings> {
  return z
    .strictObject(
      {
        steps: z
          .exactOptional(whole({ min: 1, max: MOST_STEPS }))
          .describe('Model requests of one ask, summaries not counted. Whole number ≥ 1. Default: none.'),
        tokens: z
          .exactOptional(whole({ min: 1 }))
          .describe('Input and output tokens of one ask. Whole number ≥ 1. Default: none.'),
        time: z
          .exactOptional(duration({ positive: true }))
          .describe('Of one ask, from its start; a request under way is let finish. Above 0. Default: none.'),
      },
      { error: expected('a mapping, as { steps: 10, tokens: 200000, time: 10m }') },
    )
    .transform(({ steps, tokens, time }) => ({ steps: steps ?? null, tokens: tokens ?? null, timeMs: time ?? null }));
}
