/**
 * A bucket of `burst` units that refills continuously at limit/per, as a virtual schedule (GCRA): its whole state is the
 * moment at which it will be full. The moment is a mixed number of microseconds, `whole + part/denominator`, so that no
 * rate rounds and nothing drifts. An overdrawn bucket is one that is full later than its capacity takes to fill.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';

export class TokenBucket implements Allowance {
  /** Those of the present rate; with a limit above 0 unless the bucket was built without. */
  #numbers: AllowanceNumbers;
  /** What the bucket holds when full; 0 while the limit is 0, which refuses everything. */
  #capacity: number;

  /** Microseconds in which one unit refills: whole + rest/denominator. */
  #unitUs = 0;
  #unitRest = 0;
  #denominator = 1;

  /** Microseconds from empty to full. */
  #fillUs = 0;
  #fillPart = 0;

  #fullAtUs = 0;
  #fullAtPart = 0;

  /** Result of `#measure`: fields instead of an object, since every verdict takes one. */
  #spanUs = 0;
  #spanPart = 0;

  constructor(numbers: AllowanceNumbers) {
    this.#numbers = numbers;
    this.#capacity = capacityOf(numbers);
    if (numbers.limit > 0) this.#refillAt(numbers);
  }

  waitUs(need: number, nowUs: number): number {
    if (need > this.#capacity) return Infinity;
    this.#measureFrom(need, nowUs);
    const waitUs = this.#spanUs - nowUs - this.#fillUs;
    // The parts are both below one, so that their difference adds at most one when rounding up.
    return Math.max(0, this.#spanPart > this.#fillPart ? waitUs + 1 : waitUs);
  }

  reserved(amount: number, nowUs: number): void {
    this.charged(amount, nowUs);
  }

  settled(_amount: number, unused: number): void {
    if (unused === 0) return;
    this.#measure(unused);
    this.#fullAtUs -= this.#spanUs;
    this.#fullAtPart -= this.#spanPart;
    if (this.#fullAtPart < 0) {
      this.#fullAtPart += this.#denominator;
      this.#fullAtUs -= 1;
    }
  }

  charged(amount: number, nowUs: number): void {
    this.#measureFrom(amount, nowUs);
    this.#fullAtUs = this.#spanUs;
    this.#fullAtPart = this.#spanPart;
  }

  /** Takes what there is: a refused request empties the bucket but never overdraws it, or a hot retry would close it for ever. */
  refused(amount: number, nowUs: number): void {
    if (this.waitUs(amount, nowUs) === 0) this.charged(amount, nowUs);
    else if (!this.#isOverdrawn(nowUs)) this.#emptied(nowUs);
  }

  left(nowUs: number): number {
    if (this.#capacity === 0) return 0;
    const { limit, perUs } = this.#numbers;
    const toFullUs = Math.max(0, this.#fullAtUs - nowUs + this.#fullAtPart / this.#denominator);
    // A millionth of a unit: more than the division may be off, less than anyone can spend.
    return Math.floor(this.#capacity - (toFullUs * limit) / perUs + 1e-6);
  }

  fullInUs(nowUs: number): number {
    return this.#capacity === 0 ? 0 : Math.max(0, this.#fullAtUs - nowUs + (this.#fullAtPart > 0 ? 1 : 0));
  }

  /**
   * The units in the bucket stay, as many as the new capacity holds, to the nearest microsecond of refill; a debt stays a
   * debt. While the limit is 0 the bucket goes on at its last rate behind the closed door.
   */
  reconfigured(numbers: AllowanceNumbers, nowUs: number): void {
    this.#capacity = capacityOf(numbers);
    const { limit, perUs, burst } = this.#numbers;
    const isSame = numbers.limit === limit && numbers.perUs === perUs && numbers.burst === burst;
    if (isSame || numbers.limit === 0) return;
    const toFullUs = Math.max(0, this.#fullAtUs - nowUs + this.#fullAtPart / this.#denominator);
    const level = burst - (toFullUs * limit) / perUs;
    // Below 0 where the new capacity holds less than there is: a bucket that was full in the past is full.
    const missing = numbers.burst - level;
    this.#refillAt(numbers);
    this.#fullAtUs = nowUs + Math.round((missing * numbers.perUs) / numbers.limit);
    this.#fullAtPart = 0;
  }

  #refillAt(numbers: AllowanceNumbers): void {
    const { limit, perUs, burst } = numbers;
    const divisor = greatestCommonDivisor(limit, perUs);
    this.#numbers = numbers;
    this.#denominator = limit / divisor;
    this.#unitRest = (perUs / divisor) % this.#denominator;
    this.#unitUs = (perUs / divisor - this.#unitRest) / this.#denominator;
    this.#measure(burst);
    this.#fillUs = this.#spanUs;
    this.#fillPart = this.#spanPart;
  }

  /** The time in which `amount` refills. */
  #measure(amount: number): void {
    const parts = amount * this.#unitRest;
    const whole = amount * this.#unitUs;
    if (parts <= Number.MAX_SAFE_INTEGER) {
      this.#spanPart = parts % this.#denominator;
      this.#spanUs = whole + (parts - this.#spanPart) / this.#denominator;
    } else {
      const exact = BigInt(amount) * BigInt(this.#unitRest);
      const denominator = BigInt(this.#denominator);
      this.#spanPart = Number(exact % denominator);
      this.#spanUs = whole + Number(exact / denominator);
    }
  }

  /** The moment at which the bucket would be full with `amount` taken now. */
  #measureFrom(amount: number, nowUs: number): void {
    this.#measure(amount);
    if (this.#fullAtUs < nowUs) {
      this.#spanUs += nowUs;
      return;
    }
    this.#spanUs += this.#fullAtUs;
    this.#spanPart += this.#fullAtPart;
    if (this.#spanPart >= this.#denominator) {
      this.#spanPart -= this.#denominator;
      this.#spanUs += 1;
    }
  }

  #isOverdrawn(nowUs: number): boolean {
    const aheadUs = this.#fullAtUs - nowUs;
    return aheadUs > this.#fillUs || (aheadUs === this.#fillUs && this.#fullAtPart > this.#fillPart);
  }

  #emptied(nowUs: number): void {
    this.#fullAtUs = nowUs + this.#fillUs;
    this.#fullAtPart = this.#fillPart;
  }
}

function capacityOf({ limit, burst }: AllowanceNumbers): number {
  return limit === 0 ? 0 : burst;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
