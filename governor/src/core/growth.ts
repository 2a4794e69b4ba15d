/**
 * When the cap may rise, beyond the reference: probe backoff, slow start and growth by window, composed. Towards the
 * wall (the cap at the last cut) a raise is a probe; anywhere else nothing speaks against it. Successes are counted, not
 * only in a row: with long backoffs a single timeout now and then would otherwise put every probe off for ever.
 */

import type { ResolvedAimdOptions } from './options.js';
import { ProbeBackoff } from './probe-backoff.js';
import { SlowStart } from './slow-start.js';

/** The cap as it stands, and the cap at the last cut (0 = none). */
interface Standing {
  readonly cap: number;
  readonly next: number;
  readonly wall: number;
}

export class Growth {
  readonly #options: ResolvedAimdOptions;
  readonly #backoff: ProbeBackoff;
  readonly #slowStart: SlowStart | undefined;
  /** Successes of the epoch since the last raise. */
  #successes = 0;

  /** Undefined where the options are those of the reference. */
  static of(options: ResolvedAimdOptions): Growth | undefined {
    const { probeBackoffMax, recovery, growth } = options;
    return probeBackoffMax === 1 && recovery === 'additive' && growth === 'streak' ? undefined : new Growth(options);
  }

  private constructor(options: ResolvedAimdOptions) {
    this.#options = options;
    this.#backoff = new ProbeBackoff(options.probeBackoffMax);
    this.#slowStart = options.recovery === 'slow-start' ? new SlowStart() : undefined;
  }

  /** A current-epoch success. */
  succeeded(): void {
    this.#successes++;
  }

  /** So many in flight at once were none too many. */
  levelHeld(level: number, wall: number): void {
    if (wall > 0 && level >= wall) this.#backoff.reset();
  }

  /** @param streak successes in a row. */
  mayRaise({ cap, next, wall }: Standing, streak: number): boolean {
    const { increaseAfterSuccesses: k, growth } = this.#options;
    const isProbe = wall > cap && next >= wall;
    if (!isProbe && this.#slowStart?.isRecovering(cap)) return true;
    const needed = isProbe ? (growth === 'window' ? Math.max(k, cap) : k) * this.#backoff.factor : k;
    return streak >= k && this.#successes >= needed;
  }

  raised(): void {
    this.#successes = 0;
  }

  /** A probe of `level` above what is proven was refused. */
  probeFailed(level: number, wall: number): void {
    this.#successes = 0;
    this.#backoff.failed(level, wall);
  }

  /** What was taken for proven was refused. */
  disproved(proven: number): void {
    this.#successes = 0;
    this.#backoff.reset();
    this.#slowStart?.fellFrom(proven);
  }

  /** All that was learned is void. */
  reset(): void {
    this.#successes = 0;
    this.#backoff.reset();
    this.#slowStart?.reset();
  }
}
