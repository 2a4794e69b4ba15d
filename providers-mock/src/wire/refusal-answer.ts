/**
 * The answer to a request that a quota or an overload turned away, in a provider's style. Decides nothing and draws
 * nothing: the verdict and the wait that it states come from the models.
 */

import type { RetryAfterSpec } from '../models/hint-spec.js';
import type { QuotaStanding } from '../models/quota.js';
import type { Refusal } from '../models/verdict.js';
import type { ErrorCase, RateLimitStyle, WireAnswer } from './answer.js';
import { type ErrorFacts, type ErrorStyles, errorAnswer, requestIdHeader } from './error-answer.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';

export interface RefusalTold extends ErrorStyles {
  readonly facts: ErrorFacts;
  /** Of all quotas that the request met. */
  readonly standings: readonly QuotaStanding[];
  readonly retryAfter: RetryAfterSpec;
  /** The wait as a client is to read it; null = none is stated. */
  readonly hintMs: number | null;
  /** Its headers are lost on the way; what the body says stays. */
  readonly isBare: boolean;
  /** Milliseconds ≥ 0 until it arrives. */
  readonly afterMs: number;
}

export function refusalAnswer(refusal: Refusal, told: RefusalTold): WireAnswer {
  const { style, dialect, facts, standings, retryAfter, hintMs, isBare, afterMs } = told;
  const headers = requestIdHeader(style, facts.requestId);
  if (!isBare) {
    const { epochMs } = facts;
    addRateLimitHeaders(headers, limitsOf(told), { standings, epochMs, isRefusal: true });
  }
  const standing = standings.find(({ spec }) => spec.name === refusal.quota);
  const details = { facts, refusal: { quota: refusal.quota, standing, hintMs, retryAfter, isBare } };
  return errorAnswer(caseOf(refusal), { style, dialect }, details, { headers, afterMs });
}

function caseOf({ scope, status, tooLarge }: Refusal): ErrorCase {
  if (tooLarge) return 'too-large';
  return scope === 'overload' ? `status-${status ?? 503}` : scope;
}

/**
 * Clients read a wait off the reset of a limit that is used up. Where the scenario alone says how the provider refuses, and
 * it says no wait, none is to be read: the limits are told without their resets. A real provider's look stays as it is.
 */
function limitsOf({ style, dialect, hintMs }: RefusalTold): RateLimitStyle {
  const limits = style.rateLimits;
  if (hintMs !== null || style !== dialect || limits.kind !== 'headers') return limits;
  return { ...limits, dimensions: limits.dimensions.map(({ reset: _, ...dimension }) => dimension) };
}
