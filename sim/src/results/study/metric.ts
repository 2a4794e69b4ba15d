/** The figures that settings and controllers are compared by: their names, their units, and which way is better. */

import type { MeasureFigures } from '../measures/measures.js';

export type MetricUnit = 'duration' | 'share' | 'number';

export interface Metric {
  /** As a path of `summary.json` where the summary has the figure; durations without `Ms`. */
  readonly name: string;
  /** In a sentence or a table's head. */
  readonly label: string;
  readonly unit: MetricUnit;
  readonly better: 'lower' | 'higher';
  readonly meaning: string;
}

/** A metric that is read off the measures of a single run. */
interface MeasuredMetric extends Metric {
  readonly of: (figures: MeasureFigures) => number | null;
}

const MEASURED: readonly MeasuredMetric[] = [
  {
    ...{ name: 'makespan', label: 'makespan', unit: 'duration', better: 'lower' },
    meaning: 'until the last answer',
    of: ({ makespanMs }) => makespanMs,
  },
  {
    ...{ name: 'refused.share', label: 'refused share', unit: 'share', better: 'lower' },
    meaning: 'refused attempts of all attempts',
    of: ({ refusedShare }) => refusedShare,
  },
  {
    ...{ name: 'refusalsPerThousand', label: '429s per 1000 successes', unit: 'number', better: 'lower' },
    meaning: 'refused attempts for each thousand requests that succeeded',
    of: ({ refusalsPerThousand }) => refusalsPerThousand,
  },
  {
    ...{ name: 'utilisation', label: 'utilisation', unit: 'share', better: 'higher' },
    meaning: "of the provider's limit over time, as far as there were requests to use it",
    of: ({ utilisation }) => utilisation,
  },
  {
    ...{ name: 'converge', label: 'time to converge', unit: 'duration', better: 'lower' },
    meaning: 'until the cap stays near the first limit',
    of: ({ convergeMs }) => convergeMs,
  },
  {
    ...{ name: 'recover', label: 'time to recover', unit: 'duration', better: 'lower' },
    meaning: 'until the cap stays near a limit that has changed; the longest of all changes',
    of: ({ recoverMs }) => recoverMs,
  },
  {
    ...{ name: 'overshoot', label: 'overshoot', unit: 'share', better: 'lower' },
    meaning: 'the most by which the cap exceeds a limit that it had found, as a share of the limit',
    of: ({ overshoot }) => overshoot,
  },
  {
    ...{ name: 'latencyMs.wait.p99', label: 'p99 wait', unit: 'duration', better: 'lower' },
    meaning: 'the 99th percentile of the wait for admission',
    of: ({ waitP99Ms }) => waitP99Ms,
  },
  {
    ...{ name: 'fairness', label: "fairness (Jain's index)", unit: 'number', better: 'higher' },
    meaning: 'how evenly the runs are served while all of them are open; 1 is even',
    of: ({ fairness }) => fairness,
  },
  {
    ...{ name: 'tokens', label: 'tokens burned', unit: 'number', better: 'lower' },
    meaning:
      'input and output of all successes, repeated ones too, and of attempts that failed or were given up as far as they came',
    of: ({ tokens }) => tokens,
  },
  {
    ...{ name: 'throughput', label: 'successes per second', unit: 'number', better: 'higher' },
    meaning: 'over the makespan',
    of: ({ throughput }) => throughput,
  },
  {
    ...{ name: 'requests.lost', label: 'lost requests', unit: 'number', better: 'lower' },
    meaning: 'requests whose last attempt was no success',
    of: ({ lost }) => lost,
  },
];

/** In the order in which they are shown. */
export const METRICS: readonly Metric[] = MEASURED.map(({ of: _, ...metric }) => metric);

/** Against the oracle on the same seed: how much longer each success took. No figure of one run alone. */
export const REGRET: Metric = {
  name: 'regret',
  label: 'regret',
  unit: 'share',
  better: 'lower',
  meaning: 'how much longer each success took than under the oracle, on the same seed',
};

/** By name of the metric; null where the run had nothing to measure. */
export function metricValues(figures: MeasureFigures): Record<string, number | null> {
  return Object.fromEntries(MEASURED.map(({ name, of }) => [name, of(figures)]));
}

export function metricNamed(name: string): Metric | undefined {
  return name === REGRET.name ? REGRET : METRICS.find((metric) => metric.name === name);
}
