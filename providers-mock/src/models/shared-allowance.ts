/**
 * An allowance that other tenants use as well: their spendings come at random times of their own and are caught up with
 * before anything else is asked or told. What does not fit they do without; nobody sees them but by what is missing.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';
import type { OthersSpending } from './changing-limit.js';
import { exponentialUs, type Random } from './luck.js';

export class SharedAllowance implements Allowance {
  readonly #inner: Allowance;
  readonly #everyUs: number;
  readonly #amount: number;
  readonly #random: Random;
  #nextUs: number;

  constructor(inner: Allowance, { everyMs, amount }: OthersSpending, random: Random) {
    this.#inner = inner;
    this.#everyUs = everyMs * 1000;
    this.#amount = amount;
    this.#random = random;
    this.#nextUs = exponentialUs(this.#everyUs, random);
  }

  /** If neither the caller nor anybody else spends more. */
  waitUs(need: number, nowUs: number): number {
    this.#catchUp(nowUs);
    return this.#inner.waitUs(need, nowUs);
  }

  reserved(amount: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.reserved(amount, nowUs);
  }

  settled(amount: number, unused: number, takenUs: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.settled(amount, unused, takenUs, nowUs);
  }

  charged(amount: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.charged(amount, nowUs);
  }

  refused(amount: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.refused(amount, nowUs);
  }

  left(nowUs: number): number {
    this.#catchUp(nowUs);
    return this.#inner.left(nowUs);
  }

  fullInUs(nowUs: number): number {
    this.#catchUp(nowUs);
    return this.#inner.fullInUs(nowUs);
  }

  reconfigured(numbers: AllowanceNumbers, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.reconfigured(numbers, nowUs);
  }

  #catchUp(nowUs: number): void {
    while (this.#nextUs <= nowUs) {
      if (this.#inner.waitUs(this.#amount, this.#nextUs) === 0) this.#inner.charged(this.#amount, this.#nextUs);
      this.#nextUs += exponentialUs(this.#everyUs, this.#random);
    }
  }
}
