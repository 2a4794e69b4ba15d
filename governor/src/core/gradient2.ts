/**
 * Netflix's Gradient2: compares each latency with a slow average of all of them, and shrinks the limit by their ratio. A
 * server that queues shows it in its latencies; one that refuses does not, and refusals have no term in this law.
 *
 * Source: Netflix/concurrency-limits, `Gradient2Limit` with the defaults of its builder, at commit 78a74b9. There a dropped
 * request's round trip enters the averages as any other; here a refusal has no measured latency and changes nothing.
 */

import { LimitController, type LimitOptions } from './limit-controller.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { integerOption, numberOption } from './options.js';

/** Of the Gradient2Controller. Defaults: `initial` 20, `floor` 20 (or `initial`, if lower), `growthLimit` 200. */
export interface Gradient2Options extends LimitOptions {
  /** How much of a new estimate is taken over. Above 0, at most 1; default 0.2. */
  readonly smoothing?: number;
  /** Requests that may queue at the server while latencies are good: what the limit grows by. ≥ 0; default 4. */
  readonly queueSize?: number;
  /** A latency up to this many times the average is no sign of queueing. ≥ 1; default 1.5. */
  readonly rttTolerance?: number;
  /** Samples in the slow average. Integer ≥ 1; default 600. */
  readonly longWindow?: number;
}

/** The first samples are averaged evenly. */
const WARM_UP = 10;
/** No single latency may more than halve the limit. */
const STEEPEST = 0.5;
/** An average this many times a latency is a leftover of a slow time, and decays faster. */
const LEFTOVER = 2;
const DECAY = 0.95;

/** Netflix's Gradient2. Latency only: refusals leave the cap alone. */
export class Gradient2Controller extends LimitController {
  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: Gradient2Options) {
    super(options, { initial: 20, growthLimit: 200, floor: 20 }, new Gradient2(options));
  }
}

class Gradient2 implements LimitLaw {
  readonly #smoothing: number;
  readonly #queueSize: number;
  readonly #tolerance: number;
  readonly #weight: number;
  #average = 0;
  #samples = 0;

  constructor({ smoothing, queueSize, rttTolerance, longWindow }: Gradient2Options) {
    const share = (n: number): boolean => n > 0 && n <= 1;
    this.#smoothing = numberOption('smoothing', smoothing, 0.2, 'a number above 0 and at most 1', share);
    this.#queueSize = numberOption('queueSize', queueSize, 4, 'a number ≥ 0', (n) => n >= 0);
    this.#tolerance = numberOption('rttTolerance', rttTolerance, 1.5, 'a number ≥ 1', (n) => n >= 1);
    this.#weight = 2 / (integerOption('longWindow', longWindow, 600, 1) + 1);
  }

  next(limit: number, evidence: Evidence): number {
    if (evidence.outcome !== 'succeeded' || evidence.latencyMs === undefined) return limit;
    const { latencyMs, inFlight } = evidence;
    const average = this.#averageWith(latencyMs);
    if (average / latencyMs > LEFTOVER) this.#average *= DECAY;
    // Less than half of the limit was in use: nothing was learned about it.
    if (inFlight < limit / 2) return limit;
    const gradient = Math.max(STEEPEST, Math.min(1, (this.#tolerance * average) / latencyMs));
    const estimate = limit * gradient + this.#queueSize;
    return limit * (1 - this.#smoothing) + estimate * this.#smoothing;
  }

  forget(): void {
    this.#average = 0;
    this.#samples = 0;
  }

  #averageWith(latencyMs: number): number {
    const isWarmingUp = this.#samples < WARM_UP;
    if (isWarmingUp) this.#samples++;
    this.#average += (latencyMs - this.#average) * (isWarmingUp ? 1 / this.#samples : this.#weight);
    return this.#average;
  }
}
