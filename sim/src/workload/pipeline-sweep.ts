/**
 * Looks at the running children of a stage every so often, on a grid that begins with the pipeline, for what their budgets
 * have due. Has no timer while nobody runs.
 */

import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';

/** Whoever is looked at. */
export interface Swept {
  sweep(nowMs: number): void;
}

export class PipelineSweep {
  readonly #scheduler: Scheduler;
  readonly #everyMs: number;
  readonly #beganMs: number;
  /** In the order of their coming. */
  readonly #running = new Set<Swept>();
  #timer: EventHandle | undefined;

  constructor(scheduler: Scheduler, everyMs: number) {
    this.#scheduler = scheduler;
    this.#everyMs = everyMs;
    this.#beganMs = scheduler.now();
  }

  add(swept: Swept): void {
    this.#running.add(swept);
    this.#timer ??= this.#next();
  }

  remove(swept: Swept): void {
    this.#running.delete(swept);
    if (this.#running.size > 0 || this.#timer === undefined) return;
    this.#scheduler.cancel(this.#timer);
    this.#timer = undefined;
  }

  sweep(): void {
    this.#timer = undefined;
    const now = this.#scheduler.now();
    // Over a copy: whoever is stopped may let another one start.
    for (const swept of [...this.#running]) if (this.#running.has(swept)) swept.sweep(now);
    if (this.#running.size > 0) this.#timer ??= this.#next();
  }

  /** The next point of the grid, never this instant. */
  #next(): EventHandle {
    const sinceUs = Math.round((this.#scheduler.now() - this.#beganMs) * 1000);
    const everyUs = Math.round(this.#everyMs * 1000);
    const delayMs = (everyUs - (sinceUs % everyUs)) / 1000;
    return this.#scheduler.after(delayMs, PHASE.timer, sweep, this);
  }
}

function sweep(each: PipelineSweep): void {
  each.sweep();
}
