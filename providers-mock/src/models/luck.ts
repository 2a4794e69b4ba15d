/**
 * The random numbers of a model that is not wholly ruled by its callers: other tenants, episodes. They come in from
 * outside, a stream per label; nothing here draws any.
 */

/** The next number: uniform in [0, 1). */
export type Random = () => number;

/** The stream of a label, from its first number. Streams of different labels never shift one another. */
export type Luck = (label: string) => Random;

/** For models that need none. */
export function noLuck(label: string): Random {
  throw new RangeError(`${label} is random: give createProvider the random numbers for it`);
}

/** Luck whose labels stand below another: `models/large` + `overload`. */
export function below(luck: Luck, folder: string): Luck {
  return (label) => luck(`${folder}/${label}`);
}

/**
 * An exponential delay in whole microseconds, at least 1 so that a process of these always gets on. Rounded once: the last
 * bit of a logarithm may differ between engines.
 */
export function exponentialUs(meanUs: number, random: Random): number {
  return Math.max(1, Math.round(-Math.log(1 - random()) * meanUs));
}
