/**
 * What the wall clock allows one turn of a child: at a share of its time it is warned once, at the end of it interrupted,
 * and so long after that stopped for good. Judged only when it is swept, so each comes up to a sweep late. Pure: it is told
 * the time.
 */

import type { BudgetSettings } from '../scenario/pipeline-settings.js';

/** What is due at a sweep. */
export type BudgetAction = 'warn' | 'interrupt' | 'stop';

export class WallClockBudget {
  readonly #settings: Pick<BudgetSettings, 'timeMs' | 'warnAt' | 'graceMs'>;
  readonly #beganMs: number;
  #state: 'running' | 'warned' | { readonly interruptedMs: number } | 'stopped' = 'running';

  constructor(settings: Pick<BudgetSettings, 'timeMs' | 'warnAt' | 'graceMs'>, beganMs: number) {
    this.#settings = settings;
    this.#beganMs = beganMs;
  }

  elapsedMs(nowMs: number): number {
    return nowMs - this.#beganMs;
  }

  /** Each action once, in this order; a turn whose time is up before it could be warned is not warned any more. */
  sweep(nowMs: number): BudgetAction | undefined {
    const { timeMs, warnAt, graceMs } = this.#settings;
    const elapsed = this.elapsedMs(nowMs);
    if (this.#state === 'stopped') return undefined;
    if (typeof this.#state === 'object') {
      if (nowMs - this.#state.interruptedMs < graceMs) return undefined;
      this.#state = 'stopped';
      return 'stop';
    }
    if (elapsed >= timeMs) {
      this.#state = { interruptedMs: nowMs };
      return 'interrupt';
    }
    if (this.#state === 'warned' || elapsed < warnAt * timeMs) return undefined;
    this.#state = 'warned';
    return 'warn';
  }
}
