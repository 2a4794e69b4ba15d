/**
 * The latency signal: a server that queues and never refuses shows its queue in the time to the first token. Judged on
 * that alone, never on total time, which grows with the answer. The lower quartile of a few dozen answers is compared
 * with the least it ever was; what cuts do not shorten is no queue of ours, and is the new normal.
 */

/** Answers per judgement; the quartile of them is blind to a few long prompts. */
const WINDOW = 32;
/** The first ones, which met no queue yet, give the first measure. */
const FIRST = 8;
/** Times the least: above what chance makes of 32 answers that vary by a factor of three. */
const TOLERANCE = 2.5;
/** As many in a row above that are judged at once: half of them would be by chance. */
const ROW = 12;
/** Two cuts in a row that shorten the wait less have shown that it is not ours; one may have met a queue that still grew. */
const RELIEF = 0.9;
const VAIN_CUTS = 2;

export class LatencySignal {
  #times: number[] = [];
  #row = 0;
  #least = Number.POSITIVE_INFINITY;
  /** At the latest cut, while it is not known whether it helped; else infinite. */
  #atCut = Number.POSITIVE_INFINITY;
  #vainCuts = 0;

  /** The latest judgement found a queue: until another finds none, nothing speaks for more. */
  get isHigh(): boolean {
    return this.#atCut < Number.POSITIVE_INFINITY;
  }

  /** One more answer under the present cap. True when the server queues. */
  isCongested(firstTokenMs: number): boolean {
    this.#times.push(firstTokenMs);
    this.#row = firstTokenMs > TOLERANCE * this.#least ? this.#row + 1 : 0;
    const length = this.#least < Number.POSITIVE_INFINITY ? WINDOW : FIRST;
    if (this.#times.length < length && this.#row < ROW) return false;
    const sorted = this.#times.sort((a, b) => a - b);
    return this.#judge(sorted[Math.ceil(sorted.length / 4) - 1] as number);
  }

  /** The cap is another: what was measured under the one before counts no more. */
  newEpoch(): void {
    this.#times = [];
    this.#row = 0;
  }

  reset(): void {
    this.newEpoch();
    this.#least = Number.POSITIVE_INFINITY;
    this.#atCut = Number.POSITIVE_INFINITY;
    this.#vainCuts = 0;
  }

  #judge(quartile: number): boolean {
    this.newEpoch();
    this.#vainCuts = quartile > RELIEF * this.#atCut ? this.#vainCuts + 1 : 0;
    if (this.#vainCuts === VAIN_CUTS || quartile < this.#least) this.#least = quartile;
    const isLong = quartile > TOLERANCE * this.#least;
    this.#atCut = isLong ? quartile : Number.POSITIVE_INFINITY;
    return isLong;
  }
}
