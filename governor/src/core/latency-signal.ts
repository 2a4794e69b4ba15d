/**
 * The latency signal: a server that queues and never refuses shows its queue in the time to the first token. Judged on
 * that alone, never on total time, which grows with the answer. The lower quartile of a few dozen answers is compared
 * with the least it ever was. How many places the server has follows from Little's law; what a cut to them does not
 * shorten is no queue of ours, and is the new normal.
 */

import type { Sample } from './controller.js';

/** Answers per judgement; the quartile of them is blind to a few long prompts. */
const WINDOW = 32;
/** The first ones give the first measure: the quickest of them, for with few places most of them met a queue already. */
const FIRST = 8;
/** Times the least: above what chance makes of 32 answers that vary by a factor of three. */
const TOLERANCE = 2.5;
/** As many in a row above that are judged at once: half of them would be by chance. */
const ROW = 12;
/** A cut to the places there are ends the queue; one that shortens the wait by less has shown that it is not ours. */
const RELIEF = 0.5;

export class LatencySignal {
  #times: number[] = [];
  /** Of the same answers. */
  readonly #sum = { firstToken: 0, latency: 0, level: 0 };
  #row = 0;
  #least = Number.POSITIVE_INFINITY;
  /** At the latest cut, while it is not known whether it helped; else infinite. */
  #atCut = Number.POSITIVE_INFINITY;
  /** Since the latest raise. */
  #answers = 0;
  /** With so many at once a queue is expected; 0 = nobody knows. */
  #wall = 0;

  get wall(): number {
    return this.#wall;
  }

  /** Not while the latest judgement found a queue, and from the wall on not before a dozen answers have shown none. */
  mayRaise(cap: number): boolean {
    if (this.#atCut < Number.POSITIVE_INFINITY) return false;
    return this.#wall === 0 || cap < this.#wall || this.#answers >= ROW;
  }

  raised(): void {
    this.#answers = 0;
  }

  /**
   * One more answer under the present cap: how many places the server seems to have. Infinite where a judgement finds no
   * queue, undefined where there is none yet.
   */
  places({ latencyMs, inFlightAtAdmission }: Sample, firstTokenMs: number): number | undefined {
    this.#answers++;
    this.#times.push(firstTokenMs);
    this.#sum.firstToken += firstTokenMs;
    this.#sum.latency += latencyMs;
    this.#sum.level += inFlightAtAdmission;
    this.#row = firstTokenMs > TOLERANCE * this.#least ? this.#row + 1 : 0;
    const isFirst = this.#least === Number.POSITIVE_INFINITY;
    if (this.#times.length < (isFirst ? FIRST : WINDOW) && this.#row < ROW) return undefined;
    const sorted = this.#times.sort((a, b) => a - b);
    const { firstToken, latency, level } = this.#sum;
    const count = sorted.length;
    if (isFirst) this.#least = sorted[0] as number;
    // Of those in flight as many wait as the share of their time that answers wait.
    const waiting = Math.max(0, firstToken - count * this.#least) / latency;
    const isLong = this.#judge(sorted[Math.ceil(count / 4) - 1] as number);
    return isLong ? (level / count) * (1 - waiting) : Number.POSITIVE_INFINITY;
  }

  /** The cap was cut to as many as the server has places for. */
  cutTo(cap: number): void {
    this.#wall = cap + 1;
  }

  /** The cap is another: what was measured under the one before counts no more. */
  newEpoch(): void {
    this.#times = [];
    this.#sum.firstToken = 0;
    this.#sum.latency = 0;
    this.#sum.level = 0;
    this.#row = 0;
  }

  reset(): void {
    this.newEpoch();
    this.#least = Number.POSITIVE_INFINITY;
    this.#atCut = Number.POSITIVE_INFINITY;
    this.#answers = 0;
    this.#wall = 0;
  }

  #judge(quartile: number): boolean {
    this.newEpoch();
    const wasInVain = quartile > RELIEF * this.#atCut;
    if (wasInVain) this.#wall = 0;
    if (wasInVain || quartile < this.#least) this.#least = quartile;
    const isLong = quartile > TOLERANCE * this.#least;
    this.#atCut = isLong ? quartile : Number.POSITIVE_INFINITY;
    return isLong;
  }
}
