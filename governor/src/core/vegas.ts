/**
 * Netflix's Vegas: estimates how many requests queue at the server from the latency above the best one seen, and steps the
 * limit up or down to keep that queue short. A refusal is one step down.
 *
 * Source: Netflix/concurrency-limits, `VegasLimit` with the defaults of its builder, at commit 78a74b9; after Brakmo and
 * Peterson, "TCP Vegas" (1995). There a dropped request's round trip may become the best latency; here a refusal has none.
 */

import { LimitController, type LimitOptions } from './limit-controller.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { numberOption, refuseOption } from './options.js';

/** Of the VegasController. Defaults: `initial` 20, `floor` 1, `growthLimit` 1000. */
export interface VegasOptions extends LimitOptions {
  /** The best latency is measured anew after about this many answers per place of the limit. Above 0; default 30. */
  readonly probeMultiplier?: number;
  /** [0, 1), spreads those measurements over the second half of that span. Default: always the middle of it. */
  readonly random?: () => number;
}

/** Netflix's Vegas. Latency, and one step down per refusal. */
export class VegasController extends LimitController {
  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: VegasOptions) {
    super(options, { initial: 20, growthLimit: 1_000, floor: 1 }, new Vegas(options));
  }
}

class Vegas implements LimitLaw {
  readonly #probeMultiplier: number;
  readonly #random: () => number;
  /** 0 = none yet. */
  #bestMs = 0;
  #answers = 0;
  #jitter: number;

  constructor({ probeMultiplier, random }: VegasOptions) {
    this.#probeMultiplier = numberOption('probeMultiplier', probeMultiplier, 30, 'a number above 0', (n) => n > 0);
    if (random !== undefined && typeof random !== 'function') refuseOption('random', random, 'a function');
    this.#random = random ?? (() => 0.5);
    this.#jitter = this.#drawJitter();
  }

  next(limit: number, evidence: Evidence): number {
    if (evidence.outcome === 'throttled') return limit - stepAt(limit);
    if (evidence.outcome !== 'succeeded' || evidence.latencyMs === undefined) return limit;
    const { latencyMs, inFlight } = evidence;
    this.#answers++;
    if (this.#jitter * this.#probeMultiplier * limit <= this.#answers) {
      this.#jitter = this.#drawJitter();
      this.#answers = 0;
      this.#bestMs = latencyMs;
      return limit;
    }
    if (this.#bestMs === 0 || latencyMs < this.#bestMs) {
      this.#bestMs = latencyMs;
      return limit;
    }
    // Less than half of the limit was in use: nothing was learned about it.
    if (inFlight * 2 < limit) return limit;
    return limit + stepFor(Math.ceil(limit * (1 - this.#bestMs / latencyMs)), stepAt(limit));
  }

  forget(): void {
    this.#bestMs = 0;
    this.#answers = 0;
  }

  #drawJitter(): number {
    return 0.5 + 0.5 * this.#random();
  }
}

/** The decimal logarithm's whole part, at least 1: what every threshold and step is a multiple of. */
function stepAt(limit: number): number {
  return Math.max(1, String(Math.floor(limit)).length - 1);
}

/** How far to go, with this many requests queueing. */
function stepFor(queued: number, step: number): number {
  if (queued <= step) return 6 * step;
  if (queued < 3 * step) return step;
  return queued > 6 * step ? -step : 0;
}
