/**
 * What a law is: how one algorithm moves a limit on evidence, as plain arithmetic. The bookkeeping around it (in flight,
 * cooldown, bounds, idleness) is the same for all of them and is the LimitController's.
 */

import type { ThrottleReason } from './controller.js';

/** How a request ended, as a law sees it. */
export type Evidence =
  | {
      readonly outcome: 'succeeded';
      readonly now: number;
      /** Admission to settlement, milliseconds above 0, whole microseconds; undefined where nobody measured it. */
      readonly latencyMs: number | undefined;
      /** In flight when it was admitted, itself included. */
      readonly inFlight: number;
      /** Admitted since the last turn of the epoch. */
      readonly isCurrent: boolean;
    }
  | {
      readonly outcome: 'throttled';
      readonly now: number;
      readonly reason: ThrottleReason;
      readonly isCurrent: boolean;
    }
  | { readonly outcome: 'failed' | 'ended'; readonly now: number };

/** One algorithm. Remembers what it has measured; the limit itself is given to it each time. */
export interface LimitLaw {
  /** A request is sent, the `inFlight`-th at once, under this cap. */
  admitted?(inFlight: number, cap: number): void;
  /** The limit after a request ended; may have a fraction. Whoever asks keeps it within its bounds. */
  next(limit: number, evidence: Evidence): number;
  /** The refusal behind a fall that comes later than the refusal itself. */
  readonly refusal?: ThrottleReason | undefined;
  /** As new: the key was idle for long. */
  forget(): void;
}
