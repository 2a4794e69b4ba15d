/** Limits are numbers that people chose: of those that explain as much, the roundest is the likeliest. */

/**
 * The whole number from `low` on and below `high` that takes the fewest digits, a last 5 counting as half of one.
 *
 * @param reach how far above `low` it is looked for at most, as a share: a limit that is met is not far above what got in.
 */
export function roundest(low: number, high: number, reach: number = 0.05): number {
  const first = Math.ceil(low - 1e-6);
  const last = Math.max(first, Math.min(Math.ceil(high - 1e-6) - 1, Math.floor(low * (1 + reach))));
  for (let power = 10 ** Math.ceil(Math.log10(Math.max(1, last))); power >= 1; power /= 10) {
    for (const step of [power, power / 2, power / 4]) {
      if (step < 1 || !Number.isInteger(step)) continue;
      const candidate = Math.ceil(first / step) * step;
      if (candidate <= last && candidate > 0) return candidate;
    }
  }
  return first;
}
