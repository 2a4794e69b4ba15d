/**
 * Means over independent replications with Student's t-intervals. The noise of arrivals and services, whose true means are
 * known, is taken out by linear regression on their sample means (control variates: Lavenberg and Welch, Management
 * Science 27, 1981): the intercept estimates the same mean with a narrower interval.
 */

export interface Estimate {
  readonly mean: number;
  /** Of the 99.9 % interval. */
  readonly halfWidth: number;
}

/** Quantiles of Student's t at 0.9995, by degrees of freedom; beyond the last the smaller one would do. */
const T_9995: readonly (readonly [degrees: number, t: number])[] = [
  [4, 8.61],
  [9, 4.781],
  [14, 4.14],
  [19, 3.883],
  [24, 3.745],
  [29, 3.659],
  [39, 3.558],
  [59, 3.463],
];

function quantile(degrees: number): number {
  const row = T_9995.filter(([from]) => from <= degrees).at(-1);
  if (row === undefined) throw new RangeError(`degrees of freedom: expected at least 4, got ${degrees}`);
  return row[1];
}

/** @param controls per replication, each minus its true mean. */
export function estimate(values: readonly number[], controls: readonly (readonly number[])[]): Estimate {
  const rows = values.map((_, i) => [1, ...(controls[i] ?? [])]);
  const width = rows[0]?.length ?? 1;
  const square = Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
  );
  const inverse = inverted(square);
  const right = Array.from({ length: width }, (_, i) => rows.reduce((sum, row, n) => sum + row[i]! * values[n]!, 0));
  const weights = inverse.map((row) => row.reduce((sum, cell, j) => sum + cell * right[j]!, 0));
  const residual = rows.reduce((sum, row, n) => {
    const fitted = row.reduce((total, cell, j) => total + cell * weights[j]!, 0);
    return sum + (values[n]! - fitted) ** 2;
  }, 0);
  const degrees = values.length - width;
  return { mean: weights[0]!, halfWidth: quantile(degrees) * Math.sqrt((residual / degrees) * inverse[0]![0]!) };
}

/** By Gauss and Jordan; the matrices here are small and regular. */
function inverted(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const size = matrix.length;
  const work = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0))]);
  for (let column = 0; column < size; column++) {
    const pivot = work
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column]!) > Math.abs(best[column]!) ? row : best));
    work.splice(work.indexOf(pivot), 1);
    work.splice(column, 0, pivot);
    const scale = pivot[column]!;
    for (let j = 0; j < pivot.length; j++) pivot[j]! /= scale;
    for (const row of work) {
      if (row === pivot) continue;
      const factor = row[column]!;
      for (let j = 0; j < row.length; j++) row[j]! -= factor * pivot[j]!;
    }
  }
  return work.map((row) => row.slice(size));
}
