/**
 * A number of tokens as a caller states it. The quotas count in integers; half a token would break their exactness.
 */

import type { RequestFacts, Usage } from './verdict.js';

/** What a usual answer has, where nobody says otherwise. */
export const USUAL_OUTPUT_TOKENS = 200;

/** @throws RangeError when `value` is not a whole number ≥ 0. */
function checkTokens(name: string, value: number): void {
  // Nearly all are small: a comparison of integers instead of four questions about a double.
  if (value >= 0 && value === (value | 0)) return;
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${value}; round it where it is sampled`);
}

/** @throws RangeError naming the count that is none. */
export function checkFacts({ inputTokens, maxTokens, cachedTokens }: RequestFacts): void {
  checkTokens('inputTokens', inputTokens);
  if (cachedTokens !== undefined) checkCached(cachedTokens, inputTokens);
  checkTokens('maxTokens', maxTokens);
}

/** @throws RangeError naming the count that is none. */
export function checkUsage({ inputTokens, outputTokens, cachedTokens }: Usage): void {
  checkTokens('inputTokens', inputTokens);
  if (cachedTokens !== undefined) checkCached(cachedTokens, inputTokens);
  checkTokens('outputTokens', outputTokens);
}

/** @throws RangeError when `cached` is no token count, or more than the input that it is part of. */
function checkCached(cached: number, inputTokens: number): void {
  checkTokens('cachedTokens', cached);
  if (cached > inputTokens)
    throw new RangeError(`cachedTokens must be at most inputTokens, ${inputTokens}, got ${cached}`);
}
