/**
 * `limit` units in any span (t − per, t]: an exact log, no sub-windows. What was spent at s counts until just before
 * s + per. An overdraft and the spending of refused requests stand in the log like everything else.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';
import { SpendLog } from './spend-log.js';

export class SlidingWindow implements Allowance {
  #limit: number;
  #perUs: number;
  readonly #log = new SpendLog();

  constructor({ limit, perUs }: AllowanceNumbers) {
    this.#limit = limit;
    this.#perUs = perUs;
  }

  waitUs(need: number, nowUs: number): number {
    if (need > this.#limit) return Infinity;
    this.#log.dropUntil(nowUs - this.#perUs);
    const excess = this.#log.total + need - this.#limit;
    return excess <= 0 ? 0 : this.#log.whenOldestSpent(excess) + this.#perUs - nowUs;
  }

  reserved(amount: number, nowUs: number): void {
    this.#log.record({ atUs: nowUs, amount, open: amount, enough: this.#limit });
  }

  /** A reservation that has left the window has nothing to give back. */
  settled(amount: number, unused: number, takenUs: number): void {
    this.#log.close(takenUs, amount, unused);
  }

  charged(amount: number, nowUs: number): void {
    this.#log.record({ atUs: nowUs, amount, open: 0, enough: this.#limit });
  }

  refused(amount: number, nowUs: number): void {
    this.charged(amount, nowUs);
  }

  left(nowUs: number): number {
    this.#log.dropUntil(nowUs - this.#perUs);
    return this.#limit - this.#log.total;
  }

  fullInUs(nowUs: number): number {
    this.#log.dropUntil(nowUs - this.#perUs);
    const newestUs = this.#log.whenNewestSpent();
    return newestUs === null ? 0 : newestUs + this.#perUs - nowUs;
  }

  /** The log stays. A longer window does not bring back what has already left the shorter one. */
  reconfigured({ limit, perUs }: AllowanceNumbers, nowUs: number): void {
    this.#log.dropUntil(nowUs - this.#perUs);
    this.#limit = limit;
    this.#perUs = perUs;
  }
}
