/** What is timed of an answer while it comes: its first token, the first of the answer proper, and the gaps between. */

import type { Scheduler } from '../kernel/scheduler.js';
import type { AttemptEnd } from './transport.js';

type Paces = Pick<Extract<AttemptEnd, { class: 'ok' }>, 'firstAnswerMs' | 'gapMs' | 'longestGapMs'>;

export class Stopwatch {
  readonly #scheduler: Scheduler;
  readonly #startedAtMs: number;
  #pieces = 0;
  #hadReasoning = false;
  #firstMs: number | null = null;
  #firstAnswerMs: number | null = null;
  #lastMs = 0;
  #gaps = 0;
  #longestGapMs = 0;

  /** Starts now. */
  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#startedAtMs = scheduler.now();
  }

  /** Until the first token of any kind; null before it. */
  get firstMs(): number | null {
    return this.#firstMs;
  }

  /** @param pieces generated so far; of those that arrive together nobody knows the times in between. */
  generated(pieces: number, hasAnswered: boolean): void {
    if (pieces === this.#pieces) return;
    this.#pieces = pieces;
    const nowMs = this.#sinceStartMs();
    if (this.#firstMs === null) {
      this.#firstMs = nowMs;
      this.#hadReasoning = !hasAnswered;
    } else {
      this.#gaps++;
      this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastMs);
    }
    if (hasAnswered) this.#firstAnswerMs ??= nowMs;
    this.#lastMs = nowMs;
  }

  paces(): Paces {
    const firstMs = this.#firstMs;
    return {
      ...(this.#hadReasoning && this.#firstAnswerMs !== null && { firstAnswerMs: this.#firstAnswerMs }),
      ...(this.#gaps > 0 && {
        gapMs: wholeMicroseconds((this.#lastMs - (firstMs ?? 0)) / this.#gaps),
        longestGapMs: wholeMicroseconds(this.#longestGapMs),
      }),
    };
  }

  #sinceStartMs(): number {
    return wholeMicroseconds(this.#scheduler.now() - this.#startedAtMs);
  }
}

/** Differences of millisecond doubles miss their microsecond by a rounding error. */
export function wholeMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
