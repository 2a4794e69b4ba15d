/** The hint of a refusal as data: whether there is one, what it says, in which form, and how it lies. */

import type { RefusalScope } from './verdict.js';

/** What hint a refusal carries. */
export type RetryAfterSpec =
  | { readonly kind: 'none' }
  | (HintSpec & { readonly kind: 'exact' })
  | (HintSpec & { readonly kind: 'constant'; readonly ms: number });

export interface HintSpec {
  readonly as: HintForm;
  readonly rounding: 'up' | 'none';
  /** A share: 0.1 = up to 10 % either way. */
  readonly error: number;
  /** A lie: what is said is this many times what is meant; ≥ 0. Default 1. */
  readonly factor?: number;
  /** The hint is computed this often and repeated in between, so that it is up to this much too long. Default 0. */
  readonly staleMs?: number;
  /** `http-date` only: how far the clock that writes the date is ahead of the one that stamps the answer. Default 0. */
  readonly skewMs?: number;
  /** The refusals that carry a hint. Default: all. */
  readonly scopes?: readonly RefusalScope[];
}

export type HintForm = 'seconds' | 'ms' | 'http-date';
