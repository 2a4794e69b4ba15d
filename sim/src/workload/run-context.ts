/** What everything that asks one target shares: one run of a scenario, or one open-loop process. */

import type { Governor, ResolvedRetryPolicy } from '@tidegate/governor';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { TargetSettings } from '../scenario/scenario.js';
import type { Transport } from '../transport/transport.js';
import type { Clerk } from './clerk.js';
import type { ExecutorPool } from './executors.js';
import type { Pause } from './pause.js';

/** A request that may be given up before it is over, or whose run may crash. */
export interface Interruptible {
  /** It waits for its turn, its retry or the end of a pause. */
  readonly isWaiting: boolean;
  interrupt(): void;
  /** The process of its run has died, and will be back at `upAtMs`. */
  suspend(upAtMs: number): void;
  /** What of it is in flight then, ends; it is due again when its run is back. */
  breakOff(): void;
}

/** An attempt on its way to the provider, seen by a controller that may know what it will ask. */
export interface Traveller {
  readonly provider: string;
  readonly model: string;
  readonly process: string | undefined;
  readonly runId: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
}

/** Told of each attempt before the governor hears of it, and where it goes; observers never queue. */
export interface Lookout {
  queued(attempt: Traveller): void;
  /** It waits no longer, and will not be sent. */
  withdrawn(attempt: Traveller): void;
  admitted(attempt: Traveller): void;
  /** The provider has been told. */
  sent(attempt: Traveller): void;
}

export interface RequestContext {
  /** Undefined for requests without a run. */
  readonly runId: string | undefined;
  /** Whose governor it goes through; undefined: the one process that a scenario has anyway. */
  readonly process: string | undefined;
  /** Its requests never queue and never cool. */
  readonly observer: true | undefined;
  /** Undefined where nothing is ever paused. */
  readonly pause: Pause | undefined;
  /** Asked and not over; undefined where none is ever given up. */
  readonly open: Set<Interruptible> | undefined;
  readonly target: TargetSettings;
  /** `provider/model`. */
  readonly key: string;
  /** Per attempt, from dispatch; null = none. */
  readonly timeoutMs: number | null;
  readonly retry: ResolvedRetryPolicy;
  /** Backoffs in place of those of the policy, the last one again and again. */
  readonly delaysMs: readonly number[] | undefined;
  readonly governor: Governor;
  readonly scheduler: Scheduler;
  readonly transport: Transport;
  readonly clerk: Clerk;
  /** Undefined unless the controller knows more than what the governor tells it. */
  readonly lookout: Lookout | undefined;
  readonly streams: RandomStreams;
  /** Whether the governor wants to know what a success used and when its first token came. */
  readonly measures: boolean;
}

export interface RunContext extends RequestContext {
  readonly runId: string;
  /** Shared by all runs; null: each task has an executor of its own. */
  readonly executors: ExecutorPool | null;
}
