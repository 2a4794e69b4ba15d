/** Round values between the extremes of a table, for lines of equal value. */

/** At most five values on a step of 1, 2 or 5 times a power of ten, strictly between the least and the most. */
export function roundLevels(values: readonly (number | null)[]): readonly number[] {
  const known = values.flatMap((value) => value ?? []);
  if (known.length < 2) return [];
  const [least, most] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
  const wanted = (most - least) / 5;
  if (!(wanted > 0)) return [];
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((n) => n * magnitude).find((n) => n >= wanted)!;
  const levels: number[] = [];
  for (let n = Math.floor(least / step) + 1; n * step < most; n++) levels.push(Number((n * step).toPrecision(12)));
  return levels;
}
