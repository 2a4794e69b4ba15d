/**
 * The promise form of the retry loop: acquire, send, classify, settle, sleep without a ticket, again. All decisions are
 * `Attempts`'; this only waits.
 */

import type { Answer, Classification } from '../core/answer.js';
import { Attempts, type ResolvedRetryPolicy, type RetryPolicy } from '../core/attempts.js';
import { classify } from '../core/classify.js';
import type { StatedTokens } from '../core/pacing.js';
import type { AbortSignals } from './abort.js';
import type { Ask } from './ask.js';
import type { Clock } from './clock.js';
import type { Run } from './run.js';
import { answerOfError, answerOfValue, discardBody } from './seen-answer.js';
import type { Ticket } from './ticket.js';

/** Of one request, all its attempts included. */
export interface RequestOptions {
  readonly run?: Run;
  /** The subagent that asks; takes the place of `run`. */
  readonly ask?: Ask;
  /** As of `ask.acquire`. */
  readonly insideTool?: boolean;
  /** Ends the wait, the sleep and the loop. The attempt itself is the caller's to cancel. */
  readonly signal?: AbortSignal;
  /**
   * What the request may cost, for `pacing`: in all, or its prompt and the most that may come of it; default: the mean of
   * those answered so far. Numbers ≥ 0.
   */
  readonly tokens?: StatedTokens;
  /** Overrides single fields of the governor's policy. */
  readonly retry?: RetryPolicy;
}

/** A provider asked for a longer wait than `maxRetryAfterMs`. `cause` is what the last attempt threw. */
export class RetryHorizonError extends Error {
  override readonly name = 'RetryHorizonError';
  /** Milliseconds until the provider says it will answer again. */
  readonly resetAfterMs: number;

  constructor(resetAfterMs: number, maxRetryAfterMs: number, cause: unknown) {
    super(`the provider asks to wait ${resetAfterMs} ms, beyond retry.maxRetryAfterMs ${maxRetryAfterMs}`, { cause });
    this.resetAfterMs = resetAfterMs;
  }
}

export interface RequestContext {
  readonly clock: Clock;
  readonly signals: AbortSignals;
  readonly random: () => number;
  readonly policy: ResolvedRetryPolicy;
  readonly provider: string;
  /** Fires when the governor closes: nobody sleeps on. */
  readonly closing: AbortSignal;
}

/** How an attempt ended for the caller: with a value (which may be an HTTP refusal) or with an error. */
type End<T> =
  | { readonly kind: 'value'; readonly value: T; readonly class: Classification }
  | { readonly kind: 'error'; readonly error: unknown; readonly class: Classification };

export async function requestWithRetries<T>(
  acquire: () => Promise<Ticket>,
  send: (ticket: Ticket) => Promise<T>,
  options: RequestOptions,
  context: RequestContext,
): Promise<T> {
  const attempts = new Attempts(context.policy);
  for (;;) {
    const end = await attempt(await acquire(), send, options, context);
    if (end.class.class === 'ok' && end.kind === 'value') return end.value;
    if (options.signal?.aborted) throw end.kind === 'error' ? end.error : options.signal.reason;
    const next = attempts.ended(end.class, context.random);
    if (!('delayMs' in next)) return giveUp(end, next, context.policy);
    if (end.kind === 'value') await discardBody(end.value);
    options.ask?.backingOff();
    await sleep(next.delayMs, options.signal, context);
  }
}

async function attempt<T>(
  ticket: Ticket,
  send: (ticket: Ticket) => Promise<T>,
  options: RequestOptions,
  { provider, clock }: RequestContext,
): Promise<End<T>> {
  try {
    const value = await send(ticket);
    return { kind: 'value', value, class: judge(ticket, { provider, ...(await answerOfValue(value, clock)) }) };
  } catch (error) {
    if (options.signal?.aborted) ticket.release();
    return { kind: 'error', error, class: judge(ticket, { provider, ...answerOfError(error) }) };
  }
}

/** `send` may have settled the ticket itself; its word stands, and the answer is classified for the retry alone. */
function judge(ticket: Ticket, answer: Answer): Classification {
  return ticket.settled ? classify(answer) : ticket.settle(answer);
}

function giveUp<T>(end: End<T>, stop: { readonly resetAfterMs?: number }, policy: ResolvedRetryPolicy): T {
  if (end.kind === 'value') return end.value;
  if (stop.resetAfterMs !== undefined && stop.resetAfterMs > policy.maxRetryAfterMs) {
    throw new RetryHorizonError(stop.resetAfterMs, policy.maxRetryAfterMs, end.error);
  }
  throw end.error;
}

function sleep(delayMs: number, signal: AbortSignal | undefined, context: RequestContext): Promise<void> {
  const { clock, signals, closing } = context;
  return new Promise((resolve, reject) => {
    const enders = signal === undefined ? [closing] : [signal, closing];
    const fired = enders.find(({ aborted }) => aborted);
    if (fired !== undefined) {
      reject(fired.reason);
      return;
    }
    let reason: unknown;
    const sleeper = {
      leave(why: unknown): void {
        reason = why;
        cancel();
        for (const group of watched) group.leave(sleeper);
      },
      told: (): void => reject(reason),
    };
    const watched = enders.map((ender) => signals.watch(ender, sleeper));
    const cancel = clock.schedule(() => {
      for (const group of watched) group.leave(sleeper);
      resolve();
    }, delayMs);
  });
}
