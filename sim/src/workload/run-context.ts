/** What everything inside one run of a scenario shares. */

import type { Governor, ResolvedRetryPolicy } from '@tidegate/governor';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { Transport } from '../transport/transport.js';
import type { Clerk } from './clerk.js';

export interface RunContext {
  readonly runId: string;
  readonly target: { readonly provider: string; readonly model: string };
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
