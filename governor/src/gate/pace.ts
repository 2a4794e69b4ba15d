/**
 * When admissions may follow one another, whatever the cap says: the stagger after a cooldown, and the pace of a rate.
 * Enforces both as one; knows no queue. Where neither is asked for there is none, and the common path has nothing to ask.
 */

import { Pacer, type StatedTokens } from '../core/pacing.js';
import { Stagger } from '../core/stagger.js';

interface PaceOptions {
  readonly resumeStaggerMs: number;
  readonly pacing: 'off' | 'headers';
}

export class Pace {
  readonly stagger: Stagger;
  /** Undefined where no rate is paced to. */
  readonly pacer: Pacer | undefined;

  /** Undefined where the options ask for none. */
  static of(options: PaceOptions): Pace | undefined {
    return options.resumeStaggerMs > 0 || options.pacing === 'headers' ? new Pace(options) : undefined;
  }

  private constructor({ resumeStaggerMs, pacing }: PaceOptions) {
    this.stagger = new Stagger(resumeStaggerMs);
    this.pacer = pacing === 'headers' ? new Pacer() : undefined;
  }

  /** Of the next request, which its caller takes to cost `tokens`. */
  nextAt(tokens: StatedTokens | undefined, now: number): number {
    return this.pacer === undefined
      ? this.stagger.nextAt
      : Math.max(this.stagger.nextAt, this.pacer.nextAt(tokens, now));
  }

  /** Whoever waits now waits for this, which is no evidence that the cap is too low. */
  isHolding(tokens: StatedTokens | undefined, now: number): boolean {
    return this.stagger.isHolding || (this.pacer !== undefined && this.pacer.nextAt(tokens, now) > now);
  }
}
