/**
 * What the data of a comparison supports, in plain sentences: one for each difference beyond noise, none for the others, and
 * one that says so where there is none.
 */

import { number, percent } from '../human-numbers.js';
import { isBeyondNoise } from '../study/intervals.js';
import { type Metric, REGRET } from '../study/metric.js';
import { writtenMetric } from '../tuning/findings.js';
import { COMPARED, type Comparison, type Contender, type Difference } from './comparison.js';

export function claims(comparison: Comparison): readonly string[] {
  const { contenders, differences, seeds } = comparison;
  const [first, ...others] = contenders;
  const unfinished = contenders.flatMap(({ name, finished, note }) =>
    finished < seeds
      ? [
          `${name} did not finish ${seeds - finished} of ${seeds} runs (${note ?? 'no reason is known'}), so nothing is claimed of it.`,
        ]
      : [],
  );
  const sound = others.filter(({ finished }) => finished === seeds);
  if (first === undefined || first.finished < seeds) return unfinished;
  const said = sound.flatMap((other) => {
    const own = differences.filter(
      ({ contender, difference }) => contender === other.name && isBeyondNoise(difference),
    );
    const sentences = own.flatMap((difference) => sentence(first, other, difference) ?? []);
    return sentences.length === 0
      ? [`${other.name} cannot be told from ${first.name} by anything that was measured.`]
      : sentences;
  });
  return [...unfinished, ...said];
}

function sentence(first: Contender, other: Contender, { metric: name, difference }: Difference): string | undefined {
  const metric = COMPARED.find((each) => each.name === name);
  // Regret is the makespan once more, and throughput is its inverse.
  if (metric === undefined || name === REGRET.name || name === 'throughput' || name === 'refusalsPerThousand')
    return undefined;
  const [a, b] = [other.metrics[name]!.mean, first.metrics[name]!.mean];
  const values = `${writtenMetric(a, metric.unit)} against ${writtenMetric(b, metric.unit)}`;
  const verb = difference.mean > 0 ? 'more' : 'less';
  const by = amount(metric, difference.mean, difference.halfWidth ?? 0, b);
  switch (name) {
    case 'makespan':
      return `${other.name} takes ${by} ${difference.mean > 0 ? 'longer' : 'less long'} than ${first.name}: ${values}.`;
    case 'refused.share':
      return `${other.name} is refused ${by} ${verb} often than ${first.name}: ${values}.`;
    default:
      return `The ${metric.label} of ${other.name} is ${by} ${difference.mean > 0 ? 'higher' : 'lower'} than that of ${first.name}: ${values}.`;
  }
}

/** A difference with its half width: of shares in points, of all else as a share of what it is compared with. */
function amount({ unit }: Metric, mean: number, halfWidth: number, base: number): string {
  const [size, spread] = [Math.abs(mean), halfWidth];
  if (unit === 'share') {
    const points = (share: number): string => number(Number((share * 100).toPrecision(3)));
    return `${points(size)} (± ${points(spread)}) percentage points`;
  }
  if (base === 0) return `${writtenMetric(size, unit)} (± ${writtenMetric(spread, unit)})`;
  return `${percent(size / Math.abs(base))} (± ${percent(spread / Math.abs(base))})`;
}
