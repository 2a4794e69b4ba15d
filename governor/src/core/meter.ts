/**
 * One rate limit and what was spent of it: spending is spread evenly, and never more in any period than the limit gives.
 * Providers differ in when they count an output: when the request is let in (it is reserved), or when it is answered.
 * Both are counted here, and the limit holds by either. Pure: it is told the time.
 */

import type { RateLimit } from './announced-limits.js';
import { RollingSum } from './rolling-sum.js';

/** What a request costs, in the units of the limit. */
export interface Cost {
  /** Known when the request is let in. */
  readonly prompt: number;
  readonly total: number;
}

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
  readonly #since: number;
  /** All of a request when it is let in. */
  readonly #reserved: RollingSum;
  /** Its prompt when it is let in, and its output when it is answered. */
  readonly #grown: RollingSum;
  /** From here on the next spending keeps the pace. */
  #readyAt = Number.NEGATIVE_INFINITY;

  /** @param since what was let in before is told when it is answered. */
  constructor(counts: RateLimit['counts'], perMs: number, since: number) {
    this.counts = counts;
    this.perMs = perMs;
    this.#since = since;
    this.#reserved = new RollingSum(perMs);
    this.#grown = new RollingSum(perMs);
  }

  /** When `cost` may be spent. More than all there is goes when nothing else is spent, for it would never fit. */
  nextAt({ prompt, total }: Cost, now: number, share: number): number {
    const whole = this.limit * share;
    const reserved = this.#reserved.fallsTo(whole - Math.min(total, whole), now);
    return Math.max(this.#readyAt, reserved, this.#grown.fallsTo(whole - Math.min(prompt, whole), now));
  }

  /** Let in. */
  spend({ prompt, total }: Cost, now: number, share: number): void {
    this.#reserved.add(now, total);
    this.#grown.add(now, prompt);
    this.#delay(total, now, share);
  }

  /** Answered: what was let in at `at` for `expected` has cost `used`. */
  answered(expected: Cost, used: Cost, at: number, now: number, share: number): void {
    const { prompt, total } = at < this.#since ? NOTHING : expected;
    this.#reserved.add(at, used.total - total, now);
    this.#grown.add(at, used.prompt - prompt, now);
    this.#grown.add(now, used.total - used.prompt);
    this.#delay(used.total - total, now, share);
  }

  /** What was spent in the last period, as a share of the limit. */
  use(now: number): number {
    return Math.max(this.#reserved.sum(now), this.#grown.sum(now)) / this.limit;
  }

  /** @param cost below 0: given back. */
  #delay(cost: number, now: number, share: number): void {
    const from = Math.max(this.#readyAt, now - SLACK * this.perMs);
    this.#readyAt = Math.min(from + (cost * this.perMs) / (MARGIN * share * this.limit), now + this.perMs);
  }
}

const NOTHING: Cost = { prompt: 0, total: 0 };
