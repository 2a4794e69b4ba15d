/**
 * A number of tokens as a caller states it. The quotas count in integers; half a token would break their exactness.
 */

/** What a usual answer has, where nobody says otherwise. */
export const USUAL_OUTPUT_TOKENS = 200;

/** @throws RangeError when `value` is not a whole number ≥ 0. */
export function checkTokens(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${value}; round it where it is sampled`);
}

/** @throws RangeError when `cached` is no token count, or more than the input that it is part of. */
export function checkCached(cached: number | undefined, inputTokens: number): void {
  if (cached === undefined) return;
  checkTokens('cachedTokens', cached);
  if (cached > inputTokens)
    throw new RangeError(`cachedTokens must be at most inputTokens, ${inputTokens}, got ${cached}`);
}
