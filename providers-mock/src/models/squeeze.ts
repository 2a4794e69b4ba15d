/** A lower limit now and then, for a while, whatever the load: a shared pool under the pressure of others. */

import type { SqueezeSpec } from './changing-limit.js';
import { Episodes } from './episodes.js';
import type { LimitCourse } from './limit-course.js';
import type { Random } from './luck.js';

export class Squeeze implements LimitCourse {
  readonly #limit: number;
  readonly #episodes: Episodes;

  constructor(spec: SqueezeSpec, random: Random) {
    this.#limit = spec.limit;
    this.#episodes = new Episodes(spec, random);
  }

  get changesAtUs(): number {
    return this.#episodes.changesAtUs;
  }

  limitAt(nowUs: number, given: number): number {
    return this.#episodes.isOn(nowUs) ? Math.min(given, this.#limit) : given;
  }

  highest(given: number): number {
    return given;
  }
}
