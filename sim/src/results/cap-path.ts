/**
 * Every reported change of a cap, in order: the one thing of a summary that grows with the run. Held in typed arrays, 20
 * bytes a change, because a cap that breathes changes some ten thousand times in a million requests.
 */

import type { CapStep } from './summary.js';

export class CapPath {
  #size = 0;
  #times = new Float64Array(16);
  #caps = new Float64Array(16);
  #reasons = new Uint32Array(16);
  readonly #names: string[] = [];

  push(t: number, cap: number, reason: string): void {
    if (this.#size === this.#times.length) this.#grow();
    this.#times[this.#size] = t;
    this.#caps[this.#size] = cap;
    this.#reasons[this.#size] = this.#numberOf(reason);
    this.#size++;
  }

  steps(): CapStep[] {
    const step = (_: unknown, i: number): CapStep => [this.#times[i]!, this.#caps[i]!, this.#names[this.#reasons[i]!]!];
    return Array.from({ length: this.#size }, step);
  }

  #numberOf(reason: string): number {
    const known = this.#names.indexOf(reason);
    return known >= 0 ? known : this.#names.push(reason) - 1;
  }

  #grow(): void {
    const length = this.#size * 2;
    const [times, caps, reasons] = [new Float64Array(length), new Float64Array(length), new Uint32Array(length)];
    times.set(this.#times);
    caps.set(this.#caps);
    reasons.set(this.#reasons);
    [this.#times, this.#caps, this.#reasons] = [times, caps, reasons];
  }
}
