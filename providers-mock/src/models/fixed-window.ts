/**
 * `limit` units per window. The windows lie end to end from the origin of the told time: [k·per, (k+1)·per). Each starts
 * with nothing spent: an overdraft ends with its window, and what is settled after its window has ended changes nothing.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';

export class FixedWindow implements Allowance {
  #limit: number;
  #perUs: number;
  #startUs = 0;
  #endUs: number;
  #spent = 0;

  constructor({ limit, perUs }: AllowanceNumbers) {
    this.#limit = limit;
    this.#perUs = perUs;
    this.#endUs = perUs;
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

  /** The window in progress keeps what is spent in it and ends at the next boundary of the new grid. */
  reconfigured({ limit, perUs }: AllowanceNumbers, nowUs: number): void {
    this.#roll(nowUs);
    this.#limit = limit;
    this.#perUs = perUs;
    this.#endUs = nowUs - (nowUs % perUs) + perUs;
  }

  #roll(nowUs: number): void {
    if (nowUs < this.#endUs) return;
    this.#startUs = nowUs - (nowUs % this.#perUs);
    this.#endUs = this.#startUs + this.#perUs;
    this.#spent = 0;
  }
}
