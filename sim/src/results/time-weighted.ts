/**
 * A level over time (requests in flight, a queue, a cap): its extremes and its mean weighted by how long each value held.
 * The mean is over [0, the last settlement], and which settlement is the last is known only at the end; so the area up to
 * the latest settlement is kept beside the area up to now. Knows nothing of what it measures.
 */

export class TimeWeighted {
  value: number;
  min: number;
  max: number;
  /** The highest value before the present one that held for some time. */
  #highestHeld = Number.NEGATIVE_INFINITY;
  /** Value × time up to `#at`, the last change. */
  #area = 0;
  #at = 0;
  /** Value × time up to the latest settlement before `#at`. */
  #settledArea = 0;

  /** @param initial the level from time 0 on. */
  constructor(initial: number) {
    this.value = initial;
    this.min = initial;
    this.max = initial;
  }

  /** The level is `value` from `t` on; `settledAt` is the latest settlement so far, `t` or before it. */
  set(value: number, t: number, settledAt: number): void {
    if (settledAt >= this.#at) this.#settledArea = this.#area + this.value * (settledAt - this.#at);
    if (t > this.#at) {
      this.#area += this.value * (t - this.#at);
      if (this.value > this.#highestHeld) this.#highestHeld = this.value;
      this.#at = t;
    }
    this.value = value;
    if (value > this.max) this.max = value;
    else if (value < this.min) this.min = value;
  }

  /** The highest value that held for some time, or that is held now. */
  get maxHeld(): number {
    return Math.max(this.#highestHeld, this.value);
  }

  /** The mean over [0, settledAt], `settledAt` being the latest settlement; null where that is no time at all. */
  mean(settledAt: number): number | null {
    if (settledAt <= 0) return null;
    const area = settledAt >= this.#at ? this.#area + this.value * (settledAt - this.#at) : this.#settledArea;
    return area / settledAt;
  }
}
