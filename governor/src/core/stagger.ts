/**
 * A staggered resume: after a cooldown the first grants, as many as the cap then is, go out one by one, so that a queue
 * that was held back does not become a wave. Pure: told the time, holds no timer.
 */

export class Stagger {
  readonly #stepMs: number;
  #due = false;
  #left = 0;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** @param stepMs between two grants; 0 = never staggers. */
  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** Grants are being spaced out: who waits now waits for this, which is no evidence that the cap is too low. */
  get isHolding(): boolean {
    return this.#left > 0;
  }

  /** When the next grant may go out; −∞ when nothing is held. */
  get nextAt(): number {
    return this.#left > 0 ? this.#nextAt : Number.NEGATIVE_INFINITY;
  }

  /** A cooldown began or was extended; its end is to be staggered. */
  cooldownExtended(): void {
    this.#due = this.#stepMs > 0;
  }

  /** A grant would be possible at `now`; true when that ends a cooldown and `cap` grants are to be spaced out. */
  begins(now: number, cooldownUntil: number, cap: number): boolean {
    if (!this.#due || now < cooldownUntil) return false;
    this.#due = false;
    this.#left = cap;
    this.#nextAt = cooldownUntil;
    return true;
  }

  /** One grant went out; true when it was the last of those held. */
  granted(now: number): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    this.#nextAt = now + this.#stepMs;
    return this.#left === 0;
  }
}
