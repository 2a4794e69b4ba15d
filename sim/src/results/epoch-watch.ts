/**
 * The epoch of one key, as its trace shows it. A refusal of the current epoch turns it, also where the cap cannot fall and
 * no change is reported; an idle reset that leaves the cap where it is shows only in the next admission. While a request
 * of the current epoch is in flight, what is tracked here is the controller's own epoch.
 */

import { THROTTLE_REASONS } from '@tidegate/governor';

/** Whether a change of the cap was caused by a refusal. */
export function isThrottle(reason: string): boolean {
  return (THROTTLE_REASONS as readonly string[]).includes(reason);
}

const TURNING: ReadonlySet<string> = new Set(['idle_reset', 'seeded', 'limit_lowered']);

export class EpochWatch {
  current = 0;
  readonly #turns: boolean;

  /** @param turns whether the controller has epochs as the reference has them; without, only admissions show one. */
  constructor(turns: boolean) {
    this.#turns = turns;
  }

  /** A request was admitted in `epoch`. */
  admitted(epoch: number): void {
    if (epoch > this.current) this.current = epoch;
  }

  /** The governor forgot the key, which begins with its first epoch again. */
  forgotten(): void {
    this.current = 0;
  }

  /** A request that was admitted in `epoch` was refused. True if that turned the epoch. */
  throttled(epoch: number): boolean {
    if (!this.#turns || epoch !== this.current) return false;
    this.current++;
    return true;
  }

  /** The cap changed for `reason`. A refusal has turned the epoch when it settled. */
  changed(reason: string): void {
    if (this.#turns && TURNING.has(reason)) this.current++;
  }
}
