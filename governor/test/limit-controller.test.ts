/** The bookkeeping around a law, with a law that says what the test wants; and the controller that has none. */

import { describe, expect, it } from 'vitest';
import { FixedController, LimitController, type LimitOptions } from '../src/controllers.js';
import type { ThrottleReason } from '../src/core/controller.js';
import { InvariantError } from '../src/core/invariant.js';
import type { Evidence } from '../src/core/limit-law.js';

const key = 'p/m';
const DEFAULTS = { initial: 10, growthLimit: 100, floor: 4 };

/** A controller whose law notes what it is told and answers `says`, or the limit as it is. */
function controlled(options: Partial<LimitOptions> = {}, defaults = DEFAULTS) {
  const law = {
    says: undefined as number | undefined,
    limits: [] as number[],
    evidence: [] as Evidence[],
    admissions: [] as [number, number][],
    forgotten: 0,
    refusal: undefined as ThrottleReason | undefined,
    admitted: (inFlight: number, cap: number) => void law.admissions.push([inFlight, cap]),
    next(limit: number, evidence: Evidence) {
      law.limits.push(limit);
      law.evidence.push(evidence);
      return law.says ?? limit;
    },
    forget: () => void law.forgotten++,
  };
  const one = new LimitController({ key, ...options }, defaults, law);
  return {
    law,
    one,
    cap: () => one.snapshot().cap,
    /** One request that ends well at `now`, after which the law says `limit`. */
    move(limit: number, now = 0) {
      law.says = limit;
      const changes = one.succeeded(now, one.admitted(now));
      law.says = undefined;
      return changes;
    },
  };
}

describe('options', () => {
  it.each([
    [{}, { initial: 10, growthLimit: 100 }],
    [{ initial: 20 }, { initial: 20, growthLimit: 100 }],
    [{ initial: 200 }, { initial: 200, growthLimit: 200 }],
    [{ growthLimit: 5 }, { initial: 10, growthLimit: 10 }],
    [{ growthLimit: 12 }, { initial: 10, growthLimit: 12 }],
    [{ initial: 1 }, { initial: 1, growthLimit: 100 }],
    [
      { initial: 6, floor: 6 },
      { initial: 6, growthLimit: 100 },
    ],
  ])('%j: starts as %j', (options, expected) => {
    const { one } = controlled(options);
    expect(one.snapshot()).toEqual({
      key,
      ...expected,
      cap: expected.initial,
      epoch: 0,
      inFlight: 0,
      waiters: 0,
      successStreak: 0,
    });
  });

  it.each([
    ['its default', {}, 4],
    ['what is stated', { floor: 3 }, 3],
    ['an initial that is stated lower than the default', { initial: 2 }, 2],
  ])('the floor is %s', (_, options, floor) => {
    const { move, cap } = controlled(options);
    move(0);
    expect(cap()).toBe(floor);
  });

  it.each([
    [{ key: 7 as never }, 'key: expected a non-empty string, got 7 (number)'],
    [{ key: '' }, 'key: expected a non-empty string, got "" (string)'],
    [{ floor: 0 }, 'floor: expected an integer ≥ 1, got 0 (number)'],
    [{ initial: 5, floor: 6 }, 'initial: expected an integer ≥ floor (6), got 5 (number)'],
    [{ growthLimit: 0 }, 'growthLimit: expected an integer ≥ 1, got 0 (number)'],
    [{ idleResetMs: -1 }, 'idleResetMs: expected milliseconds above 0, got -1 (number)'],
  ])('%j is refused', (options, message) => {
    expect(() => controlled(options)).toThrow(new RangeError(message));
  });
});

describe('admission', () => {
  it('is open below the cap, and only when the cooldown is over', () => {
    const { one } = controlled({ initial: 4 });
    for (let n = 0; n < 3; n++) one.admitted(0);
    expect(one.canAdmit(0)).toBe(true);
    one.admitted(0);
    expect(one.canAdmit(0)).toBe(false);
    one.throttled(0, 0, 'rate_limited', 50);
    expect([0, 49, 50].map((now) => one.canAdmit(now))).toEqual([false, false, true]);
  });

  it('tells the law which request this is, under which cap', () => {
    const { one, move, law } = controlled();
    move(12.9);
    one.admitted(0);
    one.admitted(0);
    expect(law.admissions).toEqual([
      [1, 10],
      [1, 12],
      [2, 12],
    ]);
  });
});

describe('what the law is told', () => {
  it('of each way to end', () => {
    const { one, law } = controlled();
    const epoch = one.admitted(0);
    for (let n = 0; n < 5; n++) one.admitted(0);
    one.succeeded(1, epoch, { latencyMs: 20.00049, inFlightAtAdmission: 3 });
    one.failed(2);
    one.ended(3);
    one.throttled(4, epoch, 'offpeak_queued');
    one.throttled(5, epoch, 'rate_limited');
    one.succeeded(6, epoch);
    expect(law.evidence).toEqual([
      { outcome: 'succeeded', now: 1, latencyMs: 20, inFlight: 3, isCurrent: true },
      { outcome: 'failed', now: 2 },
      { outcome: 'ended', now: 3 },
      { outcome: 'throttled', now: 4, reason: 'offpeak_queued', isCurrent: true },
      { outcome: 'throttled', now: 5, reason: 'rate_limited', isCurrent: false },
      // Not measured: how many are in flight, itself included, is all that is known.
      { outcome: 'succeeded', now: 6, latencyMs: undefined, inFlight: 1, isCurrent: false },
    ]);
    expect(law.limits).toEqual([10, 10, 10, 10, 10, 10]);
    expect(one.snapshot()).toMatchObject({ epoch: 1, inFlight: 0, lastRequestAt: 6, lastThrottledAt: 5 });
  });

  it.each([
    [0.0004, undefined],
    [0.0006, 0.001],
    [0, undefined],
    [-1, undefined],
    [12.3456, 12.346],
    [Number.NaN, undefined],
  ])('a latency of %d ms is %s to it', (latencyMs, expected) => {
    const { one, law } = controlled();
    one.succeeded(0, one.admitted(0), { latencyMs, inFlightAtAdmission: 1 });
    expect(law.evidence[0]).toMatchObject({ latencyMs: expected });
  });
});

describe('what becomes of what the law says', () => {
  it('a limit with a fraction, which is kept; a cap without', () => {
    const { move, cap, law } = controlled();
    expect(move(10.9)).toEqual([]);
    expect(cap()).toBe(10);
    expect(move(11)).toEqual([{ key, previous: 10, next: 11, reason: 'recovered' }]);
    move(7.5);
    move(7.5);
    expect(law.limits).toEqual([10, 10.9, 11, 7.5]);
  });

  it('no more than the growth limit and no less than the floor', () => {
    const { move } = controlled({ growthLimit: 20 });
    expect(move(20.5)).toEqual([{ key, previous: 10, next: 20, reason: 'recovered' }]);
    expect(move(21)).toEqual([]);
    expect(move(3)).toEqual([{ key, previous: 20, next: 4, reason: 'provider_overloaded' }]);
  });

  it('a fall has the reason of the refusal that came, else of the one that the law remembers, else overload', () => {
    const { one, move, law } = controlled();
    law.says = 9;
    law.refusal = 'offpeak_queued';
    expect(one.throttled(0, one.admitted(0), 'rate_limited')).toMatchObject([{ next: 9, reason: 'rate_limited' }]);
    expect(move(8)).toMatchObject([{ next: 8, reason: 'offpeak_queued' }]);
    expect(move(9)).toMatchObject([{ next: 9, reason: 'recovered' }]);
    law.refusal = undefined;
    expect(move(8)).toMatchObject([{ next: 8, reason: 'provider_overloaded' }]);
  });
});

describe('waits', () => {
  it('are told as they came, and kept as the longest of them', () => {
    const { one } = controlled();
    const throttle = (now: number, wait?: number) => {
      one.admitted(now);
      return [one.throttled(now, -1, 'rate_limited', wait), one.snapshot().cooldownUntil];
    };
    const started = (cooldownMs: number) => [{ key, previous: 10, next: 10, reason: 'rate_limited', cooldownMs }];
    expect(throttle(0)).toEqual([[], undefined]);
    expect(throttle(0, 0)).toEqual([[], undefined]);
    expect(throttle(0, -5)).toEqual([[], undefined]);
    expect(throttle(0, 100)).toEqual([started(100), 100]);
    expect(throttle(50, 40)).toEqual([started(40), 100]);
    expect(throttle(50, 60)).toEqual([started(60), 110]);
    expect(throttle(200, 1)).toEqual([started(1), 201]);
    expect(one.snapshot()).toMatchObject({ epoch: 0, lastThrottledAt: 200 });
  });
});

describe('idleness', () => {
  it('forgets once, after its time without a request, with nothing in flight and no wait', () => {
    const { one, move, law, cap } = controlled({ idleResetMs: 1_000 });
    expect(one.observed(10_000)).toEqual([]);
    move(30, 10_000);
    const epoch = one.admitted(10_500);
    expect(one.observed(20_000)).toEqual([]);
    one.throttled(20_000, epoch, 'rate_limited', 5_000);
    expect(one.observed(20_999)).toEqual([]);
    expect(one.observed(24_999)).toEqual([]);
    expect(law.forgotten).toBe(0);
    expect(one.observed(25_000)).toEqual([{ key, previous: 30, next: 10, reason: 'idle_reset' }]);
    expect(law.forgotten).toBe(1);
    expect(one.snapshot()).toEqual({
      ...{ key, initial: 10, growthLimit: 100, cap: 10, epoch: 2, inFlight: 0, waiters: 0, successStreak: 0 },
      lastRequestAt: 20_000,
    });
    expect(one.observed(30_000)).toEqual([]);
    expect(law.forgotten).toBe(1);
    one.admitted(40_000);
    one.ended(40_000);
    expect(one.observed(40_999)).toEqual([]);
    expect(law.forgotten).toBe(1);
    expect(one.observed(41_000)).toEqual([]);
    expect(law.forgotten).toBe(2);
    expect(cap()).toBe(10);
  });

  it('is seen by whoever waits, seeds or sets the growth limit', () => {
    const { one, move } = controlled({ idleResetMs: 1_000 });
    const reset = { key, next: 10, reason: 'idle_reset' };
    move(30);
    expect(one.waiting(1_000, 3)).toEqual([{ ...reset, previous: 30 }]);
    expect(one.snapshot().waiters).toBe(3);
    move(40, 2_000);
    expect(one.seed(3_000, 50)).toEqual([
      { ...reset, previous: 40 },
      { key, previous: 10, next: 50, reason: 'seeded' },
    ]);
    move(50, 3_000);
    expect(one.seed(4_000, 10)).toEqual([{ ...reset, previous: 50 }]);
    move(60, 4_000);
    expect(one.setGrowthLimit(5_000, 20)).toEqual([{ ...reset, previous: 60 }]);
    expect(one.snapshot()).toMatchObject({ growthLimit: 20, cap: 10 });
  });

  it('takes back a seed that nobody used', () => {
    const { one } = controlled({ idleResetMs: 1_000 });
    one.admitted(0);
    one.ended(0);
    one.observed(1_000);
    one.seed(1_000, 50);
    expect(one.observed(1_000)).toEqual([{ key, previous: 50, next: 10, reason: 'idle_reset' }]);
  });
});

describe('the growth limit', () => {
  it('lowers a cap above it in a new epoch, a fraction above it in the same', () => {
    const { one, move, law } = controlled();
    move(20.5);
    expect(one.setGrowthLimit(0, 21)).toEqual([]);
    expect(one.setGrowthLimit(0, 20.9)).toEqual([]);
    expect(one.snapshot()).toMatchObject({ growthLimit: 20, epoch: 0 });
    expect(one.setGrowthLimit(0, 15)).toEqual([{ key, previous: 20, next: 15, reason: 'limit_lowered' }]);
    expect(one.snapshot()).toMatchObject({ growthLimit: 15, cap: 15, epoch: 1 });
    expect(one.setGrowthLimit(0, 15)).toEqual([]);
    expect(one.setGrowthLimit(0, 3)).toEqual([{ key, previous: 15, next: 10, reason: 'limit_lowered' }]);
    one.succeeded(0, one.admitted(0));
    expect(law.limits).toEqual([10, 10]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('of %d is refused, as such a seed is', (limit) => {
    const { one } = controlled();
    const shown = `expected a finite number, got ${limit} (number)`;
    expect(() => one.setGrowthLimit(0, limit)).toThrow(new RangeError(`growthLimit: ${shown}`));
    expect(() => one.seed(0, limit)).toThrow(new RangeError(`seed: ${shown}`));
  });
});

describe('a seed', () => {
  it.each([
    [9, 10, []],
    [10.9, 10, []],
    [11.9, 11, [{ key, previous: 10, next: 11, reason: 'seeded' }]],
    [1_000, 40, [{ key, previous: 10, next: 40, reason: 'seeded' }]],
  ])('of %d makes the cap %d', (target, cap, changes) => {
    const { one } = controlled({ growthLimit: 40 });
    expect(one.seed(0, target)).toEqual(changes);
    expect(one.snapshot()).toMatchObject({ cap, epoch: changes.length });
  });

  it('does nothing within the idle time of a refusal', () => {
    const { one } = controlled({ idleResetMs: 1_000 });
    one.throttled(0, one.admitted(0), 'rate_limited');
    // Something is in flight: nothing is forgotten meanwhile.
    one.admitted(0);
    expect(one.seed(999, 20)).toEqual([]);
    expect(one.seed(1_000, 20)).toEqual([{ key, previous: 10, next: 20, reason: 'seeded' }]);
  });
});

describe('a settlement too many', () => {
  const message = 'p/m: a request settled with nothing in flight';

  it.each<[string, (one: LimitController | FixedController) => unknown]>([
    ['succeeded', (one) => one.succeeded(0, 0)],
    ['throttled', (one) => one.throttled(0, 0, 'rate_limited')],
    ['failed', (one) => one.failed(0)],
    ['ended', (one) => one.ended(0)],
  ])('%s is refused, and changes nothing', (_, settle) => {
    for (const one of [controlled().one, new FixedController({ key, cap: 2 })]) {
      one.admitted(0);
      one.ended(0);
      const before = one.snapshot();
      expect(() => settle(one)).toThrow(new InvariantError(message));
      expect(one.snapshot()).toEqual(before);
    }
  });
});

describe('a fixed cap', () => {
  const settlements: readonly ((one: FixedController) => unknown)[] = [
    (one) => one.succeeded(),
    (one) => one.throttled(),
    (one) => one.failed(),
    (one) => one.ended(),
  ];

  it('counts what is in flight and who waits, and never moves', () => {
    const one = new FixedController({ key, cap: 2 });
    const still = { key, initial: 2, growthLimit: 2, cap: 2, epoch: 0, waiters: 0, successStreak: 0 };
    for (const settle of settlements) {
      expect([one.canAdmit(), one.admitted(), one.canAdmit(), one.admitted(), one.canAdmit()]).toEqual([
        ...[true, 0],
        ...[true, 0],
        false,
      ]);
      expect([one.observed(), one.setGrowthLimit(), one.seed(), one.waiting(0, 5)]).toEqual([[], [], [], []]);
      expect(one.snapshot()).toEqual({ ...still, inFlight: 2, waiters: 5 });
      expect([settle(one), settle(one), one.waiting(0, 0)]).toEqual([[], [], []]);
      expect(one.snapshot()).toEqual({ ...still, inFlight: 0 });
    }
  });

  it('may be none at all', () => {
    const one = new FixedController({ key, cap: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 10_000; n++) one.admitted();
    expect(one.canAdmit()).toBe(true);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '2' as never])('is not %s', (cap) => {
    expect(() => new FixedController({ key, cap })).toThrow(RangeError);
  });
});
