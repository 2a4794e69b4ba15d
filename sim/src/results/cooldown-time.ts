/** How long a key has been cooling: the length of the union of its cooldowns, each from a refusal to its deadline. */

import { toMicroseconds } from './microseconds.js';

export class CooldownTime {
  #totalUs = 0;
  #until = 0;

  /** At `t` the key's cooldown lasts until `until`. Told in order of `t`. */
  extend(t: number, until: number): void {
    const from = Math.max(t, this.#until);
    if (until <= from) return;
    this.#totalUs += toMicroseconds(until - from);
    this.#until = until;
  }

  /** What of it lies before `end`, a time at or after the last that was told. */
  until(end: number): number {
    return (this.#totalUs - toMicroseconds(Math.max(0, this.#until - end))) / 1000;
  }
}
