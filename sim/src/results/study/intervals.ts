/**
 * Means with their confidence intervals, of samples and of paired differences. Runs of two settings on one seed see the
 * same arrivals, sizes and latencies, so their difference varies less than either of them: pairs are compared, never means.
 */

import jStat from 'jstat';

export interface Estimate {
  readonly mean: number;
  /** Half of the width of the interval around the mean; null where one sample says nothing of the spread. */
  readonly halfWidth: number | null;
  readonly samples: number;
}

export interface IntervalOptions {
  /** Between 0 and 1; default 0.95. */
  readonly confidence?: number;
  /** How many intervals must hold at once (Bonferroni: each gets its share of the risk); whole number ≥ 1, default 1. */
  readonly comparisons?: number;
}

/** Student's t interval of the mean; null for no samples. */
export function estimate(
  samples: readonly number[],
  { confidence = 0.95, comparisons = 1 }: IntervalOptions = {},
): Estimate | null {
  const n = samples.length;
  if (n === 0) return null;
  // A sum of equal numbers would leave a spread of its last bits.
  const isConstant = samples.every((x) => x === samples[0]);
  const mean = isConstant ? samples[0]! : samples.reduce((sum, x) => sum + x, 0) / n;
  if (n === 1) return { mean, halfWidth: null, samples: n };
  const variance = samples.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
  const t = tQuantile(1 - (1 - confidence) / comparisons / 2, n - 1);
  return { mean, halfWidth: t * Math.sqrt(variance / n), samples: n };
}

/** Of `a - b`, pair by pair; a pair with a missing side is left out. */
export function pairedDifference(
  a: readonly (number | null)[],
  b: readonly (number | null)[],
  options: IntervalOptions = {},
): Estimate | null {
  const differences = a.flatMap((x, i) => {
    const y = b[i];
    return x === null || y === null || y === undefined ? [] : [x - y];
  });
  return estimate(differences, options);
}

/** Whether the interval leaves no doubt that the mean is not 0. A spread that nobody knows leaves doubt. */
export function isBeyondNoise({ mean, halfWidth }: Estimate): boolean {
  return halfWidth !== null && Math.abs(mean) > halfWidth;
}

const quantiles = new Map<string, number>();

/** Inverting the distribution takes a hundred times as long as all else here, and few of its values are ever asked for. */
function tQuantile(probability: number, degrees: number): number {
  const name = `${probability} ${degrees}`;
  let quantile = quantiles.get(name);
  if (quantile === undefined) {
    quantile = jStat.studentt.inv(probability, degrees);
    quantiles.set(name, quantile);
  }
  return quantile;
}
