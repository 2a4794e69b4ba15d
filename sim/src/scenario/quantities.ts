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
  readonly above?: number;
  readonly below?: number;
}

function rangeWords({ min, above, below }: Range): string {
  if (above !== undefined && below !== undefined) return ` between ${above} and ${below}, both excluded`;
  if (above !== undefined) return ` above ${above}`;
  return min === undefined ? '' : ` ≥ ${min}`;
}

function withRange(number: z.ZodNumber, { min, above, below }: Range): z.ZodType<number> {
  let ranged = number;
  if (min !== undefined) ranged = ranged.min(min);
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

const sharePattern = /^\d+(\.\d+)?%$/;

/** A share of one: `10%` or `0.1`. */
export function share(): z.ZodType<number> {
  const error = expected('a share, 0% to 100% or 0 to 1');
  return z
    .union([z.string({ error }).regex(sharePattern), z.number({ error }).min(0).max(1)], { error })
    .transform((value, context) => {
      const fraction = readShare(value);
      if (fraction !== undefined && fraction <= 1) return fraction;
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
