/**
 * Probe backoff: a wall that was tried in vain is tried again after twice as many successes, then four times, up to a
 * factor. The wall is the cap at the last cut; getting through it, a lower one, or forgetting it begins anew.
 */

export class ProbeBackoff {
  readonly #max: number;
  /** How many times the usual successes the next probe takes. */
  factor = 1;

  /** @param max 1 = never backs off. */
  constructor(max: number) {
    this.#max = max;
  }

  /** A probe of `level` was refused; `wall` is what was refused before. */
  failed(level: number, wall: number): void {
    this.factor = Math.min(this.#max, level === wall ? this.factor * 2 : 2);
  }

  reset(): void {
    this.factor = 1;
  }
}
