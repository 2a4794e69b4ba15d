/**
 * A controller around any law: counts what is in flight, keeps a provider's wait, bounds the limit, forgets after idleness,
 * and says what changed. The cap is the whole part of the law's limit. The epoch turns with the first refusal of a wave, as
 * the reference's does, so that a law can tell a wave from the next.
 */

import {
  type CapChange,
  type CapChangeReason,
  type ConcurrencyController,
  type ControllerSnapshot,
  NO_CHANGES,
  type Sample,
  type ThrottleReason,
} from './controller.js';
import { refuseSettlement } from './invariant.js';
import type { Evidence, LimitLaw } from './limit-law.js';
import { integerOption, numberOption, refuseOption } from './options.js';

/** What all controllers with a law of their own have in common. */
export interface LimitOptions {
  /** The key's text, `provider/model`. */
  readonly key: string;
  /** Requests at once: where the cap starts and where an idle reset returns to. Integer ≥ 1. */
  readonly initial?: number;
  /** How far the cap may climb. Integer ≥ 1; a value below `initial` counts as `initial`. */
  readonly growthLimit?: number;
  /** The cap never falls below this. Integer ≥ 1, at most `initial`. */
  readonly floor?: number;
  /** Milliseconds without a request after which everything learned is forgotten. Above 0; default 300 000. */
  readonly idleResetMs?: number;
}

/** A law's own defaults; its floor is lowered to an `initial` that is stated lower. */
export interface LimitDefaults {
  readonly initial: number;
  readonly growthLimit: number;
  readonly floor: number;
}

const UNSET = Number.NaN;

/** Follows a law. Its classes differ in the law and in its defaults. */
export class LimitController implements ConcurrencyController {
  readonly #key: string;
  readonly #law: LimitLaw;
  readonly #initial: number;
  readonly #floor: number;
  readonly #idleResetMs: number;
  #growthLimit: number;
  /** Between floor and growth limit, with the fraction that the law left. */
  #limit: number;
  #epoch = 0;
  #inFlight = 0;
  #waiters = 0;
  /** Nothing has happened since the start or the last reset: there is nothing to forget. */
  #isNew = true;
  #cooldownUntil: number = UNSET;
  #lastRequestAt: number = UNSET;
  #lastThrottledAt: number = UNSET;

  /** @throws RangeError naming the option, the value and the allowed range. */
  constructor(options: LimitOptions, defaults: LimitDefaults, law: LimitLaw) {
    const { key } = options;
    if (typeof key !== 'string' || key === '') refuseOption('key', key, 'a non-empty string');
    this.#key = key;
    this.#law = law;
    this.#initial = integerOption('initial', options.initial, defaults.initial, 1);
    this.#floor = integerOption('floor', options.floor, Math.min(defaults.floor, this.#initial), 1);
    if (this.#initial < this.#floor) refuseOption('initial', this.#initial, `an integer ≥ floor (${this.#floor})`);
    const growthLimit = integerOption('growthLimit', options.growthLimit, defaults.growthLimit, 1);
    this.#growthLimit = Math.max(this.#initial, growthLimit);
    this.#idleResetMs = numberOption('idleResetMs', options.idleResetMs, 300_000, 'milliseconds above 0', (n) => n > 0);
    this.#limit = this.#initial;
  }

  canAdmit(now: number): boolean {
    return this.#inFlight < this.#cap && !(now < this.#cooldownUntil);
  }

  observed(now: number): readonly CapChange[] {
    // Written so that an unset `lastRequestAt` (NaN) is never idle.
    if (this.#inFlight > 0 || !(now - this.#lastRequestAt >= this.#idleResetMs)) return NO_CHANGES;
    if (now < this.#cooldownUntil || this.#isNew) return NO_CHANGES;
    this.#law.forget();
    this.#isNew = true;
    this.#cooldownUntil = UNSET;
    this.#lastThrottledAt = UNSET;
    this.#epoch++;
    return this.#moveTo(this.#initial, 'idle_reset');
  }

  admitted(now: number): number {
    this.#inFlight++;
    this.#lastRequestAt = now;
    this.#law.admitted?.(this.#inFlight, this.#cap);
    return this.#epoch;
  }

  succeeded(now: number, epoch: number, sample?: Sample): readonly CapChange[] {
    const inFlight = sample?.inFlightAtAdmission ?? this.#inFlight;
    this.#settle(now);
    const isCurrent = epoch === this.#epoch;
    return this.#follow({ outcome: 'succeeded', now, latencyMs: measured(sample), inFlight, isCurrent });
  }

  throttled(now: number, epoch: number, reason: ThrottleReason, retryAfterMs?: number): readonly CapChange[] {
    this.#settle(now);
    this.#lastThrottledAt = now;
    const cooldownMs = retryAfterMs !== undefined && retryAfterMs > 0 ? retryAfterMs : undefined;
    if (cooldownMs !== undefined && !(this.#cooldownUntil >= now + cooldownMs)) this.#cooldownUntil = now + cooldownMs;
    const isCurrent = epoch === this.#epoch;
    if (isCurrent) this.#epoch++;
    return this.#follow({ outcome: 'throttled', now, reason, isCurrent }, cooldownMs);
  }

  failed(now: number): readonly CapChange[] {
    this.#settle(now);
    return this.#follow({ outcome: 'failed', now });
  }

  ended(now: number): readonly CapChange[] {
    this.#settle(now);
    return this.#follow({ outcome: 'ended', now });
  }

  waiting(now: number, count: number): readonly CapChange[] {
    const reset = this.observed(now);
    this.#waiters = count;
    return reset;
  }

  /** @throws RangeError when `limit` is not finite. */
  setGrowthLimit(now: number, limit: number): readonly CapChange[] {
    if (!Number.isFinite(limit)) refuseOption('growthLimit', limit, 'a finite number');
    const reset = this.observed(now);
    this.#growthLimit = Math.max(this.#initial, Math.floor(limit));
    if (this.#growthLimit >= this.#limit) return reset;
    if (this.#growthLimit < this.#cap) this.#epoch++;
    return [...reset, ...this.#moveTo(this.#growthLimit, 'limit_lowered')];
  }

  /** @throws RangeError when `target` is not finite. */
  seed(now: number, target: number): readonly CapChange[] {
    if (!Number.isFinite(target)) refuseOption('seed', target, 'a finite number');
    const reset = this.observed(now);
    const next = Math.min(Math.floor(target), this.#growthLimit);
    const refusedLately = now - this.#lastThrottledAt < this.#idleResetMs;
    if (next <= this.#cap || refusedLately) return reset;
    this.#isNew = false;
    this.#epoch++;
    return [...reset, ...this.#moveTo(next, 'seeded')];
  }

  snapshot(): ControllerSnapshot {
    return {
      key: this.#key,
      initial: this.#initial,
      growthLimit: this.#growthLimit,
      cap: this.#cap,
      epoch: this.#epoch,
      inFlight: this.#inFlight,
      waiters: this.#waiters,
      successStreak: 0,
      ...(Number.isNaN(this.#cooldownUntil) ? {} : { cooldownUntil: this.#cooldownUntil }),
      ...(Number.isNaN(this.#lastRequestAt) ? {} : { lastRequestAt: this.#lastRequestAt }),
      ...(Number.isNaN(this.#lastThrottledAt) ? {} : { lastThrottledAt: this.#lastThrottledAt }),
    };
  }

  get #cap(): number {
    return Math.floor(this.#limit);
  }

  #settle(now: number): void {
    if (this.#inFlight === 0) refuseSettlement(this.#key);
    this.#inFlight--;
    this.#lastRequestAt = now;
    this.#isNew = false;
  }

  #follow(evidence: Evidence, cooldownMs?: number): readonly CapChange[] {
    const next = Math.min(this.#growthLimit, Math.max(this.#floor, this.#law.next(this.#limit, evidence)));
    const refusal = evidence.outcome === 'throttled' ? evidence.reason : this.#law.refusal;
    const isRaise = Math.floor(next) > this.#cap;
    // A cap that falls without a refusal falls because answers take longer: the provider has too little capacity.
    const fall = refusal ?? 'provider_overloaded';
    return this.#moveTo(next, isRaise ? 'recovered' : fall, cooldownMs);
  }

  #moveTo(limit: number, reason: CapChangeReason, cooldownMs?: number): readonly CapChange[] {
    const previous = this.#cap;
    this.#limit = limit;
    if (this.#cap === previous && cooldownMs === undefined) return NO_CHANGES;
    return [{ key: this.#key, previous, next: this.#cap, reason, ...(cooldownMs === undefined ? {} : { cooldownMs }) }];
  }
}

/** Rounded: differences of millisecond doubles miss their microsecond, and equal latencies have to be equal. */
function measured(sample: Sample | undefined): number | undefined {
  if (sample === undefined) return undefined;
  const latencyMs = Math.round(sample.latencyMs * 1000) / 1000;
  return latencyMs > 0 ? latencyMs : undefined;
}
