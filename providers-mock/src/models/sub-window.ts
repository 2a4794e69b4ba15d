/**
 * A limit per minute that is enforced per second as well: an allowance and a small one beside it, whose limit is the share
 * of the short window, rounded up. More than a short window holds is let in when one is whole, and overdraws it: a limit
 * on smoothness never makes a request too large.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';

export class SubWindow implements Allowance {
  readonly #whole: Allowance;
  readonly #part: Allowance;
  readonly #partUs: number;
  #partLimit: number;

  /** @param create the small allowance, of the kind that the whole one is of. */
  constructor(
    whole: Allowance,
    numbers: AllowanceNumbers,
    partUs: number,
    create: (part: AllowanceNumbers) => Allowance,
  ) {
    const part = partOf(numbers, partUs);
    this.#whole = whole;
    this.#part = create(part);
    this.#partUs = partUs;
    this.#partLimit = part.limit;
  }

  waitUs(need: number, nowUs: number): number {
    const wholeUs = this.#whole.waitUs(need, nowUs);
    if (wholeUs === Infinity) return Infinity;
    return Math.max(wholeUs, this.#part.waitUs(Math.min(need, this.#partLimit), nowUs));
  }

  reserved(amount: number, nowUs: number): void {
    this.#whole.reserved(amount, nowUs);
    this.#part.reserved(amount, nowUs);
  }

  settled(amount: number, unused: number, takenUs: number, nowUs: number): void {
    this.#whole.settled(amount, unused, takenUs, nowUs);
    this.#part.settled(amount, unused, takenUs, nowUs);
  }

  charged(amount: number, nowUs: number): void {
    this.#whole.charged(amount, nowUs);
    this.#part.charged(amount, nowUs);
  }

  refused(amount: number, nowUs: number): void {
    this.#whole.refused(amount, nowUs);
    this.#part.refused(amount, nowUs);
  }

  /** Of the stated window: that a request is refused while much is left is what a sub-window does. */
  left(nowUs: number): number {
    return this.#whole.left(nowUs);
  }

  fullInUs(nowUs: number): number {
    return this.#whole.fullInUs(nowUs);
  }

  reconfigured(numbers: AllowanceNumbers, nowUs: number): void {
    const part = partOf(numbers, this.#partUs);
    this.#whole.reconfigured(numbers, nowUs);
    this.#part.reconfigured(part, nowUs);
    this.#partLimit = part.limit;
  }
}

function partOf({ limit, perUs }: AllowanceNumbers, partUs: number): AllowanceNumbers {
  const share = Math.ceil((limit * partUs) / perUs);
  return { limit: share, perUs: partUs, burst: share };
}
