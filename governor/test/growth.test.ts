/** Raises beyond the reference, as whole sequences: ∧ = one raise with a waiter and what it took, × = a refusal. */

import { describe, expect, it } from 'vitest';
import { AimdController } from '../src/core/aimd.js';
import type { AimdOptions } from '../src/core/options.js';
import type { PRESETS } from '../src/core/presets.js';
import { createGovernor } from '../src/gate/governor.js';
import { KEY } from './gate/stage.js';

/** A controller with someone waiting, and one signal at a time. */
function played(options: Partial<AimdOptions>) {
  const controller = new AimdController({ key: 'p/m', growthLimit: 100, ...options });
  controller.waiting(0, 1);
  const cap = (): number => controller.snapshot().cap;
  /** One success; of the level that is stated, else of the cap. */
  const success = (inFlightAtAdmission?: number): void => {
    const epoch = controller.admitted(0);
    const sample = inFlightAtAdmission === undefined ? undefined : { latencyMs: 1, inFlightAtAdmission };
    controller.succeeded(0, epoch, sample);
  };
  const refusal = (): number => {
    controller.throttled(0, controller.admitted(0), 'rate_limited');
    return cap();
  };
  /** Successes until the cap rises. */
  const raise = (): number => {
    const before = cap();
    for (let n = 1; n <= 10_000; n++) {
      success();
      if (cap() > before) return n;
    }
    return Number.POSITIVE_INFINITY;
  };
  const failure = (): void => {
    controller.admitted(0);
    controller.failed(0);
  };
  return { controller, cap, success, failure, refusal, raise };
}

/** Raises and refusals in turn at one wall: what each probe took. */
function probes({ raise, refusal }: ReturnType<typeof played>, times: number): number[] {
  return Array.from({ length: times }, () => {
    const took = raise();
    refusal();
    return took;
  });
}

describe('probe backoff', () => {
  it('needs twice, four, eight times the successes for a level that was refused, up to the factor', () => {
    const one = played({ initial: 5, probeBackoffMax: 8 });
    expect(probes(one, 6)).toEqual([4, 8, 16, 32, 32, 32]);
    expect(one.cap()).toBe(5);
  });

  it('is off with 1', () => {
    expect(probes(played({ initial: 5 }), 4)).toEqual([4, 4, 4, 4]);
  });

  it('begins anew once a request succeeded at the level that was refused', () => {
    const one = played({ initial: 5, probeBackoffMax: 8 });
    probes(one, 3);
    expect([one.raise(), one.raise(), one.raise()]).toEqual([32, 4, 4]);
    expect(one.refusal()).toBe(7);
    expect(probes(one, 2)).toEqual([8, 16]);
  });

  it('does not take a success for one at that level that was admitted below it', () => {
    const one = played({ initial: 5, probeBackoffMax: 8 });
    probes(one, 3);
    one.raise();
    for (let i = 0; i < 3; i++) one.success(5);
    one.refusal();
    expect(one.raise()).toBe(32);
  });

  it('begins anew below a wall that has come down, where nothing speaks against a raise', () => {
    const one = played({ initial: 8, probeBackoffMax: 8 });
    expect(probes(one, 3)).toEqual([4, 8, 16]);
    // The proven level itself is refused: 8 → 6 → 4.
    expect([one.refusal(), one.refusal()]).toEqual([6, 4]);
    expect([one.raise(), one.raise(), one.refusal()]).toEqual([4, 4, 5]);
    expect(one.raise()).toBe(8);
  });

  it.each<[string, (one: ReturnType<typeof played>) => void]>([
    ['an idle reset', ({ controller }) => void controller.observed(300_000)],
    ['a seed', ({ controller }) => void controller.seed(600_000, 6)],
  ])('is forgotten with %s', (_, forget) => {
    const one = played({ initial: 5, probeBackoffMax: 8 });
    probes(one, 3);
    forget(one);
    one.raise();
    one.refusal();
    expect(one.raise()).toBe(8);
  });

  it('counts successes, so that a failure now and then does not put a probe off for ever', () => {
    const one = played({ initial: 5, probeBackoffMax: 8 });
    probes(one, 3);
    for (let i = 0; i < 28; i++) {
      one.success();
      if (i % 7 === 6) one.failure();
    }
    expect(one.cap()).toBe(5);
    expect(one.raise()).toBe(4);
  });
});

describe('growth by window', () => {
  it('takes as many successes as the cap is for a level that was refused, K below it and beyond it', () => {
    const one = played({ initial: 16, growth: 'window' });
    expect(one.raise()).toBe(4);
    expect(one.refusal()).toBe(16);
    expect([one.raise(), one.raise()]).toEqual([16, 4]);
  });

  it('takes no fewer than K', () => {
    const one = played({ initial: 2, growth: 'window' });
    one.raise();
    one.refusal();
    expect(one.raise()).toBe(4);
  });

  it('is multiplied by the backoff', () => {
    expect(probes(played({ initial: 10, growth: 'window', probeBackoffMax: 4 }), 4)).toEqual([4, 20, 40, 40]);
  });
});

describe('slow start', () => {
  it('climbs a step per success to the last proven level, then by K', () => {
    const one = played({ initial: 8, recovery: 'slow-start' });
    one.raise();
    one.raise();
    one.raise();
    expect(one.refusal()).toBe(10);
    expect([one.refusal(), one.refusal(), one.refusal()]).toEqual([7, 5, 3]);
    expect(one.raise()).toBe(1);
    expect(one.cap()).toBe(4);
    // 5 was refused: that one is a probe. It holds, so the wall has gone.
    expect(one.raise()).toBe(4);
    const took = Array.from({ length: 7 }, one.raise);
    expect(took).toEqual([1, 1, 1, 1, 1, 4, 4]);
    expect(one.cap()).toBe(12);
  });

  it('does not happen with additive recovery', () => {
    const one = played({ initial: 8 });
    one.raise();
    for (let i = 0; i < 4; i++) one.refusal();
    expect([one.raise(), one.raise()]).toEqual([4, 4]);
  });

  it('is forgotten with an idle reset', () => {
    const one = played({ initial: 8, recovery: 'slow-start' });
    for (let i = 0; i < 3; i++) one.raise();
    for (let i = 0; i < 4; i++) one.refusal();
    one.controller.observed(300_000);
    expect(one.raise()).toBe(4);
  });
});

describe('a preset', () => {
  it('sets what is not stated', () => {
    const grown = (preset: keyof typeof PRESETS, options = {}) => {
      const governor = createGovernor({ preset, initial: 10, ...options });
      governor.tryAcquire(KEY);
      return governor.snapshot(KEY)?.growthLimit;
    };
    expect([grown('reference'), grown('auto-grow'), grown('adaptive')]).toEqual([10, 20, 1280]);
    expect([grown('auto-grow', { growthFactor: 3 }), grown('adaptive', { growthFactor: undefined })]).toEqual([
      30, 1280,
    ]);
  });

  it('goes beyond no growth limit that is stated', () => {
    const governor = createGovernor({ preset: 'adaptive', initial: 10, growthLimit: 15 });
    governor.tryAcquire(KEY);
    expect(governor.snapshot(KEY)?.growthLimit).toBe(15);
  });

  it.each<[string, object, string]>([
    ['preset', { preset: 'turbo' }, "preset: expected 'reference', 'auto-grow' or 'adaptive', got \"turbo\" (string)"],
    ['growth', { growth: 1 }, "growth: expected 'streak' or 'window', got 1 (number)"],
    ['recovery', { recovery: null }, "recovery: expected 'additive' or 'slow-start', got null (object)"],
    ['probeBackoffMax', { probeBackoffMax: 0 }, 'probeBackoffMax: expected an integer ≥ 1, got 0 (number)'],
  ])('or an option beside it that nobody knows is refused: %s', (_, options, message) => {
    expect(() => createGovernor(options as never)).toThrow(new RangeError(message));
  });
});

describe('what a raise takes beyond the reference', () => {
  it('a failure breaks the row: three, one that failed, and one are no four in a row', () => {
    const { cap, success, failure } = played({ growth: 'window' });
    for (let i = 0; i < 3; i++) success();
    failure();
    success();
    expect(cap()).toBe(8);
    for (let i = 0; i < 2; i++) success();
    expect(cap()).toBe(8);
    success();
    expect(cap()).toBe(9);
  });

  it('each raise begins to count anew, so that the one into the wall takes a whole window', () => {
    const { cap, refusal, raise } = played({ growth: 'window', initial: 12 });
    expect(refusal()).toBe(9);
    expect([raise(), raise(), raise()]).toEqual([4, 4, 11]);
    expect(cap()).toBe(12);
  });
});
