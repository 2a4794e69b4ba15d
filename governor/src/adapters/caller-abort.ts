/** Whether an attempt ended because its caller went away. Only looks. */

/** A deadline of the caller (`AbortSignal.timeout`) is not going away: the attempt took too long, which is its failure. */
export function isCallerAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return nameOf(signal.reason) !== 'TimeoutError';
  return nameOf(error) === 'AbortError';
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as { readonly name?: unknown }).name : undefined;
}
