/**
 * How an adapter settles a ticket that may have been settled already: the run it belongs to ends what is in flight when it
 * is closed or replaced. The first word stands, and a second is not said.
 */

import type { Answer } from '../core/answer.js';
import type { Ticket } from '../gate/ticket.js';

export function settleOnce(ticket: Ticket, verdict: (ticket: Ticket) => void): void {
  if (!ticket.settled) verdict(ticket);
}

/** Settles by what the attempt threw. `answer`: what is known of it beside. */
export function settleThrown(
  ticket: Ticket,
  error: unknown,
  signal: AbortSignal | undefined,
  answer: Answer = { error },
): void {
  settleOnce(ticket, () => (isCallerAbort(error, signal) ? ticket.end() : ticket.settle(answer)));
}

/**
 * Whether the caller went away. A deadline of theirs (`AbortSignal.timeout`) is not going away: the attempt took too long,
 * which is its failure.
 */
export function isCallerAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return nameOf(signal.reason) !== 'TimeoutError';
  return nameOf(error) === 'AbortError';
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as { readonly name?: unknown }).name : undefined;
}
