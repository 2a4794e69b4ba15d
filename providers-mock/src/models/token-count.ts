/**
 * A number of tokens as a caller states it. The quotas count in integers; half a token would break their exactness.
 */

/** @throws RangeError when `value` is not a whole number ≥ 0. */
export function checkTokens(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${value}; round it where it is sampled`);
}
