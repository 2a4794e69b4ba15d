/**
 * A controller that need not learn, since somebody tells it: how many places there are, and how long until the next request
 * may go. Its cap is the number of places; where only time limits, the cap shows the most it has let in at once.
 */

import {
  type CapChange,
  type ConcurrencyController,
  type ControllerSnapshot,
  InvariantError,
} from '@tidegate/governor';

/** What is known of one key. */
export interface Knowledge {
  /** Requests that fit at once, ≥ 0; Infinity where nothing limits that. */
  placesAt(nowMs: number): number;
  /** Until whoever is next may go, with so many in flight: 0 = now; Infinity = not before one of them ends. */
  waitMs(nowMs: number, inFlight: number): number;
  /** When the number of places may change by itself, after `nowMs`; Infinity = never. */
  nextChangeMs(nowMs: number): number;
}

/** Changes of a provider come after the timers of their instant, so whoever waits for one looks a tick later. */
export const TICK_MS = 0.001;

const NO_CHANGES: readonly CapChange[] = [];

export class KnowingController implements ConcurrencyController {
  readonly #key: string;
  readonly #initial: number;
  readonly #knowledge: Knowledge;
  #cap: number;
  #inFlight = 0;
  #waiters = 0;
  #lastRequestAt: number | undefined;

  /** @param initial the cap before anything is asked: integer ≥ 1. */
  constructor(key: string, initial: number, knowledge: Knowledge) {
    this.#key = key;
    this.#initial = initial;
    this.#cap = initial;
    this.#knowledge = knowledge;
  }

  canAdmit(now: number): boolean {
    return this.#inFlight < this.#cap && this.#knowledge.waitMs(now, this.#inFlight) === 0;
  }

  notBefore(now: number): number {
    const untilChange = this.#knowledge.nextChangeMs(now) + TICK_MS;
    const untilNext = this.#inFlight < this.#cap ? now + this.#knowledge.waitMs(now, this.#inFlight) : untilChange;
    const next = Math.min(untilChange, untilNext);
    return next === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : next;
  }

  observed(now: number): readonly CapChange[] {
    const places = this.#knowledge.placesAt(now);
    const previous = this.#cap;
    this.#cap = places === Number.POSITIVE_INFINITY ? Math.max(previous, this.#inFlight + 1) : Math.max(1, places);
    if (this.#cap === previous) return NO_CHANGES;
    const reason = this.#cap > previous ? 'seeded' : 'limit_lowered';
    return [{ key: this.#key, previous, next: this.#cap, reason }];
  }

  admitted(now: number): number {
    this.#inFlight++;
    this.#lastRequestAt = now;
    return 0;
  }

  succeeded(now: number): readonly CapChange[] {
    return this.#settle(now);
  }

  throttled(now: number): readonly CapChange[] {
    return this.#settle(now);
  }

  failed(now: number): readonly CapChange[] {
    return this.#settle(now);
  }

  ended(now: number): readonly CapChange[] {
    return this.#settle(now);
  }

  waiting(_now: number, count: number): readonly CapChange[] {
    this.#waiters = count;
    return NO_CHANGES;
  }

  setGrowthLimit(): readonly CapChange[] {
    return NO_CHANGES;
  }

  seed(): readonly CapChange[] {
    return NO_CHANGES;
  }

  snapshot(): ControllerSnapshot {
    return {
      key: this.#key,
      initial: this.#initial,
      growthLimit: Number.MAX_SAFE_INTEGER,
      cap: this.#cap,
      epoch: 0,
      inFlight: this.#inFlight,
      waiters: this.#waiters,
      successStreak: 0,
      ...(this.#lastRequestAt === undefined ? {} : { lastRequestAt: this.#lastRequestAt }),
    };
  }

  #settle(now: number): readonly CapChange[] {
    if (this.#inFlight === 0) throw new InvariantError(`${this.#key}: a request settled with nothing in flight`);
    this.#inFlight--;
    this.#lastRequestAt = now;
    return NO_CHANGES;
  }
}
