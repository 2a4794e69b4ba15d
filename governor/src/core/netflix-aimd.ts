/**
 * Netflix's AIMD: every answer that used at least half of the limit raises it by one; every refusal, and every answer slower
 * than a timeout, cuts it by a factor. A wave of refusals cuts as often as it has refusals.
 *
 * Source: Netflix/concurrency-limits, `AIMDLimit` with the defaults of its builder, at commit 78a74b9. Its timeout of 5 s is
 * made for services that answer in milliseconds: to it, most answers of a language model are losses.
 */

import { LimitController, type LimitOptions } from './limit-controller.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { numberOption } from './options.js';

/** Of the NetflixAimdController. Defaults: `initial` 20, `floor` 20 (or `initial`, if lower), `growthLimit` 200. */
export interface NetflixAimdOptions extends LimitOptions {
  /** A cut sets the limit to `floor(limit × backoffRatio)`. At least 0.5, below 1; default 0.9. */
  readonly backoffRatio?: number;
  /** An answer that took longer counts as refused. Milliseconds above 0; default 5 000. */
  readonly timeoutMs?: number;
}

/** Netflix's AIMD: +1 per answer, × 0.9 per refusal or slow answer. */
export class NetflixAimdController extends LimitController {
  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: NetflixAimdOptions) {
    super(options, { initial: 20, growthLimit: 200, floor: 20 }, new NetflixAimd(options));
  }
}

class NetflixAimd implements LimitLaw {
  readonly #backoffRatio: number;
  readonly #timeoutMs: number;

  constructor({ backoffRatio, timeoutMs }: NetflixAimdOptions) {
    const range = 'a number from 0.5 up to, but not, 1';
    this.#backoffRatio = numberOption('backoffRatio', backoffRatio, 0.9, range, (n) => n >= 0.5 && n < 1);
    this.#timeoutMs = numberOption('timeoutMs', timeoutMs, 5_000, 'milliseconds above 0', (n) => n > 0);
  }

  next(limit: number, evidence: Evidence): number {
    if (evidence.outcome === 'throttled') return this.#cut(limit);
    if (evidence.outcome !== 'succeeded') return limit;
    const { latencyMs = 0, inFlight } = evidence;
    if (latencyMs > this.#timeoutMs) return this.#cut(limit);
    return inFlight * 2 >= limit ? limit + 1 : limit;
  }

  /** It remembers nothing. */
  forget(): void {}

  #cut(limit: number): number {
    return Math.floor(limit * this.#backoffRatio);
  }
}
