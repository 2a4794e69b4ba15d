/**
 * How much of a limit is spent at an instant, for each way in which limits come back. None knows the limit itself: what a
 * history would have spent is the same whatever the limit was, and so one walk finds the limit.
 */

export interface Meter {
  /** Spent at this instant. */
  spent(tMs: number): number;
  /** The least and the most that may be spent for a provider whose clock is up to so much off; asked after `spent`. */
  least(tMs: number, offMs: number): number;
  most(tMs: number, offMs: number): number;
  /** Takes an amount at admission; returns the handle of `settle`. */
  take(tMs: number, amount: number): number;
  /** At the end: `used` of the `taken`. */
  settle(handle: number, tMs: number, taken: number, used: number): void;
  /** Until `excess` of what is spent has come back; Infinity where nobody can know. */
  waitMs(tMs: number, excess: number): number;
}

/** Requests in flight. */
export class InFlightMeter implements Meter {
  #count = 0;

  spent(): number {
    return this.#count;
  }

  least(): number {
    return this.#count;
  }

  most(): number {
    return this.#count;
  }

  take(): number {
    this.#count++;
    return 0;
  }

  settle(): void {
    this.#count--;
  }

  waitMs(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** What was spent since the window began; windows lie end to end. */
export class FixedWindowMeter implements Meter {
  readonly #perMs: number;
  readonly #phaseMs: number;
  #window = Number.NEGATIVE_INFINITY;
  #spent = 0;
  #spentBefore = 0;
  /** Spent so near to a border of the window that it may belong to the other side. */
  #early = 0;
  #late = 0;
  #lateBefore = 0;
  readonly #offMs: number;

  /** @param offMs how far the provider's clock may be off. */
  constructor(perMs: number, phaseMs: number, offMs: number = 0) {
    this.#perMs = perMs;
    this.#phaseMs = phaseMs;
    this.#offMs = offMs;
  }

  spent(tMs: number): number {
    this.#roll(tMs);
    return this.#spent;
  }

  least(tMs: number, offMs: number): number {
    return this.waitMs(tMs) <= offMs ? 0 : this.#spent - this.#early;
  }

  most(tMs: number, offMs: number): number {
    const most = this.#spent + this.#lateBefore;
    return this.#sinceBegin(tMs) < offMs ? Math.max(most, this.#spentBefore) : most;
  }

  take(tMs: number, amount: number): number {
    this.#roll(tMs);
    this.#spent += amount;
    if (this.#sinceBegin(tMs) < this.#offMs) this.#early += amount;
    else if (this.waitMs(tMs) <= this.#offMs) this.#late += amount;
    return this.#window;
  }

  settle(window: number, tMs: number, taken: number, used: number): void {
    this.#roll(tMs);
    if (used > taken) this.#spent += used - taken;
    else if (window === this.#window) this.#spent -= taken - used;
  }

  waitMs(tMs: number): number {
    return (Math.floor((tMs - this.#phaseMs) / this.#perMs) + 1) * this.#perMs + this.#phaseMs - tMs;
  }

  #roll(tMs: number): void {
    const window = Math.floor((tMs - this.#phaseMs) / this.#perMs);
    if (window === this.#window) return;
    const isNext = window === this.#window + 1;
    this.#window = window;
    this.#spentBefore = isNext ? this.#spent : 0;
    this.#lateBefore = isNext ? this.#late : 0;
    this.#spent = 0;
    this.#early = 0;
    this.#late = 0;
  }

  #sinceBegin(tMs: number): number {
    return tMs - this.#phaseMs - this.#window * this.#perMs;
  }
}

/** What was spent within the last `perMs`. */
export class SlidingWindowMeter implements Meter {
  readonly #perMs: number;
  readonly #times: number[] = [];
  readonly #amounts: number[] = [];
  #oldest = 0;
  #spent = 0;

  constructor(perMs: number) {
    this.#perMs = perMs;
  }

  spent(tMs: number): number {
    this.#drop(tMs);
    return this.#spent;
  }

  least(tMs: number, offMs: number): number {
    let spent = this.#spent;
    const until = tMs + offMs - this.#perMs;
    for (let i = this.#oldest; i < this.#times.length && (this.#times[i] as number) <= until; i++) {
      spent -= this.#amounts[i] as number;
    }
    return spent;
  }

  most(tMs: number, offMs: number): number {
    let spent = this.#spent;
    const since = tMs - offMs - this.#perMs;
    for (let i = this.#oldest - 1; i >= 0 && (this.#times[i] as number) > since; i--)
      spent += this.#amounts[i] as number;
    return spent;
  }

  take(tMs: number, amount: number): number {
    this.#times.push(tMs);
    this.#amounts.push(amount);
    this.#spent += amount;
    return this.#times.length - 1;
  }

  settle(handle: number, tMs: number, taken: number, used: number): void {
    this.#drop(tMs);
    if (used > taken) this.take(tMs, used - taken);
    else if (handle >= this.#oldest) {
      this.#amounts[handle] = (this.#amounts[handle] as number) - (taken - used);
      this.#spent -= taken - used;
    }
  }

  waitMs(tMs: number, excess: number): number {
    let left = excess;
    for (let i = this.#oldest; i < this.#times.length; i++) {
      left -= this.#amounts[i] as number;
      if (left <= 0) return (this.#times[i] as number) + this.#perMs - tMs;
    }
    return Number.POSITIVE_INFINITY;
  }

  #drop(tMs: number): void {
    while (this.#oldest < this.#times.length && (this.#times[this.#oldest] as number) <= tMs - this.#perMs) {
      this.#spent -= this.#amounts[this.#oldest] as number;
      this.#oldest++;
    }
  }
}

/** What is missing in a bucket that refills all the time. */
export class BucketMeter implements Meter {
  readonly #perMs: number;
  #missing = 0;
  #atMs = 0;

  /** @param rate units per millisecond, above 0. */
  constructor(rate: number) {
    this.#perMs = rate;
  }

  spent(tMs: number): number {
    this.#refill(tMs);
    return this.#missing;
  }

  least(_: number, offMs: number): number {
    return Math.max(0, this.#missing - offMs * this.#perMs);
  }

  most(_: number, offMs: number): number {
    return this.#missing + offMs * this.#perMs;
  }

  take(tMs: number, amount: number): number {
    this.#refill(tMs);
    this.#missing += amount;
    return 0;
  }

  settle(_: number, tMs: number, taken: number, used: number): void {
    this.#refill(tMs);
    this.#missing = Math.max(0, this.#missing + used - taken);
  }

  waitMs(_: number, excess: number): number {
    return excess / this.#perMs;
  }

  #refill(tMs: number): void {
    this.#missing = Math.max(0, this.#missing - (tMs - this.#atMs) * this.#perMs);
    this.#atMs = tMs;
  }
}
