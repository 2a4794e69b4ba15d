/**
 * Discrete-event kernel: a virtual clock, and the loop that runs what is due. The clock counts whole microseconds and
 * moves only from one event to the next. Events run in the order (time, phase, sequence number) among those pending;
 * nothing else decides. One of an earlier phase than the running event's, scheduled for the same instant, therefore runs
 * next, before the rest of that instant. The kernel never reads a real clock, draws no random number and knows nothing of
 * what it simulates.
 */

import { DefectError } from './defect-error.js';
import { type EventFunction, type EventHandle, EventQueue, PHASE, type Phase } from './event-queue.js';
import { InstantGuard } from './instant-guard.js';

export { DefectError } from './defect-error.js';
export { type EventHandle, PHASE, type Phase } from './event-queue.js';
export { TimeStandsStillError } from './instant-guard.js';

export interface KernelOptions {
  /**
   * How long a chain of events may grow in which each schedules the next at its own instant; 1 to 1e9, default 100 000:
   * more than some 30 000 requests in series, all without any latency, build up, and reached at once by an endless chain.
   */
  readonly maxChainPerInstant?: number;
}

/** What code that must wait is given: the present, and a way to be called later. */
export interface VirtualClock {
  /** Milliseconds since the start of the run, a whole number of microseconds. */
  now(): number;
  /** Calls `fn` once, `delayMs` from now, in the phase `timer`. Returns what cancels it; cancelling late has no effect. */
  schedule(fn: () => void, delayMs: number): () => void;
}

/**
 * `drained`: nothing is pending. `until`: the given time has come. `stopped`: `stop` was called. `paused`: `maxEvents`
 * have run and more are due.
 */
export type RunEnd = 'drained' | 'until' | 'stopped' | 'paused';

/** The last instant there is, 285 years after the first: beyond it a double does not count single microseconds. */
const END_OF_TIME_US = Number.MAX_SAFE_INTEGER;

// Sums, differences and products of millisecond doubles are off by a few units in the last place: 2.007 × 1000 or
// `until - now()` miss a whole microsecond by that much, and rounding such a miss up would be a microsecond too late.
// 8 units (2^-49) cover what callers compute; that is 0.15 ns after a day and less than a microsecond for 17 years.
const ROUNDING_NOISE = 2 ** -49;

/** Depth of the running event while none runs, so that what is scheduled from outside gets depth 0. */
const OUTSIDE = -1;

export class Kernel {
  readonly clock: VirtualClock = {
    now: () => this.now(),
    schedule: (fn, delayMs) => {
      const handle = this.after(delayMs, PHASE.timer, fn, undefined);
      return () => {
        this.cancel(handle);
      };
    },
  };

  readonly #queue = new EventQueue();
  readonly #guard: InstantGuard;
  #nowUs = 0;
  #executed = 0;
  /** `#executed` when the clock came to the present instant. */
  #executedBefore = 0;
  #depth: number = OUTSIDE;
  #stopping = false;

  /** Throws RangeError for an option out of its range. */
  constructor(options: KernelOptions = {}) {
    const { maxChainPerInstant = 100_000 } = options;
    if (!Number.isInteger(maxChainPerInstant) || maxChainPerInstant < 1 || maxChainPerInstant > 1e9) {
      throw new RangeError(`maxChainPerInstant must be a whole number from 1 to 1e9, got ${maxChainPerInstant}`);
    }
    this.#guard = new InstantGuard(maxChainPerInstant);
  }

  /** The present, in whole microseconds since the start. */
  get nowUs(): number {
    return this.#nowUs;
  }

  /** The present, in milliseconds since the start. */
  now(): number {
    return this.#nowUs / 1000;
  }

  /** How many events are scheduled and neither executed nor cancelled. */
  get pending(): number {
    return this.#queue.size;
  }

  /** How many events have run; the running one counts. */
  get executed(): number {
    return this.#executed;
  }

  /**
   * Schedules `fn(arg)`; passing the argument along spares the caller a closure per event.
   * Throws DefectError for a time that is past or no whole microsecond: both are bugs of the caller.
   */
  at<T>(timeUs: number, phase: Phase, fn: (arg: T) => void, arg: T): EventHandle {
    const nowUs = this.#nowUs;
    if (!(timeUs >= nowUs && timeUs <= END_OF_TIME_US && Math.floor(timeUs) === timeUs)) {
      throw unschedulable(timeUs, nowUs, fn.name);
    }
    const depth = timeUs === nowUs ? this.#depth + 1 : 0;
    return this.#queue.push(timeUs, phase, depth, fn as EventFunction, arg);
  }

  /**
   * Schedules `fn(arg)` after `delayMs` ≥ 0, rounded up to a whole microsecond of the clock (an excess below 2^-49 of the
   * time reached is rounding noise and dropped). 0 is the present instant; any other delay is at least a microsecond;
   * one beyond the end of time (285 years) is that end. Throws RangeError for a delay that is negative, NaN or infinite.
   */
  after<T>(delayMs: number, phase: Phase, fn: (arg: T) => void, arg: T): EventHandle {
    if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) {
      throw new RangeError(
        `delayMs must be a finite number of milliseconds >= 0, got ${delayMs} for ${fn.name || 'an anonymous function'}`,
      );
    }
    return this.at(delayMs === 0 ? this.#nowUs : this.#arrivalUs(delayMs), phase, fn, arg);
  }

  #arrivalUs(delayMs: number): number {
    const exactUs = this.#nowUs + delayMs * 1000;
    const roundedUs = Math.ceil(exactUs * (1 - ROUNDING_NOISE));
    return Math.min(Math.max(roundedUs, this.#nowUs + 1), END_OF_TIME_US);
  }

  /** True if the event was pending and now is not; false, without any effect, if it has run or was cancelled before. */
  cancel(handle: EventHandle): boolean {
    return this.#queue.cancel(handle);
  }

  /**
   * Runs the events up to and at `untilMs` (rounded down to a whole microsecond; default: no bound). The clock ends at
   * the last event, or at `untilMs` if events are still pending after it. Pauses after `maxEvents` (default: no bound), so
   * that the caller can look at the world outside. May be called again to go on. An exception of
   * an event leaves `run`; the kernel stays usable. Throws TimeStandsStillError (see `KernelOptions`), RangeError for an
   * `untilMs` that is past or NaN, DefectError when called by an event.
   */
  run(untilMs: number = Number.POSITIVE_INFINITY, maxEvents: number = Number.POSITIVE_INFINITY): RunEnd {
    if (this.#depth !== OUTSIDE) throw new DefectError('an event called run() of the kernel that runs it');
    const untilUs = Math.floor(untilMs * 1000 * (1 + ROUNDING_NOISE));
    if (!(untilUs >= this.#nowUs)) {
      throw new RangeError(`untilMs must not be before the present (${this.now()} ms), got ${untilMs}`);
    }
    this.#stopping = false;
    try {
      return this.#runUntil(untilUs, this.#executed + maxEvents);
    } finally {
      this.#depth = OUTSIDE;
    }
  }

  /** Ends `run` after the event that calls it; without effect outside of one. */
  stop(): void {
    this.#stopping = true;
  }

  #runUntil(untilUs: number, untilExecuted: number): RunEnd {
    const queue = this.#queue;
    while (queue.size > 0) {
      if (this.#executed >= untilExecuted) return 'paused';
      const timeUs = queue.nextTimeUs;
      if (timeUs !== this.#nowUs) {
        if (timeUs > untilUs) {
          this.#nowUs = untilUs;
          return 'until';
        }
        this.#nowUs = timeUs;
        this.#executedBefore = this.#executed;
      }
      const { depth, fn, arg } = queue.pop();
      if (depth > 1) this.#checkInstant(fn.name, depth);
      this.#depth = depth;
      this.#executed += 1;
      fn(arg);
      if (this.#stopping) return 'stopped';
    }
    return 'drained';
  }

  #checkInstant(functionName: string, depth: number): void {
    this.#guard.check(functionName, depth, { nowUs: this.#nowUs, executed: this.#executed - this.#executedBefore });
  }
}

function unschedulable(timeUs: number, nowUs: number, functionName: string): DefectError {
  return new DefectError(
    `an event must be scheduled at a whole microsecond from now (${nowUs}) to ${END_OF_TIME_US}, got ${timeUs} for ` +
      `${functionName || 'an anonymous function'}`,
  );
}
