/**
 * The limit that tells what was let in from what was refused: of each attempt, what would have been spent with it. A limit
 * refuses above itself and lets in up to itself; the one that is wrong least often is it. Where nobody knows exactly what
 * was spent, being wrong by no more than that is a small error.
 */

export interface Threshold {
  /** Attempts that this limit would have treated otherwise; one that it may have treated so counts for a part. */
  readonly errors: number;
  /** Any limit from `low` up to below `high` is as good. */
  readonly low: number;
  readonly high: number;
}

/** Amounts that a limit must reach, of what was let in, or must not reach, of what was refused; each in any order. */
export interface Amounts {
  readonly admitted: Float64Array;
  readonly refused: Float64Array;
  /** What an error at one of them counts for. */
  readonly weight: number;
}

/** Sorts the amounts in place. */
export function bestThreshold(all: readonly Amounts[]): Threshold {
  let errors = 0;
  for (const { admitted, refused, weight } of all) {
    admitted.sort();
    refused.sort();
    // Below everything: each admission is an error, no refusal is.
    errors += weight * admitted.length;
  }
  const at = all.map(() => ({ admitted: 0, refused: 0 }));
  const next = (): { readonly admitted: number; readonly refused: number } => {
    let [admitted, refused] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let n = 0; n < all.length; n++) {
      const amounts = all[n] as Amounts;
      const { admitted: a, refused: r } = at[n] as (typeof at)[number];
      if (a < amounts.admitted.length) admitted = Math.min(admitted, amounts.admitted[a] as number);
      if (r < amounts.refused.length) refused = Math.min(refused, amounts.refused[r] as number);
    }
    return { admitted, refused };
  };
  let ahead = next();
  let best: Threshold = { errors, low: 0, high: Math.min(ahead.admitted, ahead.refused) };
  while (ahead.admitted < Number.POSITIVE_INFINITY) {
    const limit = ahead.admitted;
    for (let n = 0; n < all.length; n++) {
      const { admitted, refused, weight } = all[n] as Amounts;
      const here = at[n] as (typeof at)[number];
      for (; here.admitted < admitted.length && admitted[here.admitted] === limit; here.admitted++) errors -= weight;
      for (; here.refused < refused.length && (refused[here.refused] as number) <= limit + SLACK; here.refused++) {
        errors += weight;
      }
    }
    ahead = next();
    if (errors < best.errors - SLACK) {
      best = { errors: Math.round(errors * 1000) / 1000, low: limit, high: Math.min(ahead.admitted, ahead.refused) };
    }
  }
  return best;
}

/** What a given limit would have treated otherwise. */
export function errorsAt(all: readonly Amounts[], limit: number): number {
  let errors = 0;
  for (const { admitted, refused, weight } of all) {
    for (const amount of admitted) if (amount > limit + SLACK) errors += weight;
    for (const amount of refused) if (amount <= limit + SLACK) errors += weight;
  }
  return errors;
}

/** Sums of decimals miss by a rounding error. */
const SLACK = 1e-6;
