/** How evenly several parties are served. */

/**
 * Jain's index, `(Σx)² / (n · Σx²)`: 1 when all get the same, 1/n when one gets everything (Jain, Chiu and Hawe, 1984).
 * Null for fewer than two parties, or where nobody got anything.
 * @param shares what each got, ≥ 0.
 */
export function jainIndex(shares: readonly number[]): number | null {
  const sum = shares.reduce((total, share) => total + share, 0);
  if (shares.length < 2 || sum === 0) return null;
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}
