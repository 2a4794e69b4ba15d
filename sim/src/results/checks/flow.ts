/**
 * Little's law over a whole run: where it begins and ends empty, what waits and what is in flight, summed over time, is the
 * time that the attempts spent there. The first is counted from the events' times, the second from what the gate and the
 * provider measured of each.
 */

import { toMicroseconds } from '../microseconds.js';
import { breach } from './invariants.js';

/** Of one measurement against the distance of two times, each rounded to a microsecond; errors of many cancel out. */
const EACH_US = 0.5;
const IN_ALL_US = 1.5;

/** One place where attempts spend time. */
class Place {
  readonly #name: string;
  #here = 0;
  #sinceUs = 0;
  #came = 0;
  /** Attempts here × time. */
  #areaUs = 0;
  #spentUs = 0;

  constructor(name: string) {
    this.#name = name;
  }

  enter(t: number): void {
    this.#pass(t);
    this.#here++;
    this.#came++;
  }

  leave(t: number, spentMs: number): void {
    this.#pass(t);
    this.#here--;
    this.#spentUs += toMicroseconds(spentMs);
  }

  check(): void {
    if (this.#here !== 0) return;
    const off = Math.abs(this.#areaUs - this.#spentUs);
    if (off <= EACH_US * this.#came + IN_ALL_US) return;
    breach(
      'littles-law',
      `${this.#name}: ${this.#areaUs} µs over time, ${this.#spentUs} µs as ${this.#came} attempts measured it`,
    );
  }

  #pass(t: number): void {
    const nowUs = toMicroseconds(t);
    this.#areaUs += this.#here * (nowUs - this.#sinceUs);
    this.#sinceUs = nowUs;
  }
}

export class Flow {
  readonly #queue = new Place('waiting');
  readonly #flight = new Place('in flight');

  queued(t: number): void {
    this.#queue.enter(t);
  }

  admitted(t: number, waitMs: number): void {
    this.#queue.leave(t, waitMs);
    this.#flight.enter(t);
  }

  withdrawn(t: number, waitedMs: number): void {
    this.#queue.leave(t, waitedMs);
  }

  settled(t: number, serviceMs: number): void {
    this.#flight.leave(t, serviceMs);
  }

  /** The run is over. */
  check(): void {
    this.#queue.check();
    this.#flight.check();
  }
}
