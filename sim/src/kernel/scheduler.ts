/**
 * What simulated things need of time: the present, and a way to be called later in a phase of an instant. The kernel is
 * one; whatever runs on a wall clock is another. It is the only way in which time enters a run.
 */

import type { EventHandle, Phase, VirtualClock } from './kernel.js';

export interface Scheduler {
  /** For the governor. */
  readonly clock: VirtualClock;
  /** Milliseconds since the start of the run. */
  now(): number;
  after<T>(delayMs: number, phase: Phase, fn: (arg: T) => void, arg: T): EventHandle;
  cancel(handle: EventHandle): boolean;
}
