/**
 * A cap that never moves: the hard-coded number that people start with, as a controller to compare with. It knows no
 * cooldown either; a refusal teaches it nothing.
 */

import { type CapChange, type ConcurrencyController, type ControllerSnapshot, NO_CHANGES } from './controller.js';
import { refuseSettlement } from './invariant.js';
import { refuseOption } from './options.js';

/** A cap that never moves; it neither cools nor learns. */
export class FixedController implements ConcurrencyController {
  readonly #key: string;
  readonly #cap: number;
  #inFlight = 0;
  #waiters = 0;

  /** @param cap integer ≥ 1, or Infinity: everything is admitted. @throws RangeError on anything else. */
  constructor(options: { readonly key: string; readonly cap: number }) {
    const { key, cap } = options;
    if (!(cap === Number.POSITIVE_INFINITY || (Number.isSafeInteger(cap) && cap >= 1))) {
      refuseOption('cap', cap, 'an integer ≥ 1 or Infinity');
    }
    this.#key = key;
    this.#cap = cap;
  }

  canAdmit(): boolean {
    return this.#inFlight < this.#cap;
  }

  observed(): readonly CapChange[] {
    return NO_CHANGES;
  }

  admitted(): number {
    this.#inFlight++;
    return 0;
  }

  succeeded(): readonly CapChange[] {
    return this.#settle();
  }

  throttled(): readonly CapChange[] {
    return this.#settle();
  }

  failed(): readonly CapChange[] {
    return this.#settle();
  }

  ended(): readonly CapChange[] {
    return this.#settle();
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
      initial: this.#cap,
      growthLimit: this.#cap,
      cap: this.#cap,
      epoch: 0,
      inFlight: this.#inFlight,
      waiters: this.#waiters,
      successStreak: 0,
    };
  }

  #settle(): readonly CapChange[] {
    if (this.#inFlight === 0) refuseSettlement(this.#key);
    this.#inFlight--;
    return NO_CHANGES;
  }
}
