/**
 * The textbook law: +1 for each window of answers, halved once for each wave of refusals. What the reference would be
 * without a proof of its cap and without a mild cut.
 *
 * Source: Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer Networks"
 * (1989), with the constants of RFC 5681 §3.1: one segment per window, half of it per loss. As RFC 7661 §4.3 has it, a window
 * that was less than half in use proves nothing.
 */

import { LimitController, type LimitOptions } from './limit-controller.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { integerOption, numberOption } from './options.js';

/** Of the TrueAimdController. Defaults: `initial` 8, `floor` 1, `growthLimit` 200. */
export interface TrueAimdOptions extends LimitOptions {
  /** A refusal sets the limit to `floor(limit × decreaseFactor)`. Between 0 and 1, both excluded; default 0.5. */
  readonly decreaseFactor?: number;
  /** Added for each window. Integer ≥ 1; default 1. */
  readonly increaseStep?: number;
}

/** The textbook's AIMD: +1 per window, half per wave of refusals. */
export class TrueAimdController extends LimitController {
  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: TrueAimdOptions) {
    super(options, { initial: 8, growthLimit: 200, floor: 1 }, new TrueAimd(options));
  }
}

class TrueAimd implements LimitLaw {
  readonly #decreaseFactor: number;
  readonly #increaseStep: number;
  /** Answers of the window that is under way. */
  #answers = 0;

  constructor({ decreaseFactor, increaseStep }: TrueAimdOptions) {
    const range = 'a number between 0 and 1, both excluded';
    this.#decreaseFactor = numberOption('decreaseFactor', decreaseFactor, 0.5, range, (n) => n > 0 && n < 1);
    this.#increaseStep = integerOption('increaseStep', increaseStep, 1, 1);
  }

  next(limit: number, evidence: Evidence): number {
    if (!('isCurrent' in evidence && evidence.isCurrent)) return limit;
    if (evidence.outcome === 'throttled') {
      this.#answers = 0;
      return Math.floor(limit * this.#decreaseFactor);
    }
    if (evidence.inFlight * 2 < limit) return limit;
    this.#answers++;
    if (this.#answers < limit) return limit;
    this.#answers = 0;
    return limit + this.#increaseStep;
  }

  forget(): void {
    this.#answers = 0;
  }
}
