/**
 * Something that comes and goes by itself, as time passes: quiet and an episode in turn, each for an exponential time.
 * Independent of everything that is asked of the provider. It only says which state it is in.
 */

import type { EpisodesSpec } from './changing-limit.js';
import { exponentialUs, type Random } from './luck.js';

export class Episodes {
  readonly #everyUs: number;
  readonly #forUs: number;
  readonly #random: Random;
  #isOn = false;
  #changesAtUs: number;

  constructor({ everyMs, forMs }: EpisodesSpec, random: Random) {
    this.#everyUs = everyMs * 1000;
    this.#forUs = forMs * 1000;
    this.#random = random;
    this.#changesAtUs = exponentialUs(this.#everyUs, random);
  }

  isOn(nowUs: number): boolean {
    while (nowUs >= this.#changesAtUs) {
      this.#isOn = !this.#isOn;
      this.#changesAtUs += exponentialUs(this.#isOn ? this.#forUs : this.#everyUs, this.#random);
    }
    return this.#isOn;
  }

  /** The first change after the time last asked for. */
  get changesAtUs(): number {
    return this.#changesAtUs;
  }
}
