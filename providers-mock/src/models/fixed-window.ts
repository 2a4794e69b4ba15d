/**
 * `limit` units per window. The windows lie end to end through one moment, the origin of the told time if no other is
 * given: [moment + k·per, moment + (k+1)·per). Each starts with nothing spent: an overdraft ends with its window, and what
 * is settled after its window has ended changes nothing.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';

export class FixedWindow implements Allowance {
  #limit: number;
  #perUs: number;
  /** The moment through which the windows lie. */
  readonly #resetUs: number;
  #startUs: number;
  #endUs: number;
  #spent = 0;

  /** @param resetUs a moment ≥ 0 at which a window begins. */
  constructor({ limit, perUs }: AllowanceNumbers, resetUs: number = 0) {
    this.#limit = limit;
    this.#perUs = perUs;
    this.#resetUs = resetUs;
    this.#startUs = this.#startOfWindow(0);
    this.#endUs = this.#startUs + perUs;
  }

  waitUs(need: number, nowUs: number): number {
    if (need > this.#limit) return Infinity;
    this.#roll(nowUs);
    return this.#spent + need <= this.#limit ? 0 : this.#endUs - nowUs;
  }

  reserved(amount: number, nowUs: number): void {
    this.charged(amount, nowUs);
  }

  settled(_amount: number, unused: number, takenUs: number, nowUs: number): void {
    this.#roll(nowUs);
    if (takenUs >= this.#startUs) this.#spent -= unused;
  }

  charged(amount: number, nowUs: number): void {
    this.#roll(nowUs);
    this.#spent += amount;
  }

  refused(amount: number, nowUs: number): void {
    this.charged(amount, nowUs);
  }

  left(nowUs: number): number {
    this.#roll(nowUs);
    return this.#limit - this.#spent;
  }

  fullInUs(nowUs: number): number {
    this.#roll(nowUs);
    return this.#spent > 0 ? this.#endUs - nowUs : 0;
  }

  /** The window in progress keeps what is spent in it and ends at the next boundary of the new grid. */
  reconfigured({ limit, perUs }: AllowanceNumbers, nowUs: number): void {
    this.#roll(nowUs);
    this.#limit = limit;
    this.#perUs = perUs;
    this.#endUs = this.#startOfWindow(nowUs) + perUs;
  }

  #roll(nowUs: number): void {
    if (nowUs < this.#endUs) return;
    this.#startUs = this.#startOfWindow(nowUs);
    this.#endUs = this.#startUs + this.#perUs;
    this.#spent = 0;
  }

  /** May lie before the origin. */
  #startOfWindow(nowUs: number): number {
    const intoUs = (nowUs - this.#resetUs) % this.#perUs;
    return nowUs - (intoUs < 0 ? intoUs + this.#perUs : intoUs);
  }
}
