/**
 * A limit that is earned: it grows while successful requests use it, and falls back when they do not. Periods lie end to
 * end from the origin of the told time.
 */

import type { GrowthSpec } from './changing-limit.js';
import type { LimitCourse } from './limit-course.js';

export class GrowingLimit implements LimitCourse {
  readonly #spec: GrowthSpec;
  readonly #everyUs: number;
  /** Periods of the quota's own window in one period of growth. */
  readonly #windows: number;
  #limit = 0;
  #used = 0;
  #changesAtUs: number;

  /** @param perMs the window that the limit is stated for. */
  constructor(spec: GrowthSpec, perMs: number) {
    this.#spec = spec;
    this.#everyUs = Math.round(spec.everyMs * 1000);
    this.#windows = spec.everyMs / perMs;
    this.#changesAtUs = this.#everyUs;
  }

  get changesAtUs(): number {
    return this.#changesAtUs;
  }

  /** @param given the stated limit, which is also the lowest. */
  limitAt(nowUs: number, given: number): number {
    this.#limit = Math.max(this.#limit, given);
    while (nowUs >= this.#changesAtUs) this.#endPeriod(given);
    return this.#limit;
  }

  highest(given: number): number {
    return Math.max(given, this.#spec.max);
  }

  used(amount: number): void {
    this.#used += amount;
  }

  #endPeriod(stated: number): void {
    const { max, growth, use } = this.#spec;
    const isUsed = this.#used >= use * this.#limit * this.#windows;
    // By at least one, or a small limit would never leave its place.
    const next = isUsed
      ? Math.min(max, Math.max(this.#limit + 1, Math.round(this.#limit * (1 + growth))))
      : Math.min(this.#limit - 1, Math.round(this.#limit / (1 + growth)));
    this.#limit = Math.max(stated, next);
    this.#used = 0;
    this.#changesAtUs += this.#everyUs;
  }
}
