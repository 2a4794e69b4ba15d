/**
 * What a controller is: one key's concurrency cap as a pure state machine. It is told everything, `now` included
 * (milliseconds, any monotonic origin), reads no clock and does no I/O. A signal says what happened and returns the
 * changes of the cap that it caused; distributing them is the caller's business.
 */

export type CapChangeReason =
  | 'rate_limited'
  | 'provider_overloaded'
  | 'offpeak_queued'
  | 'recovered'
  | 'idle_reset'
  | 'limit_lowered'
  | 'seeded';

/** Why a provider said no. */
export type ThrottleReason = 'rate_limited' | 'provider_overloaded' | 'offpeak_queued';

/** Every reason a throttle may carry; the one list that callers are checked against. */
export const THROTTLE_REASONS: readonly ThrottleReason[] = ['rate_limited', 'provider_overloaded', 'offpeak_queued'];

export interface CapChange {
  readonly key: string;
  readonly previous: number;
  readonly next: number;
  readonly reason: CapChangeReason;
  /** The proven level after the change; omitted when there is none. */
  readonly lastGood?: number;
  /** The cap at the last cut, after the change; omitted when there is none. */
  readonly lastBad?: number;
  /** The Retry-After of this very answer in milliseconds, not what is left of the cooldown. */
  readonly cooldownMs?: number;
}

/** What a success measured. */
export interface Sample {
  /** Admission to settlement, milliseconds. */
  readonly latencyMs: number;
  /** Requests in flight on the key when this one was admitted, itself included. */
  readonly inFlightAtAdmission: number;
}

/** A controller's whole state; optional fields are omitted while unset. Times are on the axis of `now`. */
export interface ControllerSnapshot {
  readonly key: string;
  readonly initial: number;
  readonly growthLimit: number;
  readonly cap: number;
  /** Turns with every cut, idle reset, seed and forced lowering; a request carries the epoch it was admitted in. */
  readonly epoch: number;
  readonly inFlight: number;
  readonly waiters: number;
  readonly successStreak: number;
  readonly cooldownUntil?: number;
  readonly lastRequestAt?: number;
  readonly lastGood?: number;
  readonly lastBad?: number;
  readonly lastThrottledAt?: number;
}

export interface ConcurrencyController {
  /** Whether a request may be sent now: below the cap and not cooling. Changes nothing. */
  canAdmit(now: number): boolean;
  /** Time has come to `now`; called before every admission. */
  observed(now: number): readonly CapChange[];
  /** A request is sent. Checks nothing: observers are admitted above the cap. Returns the epoch it carries back. */
  admitted(now: number): number;
  succeeded(now: number, epoch: number, sample?: Sample): readonly CapChange[];
  throttled(now: number, epoch: number, reason: ThrottleReason, retryAfterMs?: number): readonly CapChange[];
  /** A transient failure that is no throttle: timeout, 5xx, network. */
  failed(now: number): readonly CapChange[];
  /** Settled without a verdict: cancelled, permanent error, released. */
  ended(now: number): readonly CapChange[];
  /** `count` requests are queued for this key. */
  waiting(now: number, count: number): readonly CapChange[];
  setGrowthLimit(now: number, limit: number): readonly CapChange[];
  /** Jump up to `target`, where nothing speaks against it. */
  seed(now: number, target: number): readonly CapChange[];
  snapshot(): ControllerSnapshot;
}

/** The answer of a signal that moved nothing; shared, so that the common path allocates nothing. */
export const NO_CHANGES: readonly CapChange[] = Object.freeze([]);
