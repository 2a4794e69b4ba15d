import { describe, expect, it } from 'vitest';
import { FixedController } from '../../src/core/fixed.js';
import { createGovernor, type GovernorOptions } from '../../src/gate/governor.js';
import { KEY } from './stage.js';

describe('an option of the governor', () => {
  it.each<[string, unknown, string]>([
    ['growthFactor', 0.5, 'growthFactor: expected a number ≥ 1, got 0.5 (number)'],
    ['growthFactor', Number.NaN, 'growthFactor: expected a number ≥ 1, got NaN (number)'],
    ['maxCooldownMs', 0, 'maxCooldownMs: expected milliseconds above 0, got 0 (number)'],
    ['maxCooldownMs', Number.POSITIVE_INFINITY, 'maxCooldownMs: expected milliseconds above 0, got Infinity (number)'],
    ['resumeStaggerMs', -1, 'resumeStaggerMs: expected milliseconds ≥ 0, got -1 (number)'],
    ['maxQueue', 0, 'maxQueue: expected an integer ≥ 1, got 0 (number)'],
    ['maxQueue', 1.5, 'maxQueue: expected an integer ≥ 1, got 1.5 (number)'],
    ['initial', '3', 'initial: expected an integer ≥ 1, got "3" (string)'],
    ['floor', -1, 'floor: expected an integer ≥ 1, got -1 (number)'],
  ])('%s: %s is refused by name, value and range', (option, value, message) => {
    expect(() => createGovernor({ [option]: value } as GovernorOptions)).toThrow(new RangeError(message));
  });

  it('that nobody knows is refused: a misspelt limit would otherwise be no limit', () => {
    expect(() => createGovernor({ maxQueu: 3 } as GovernorOptions)).toThrow(
      /^maxQueu: unknown option; known are initial, /,
    );
  });

  it('reaches the controller of every key', () => {
    const governor = createGovernor({ initial: 20, decreaseFactor: 0.5, floor: 4 });
    for (const expected of [10, 5, 4, 4]) {
      governor.tryAcquire(KEY)!.throttle();
      expect(governor.snapshot(KEY)?.cap).toBe(expected);
    }
  });

  it('has the defaults of the reference where nothing is said', () => {
    const governor = createGovernor();
    governor.tryAcquire(KEY);
    expect(governor.snapshot(KEY)).toMatchObject({ initial: 8, growthLimit: 8, cap: 8, epoch: 0, inFlight: 1 });
  });

  it.each<[unknown, string]>([
    [undefined, 'controller: expected a ConcurrencyController for "p/m", got undefined'],
    [null, 'controller: expected a ConcurrencyController for "p/m", got null'],
    ['aimd', 'controller: expected a ConcurrencyController for "p/m", got string'],
    [
      Object.assign(Object.create(new FixedController({ key: 'p/m', cap: 1 })), { seed: 1, ended: undefined }),
      'controller: expected a ConcurrencyController for "p/m", got one without ended, seed',
    ],
    [
      Object.assign(new FixedController({ key: 'p/m', cap: 1 }), { snapshot: () => ({}) }),
      'controller: expected a ConcurrencyController for "p/m" whose snapshot() has a cap ≥ 1, got undefined',
    ],
  ])('controller: what it makes is refused where it is none: %s', (made, message) => {
    const governor = createGovernor({ controller: () => made as never });
    expect(() => governor.tryAcquire(KEY)).toThrow(new TypeError(message));
    expect(governor.snapshots()).toEqual([]);
  });
});
