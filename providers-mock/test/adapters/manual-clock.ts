/** Time that stands still until a test moves it on. */

import type { MockClock } from '../../src/adapters/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Noon of a Monday: the instant that the collected wire cases are told at. */
export const NOON_MS: number = Date.UTC(2026, 10, 30, 12);

export class ManualClock implements MockClock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  nowMs(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return NOON_MS + this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Fires what falls due, in order of time. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** As `advance`, with turns of the event loop after each timer, so that streams that are read get on in between. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await turns();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
      await turns();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= untilMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  }
}

/** Enough for a frame to be pulled, and for the next timer to be set. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
