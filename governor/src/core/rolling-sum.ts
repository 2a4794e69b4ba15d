/**
 * What was added in the time before now, in constant memory: in bins, each kept until nothing of it can be younger than
 * the period. Pure: it is told the time.
 */

/** One more than the parts of a period: what is kept too long is less than half a hundredth of it. */
const BINS = 241;

export class RollingSum {
  readonly #binMs: number;
  readonly #bins = new Float64Array(BINS);
  /** The bin of the latest time told, counted from time 0. */
  #latest = 0;
  #sum = 0;

  constructor(periodMs: number) {
    this.#binMs = periodMs / (BINS - 1);
  }

  /** @param at when it was, at most `now`; what is older than the period counts no more. */
  add(at: number, amount: number, now: number = at): void {
    this.#moveTo(now);
    const bin = Math.floor(at / this.#binMs);
    if (bin <= this.#latest - BINS) return;
    this.#bins[Math.min(bin, this.#latest) % BINS]! += amount;
    this.#sum += amount;
  }

  sum(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  /** When it will be at most `most`, if nothing is added. */
  fallsTo(most: number, now: number): number {
    let left = this.sum(now);
    let bin = this.#latest - BINS;
    while (left > most && bin < this.#latest) left -= this.#bins[(++bin + BINS) % BINS]!;
    return left <= most && bin === this.#latest - BINS ? now : (bin + BINS) * this.#binMs;
  }

  #moveTo(now: number): void {
    const latest = Math.max(this.#latest, Math.floor(now / this.#binMs));
    for (let bin = Math.max(this.#latest + 1, latest - BINS + 1); bin <= latest; bin++) {
      this.#sum -= this.#bins[bin % BINS]!;
      this.#bins[bin % BINS] = 0;
    }
    this.#latest = latest;
  }
}
