/**
 * Real time at a speed: a minute of a scenario in a second, say. Whatever in a run goes by a real clock goes by one of
 * these, so that both ends of a loopback have one axis. The one file of the simulator that turns its time into real timers.
 */

import { type Clock, systemClock } from '@tidegate/governor';
import type { MockClock } from '@tidegate/providers-mock/server';
import { ORIGIN_MS } from './run-calendar.js';

export interface WallTimeOptions {
  /** Milliseconds that pass in each real one; finite, above 0. Default 1. */
  readonly speed?: number;
  /** Where real time comes from. Default: the process's monotonic clock. */
  readonly clock?: Clock;
  /** Calls back once what has happened meanwhile has been seen to. Default: a turn of the event loop. */
  readonly soon?: (run: () => void) => void;
}

export class WallTime implements MockClock {
  /** Milliseconds that pass in each real one. */
  readonly speed: number;
  readonly #clock: Clock;
  readonly #soon: (run: () => void) => void;
  /** In real milliseconds; null before the start, when the time is 0. */
  #startedAt: number | null = null;

  /** @throws RangeError for a speed that is none. */
  constructor({ speed = 1, clock = systemClock, soon = nextTurn }: WallTimeOptions = {}) {
    if (!(speed > 0 && speed < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`speed must be a finite number above 0, got ${speed}`);
    }
    this.speed = speed;
    this.#clock = clock;
    this.#soon = soon;
  }

  /** Lets time pass. */
  start(): void {
    this.#startedAt ??= this.#clock.now();
  }

  /** Since the start, with decimals. */
  nowMs(): number {
    return this.#startedAt === null ? 0 : (this.#clock.now() - this.#startedAt) * this.speed;
  }

  /** Of the calendar of all runs, which begins on one and the same day. */
  epochMs(): number {
    return ORIGIN_MS + this.nowMs();
  }

  /** Calls `run` once, `delayMs` ≥ 0 from now and never before; returns what takes that back. */
  after(delayMs: number, run: () => void): () => void {
    const dueAt = this.#clock.now() + delayMs / this.speed;
    let cancel: () => void;
    const arm = (restMs: number): void => {
      // Rounded up, since a timer cuts its delay down to whole milliseconds; it may still fire a little early.
      cancel = this.#clock.schedule(fire, Math.ceil(restMs));
    };
    const fire = (): void => {
      const restMs = dueAt - this.#clock.now();
      if (restMs > 0) arm(restMs);
      else run();
    };
    arm(delayMs / this.speed);
    return () => cancel();
  }

  soon(run: () => void): void {
    this.#soon(run);
  }
}

function nextTurn(run: () => void): void {
  setImmediate(run);
}

/** Milliseconds since 1970 by the calendar of this machine. It may jump; nothing but a date in an answer is read by it. */
export function wallClockMs(): number {
  return Date.now();
}
