/**
 * One rate limit and what was spent of it: spending is spread evenly, and never more in any period than the limit gives.
 * Pure: it is told the time.
 */

import type { RateLimit } from './announced-limits.js';
import { RollingSum } from './rolling-sum.js';

/** Of the limit, so that the jitter of a network does not overrun it. */
const MARGIN = 0.98;
/** Of the period: what was missed because a timer came late or no place was free may be caught up. */
const SLACK = 0.05;

export class Meter {
  readonly counts: RateLimit['counts'];
  readonly perMs: number;
  limit = 0;
  /** The latest answer said that nothing is left for another request. */
  isExhausted = false;
  readonly #spent: RollingSum;
  /** From here on the next spending keeps the pace. */
  #readyAt = Number.NEGATIVE_INFINITY;

  constructor(counts: RateLimit['counts'], perMs: number) {
    this.counts = counts;
    this.perMs = perMs;
    this.#spent = new RollingSum(perMs);
  }

  /** When `cost` may be spent. More than all there is goes when nothing else is spent, for it would never fit. */
  nextAt(cost: number, now: number, share: number): number {
    const whole = this.limit * share;
    return Math.max(this.#readyAt, this.#spent.fallsTo(whole - Math.min(cost, whole), now));
  }

  /** @param cost below 0: given back. */
  spend(cost: number, now: number, share: number): void {
    this.#spent.add(now, cost);
    const from = Math.max(this.#readyAt, now - SLACK * this.perMs);
    this.#readyAt = Math.min(from + (cost * this.perMs) / (MARGIN * share * this.limit), now + this.perMs);
  }

  /** What was spent in the last period, as a share of the limit. */
  use(now: number): number {
    return this.#spent.sum(now) / this.limit;
  }
}
