/** The wait before a retry where a scenario lists the waits itself. */

/**
 * @param policyMs what the policy says, which holds where nothing is listed.
 * @param hintMs of the provider: it is kept to, whatever is listed. Null = none.
 * @param attempt that ended, from 1.
 */
export function backoffMs(
  policyMs: number,
  delaysMs: readonly number[] | undefined,
  hintMs: number | null,
  attempt: number,
): number {
  if (delaysMs === undefined) return policyMs;
  return Math.max(hintMs ?? 0, delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0);
}
