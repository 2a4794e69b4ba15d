/**
 * What was spent when, oldest first: a ring of typed arrays with one entry per microsecond in which something was spent.
 * Its length is bounded by the limit plus the reservations in flight, not by the traffic: when the ring is full it forgets
 * entries that were given back whole and entries that can no longer matter, before it grows. Knows no window.
 */

interface Spending {
  /** Never before the last one recorded. */
  readonly atUs: number;
  readonly amount: number;
  /** The part of `amount` that may still be given back. */
  readonly open: number;
  /** Once this much is spent for good by newer entries, older ones cannot matter: they leave before any more fits. */
  readonly enough: number;
}

export class SpendLog {
  // The capacity is a power of two, so that a mask wraps the index.
  #at: Float64Array = new Float64Array(16);
  #amount: Float64Array = new Float64Array(16);
  #open: Float64Array = new Float64Array(16);
  #head = 0;
  #length = 0;
  #total = 0;

  /** The sum of all entries. */
  get total(): number {
    return this.#total;
  }

  /** Entries that the ring has room for now. */
  get capacity(): number {
    return this.#at.length;
  }

  record({ atUs, amount, open, enough }: Spending): void {
    if (amount === 0) return;
    if (this.#length === 0 || this.#at[this.#index(this.#length - 1)] !== atUs) this.#append(atUs, enough);
    const newest = this.#index(this.#length - 1);
    this.#amount[newest]! += amount;
    this.#open[newest]! += open;
    this.#total += amount;
  }

  /** Ends the wait for `amount` recorded open at `atUs`; `unused` of it was not spent after all. No entry, no effect. */
  close(atUs: number, amount: number, unused: number): void {
    const index = this.#find(atUs);
    if (index === null || amount === 0) return;
    this.#open[index]! -= amount;
    this.#amount[index]! -= unused;
    this.#total -= unused;
  }

  /** Drops the entries at or before `untilUs`. */
  dropUntil(untilUs: number): void {
    while (this.#length > 0 && this.#at[this.#head]! <= untilUs) {
      this.#total -= this.#amount[this.#head]!;
      this.#head = this.#index(1);
      this.#length -= 1;
    }
  }

  /** The time of the entry with which the oldest `amount` (1 to `total`) of all spending is complete. */
  whenOldestSpent(amount: number): number {
    let oldest = 0;
    let sum = this.#amount[this.#head]!;
    while (sum < amount) {
      oldest += 1;
      sum += this.#amount[this.#index(oldest)]!;
    }
    return this.#at[this.#index(oldest)]!;
  }

  /** The time of the newest entry that was not given back whole; null = there is none. */
  whenNewestSpent(): number | null {
    for (let position = this.#length - 1; position >= 0; position -= 1) {
      const index = this.#index(position);
      if (this.#amount[index] !== 0) return this.#at[index]!;
    }
    return null;
  }

  #index(position: number): number {
    return (this.#head + position) & (this.#at.length - 1);
  }

  #append(atUs: number, enough: number): void {
    if (this.#length === this.#at.length) this.#makeRoom(enough);
    const index = this.#index(this.#length);
    this.#at[index] = atUs;
    this.#amount[index] = 0;
    this.#open[index] = 0;
    this.#length += 1;
  }

  /** From the newest on in growing steps, then halving: what ends has mostly begun a short while ago, in a log that may be long. */
  #find(atUs: number): number | null {
    let high = this.#length;
    let step = 8;
    let low = Math.max(0, high - step);
    while (low > 0 && this.#at[this.#index(low)]! >= atUs) {
      high = low + 1;
      step *= 4;
      low = Math.max(0, high - step);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at[this.#index(middle)]! < atUs) low = middle + 1;
      else high = middle;
    }
    const index = this.#index(low);
    return low < this.#length && this.#at[index] === atUs ? index : null;
  }

  /** Grows unless half of the ring came free, so that the walk is paid for by the appends between two walks. */
  #makeRoom(enough: number): void {
    const kept = this.#thatMatter(enough);
    const capacity = kept.length > this.#at.length / 2 ? this.#at.length * 2 : this.#at.length;
    const at = new Float64Array(capacity);
    const amount = new Float64Array(capacity);
    const open = new Float64Array(capacity);
    let total = 0;
    kept.forEach((index, position) => {
      at[position] = this.#at[index]!;
      amount[position] = this.#amount[index]!;
      open[position] = this.#open[index]!;
      total += this.#amount[index]!;
    });
    this.#at = at;
    this.#amount = amount;
    this.#open = open;
    this.#head = 0;
    this.#length = kept.length;
    this.#total = total;
  }

  #thatMatter(enough: number): number[] {
    const indexes: number[] = [];
    let spentForGood = 0;
    for (let position = this.#length - 1; position >= 0 && spentForGood < enough; position -= 1) {
      const index = this.#index(position);
      if (this.#amount[index] === 0) continue;
      indexes.push(index);
      spentForGood += this.#amount[index]! - this.#open[index]!;
    }
    return indexes.reverse();
  }
}
