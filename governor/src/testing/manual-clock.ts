/**
 * A clock that moves only when told: for tests of whatever takes a `Clock`. It reads no real time and sets no real timer. An
 * entry of its own, `@tidegate/governor/testing/clock`, beside its place in the testing kit: it needs no `fast-check`.
 */

import type { Clock } from '../gate/clock.js';

/** A clock that moves only when told, and fires what is due on the way. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly fn: () => void }>();

  constructor(now = 0) {
    this.#now = now;
  }

  /** Timers set and neither fired nor cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer falls due; undefined when none is set. */
  get nextAt(): number | undefined {
    return this.#next(Number.POSITIVE_INFINITY)?.at;
  }

  now(): number {
    return this.#now;
  }

  schedule(fn: () => void, delayMs: number): () => void {
    if (!(delayMs >= 0)) throw new RangeError(`delayMs: expected milliseconds ≥ 0, got ${delayMs}`);
    const id = this.#order++;
    this.#timers.set(id, { at: this.#now + delayMs, fn });
    return () => void this.#timers.delete(id);
  }

  /** Moves to `now + ms` and fires nothing: a busy process, whose timers are late. What fell due fires with `advance`. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Moves to `now + ms`, firing what falls due on the way, in order of time and then of setting. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.#timers.delete(due.id);
      this.#now = Math.max(this.#now, due.at);
      due.fn();
    }
    this.#now = end;
  }

  #next(end: number): { readonly id: number; readonly at: number; readonly fn: () => void } | undefined {
    let earliest: { readonly id: number; readonly at: number; readonly fn: () => void } | undefined;
    for (const [id, timer] of this.#timers) {
      if (timer.at <= end && (earliest === undefined || timer.at < earliest.at)) earliest = { id, ...timer };
    }
    return earliest;
  }
}
