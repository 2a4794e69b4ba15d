/** For how long a run makes no new request. What it has asked already goes on to its end, its retries included. */

export class Pause {
  #untilMs = 0;

  /** A pause within a pause does not shorten it. */
  extend(untilMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, untilMs);
  }

  /** What is left of it; 0 when there is none. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs);
  }
}
