/**
 * What a mock provider knows of a request and what it decides. Pure data: every model is a function of these and of
 * `nowMs`, which the caller tells (milliseconds, any monotonic origin); no model reads a clock.
 */

/** Whole numbers ≥ 0. */
export interface RequestFacts {
  readonly inputTokens: number;
  /** Of the input tokens, those that the provider has in its prompt cache; at most all of them. Default 0. */
  readonly cachedTokens?: number;
  /** The `max_tokens` the caller sent. */
  readonly maxTokens: number;
}

/** What an answered request turned out to use; whole numbers ≥ 0. */
export interface Usage {
  readonly inputTokens: number;
  /** Of the input tokens, those that came out of the prompt cache. Default 0. */
  readonly cachedTokens?: number;
  readonly outputTokens: number;
}

export type Verdict = { readonly kind: 'admitted'; readonly lease: AdmittedLease } | Refusal;

export interface Refusal {
  readonly kind: 'refused';
  /**
   * Name of the first quota that refused; one that finds the request too large goes before the others. Where none did:
   * `overload` or `queue`, whose scope is `overload`.
   */
  readonly quota: string;
  readonly scope: RefusalScope;
  /** Of scope `overload` only: the status of the answer. */
  readonly status?: OverloadStatus;
  /**
   * Until this very request would fit all windows and buckets, if nothing else came, rounded up to a microsecond; places in
   * flight are left out of it. null = nobody can know (a concurrency quota refused), or never (`tooLarge`).
   */
  readonly waitMs: number | null;
  /** The request alone exceeds the whole quota: no wait helps. Never said by a concurrency quota. */
  readonly tooLarge: boolean;
  /**
   * The place that a refused request holds in concurrency quotas with `refusedCount: true`, until its refusal is answered
   * or its caller goes away; null where it holds none. Its `answered` looks at no usage.
   */
  readonly lease: Lease | null;
}

/**
 * What refused. `ramp`: the load grew too fast, whatever its level. `overload`: the provider's own state, not a limit of
 * the caller: an episode of overload, or a queue that is full.
 */
export type RefusalScope = 'concurrency' | 'requests' | 'tokens' | 'ramp' | 'overload';

export type OverloadStatus = 503 | 529;

/** A request's hold on the quotas. Exactly one of the two ends it, once; a second end throws an `Error`. */
export interface Lease {
  /** Answered: frees its place and settles reserved tokens against what was used. */
  answered(usage: Usage, nowMs: number): void;
  /** The caller went away: frees its place; what was reserved stays spent. */
  abandoned(nowMs: number): void;
}

export interface AdmittedLease extends Lease {
  /**
   * Calls `begin` once the request is served: at once, unless the model has a `server` with all its places taken; then in
   * the call that frees one, first come, first served. Never after the lease has ended. Latency counts from there.
   */
  whenServed(begin: () => void): void;
}
