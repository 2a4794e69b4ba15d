/**
 * What a mock provider knows of a request and what it decides. Pure data: every model is a function of these and of
 * `nowMs`, which the caller tells (milliseconds, any monotonic origin); no model reads a clock.
 */

/** Whole numbers ≥ 0. */
export interface RequestFacts {
  readonly inputTokens: number;
  /** The `max_tokens` the caller sent. */
  readonly maxTokens: number;
}

/** What an answered request turned out to use; whole numbers ≥ 0. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Verdict =
  | { readonly kind: 'admitted'; readonly lease: Lease }
  | {
      readonly kind: 'refused';
      /** Name of the first quota that refused; one that finds the request too large goes before the others. */
      readonly quota: string;
      readonly scope: 'concurrency' | 'requests' | 'tokens';
      /**
       * Until this very request would fit all windows and buckets, if nothing else came, rounded up to a microsecond;
       * places in flight are left out of it. null = nobody can know (a concurrency quota refused), or never (`tooLarge`).
       */
      readonly waitMs: number | null;
      /** The request alone exceeds the whole quota: no wait helps. Never said by a concurrency quota. */
      readonly tooLarge: boolean;
      /**
       * The place that a refused request holds in concurrency quotas with `refusedCount: true`, until its refusal is
       * answered or its caller goes away; null where it holds none. Its `answered` looks at no usage.
       */
      readonly lease: Lease | null;
    };

/** A request's hold on the quotas. Exactly one of the two ends it, once; a second end throws an `Error`. */
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
