/**
 * Vector's adaptive request concurrency: about once per round trip it compares the mean latency with a moving average of
 * the earlier ones. No slower than before, with the cap reached and nothing refused: +1. Slower by more than the usual
 * deviation, or anything refused or failed: a cut. One decision per round trip, so a wave cuts once.
 *
 * Source: vectordotdev/vector, `src/sinks/util/adaptive_concurrency` (controller and settings with their defaults) at commit
 * 05b56b7; the moving variance is that of West (1979). Retriable errors and timeouts press there as refusals do. There a
 * limit at its maximum is also cut where the mean is exactly as before and never varied; here it stays.
 */

import type { ThrottleReason } from './controller.js';
import { LimitController, type LimitOptions } from './limit-controller.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { numberOption } from './options.js';

/** Of the ArcController. Defaults: `initial` 1, `floor` 1, `growthLimit` 200. */
export interface ArcOptions extends LimitOptions {
  /** A cut sets the limit to `floor(limit × decreaseRatio)`. Between 0 and 1, both excluded; default 0.9. */
  readonly decreaseRatio?: number;
  /** The weight of the newest mean latency in the moving average. Above 0, below 1; default 0.4. */
  readonly ewmaAlpha?: number;
  /** How many usual deviations above the average are still no sign of pressure. ≥ 0; default 2.5. */
  readonly rttDeviationScale?: number;
}

/** Vector's adaptive request concurrency. Latency and refusals, judged once per round trip. */
export class ArcController extends LimitController {
  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: ArcOptions) {
    super(options, { initial: 1, growthLimit: 200, floor: 1 }, new Arc(options));
  }
}

class Arc implements LimitLaw {
  readonly #decreaseRatio: number;
  readonly #alpha: number;
  readonly #deviationScale: number;
  #past: { readonly mean: number; readonly variance: number } | undefined;
  #nextDecisionAt = 0;
  /** Of the round trip under way. */
  #mean = 0;
  #samples = 0;
  #reachedCap = false;
  #pressure = false;
  #refusal: ThrottleReason | undefined;
  /** The refusal of the round trip that the latest decision judged. */
  refusal: ThrottleReason | undefined;

  constructor({ decreaseRatio, ewmaAlpha, rttDeviationScale }: ArcOptions) {
    const range = 'a number between 0 and 1, both excluded';
    const isShare = (n: number): boolean => n > 0 && n < 1;
    this.#decreaseRatio = numberOption('decreaseRatio', decreaseRatio, 0.9, range, isShare);
    this.#alpha = numberOption('ewmaAlpha', ewmaAlpha, 0.4, range, isShare);
    this.#deviationScale = numberOption('rttDeviationScale', rttDeviationScale, 2.5, 'a number ≥ 0', (n) => n >= 0);
  }

  admitted(inFlight: number, cap: number): void {
    if (inFlight >= cap) this.#reachedCap = true;
  }

  next(limit: number, evidence: Evidence): number {
    this.#take(evidence);
    const { now } = evidence;
    if (this.#past === undefined) {
      if (this.#samples > 0) {
        this.#past = { mean: this.#mean, variance: 0 };
        this.#nextDecisionAt = now + this.#mean;
      }
      return limit;
    }
    if (now < this.#nextDecisionAt) return limit;
    const decided = this.#decide(limit, this.#past);
    this.#past = this.#averaged(this.#past);
    this.#nextDecisionAt = now + this.#past.mean;
    this.refusal = this.#refusal;
    this.#startRoundTrip();
    return decided;
  }

  forget(): void {
    this.#past = undefined;
    this.#startRoundTrip();
  }

  #take(evidence: Evidence): void {
    if (evidence.outcome === 'throttled' || evidence.outcome === 'failed') this.#pressure = true;
    if (evidence.outcome === 'throttled') this.#refusal = evidence.reason;
    if (evidence.outcome !== 'succeeded' || evidence.latencyMs === undefined) return;
    this.#samples++;
    this.#mean += (evidence.latencyMs - this.#mean) / this.#samples;
  }

  #decide(limit: number, past: { readonly mean: number; readonly variance: number }): number {
    const isMeasured = this.#samples > 0;
    if (this.#reachedCap && !this.#pressure && isMeasured && this.#mean <= past.mean) return limit + 1;
    const slowest = past.mean + Math.sqrt(past.variance) * this.#deviationScale;
    const isSlow = isMeasured && this.#mean >= slowest;
    return this.#pressure || isSlow ? Math.floor(limit * this.#decreaseRatio) : limit;
  }

  /** Mean and variance with the round trip that is over, if anything was measured in it. */
  #averaged(past: { readonly mean: number; readonly variance: number }) {
    if (this.#samples === 0) return past;
    const difference = this.#mean - past.mean;
    const increment = this.#alpha * difference;
    return {
      mean: past.mean + increment,
      variance: (1 - this.#alpha) * (past.variance + difference * increment),
    };
  }

  #startRoundTrip(): void {
    this.#mean = 0;
    this.#samples = 0;
    this.#reachedCap = false;
    this.#pressure = false;
    this.#refusal = undefined;
  }
}
