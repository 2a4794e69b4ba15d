/**
 * A tool's deadline that does not count the time its own requests queue at the gate: the clock stops with the first that
 * queues and goes on when none is left, and what remained is kept. A retry's backoff counts.
 */

import type { Clock } from './clock.js';

export class ToolDeadline {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #finished: () => void;
  #leftMs: number;
  #runningSince = 0;
  #queued = 0;
  #cancel: (() => void) | undefined;
  #over = false;

  constructor(clock: Clock, ms: number, finished: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#finished = finished;
    this.#run(clock.now());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pause(now: number): void {
    this.#queued++;
    if (this.#queued > 1 || this.#over) return;
    this.#cancel?.();
    this.#leftMs -= now - this.#runningSince;
  }

  resume(now: number): void {
    this.#queued--;
    if (this.#queued === 0 && !this.#over) this.#run(now);
  }

  /** The tool came to its end in time. */
  done(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel?.();
    this.#finished();
  }

  #run(now: number): void {
    this.#runningSince = now;
    this.#cancel = this.#clock.schedule(() => this.#expire(), Math.max(0, this.#leftMs));
  }

  #expire(): void {
    if (this.#over) return;
    const now = this.#clock.now();
    const leftMs = this.#leftMs - (now - this.#runningSince);
    if (leftMs > 0) {
      // Timers may fire a little early.
      this.#leftMs = leftMs;
      this.#run(now);
      return;
    }
    this.done();
    this.#controller.abort(new DOMException('the deadline of the tool has passed', 'TimeoutError'));
  }
}
