/**
 * The distribution behind some measured values: of those that people use for latencies, the one that makes the values
 * likeliest, a free number more to be earned.
 */

import { normalCdf } from '../kernel/normal.js';

export interface FittedDistribution {
  readonly kind: 'constant' | 'lognormal' | 'exponential' | 'normal' | 'uniform';
  /** Its numbers, in the unit of the values. */
  readonly numbers: Readonly<Record<string, number>>;
  /** The largest distance between the measured shares and its own (Kolmogorov–Smirnov); 0 = the same. */
  readonly distance: number;
  readonly count: number;
}

const Z95 = 1.6448536269514722;
/** Spread below which values are taken to be one: what a timer is off. */
const ONE = 0.02;

/** @param values ≥ 0, in any order. Undefined for none. */
export function fitDistribution(values: readonly number[]): FittedDistribution | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  if (count === 0) return undefined;
  const at = (part: number): number => sorted[Math.min(count - 1, Math.floor(part * count))] as number;
  const median = at(0.5);
  if (at(0.95) - at(0.05) <= ONE * median || count < 5) {
    return { kind: 'constant', numbers: { value: median }, distance: 0, count };
  }
  const fits = candidates(sorted).sort((a, b) => a.cost - b.cost);
  const { kind, numbers, cdf } = fits[0] as Candidate;
  const distance = sorted.reduce((most, x, i) => Math.max(most, Math.abs(cdf(x) - (i + 0.5) / count)), 0);
  return { kind, numbers, distance, count };
}

interface Candidate {
  readonly kind: FittedDistribution['kind'];
  readonly numbers: Readonly<Record<string, number>>;
  /** Twice the negative log-likelihood, and two for each number. */
  readonly cost: number;
  cdf(x: number): number;
}

function candidates(sorted: readonly number[]): Candidate[] {
  const count = sorted.length;
  const [low, high] = [sorted[0] as number, sorted.at(-1) as number];
  const mean = meanOf(sorted);
  const sd = Math.sqrt(meanOf(sorted.map((x) => (x - mean) ** 2)));
  const found: Candidate[] = [
    {
      kind: 'uniform',
      numbers: { min: low, max: high },
      cost: 2 * count * Math.log(high - low) + 4,
      cdf: (x) => (x - low) / (high - low),
    },
    {
      kind: 'normal',
      numbers: { mean, sd },
      cost: count * (Math.log(2 * Math.PI * sd ** 2) + 1) + 4,
      cdf: (x) => normalCdf((x - mean) / sd),
    },
    {
      kind: 'exponential',
      numbers: { mean },
      cost: 2 * count * (Math.log(mean) + 1) + 2,
      cdf: (x) => 1 - Math.exp(-x / mean),
    },
  ];
  if (low > 0) {
    const logs = sorted.map(Math.log);
    const mu = meanOf(logs);
    const sigma = Math.sqrt(meanOf(logs.map((x) => (x - mu) ** 2)));
    found.push({
      kind: 'lognormal',
      numbers: { median: Math.exp(mu), p95: Math.exp(mu + Z95 * sigma) },
      cost: count * (Math.log(2 * Math.PI * sigma ** 2) + 1 + 2 * mu) + 4,
      cdf: (x) => normalCdf((Math.log(x) - mu) / sigma),
    });
  }
  return found;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
