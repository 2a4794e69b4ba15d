/** Quotas as profiles state them, in a line each: a limit, its window, and what is not as usual. */

import type { HintSpec, RetryAfterSpec } from '../models/hint-spec.js';
import type { QuotaSpec } from '../models/quota-spec.js';

type Concurrency = Extract<QuotaSpec, { kind: 'concurrency' }>;
type Requests = Extract<QuotaSpec, { kind: 'requests' }>;
type Tokens = Extract<QuotaSpec, { kind: 'tokens' }>;

export const SECOND: number = 1000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

export function concurrency(limit: number, more: Partial<Concurrency> = {}): Concurrency {
  return { kind: 'concurrency', name: 'concurrency', limit, refusedCount: false, ...more };
}

/** Continuous refill, capacity = limit, refusals free, unless `more` says otherwise. */
export function requests(name: string, limit: number, perMs: number, more: Partial<Requests> = {}): Requests {
  const refill = 'token-bucket';
  return { kind: 'requests', name, limit, perMs, refill, burst: limit, refusedCount: false, ...more };
}

/** The same, in tokens: the prompt and max_tokens are reserved and settled, unless `more` says otherwise. */
export function tokens(name: string, limit: number, perMs: number, more: Partial<Tokens> = {}): Tokens {
  const usual = { counts: 'total', reserve: 'max-tokens', settle: 'refund' } as const;
  return { ...requests(name, limit, perMs), kind: 'tokens', ...usual, ...more };
}

export const NO_HINT: RetryAfterSpec = { kind: 'none' };

/** The true wait, in whole seconds rounded up unless `more` says otherwise. */
export function exactWait(more: Partial<HintSpec> = {}): RetryAfterSpec {
  return { kind: 'exact', as: 'seconds', rounding: 'up', error: 0, ...more };
}

export function constantWait(ms: number, more: Partial<HintSpec> = {}): RetryAfterSpec {
  return { kind: 'constant', ms, as: 'seconds', rounding: 'up', error: 0, ...more };
}
