/**
 * How a limit moves by itself, and who else uses it, as a scenario writes it. Comes out in the shapes of
 * @tidegate/providers-mock; a quota that says nothing of this gets none of it.
 */

import type {
  GrowthSpec,
  LimitOverTime,
  OthersPlaces,
  OthersSpending,
  ScheduleEntry,
  SqueezeSpec,
} from '@tidegate/providers-mock';
import { z } from 'zod';
import { withRules } from './field-rule.js';
import { duration, expected, meanGap, meanTime, share, timeOfDay, whole } from './quantities.js';

/** The fields of a quota whose limit moves. */
export interface LimitFields {
  readonly schedule: z.ZodExactOptional<z.ZodType<readonly ScheduleEntry[]>>;
  readonly squeeze: z.ZodExactOptional<z.ZodType<SqueezeSpec>>;
}

export function limitFields(): LimitFields {
  return {
    schedule: z
      .exactOptional(anySchedule)
      .describe('Another limit at certain times of the day: [{ from: 15:00+08:00, to: 18:00+08:00, limit: 3 }].'),
    squeeze: z
      .exactOptional(anySqueeze)
      .describe('A lower limit now and then, at random times, whatever the load: { every: 20m, for: 5m, limit: 3 }.'),
  };
}

/** What is there, as `LimitOverTime` has it. */
export function limitOverTime({ schedule, squeeze }: Partial<LimitOverTime>): LimitOverTime {
  return { ...(schedule?.length && { schedule }), ...(squeeze && { squeeze }) };
}

const entry = withRules(
  z.strictObject(
    {
      from: timeOfDay().describe('From this time of day on.'),
      to: timeOfDay().describe('Until just before this one; over midnight if it is the earlier.'),
      limit: whole({ min: 0 }).describe('The limit at these times. Whole number ≥ 0.'),
    },
    { error: expected('an entry, as { from: 15:00, to: 18:00, limit: 3 }') },
  ),
  { field: 'to', message: 'is the same time as from', holds: ({ from, to }) => from === undefined || from !== to },
).transform(({ from, to, limit }) => ({ fromMs: from, toMs: to, limit }));

const anySchedule = z.array(entry, { error: expected('a list of entries, as [{ from: 15:00, to: 18:00, limit: 3 }]') });

const anySqueeze = z
  .strictObject(
    {
      every: meanTime().describe('The mean time between two squeezes. A duration of at least 1ms.'),
      for: meanTime().describe('The mean length of one. A duration of at least 1ms.'),
      limit: whole({ min: 0 }).describe('The limit then, if it is the lower one. Whole number ≥ 0.'),
    },
    { error: expected('{ every, for, limit }') },
  )
  .transform((written) => ({ everyMs: written.every, forMs: written.for, limit: written.limit }));

export function growing(): z.ZodType<GrowthSpec> {
  return anyGrowth;
}

const anyGrowth = z
  .strictObject(
    {
      max: whole({ min: 1 }).describe('The highest limit. Whole number ≥ 1.'),
      by: share({ positive: true, unbounded: true })
        .prefault('20%')
        .describe('How much higher the next limit is, or how much lower. A share above 0.'),
      every: meanTime().prefault('1m').describe('After each such period the limit moves. A duration of at least 1ms.'),
      use: share({ positive: true })
        .prefault('50%')
        .describe('It grows if successful requests used this much of it; else it falls back. A share above 0.'),
    },
    { error: expected('{ max, by, every, use }') },
  )
  .transform(({ max, by, every, use }) => ({ max, growth: by, everyMs: every, use }));

export function othersSpending(): z.ZodType<OthersSpending> {
  return anySpending;
}

const othersRate = meanGap().describe(
  'How often others come, in the mean, at random times. A rate up to 1000/s: 30/m.',
);

const anySpending = z
  .strictObject(
    {
      rate: othersRate,
      amount: whole({ min: 1 }).prefault(1).describe('What each of them takes. Whole number ≥ 1.'),
    },
    { error: expected('{ rate, amount }') },
  )
  .transform((written) => ({ everyMs: written.rate, amount: written.amount }));

export function othersPlaces(): z.ZodType<OthersPlaces> {
  return anyPlaces;
}

const anyPlaces = z
  .strictObject(
    {
      rate: othersRate,
      hold: duration({ positive: true }).describe('How long each of them holds a place. A duration above 0.'),
    },
    { error: expected('{ rate, hold }') },
  )
  .transform((written) => ({ everyMs: written.rate, holdMs: written.hold }));
