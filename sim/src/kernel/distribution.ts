/**
 * Distributions of durations, sizes and counts: what a scenario may state, how it is sampled and what its mean is. No
 * sample is negative. Samples come from the stream that is passed in and from nothing else. One sample takes one number
 * from it (erlang: k), by the inverse of the distribution function and increasing with that number: two settings sampled
 * from the same stream see the same luck, sample by sample. A constant takes its number too, so that making it random
 * shifts nobody else on the stream.
 */

import { normalCdf, normalDensity, normalQuantile } from './normal.js';
import type { RandomStream } from './random.js';

/** A distribution as a scenario states it, its numbers already in the unit they are used in (ms, tokens, …). */
export type Distribution =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  | { readonly kind: 'exponential'; readonly mean: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly p95: number }
  /** Of the values below 0 there are none, and the others keep their proportions; `mean` and `sd` are those of the whole bell. */
  | { readonly kind: 'normal'; readonly mean: number; readonly sd: number }
  | { readonly kind: 'erlang'; readonly k: number; readonly mean: number }
  | { readonly kind: 'pareto'; readonly min: number; readonly alpha: number }
  | { readonly kind: 'empirical'; readonly values: readonly number[] };

/** `normalQuantile(0.95)`, written out: the 95th percentile of a lognormal is median × exp(Z95 × sigma). */
const Z95 = 1.6448536269514722;

/** Draws the next sample from a stream; one sampler serves any number of streams and holds nothing of them. */
export type Sampler = (stream: RandomStream) => number;

/** What draws samples of `d`. Throws RangeError for numbers that describe no distribution. */
export function sampler(d: Distribution): Sampler {
  requireValid(d);
  switch (d.kind) {
    case 'constant':
      return (stream) => {
        stream.next();
        return d.value;
      };
    case 'uniform':
      return (stream) => d.min + stream.next() * (d.max - d.min);
    case 'exponential':
      return (stream) => rounded(d.mean * -Math.log(1 - stream.next()));
    case 'lognormal': {
      const sigma = sigmaOf(d);
      return (stream) => rounded(d.median * Math.exp(sigma * normalQuantile(Math.max(stream.next(), SMALLEST_P))));
    }
    case 'normal': {
      const mass = massAboveZero(d);
      return (stream) =>
        rounded(Math.max(0, d.mean - d.sd * normalQuantile(Math.min(mass * (1 - stream.next()), LARGEST_P))));
    }
    case 'erlang':
      return (stream) => rounded((d.mean / d.k) * sumOfExponentials(d.k, stream));
    case 'pareto':
      return (stream) => Math.max(d.min, rounded(d.min / (1 - stream.next()) ** (1 / d.alpha)));
    case 'empirical':
      return (stream) => d.values[Math.floor(stream.next() * d.values.length)] as number;
  }
}

/** The mean of what `sampler` draws. Infinity for a pareto with alpha ≤ 1. Throws RangeError like `sampler`. */
export function mean(d: Distribution): number {
  requireValid(d);
  switch (d.kind) {
    case 'constant':
      return d.value;
    case 'uniform':
      return (d.min + d.max) / 2;
    case 'exponential':
    case 'erlang':
      return d.mean;
    case 'lognormal':
      return d.median * Math.exp(sigmaOf(d) ** 2 / 2);
    case 'normal':
      return d.sd === 0 ? d.mean : d.mean + (d.sd * normalDensity(d.mean / d.sd)) / massAboveZero(d);
    case 'pareto':
      return d.alpha > 1 ? (d.alpha * d.min) / (d.alpha - 1) : Number.POSITIVE_INFINITY;
    case 'empirical':
      return d.values.reduce((sum, value) => sum + value, 0) / d.values.length;
  }
}

// A stream may give 0, and 1 - 2^-53 at most; the quantile needs a p strictly between 0 and 1.
const SMALLEST_P = 2 ** -54;
const LARGEST_P = 1 - 2 ** -53;

function sigmaOf(d: Extract<Distribution, { kind: 'lognormal' }>): number {
  return Math.log(d.p95 / d.median) / Z95;
}

/** The share of the bell that truncation at 0 leaves. */
function massAboveZero(d: Extract<Distribution, { kind: 'normal' }>): number {
  return d.sd === 0 ? 1 : normalCdf(d.mean / d.sd);
}

function sumOfExponentials(k: number, stream: RandomStream): number {
  let sum = 0;
  for (let drawn = 0; drawn < k; drawn += 1) sum -= Math.log(1 - stream.next());
  return sum;
}

// Math.log, exp and pow may differ in the last bit from engine to engine. Rounding to 20 significant bits (steps of one
// millionth of the value: about a microsecond in a second, the resolution of the clock) makes the sample the same
// everywhere, unless the difference straddles a step, once in 10^10 samples. Binary, because rounding to decimal digits is
// twenty times slower: x × (2^33 + 1), split as by T. J. Dekker, Numerische Mathematik 18, 1971, leaves the upper 53 - 33
// bits. What +, -, × and ÷ alone compute is the same everywhere already and stays exact.
const SPLIT = 2 ** 33 + 1;

/** `x` to 20 significant bits. At most 2^53 - 1: the far tail of a heavy distribution must stay finite. */
function rounded(x: number): number {
  const bounded = Math.min(x, Number.MAX_SAFE_INTEGER);
  const scaled = bounded * SPLIT;
  // The sum turns -0 into 0.
  return scaled - (scaled - bounded) + 0;
}

function requireValid(d: Distribution): void {
  for (const [name, value, holds, allowed] of demandsOf(d)) {
    if (Number.isFinite(value) && holds) continue;
    throw new RangeError(`${d.kind}: ${name} must be a finite number ${allowed}, got ${value}`);
  }
}

type Demand = readonly [name: string, value: number, holds: boolean, allowed: string];

function demandsOf(d: Distribution): readonly Demand[] {
  switch (d.kind) {
    case 'constant':
      return [['value', d.value, d.value >= 0, '>= 0']];
    case 'uniform':
      return [
        ['min', d.min, d.min >= 0, '>= 0'],
        ['max', d.max, d.max >= d.min, `>= min (${d.min})`],
      ];
    case 'exponential':
      return [['mean', d.mean, d.mean >= 0, '>= 0']];
    case 'lognormal':
      return [
        ['median', d.median, d.median > 0, '> 0'],
        ['p95', d.p95, d.p95 >= d.median, `>= median (${d.median})`],
      ];
    case 'normal':
      return [
        ['mean', d.mean, d.mean >= 0, '>= 0'],
        ['sd', d.sd, d.sd >= 0, '>= 0'],
      ];
    case 'erlang':
      return [
        ['k', d.k, Number.isInteger(d.k) && d.k >= 1, '>= 1 without a fraction'],
        ['mean', d.mean, d.mean >= 0, '>= 0'],
      ];
    case 'pareto':
      return [
        ['min', d.min, d.min > 0, '> 0'],
        ['alpha', d.alpha, d.alpha > 0, '> 0'],
      ];
    case 'empirical':
      return [
        ['the number of values', d.values.length, d.values.length > 0, '> 0'],
        ...d.values.map((value, index): Demand => [`values[${index}]`, value, value >= 0, '>= 0']),
      ];
  }
}
