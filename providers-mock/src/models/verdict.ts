/**
 * What a mock provider knows of a request and what it decides. Pure data: every model is a function of these and of
 * `nowMs`, which the caller tells (milliseconds, any monotonic origin); no model reads a clock.
 */

export interface RequestFacts {
  readonly inputTokens: number;
  /** The `max_tokens` the caller sent. */
  readonly maxTokens: number;
}

/** What an answered request turned out to use. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Verdict =
  | { readonly kind: 'admitted'; readonly lease: Lease }
  | {
      readonly kind: 'refused';
      /** Name of the first quota that refused. */
      readonly quota: string;
      readonly scope: 'concurrency' | 'requests' | 'tokens';
      /** Until this very request would fit, if nothing else came, rounded up to a microsecond; null = nobody can know (a concurrency quota), or never (`tooLarge`). */
      readonly waitMs: number | null;
      /** The request alone exceeds the whole quota: no wait helps. */
      readonly tooLarge: boolean;
    };

/** An admitted request's hold on the quotas. Exactly one of the two ends it; a second end is an error of the caller. */
export interface Lease {
  /** Answered: frees its place and settles reserved tokens against what was used. */
  answered(usage: Usage, nowMs: number): void;
  /** The caller went away: frees its place; what was reserved stays spent. */
  abandoned(nowMs: number): void;
}

/** One limit of a provider, as data. `perMs` is the window; `burst` the capacity of a token bucket. */
export type QuotaSpec =
  | { readonly kind: 'concurrency'; readonly name: string; readonly limit: number; readonly refusedCount: boolean }
  | (WindowSpec & { readonly kind: 'requests' })
  | (WindowSpec & {
      readonly kind: 'tokens';
      readonly counts: 'input' | 'output' | 'total';
      readonly reserve: 'none' | 'estimate' | 'max-tokens';
      readonly settle: 'refund' | 'keep';
    });

export interface WindowSpec {
  readonly name: string;
  readonly limit: number;
  readonly perMs: number;
  readonly refill: 'token-bucket' | 'fixed-window' | 'sliding-window';
  readonly burst: number;
  readonly refusedCount: boolean;
}

/** What hint a refusal carries. `error` is a share: 0.1 = up to 10 % either way. */
export type RetryAfterSpec =
  | { readonly kind: 'none' }
  | { readonly kind: 'exact'; readonly as: HintForm; readonly rounding: 'up' | 'none'; readonly error: number }
  | {
      readonly kind: 'constant';
      readonly ms: number;
      readonly as: HintForm;
      readonly rounding: 'up' | 'none';
      readonly error: number;
    };

export type HintForm = 'seconds' | 'ms' | 'http-date';
