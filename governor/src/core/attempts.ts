/**
 * The retry loop of one request as a pure state machine: it is told how an attempt ended and says what comes next. The
 * promise form drives it with timers, the simulator with events. A retry takes a new ticket when it wakes; while it
 * sleeps it holds none.
 */

import type { Classification } from './answer.js';
import { numberOption, objectOption, refuseOption } from './options.js';

/** How often and how late a request is sent again. */
export interface RetryPolicy {
  /** Retries of refusals (`throttle`, `overload`). Integer ≥ 0 or Infinity, the default. */
  readonly throttle?: number;
  /** Retries of transient failures. Integer ≥ 0 or Infinity; default 3. */
  readonly network?: number;
  /** Retries of everything else. Integer ≥ 0 or Infinity; default 0. */
  readonly business?: number;
  /** Backoff before the first retry, milliseconds ≥ 0; doubles with each. Default 2 000. */
  readonly firstDelayMs?: number;
  /** The longest backoff, milliseconds ≥ 0. Default 60 000. */
  readonly maxDelayMs?: number;
  /** A hint beyond this is a stop with the reset time instead of a sleep, milliseconds ≥ 0. Default 300 000. */
  readonly maxRetryAfterMs?: number;
}

/** A policy with all its defaults filled in. */
export type ResolvedRetryPolicy = Required<RetryPolicy>;

/** Retries already made, per budget. */
export interface RetriesMade {
  readonly throttle: number;
  readonly network: number;
  readonly business: number;
}

/** Wait and send again, or why not; `resetAfterMs` is the provider's hint, where it gave one. */
export type NextRetry =
  | { readonly delayMs: number }
  | { readonly stop: 'budget' | 'beyond_horizon' | 'not_retryable'; readonly resetAfterMs?: number };

type Budget = keyof RetriesMade;

/** Far beyond any `maxDelayMs`, and still finite: zero times infinity would be no number. */
const MAX_DOUBLINGS = 60;

/** Fills in the defaults. @throws RangeError naming the field, the value and what is allowed. */
export function resolveRetryPolicy(policy: RetryPolicy = {}): ResolvedRetryPolicy {
  objectOption('retry', policy);
  return {
    throttle: retriesOption('retry.throttle', policy.throttle, Number.POSITIVE_INFINITY),
    network: retriesOption('retry.network', policy.network, 3),
    business: retriesOption('retry.business', policy.business, 0),
    firstDelayMs: delayOption('retry.firstDelayMs', policy.firstDelayMs, 2_000),
    maxDelayMs: delayOption('retry.maxDelayMs', policy.maxDelayMs, 60_000),
    maxRetryAfterMs: delayOption('retry.maxRetryAfterMs', policy.maxRetryAfterMs, 300_000),
  };
}

/**
 * What comes after an attempt that ended in `class`. `retries` counts the retries made so far, 0 first, in all; a budget
 * is compared with the retries of its own classes when `retriesOfClass` says them apart. `random` is in [0, 1).
 *
 * Backoff: `min(maxDelay, firstDelay · 2^retries) × (0.5 + 0.5 · random)`. With a hint the wait is never earlier than the
 * hint and spread upwards by at most a tenth of it or a second, so that no two retries of one wave land on one instant;
 * a hint below a second does not replace the backoff, or a server that says 0 would be asked in a hot loop.
 */
export function nextRetry(attempt: {
  readonly policy: RetryPolicy;
  readonly retries: number;
  readonly retriesOfClass?: number;
  readonly class: Classification['class'];
  readonly retryAfterMs: number | null;
  readonly random: number | (() => number);
}): NextRetry {
  return retryUnder(resolveRetryPolicy(attempt.policy), attempt);
}

function retryUnder(policy: ResolvedRetryPolicy, attempt: Omit<Parameters<typeof nextRetry>[0], 'policy'>): NextRetry {
  const budget = policy[budgetOf(attempt.class)];
  const hintMs = attempt.retryAfterMs;
  const isBusiness = budgetOf(attempt.class) === 'business';
  if (attempt.class === 'ok' || (isBusiness && budget === 0)) return stop('not_retryable', hintMs);
  if ((attempt.retriesOfClass ?? attempt.retries) >= budget) return stop('budget', hintMs);
  if (hintMs !== null && hintMs > policy.maxRetryAfterMs) return stop('beyond_horizon', hintMs);
  const random = typeof attempt.random === 'function' ? attempt.random() : attempt.random;
  if (!(random >= 0 && random < 1)) refuseOption('random', random, 'a number ≥ 0 and below 1');
  const doublings = Math.min(attempt.retries, MAX_DOUBLINGS);
  const backoffMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** doublings) * (0.5 + 0.5 * random);
  if (hintMs === null) return { delayMs: backoffMs };
  const spreadMs = hintMs + random * Math.min(0.1 * hintMs, 1_000);
  return { delayMs: Math.max(spreadMs, hintMs < 1_000 ? backoffMs : 0) };
}

/** What the loop is told of an attempt's end; `retryable` omitted goes by the class. */
export type AttemptEnd = Pick<Classification, 'class' | 'retryAfterMs'> & { readonly retryable?: boolean };

/** Counts the attempts and retries of one request and asks `nextRetry` with them. */
export class Attempts {
  readonly #policy: ResolvedRetryPolicy;
  /** Retries so far; undefined before the first, which most requests never come to. */
  #made: Record<Budget, number> | undefined;
  /** Attempts begun, this one included. */
  number = 1;

  constructor(policy: ResolvedRetryPolicy) {
    this.#policy = policy;
  }

  /**
   * An attempt ended in `class`; a delay means that the next attempt is counted. An answer that says of itself that it is
   * not to be retried (output was given already, the provider forbids it) ends the loop whatever its class allows;
   * `business` classes are never retryable by themselves and go by their budget alone.
   */
  ended(end: AttemptEnd, random: () => number): NextRetry {
    const budget = budgetOf(end.class);
    if (end.retryable === false && budget !== 'business') return stop('not_retryable', end.retryAfterMs);
    const next = retryUnder(this.#policy, {
      retries: this.number - 1,
      retriesOfClass: this.#made?.[budget] ?? 0,
      class: end.class,
      retryAfterMs: end.retryAfterMs,
      random,
    });
    if ('delayMs' in next) {
      this.#made ??= { throttle: 0, network: 0, business: 0 };
      this.#made[budget]++;
      this.number++;
    }
    return next;
  }
}

function budgetOf(outcome: Classification['class']): Budget {
  if (outcome === 'throttle' || outcome === 'overload') return 'throttle';
  return outcome === 'transient' ? 'network' : 'business';
}

function stop(reason: 'budget' | 'beyond_horizon' | 'not_retryable', resetAfterMs: number | null): NextRetry {
  return resetAfterMs === null ? { stop: reason } : { stop: reason, resetAfterMs };
}

function retriesOption(option: string, value: unknown, fallback: number): number {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return (value as number | undefined) ?? fallback;
  if (!Number.isSafeInteger(value) || (value as number) < 0) refuseOption(option, value, 'an integer ≥ 0 or Infinity');
  return value as number;
}

function delayOption(option: string, value: unknown, fallback: number): number {
  return numberOption(option, value, fallback, 'finite milliseconds ≥ 0', (n) => n >= 0);
}
