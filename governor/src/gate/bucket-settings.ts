/** What a bucket is made with, and what it shows of itself. */

import type { ControllerSnapshot } from '../core/controller.js';
import type { AbortSignals } from './abort.js';
import type { Clock } from './clock.js';
import type { Listeners } from './events.js';
import type { RequestListeners } from './request-events.js';

export interface BucketSettings {
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly requests: RequestListeners;
  readonly signals: AbortSignals;
  /** The growth limit where no run's bound is larger. */
  readonly growthLimit: number;
  readonly idleResetMs: number;
  readonly maxCooldownMs: number;
  readonly freezeOn: 'any' | 'rate';
  readonly pacing: 'off' | 'headers';
  readonly resumeStaggerMs: number;
  readonly maxQueue: number;
}

/** A controller's state and the gate's: `queue` waits really, while `waiters` is what the controller was told. */
export interface BucketSnapshot extends ControllerSnapshot {
  readonly queue: number;
  /** The longest in flight; a ticket that is never settled shows here. */
  readonly oldestInFlight?: { readonly since: number; readonly run?: string };
}

/** Refused because `maxQueue` requests already wait on the key. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}
