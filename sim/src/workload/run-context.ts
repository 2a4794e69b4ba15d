/** What everything that asks one target shares: one run of a scenario, or one open-loop process. */

import type { Governor, ResolvedRetryPolicy } from '@tidegate/governor';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { TargetSettings } from '../scenario/scenario.js';
import type { Transport } from '../transport/transport.js';
import type { Clerk } from './clerk.js';
import type { ExecutorPool } from './executors.js';
import type { Pause } from './pause.js';

/** A request that may be given up before it is over. */
export interface Interruptible {
  /** It waits for its turn, its retry or the end of a pause. */
  readonly isWaiting: boolean;
  interrupt(): void;
}

export interface RequestContext {
  /** Undefined for requests without a run. */
  readonly runId: string | undefined;
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
  readonly governor: Governor;
  readonly scheduler: Scheduler;
  readonly transport: Transport;
  readonly clerk: Clerk;
  readonly streams: RandomStreams;
}

export interface RunContext extends RequestContext {
  readonly runId: string;
  /** Shared by all runs; null: each task has an executor of its own. */
  readonly executors: ExecutorPool | null;
}
