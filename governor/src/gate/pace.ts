/**
 * When admissions may follow one another, whatever the cap says: the stagger after a cooldown, and the pace of a rate.
 * Enforces both as one; knows no queue.
 */

import { Pacer, type StatedTokens } from '../core/pacing.js';
import { Stagger } from '../core/stagger.js';

export class Pace {
  readonly stagger: Stagger;
  /** Undefined where nothing is paced. */
  readonly pacer: Pacer | undefined;

  constructor({ resumeStaggerMs, pacing }: { readonly resumeStaggerMs: number; readonly pacing: 'off' | 'headers' }) {
    this.stagger = new Stagger(resumeStaggerMs);
    this.pacer = pacing === 'off' ? undefined : new Pacer();
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
