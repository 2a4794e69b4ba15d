/**
 * What a mock provider knows of a request and what it decides. Pure data: every model is a function of these and of
 * `nowMs`, which the caller tells (milliseconds, any monotonic origin); no model reads a clock.
 */

import type { GrowthSpec, LimitOverTime, OthersPlaces, OthersSpending } from './changing-limit.js';

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

export type Verdict =
  | { readonly kind: 'admitted'; readonly lease: AdmittedLease }
  | {
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

/** One limit of a provider, as data. `perMs` is the window; `burst` the capacity of a token bucket. */
export type QuotaSpec =
  | (LimitOverTime & {
      readonly kind: 'concurrency';
      readonly name: string;
      readonly limit: number;
      readonly refusedCount: boolean;
      readonly others?: OthersPlaces;
    })
  | (WindowSpec & { readonly kind: 'requests' })
  | (WindowSpec & {
      readonly kind: 'tokens';
      readonly counts: 'input' | 'output' | 'total';
      /** What is taken at admission; `larger`: of a total, the larger of prompt and `max_tokens`. */
      readonly reserve: 'none' | 'estimate' | 'max-tokens' | 'larger';
      readonly settle: 'refund' | 'keep';
      /** Whether input tokens out of the prompt cache count. Default `counted`. */
      readonly cached?: 'counted' | 'free';
      /** What one output token costs of a total when it is settled; whole number ≥ 1, default 1. */
      readonly outputWeight?: number;
    })
  | RampSpec;

/** Where one quota of a model stands at an instant; what a provider tells in its rate-limit headers. */
export interface QuotaStanding {
  readonly spec: QuotaSpec;
  /** What is left of it, in its units; whole, below 0 where more was used than reserved. */
  readonly remaining: number;
  /** What the request that is told takes of it at admission. */
  readonly requested: number;
  /** Until it is full again if nothing else comes; null where time alone does not fill it (concurrency). */
  readonly fullInMs: number | null;
}

export interface WindowSpec extends LimitOverTime {
  readonly name: string;
  readonly limit: number;
  readonly perMs: number;
  readonly refill: 'token-bucket' | 'fixed-window' | 'sliding-window';
  readonly burst: number;
  readonly refusedCount: boolean;
  /** Fixed window only: a window begins at this time of day, in ms after midnight UTC. Default: at the start of the time. */
  readonly resetAtMs?: number;
  /** Of windows, not buckets: its share of the limit, rounded up, holds in each part of this length too. */
  readonly subWindowMs?: number;
  readonly others?: OthersSpending;
  readonly growing?: GrowthSpec;
}

/**
 * A limit on growth, whatever the level: in a window of `perMs` at most `limit`, or 1 + `growth` times the most of one
 * window that began between once and twice `overMs` ago, whichever is more. Counts what is asked for at admission, an
 * output by its `max_tokens`, and settles nothing.
 */
export interface RampSpec {
  readonly kind: 'ramp';
  readonly name: string;
  readonly counts: 'requests' | 'input' | 'output' | 'total';
  readonly limit: number;
  readonly perMs: number;
  /** A share ≥ 0: 0.5 = half as much again. */
  readonly growth: number;
  /** A whole number of windows. */
  readonly overMs: number;
  readonly refusedCount: boolean;
}

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
