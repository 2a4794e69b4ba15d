/**
 * The limit that tells what was let in from what was refused: of each attempt, what would have been spent with it. A limit
 * refuses above itself and lets in up to itself; the one that is wrong least often is it.
 */

export interface Threshold {
  /** Attempts that this limit would have treated otherwise. */
  readonly errors: number;
  /** Any limit from `low` up to below `high` is as good. */
  readonly low: number;
  readonly high: number;
}

/** @param admitted @param refused in any order; they are sorted here. */
export function bestThreshold(admitted: Float64Array, refused: Float64Array): Threshold {
  admitted.sort();
  refused.sort();
  // Below everything: each admission is an error, no refusal is.
  let errors = admitted.length;
  let best: Threshold = {
    errors,
    low: 0,
    high: Math.min(admitted[0] ?? Number.POSITIVE_INFINITY, refused[0] ?? Number.POSITIVE_INFINITY),
  };
  let r = 0;
  for (let a = 0; a < admitted.length; ) {
    const limit = admitted[a] as number;
    for (; a < admitted.length && admitted[a] === limit; a++) errors--;
    for (; r < refused.length && (refused[r] as number) <= limit + SLACK; r++) errors++;
    if (errors >= best.errors) continue;
    const next = Math.min(admitted[a] ?? Number.POSITIVE_INFINITY, refused[r] ?? Number.POSITIVE_INFINITY);
    best = { errors, low: limit, high: next };
  }
  return best;
}

/** Sums of decimals miss by a rounding error. */
const SLACK = 1e-6;
