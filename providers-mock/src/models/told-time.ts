/**
 * The time as the caller tells it: milliseconds in, whole microseconds out. Everything behind it counts in integers, so
 * that a stated wait is exact. Reads no clock; only makes sure that time never goes back, because windows and logs that
 * are shared by several models rest on it.
 */

export class ToldTime {
  #lastUs = 0;

  /** @throws RangeError when `nowMs` is not a finite number ≥ 0 or lies before an earlier one. */
  toUs(nowMs: number): number {
    const nowUs = Math.round(nowMs * 1000);
    if (!(nowUs >= this.#lastUs && nowUs <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(
        `nowMs must be a finite number and not before the last one told (${this.#lastUs / 1000}), got ${nowMs}; tell the time of one monotonic clock`,
      );
    }
    this.#lastUs = nowUs;
    return nowUs;
  }
}
