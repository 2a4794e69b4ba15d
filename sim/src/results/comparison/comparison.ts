/**
 * Controllers compared on one scenario: every one on the same seeds, so that they see the same arrivals, sizes and
 * latencies, and differ pair by pair. Plain data, `compare.json`; a pure function of the runs.
 */

import { type Estimate, estimate, pairedDifference } from '../study/intervals.js';
import { METRICS, type Metric, REGRET } from '../study/metric.js';
import { isComplete, type RunRow } from '../study/run-row.js';
import type { CellRows } from '../study/study.js';
import { regretOf } from '../tuning/cell-figures.js';

export const ORACLE = 'oracle';

/** What is compared, in the order in which it is shown. */
export const COMPARED: readonly Metric[] = [METRICS[0]!, REGRET, ...METRICS.slice(1)];

export interface Comparison {
  readonly scenario: string;
  readonly version: string;
  readonly seeds: number;
  /** Whether the intervals became narrow enough, or the greatest number of seeds came first. */
  readonly stopped: 'narrow' | 'bound';
  /** The first is what the others are compared with. */
  readonly contenders: readonly Contender[];
  /** Of every other contender against the first, of every metric that both have. */
  readonly differences: readonly Difference[];
}

export interface Contender {
  readonly name: string;
  /** Runs that came to their end, of all. */
  readonly finished: number;
  /** What became of the others. */
  readonly note?: string;
  readonly metrics: Readonly<Record<string, Estimate | null>>;
}

/** The contender minus the first one, seed by seed; its interval shares the risk of all that are stated. */
export interface Difference {
  readonly contender: string;
  readonly metric: string;
  readonly difference: Estimate;
}

export interface Contest {
  readonly name: string;
  readonly cell: CellRows;
}

export interface ComparisonInput {
  readonly scenario: string;
  readonly version: string;
  /** The first is what the others are compared with; one of them is the oracle. */
  readonly contests: readonly Contest[];
  readonly seeds: readonly number[];
  readonly stopped: Comparison['stopped'];
}

export function comparison({ scenario, version, contests, seeds, stopped }: ComparisonInput): Comparison {
  const oracle = contests.find(({ name }) => name === ORACLE)?.cell.rows ?? [];
  const samples = contests.map(({ cell }) => samplesOf(cell.rows, seeds, oracle));
  const pairs = contests
    .slice(1)
    .flatMap(({ name }, i) =>
      COMPARED.map((metric) => ({ contender: name, metric: metric.name, a: samples[i + 1]!, b: samples[0]! })),
    );
  const differences = pairs.flatMap(({ contender, metric, a, b }) => {
    const difference = pairedDifference(a[metric]!, b[metric]!, { comparisons: pairs.length });
    return difference === null ? [] : [{ contender, metric, difference }];
  });
  return {
    scenario,
    version,
    seeds: seeds.length,
    stopped,
    contenders: contests.map(({ name, cell }, i) => contender(name, cell, samples[i]!)),
    differences,
  };
}

/** By metric the values by position of the seed. */
type Samples = Readonly<Record<string, readonly (number | null)[]>>;

function samplesOf(rows: readonly RunRow[], seeds: readonly number[], oracle: readonly RunRow[]): Samples {
  const bySeed = seeds.map((seed) => rows.find((row) => row.seed === seed && isComplete(row)));
  const of = ({ name }: Metric): readonly (number | null)[] =>
    bySeed.map((row) => {
      if (row === undefined) return null;
      return name === REGRET.name ? regretOf(row, oracle) : (row.values[name] ?? null);
    });
  return Object.fromEntries(COMPARED.map((metric) => [metric.name, of(metric)]));
}

function contender(name: string, { rows, died }: CellRows, samples: Samples): Contender {
  const finished = rows.filter(isComplete).length;
  const [first] = rows.filter((row) => !isComplete(row));
  const note = died !== undefined ? `its worker died twice: ${died}` : first && (first.detail ?? first.stop);
  return {
    name,
    finished,
    ...(note === undefined ? {} : { note }),
    metrics: Object.fromEntries(
      COMPARED.map((metric) => [metric.name, estimate(samples[metric.name]!.flatMap((value) => value ?? []))]),
    ),
  };
}

/** Half of the width of an interval that is narrow enough: of the time a hundredth, of the refused share half a point. */
export const NARROW = { time: 0.01, refused: 0.005 } as const;

/**
 * When replications may end: every contender's difference from the first is known to within `NARROW`, in time per success
 * as a share of the first one's, and in refused share. Looking again after each batch makes the intervals a little too
 * narrow; therefore there are at least eight seeds, and claims share the risk of all claims.
 */
export function isNarrowEnough(contests: readonly Contest[], seeds: readonly number[]): boolean {
  const samples = contests.map(({ cell }) => samplesOf(cell.rows, seeds, []));
  const times = samples.map(({ throughput }) => throughput!.map((rate) => (rate ? 1 / rate : null)));
  const [first] = times;
  const scale = estimate(first!.flatMap((time) => time ?? []))?.mean ?? 1;
  const isKnown = (difference: Estimate | null, width: number): boolean =>
    difference === null || (difference.halfWidth !== null && difference.halfWidth <= width);
  return contests.every(
    (_, i) =>
      i === 0 ||
      (isKnown(pairedDifference(times[i]!, first!), NARROW.time * scale) &&
        isKnown(pairedDifference(samples[i]!['refused.share']!, samples[0]!['refused.share']!), NARROW.refused)),
  );
}
