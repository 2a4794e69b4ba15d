/**
 * What a controller is: one key's concurrency cap as a pure state machine. It is told everything, `now` included
 * (milliseconds, any monotonic origin), reads no clock and does no I/O. A signal says what happened and returns the
 * changes of the cap that it caused; distributing them is the caller's business.
 */

/** Why a cap moved: a refusal's reason, a raise, an idle reset, a lowered growth limit, a seed. */
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

/** A move of a cap, in requests at once. `previous` equals `next` where a refusal only started a wait. */
export interface CapChange {
  /** `provider/model`. */
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
  /** Sending to the first generated token, milliseconds; absent where nobody told. */
  readonly firstTokenMs?: number;
  /** Tokens that the answer says it used; absent where it says nothing. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
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
  /** As last told by `waiting`. */
  readonly waiters: number;
  /** Current-epoch successes since the last raise, failure or new epoch. */
  readonly successStreak: number;
  /** Nobody is admitted before. */
  readonly cooldownUntil?: number;
  /** Of the last admission or settlement. */
  readonly lastRequestAt?: number;
  /** The proven level. */
  readonly lastGood?: number;
  /** The cap at the last cut. */
  readonly lastBad?: number;
  /** Of the last refusal of any epoch. */
  readonly lastThrottledAt?: number;
}

/**
 * One key's cap as a state machine. `now` is in milliseconds on any monotonic axis; the changes that a signal returns have
 * happened. The four settlements throw an InvariantError when nothing is in flight.
 */
export interface ConcurrencyController {
  /** Whether a request may be sent now: below the cap and not cooling. Changes nothing. */
  canAdmit(now: number): boolean;
  /**
   * For a controller that spaces admissions in time: when it will admit one more if nothing ends before, on the axis of
   * `now`; −∞ where time alone admits nobody. The gate asks when it has refused somebody who waits, and comes back then.
   * A cooldown need not be told here. Changes nothing. Default: never.
   */
  notBefore?(now: number): number;
  /** Time has come to `now`; called before every admission. */
  observed(now: number): readonly CapChange[];
  /** A request is sent. Checks nothing: observers are admitted above the cap. Returns the epoch it carries back. */
  admitted(now: number): number;
  /** Answered in full; proof only if `epoch` is the current one. */
  succeeded(now: number, epoch: number, sample?: Sample): readonly CapChange[];
  /** The provider refused; a `retryAfterMs` above 0 starts or extends the cooldown, whatever the epoch. */
  throttled(now: number, epoch: number, reason: ThrottleReason, retryAfterMs?: number): readonly CapChange[];
  /** A transient failure that is no throttle: timeout, 5xx, network. */
  failed(now: number): readonly CapChange[];
  /** Settled without a verdict: cancelled, permanent error, released. */
  ended(now: number): readonly CapChange[];
  /** `count` requests are queued for this key. */
  waiting(now: number, count: number): readonly CapChange[];
  /** How far the cap may climb by itself; a cap above it is lowered at once. @throws RangeError when not finite. */
  setGrowthLimit(now: number, limit: number): readonly CapChange[];
  /** Jump up to `target`, where nothing speaks against it. @throws RangeError when not finite. */
  seed(now: number, target: number): readonly CapChange[];
  /** The whole state, as a copy. */
  snapshot(): ControllerSnapshot;
}

/** The answer of a signal that moved nothing; shared, so that the common path allocates nothing. */
export const NO_CHANGES: readonly CapChange[] = Object.freeze([]);
