/**
 * Slow start: below the last proven level each success is worth a raise, which doubles the cap once per service time. A
 * cut that disproves a level sets the mark; whoever has climbed back to it is done.
 */

export class SlowStart {
  /** The last proven level, while the cap is below it; else 0. */
  #mark = 0;

  /** A cut left the cap below a level that was proven before; 0 = none was. */
  fellFrom(proven: number): void {
    if (proven > this.#mark) this.#mark = proven;
  }

  /** Whether a raise from `cap` takes one success only. */
  isRecovering(cap: number): boolean {
    if (cap >= this.#mark) this.#mark = 0;
    return this.#mark > 0;
  }

  reset(): void {
    this.#mark = 0;
  }
}
