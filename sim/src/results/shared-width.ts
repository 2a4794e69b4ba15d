/**
 * The width that runs of one bound which have asked the same keys have in common: `min(cap of the narrowest key, bound)`
 * over time. Kept once however many runs follow it, so that a cap that moves costs the same for one run and for ten
 * thousand. Knows nothing of runs.
 */

/** The cap of a key, as it stands. */
export interface KeyCap {
  readonly name: string;
  cap: number;
}

/** A width that held until `until`. */
interface Level {
  readonly until: number;
  readonly width: number;
}

export class SharedWidth {
  readonly keys: readonly KeyCap[];
  readonly bound: number;
  /** Runs that follow it now. */
  followers = 0;
  width: number;
  #since: number;
  /** Width × time up to `#since`. */
  #area = 0;
  /**
   * Of the levels that lasted: each that no later one undercuts, so that widths rise along the list, and the lowest since
   * any time is the first that held after it.
   */
  readonly #lows: Level[] = [];

  constructor(keys: readonly KeyCap[], bound: number, t: number) {
    this.keys = keys;
    this.bound = bound;
    this.width = this.#narrowest();
    this.#since = t;
  }

  /** A cap may have changed at `t`. Returns whether the width did. */
  update(t: number): boolean {
    const width = this.#narrowest();
    if (width === this.width) return false;
    if (t > this.#since) {
      this.#area += this.width * (t - this.#since);
      while ((this.#lows.at(-1)?.width ?? 0) >= this.width) this.#lows.pop();
      this.#lows.push({ until: t, width: this.width });
      this.#since = t;
    }
    this.width = width;
    return true;
  }

  /** Width × time from the first moment to `t`, now or later. */
  areaUntil(t: number): number {
    return this.#area + this.width * (t - this.#since);
  }

  /** The lowest width that held for some time between `from` and `until`, now or later; infinite where that is no time. */
  lowest(from: number, until: number): number {
    if (until <= from) return Number.POSITIVE_INFINITY;
    const present = until > this.#since ? this.width : Number.POSITIVE_INFINITY;
    return Math.min(present, this.#lows.find((level) => level.until > from)?.width ?? Number.POSITIVE_INFINITY);
  }

  #narrowest(): number {
    let narrowest = this.bound;
    for (const { cap } of this.keys) if (cap < narrowest) narrowest = cap;
    return narrowest;
  }
}
