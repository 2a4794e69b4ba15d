/**
 * The scalars of the scenario language as schemas: each has one message that says what is allowed, whatever is wrong
 * with the value. Durations come out in milliseconds, shares as fractions.
 */

import { z } from 'zod';
import { durationPattern, readDuration } from './duration.js';
import { echo } from './echo.js';
import { didYouMean } from './nearest.js';

/** The message about a value that is absent or not what is expected. */
export function expected(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `is missing; expected ${what}` : `expected ${what}, got ${echo(input)}`);
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

function rangeWords({ min, max, above, below }: Range): string {
  if (above !== undefined && below !== undefined) return ` between ${above} and ${below}, both excluded`;
  if (above !== undefined) return ` above ${above}`;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  return min === undefined ? '' : ` ≥ ${min}`;
}

function withRange(number: z.ZodNumber, { min, max, above, below }: Range): z.ZodType<number> {
  let ranged = number;
  if (min !== undefined) ranged = ranged.min(min);
  if (max !== undefined) ranged = ranged.max(max);
  if (above !== undefined) ranged = ranged.gt(above);
  if (below !== undefined) ranged = ranged.lt(below);
  return ranged;
}

/** Any finite number of the range. */
export function number(range: Range = {}): z.ZodType<number> {
  return withRange(z.number({ error: expected(`a number${rangeWords(range)}`) }), range);
}

/** A whole number that JavaScript represents exactly. */
export function whole(range: Range = {}): z.ZodType<number> {
  return withRange(z.int({ error: expected(`a whole number${rangeWords(range)}`) }), range);
}

export function flag(): z.ZodType<boolean> {
  return z.boolean({ error: expected('true or false') });
}

/** Text that is not empty. `what` says of what: "a file name". */
export function text(what: string): z.ZodType<string> {
  return z.string({ error: expected(what) }).min(1);
}

/** One of the names. */
export function oneOf<const Names extends readonly [string, ...string[]]>(names: Names): z.ZodType<Names[number]> {
  return z.enum(names, { error: ({ input }) => oneOfMessage(input, names) });
}

function oneOfMessage(input: unknown, names: readonly string[]): string {
  const base = expected(names.join(' | '))({ input });
  return typeof input === 'string' ? base + didYouMean(input, names) : base;
}

/** A duration as it is written, valid. With `positive`, not 0. */
export function durationText({ positive = false }: { readonly positive?: boolean } = {}): z.ZodType<string | 0> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    durationFault(input, positive) ?? 'expected a duration';
  const written = z.string({ error }).regex(durationPattern);
  // The shape alone lets through what is too long, and `0s` where more than 0 is wanted.
  const shape = positive ? written : z.union([written, z.literal(0, { error })], { error });
  return shape.superRefine((value, context) => {
    const message = durationFault(value, positive);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function durationFault(value: unknown, positive: boolean): string | undefined {
  if (value === undefined) return 'is missing; expected a duration with its unit (250ms, 20s, 5m, 1h)';
  const reading = readDuration(value);
  if (reading.kind === 'problem') return reading.message;
  return positive && reading.ms === 0 ? `expected a duration above 0, got ${echo(value)}` : undefined;
}

function inMs(written: z.ZodType<string | 0>, id: string): z.ZodType<number> {
  const read = written.transform((value) => {
    const reading = readDuration(value);
    return reading.kind === 'duration' ? reading.ms : 0;
  });
  return read.meta({ id });
}

const anyDuration = inMs(durationText(), 'duration');
const positiveDuration = inMs(durationText({ positive: true }), 'durationAboveZero');

/** A duration in milliseconds. With `positive`, not 0. */
export function duration({ positive = false }: { readonly positive?: boolean } = {}): z.ZodType<number> {
  return positive ? positiveDuration : anyDuration;
}

/** The mean time of something that happens again and again: a run that takes a day must get through a day of it. */
export function meanTime(): z.ZodType<number> {
  return anyMeanTime;
}

const shortestMeanMs = 1;
/** Of episodes: what has passed of them while nobody asked is gone through when somebody does. */
const shortestEpisodeMs = 100;

const anyMeanTime = positiveDuration
  .refine((ms) => ms >= shortestEpisodeMs, { error: `must be at least ${shortestEpisodeMs}ms` })
  .meta({ id: 'meanTime' });

/** A duration in milliseconds that may be negative: `-30s`. */
export function signedDuration(): z.ZodType<number> {
  const error = expected('a duration, negative or not (30s, -30s)');
  return z
    .union([z.string({ error }).regex(signedPattern), z.literal(0, { error })], { error })
    .transform((value, context) => {
      const isNegative = typeof value === 'string' && value.startsWith('-');
      const reading = readDuration(isNegative ? value.slice(1) : value);
      // Not -0, which JSON does not know.
      if (reading.kind === 'duration') return isNegative && reading.ms > 0 ? -reading.ms : reading.ms;
      context.addIssue({ code: 'custom', message: reading.message });
      return z.NEVER;
    })
    .meta({ id: 'signedDuration' });
}

const signedPattern = new RegExp(durationPattern.source.replace('^', '^-?'));

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const timeOfDayPattern = /^([01]\d|2[0-3]):([0-5]\d)(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

/** A time of day, with its zone if that is not UTC: `00:00-08:00`. Comes out in milliseconds after midnight UTC. */
export function timeOfDay(): z.ZodType<number> {
  return anyTimeOfDay;
}

const anyTimeOfDay = z
  .string({ error: expected('a time of day, 00:00 to 23:59, with its zone if that is not UTC (15:00+08:00)') })
  .regex(timeOfDayPattern)
  .transform((text) => {
    const [, hours, minutes, zone = 'Z'] = timeOfDayPattern.exec(text) as unknown as [string, string, string, string?];
    const sign = zone.startsWith('-') ? -1 : 1;
    const ahead = zone === 'Z' ? 0 : sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
    return ((Number(hours) * 60 + Number(minutes) - ahead) * minuteMs + dayMs) % dayMs;
  })
  .meta({ id: 'timeOfDay' });

/** So many in a second, a minute or an hour. */
export interface Rate {
  readonly amount: number;
  readonly perMs: number;
}

const ratePattern = /^(\d{1,15}(?:\.\d{1,15})?)\/([smh])$/;
const rateUnits: Readonly<Record<string, number>> = { s: 1000, m: minuteMs, h: 60 * minuteMs };

/** A rate above 0: `2/s`, `30/m`, `0.5/h`. */
export function rate(): z.ZodType<Rate> {
  return anyRate;
}

const rateError = expected('a rate above 0, as 2/s, 30/m or 0.5/h');
const anyRate = z
  .string({ error: rateError })
  .regex(ratePattern)
  .transform((text, context) => {
    const [, amount, unit] = ratePattern.exec(text) as unknown as [string, string, string];
    if (Number(amount) > 0) return { amount: Number(amount), perMs: rateUnits[unit] ?? 1000 };
    context.addIssue({ code: 'custom', message: rateError({ input: text }) });
    return z.NEVER;
  })
  .meta({ id: 'rate' });

/** The mean time between two of what comes at such a rate. */
export function meanGap(): z.ZodType<number> {
  return anyMeanGap;
}

const anyMeanGap = anyRate
  .transform(({ amount, perMs }) => perMs / amount)
  .refine((ms) => ms >= shortestMeanMs, { error: `must be at most ${1000 / shortestMeanMs}/s` })
  .meta({ id: 'meanGap' });

const sharePattern = /^\d+(\.\d+)?%$/;

export interface ShareRange {
  /** Not 0. */
  readonly positive?: boolean;
  /** 150% is one too: an addition, not a part. */
  readonly unbounded?: boolean;
}

/** A share of one: `10%` or `0.1`. */
export function share({ positive = false, unbounded = false }: ShareRange = {}): z.ZodType<number> {
  const what = unbounded ? 'a share, 50% or 0.5' : 'a share, 0% to 100% or 0 to 1';
  const error = expected(positive ? `${what}, and above 0` : what);
  const fraction = z.number({ error }).min(0);
  return z
    .union([z.string({ error }).regex(sharePattern), unbounded ? fraction : fraction.max(1)], { error })
    .transform((value, context) => {
      const fraction = readShare(value);
      const isInRange = fraction !== undefined && (unbounded || fraction <= 1) && (!positive || fraction > 0);
      if (isInRange && Number.isFinite(fraction)) return fraction;
      context.addIssue({ code: 'custom', message: error({ input: value }) });
      return z.NEVER;
    });
}

/** A percentage or a number as a fraction; undefined for anything else. May be above 1. */
export function readShare(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  // Divided, not multiplied: 57 × 0.01 is not 0.57.
  return typeof value === 'string' && sharePattern.test(value) ? Number(value.slice(0, -1)) / 100 : undefined;
}
