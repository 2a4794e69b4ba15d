import { describe, expect, it } from 'vitest';
import { AimdController } from '../src/core/aimd.js';
import type { ControllerSnapshot, ThrottleReason } from '../src/core/controller.js';
import { InvariantError } from '../src/core/invariant.js';
import sequences from './fixtures/controller-sequences.json' with { type: 'json' };

interface Signal {
  signal: string;
  now: number;
  epoch?: number;
  reason?: string;
  retryAfterMs?: number;
  count?: number;
  limit?: number;
  target?: number;
  returns?: number | boolean;
  changes?: unknown[];
}

/** Gives one recorded signal to the controller; answers what the record calls `returns` or `changes`. */
function give(controller: AimdController, s: Signal): unknown {
  switch (s.signal) {
    case 'canAdmit':
      return controller.canAdmit(s.now);
    case 'admit':
      return controller.admitted(s.now);
    case 'observe':
      return controller.observed(s.now);
    case 'succeed':
      return controller.succeeded(s.now, s.epoch!);
    case 'throttle':
      return controller.throttled(s.now, s.epoch!, s.reason as ThrottleReason, s.retryAfterMs);
    case 'fail':
      return controller.failed(s.now);
    case 'end':
      return controller.ended(s.now);
    case 'waiters':
      return controller.waiting(s.now, s.count!);
    case 'growthLimit':
      return controller.setGrowthLimit(s.now, s.limit!);
    case 'seed':
      return controller.seed(s.now, s.target!);
    default:
      throw new Error(`unknown signal ${s.signal}`);
  }
}

describe('the published sequences', () => {
  it.each(sequences.cases.map((c) => [c.name, c] as const))('%s', (_, { options, signals, snapshot }) => {
    const controller = new AimdController(options);
    (signals as Signal[]).forEach((signal, i) => {
      const answer = give(controller, signal);
      const at = `signal ${i} (${signal.signal})`;
      if ('returns' in signal) expect(answer, at).toBe(signal.returns);
      else expect(answer, at).toEqual(signal.changes);
    });
    expect(controller.snapshot()).toEqual(snapshot);
  });
  it('are all eighteen', () => expect(sequences.cases).toHaveLength(18));
});

/** ∧ = K successes with a waiter, × = a current-epoch refusal, each sent and settled alone; the caps that follow. */
function story(controller: AimdController, moves: string): number[] {
  controller.waiting(0, 1);
  return [...moves].map((move) => {
    for (let i = 0; i < (move === '∧' ? 4 : 1); i++) {
      const epoch = controller.admitted(0);
      if (move === '∧') controller.succeeded(0, epoch);
      else controller.throttled(0, epoch, 'rate_limited');
    }
    return controller.snapshot().cap;
  });
}

describe('the cap', () => {
  it('falls by 0.75 to the floor', () => {
    expect(story(new AimdController({ key: 'p/m', initial: 16 }), '××××××××')).toEqual([12, 9, 6, 4, 3, 2, 1, 1]);
  });
  it('settles at a wall of five and probes six once per K successes', () => {
    expect(story(new AimdController({ key: 'p/m', initial: 13 }), '×××∧∧×∧×∧×')).toEqual([
      9, 6, 4, 5, 6, 5, 6, 5, 6, 5,
    ]);
  });
  it('never remembers a level with rememberGood: false, so a failed probe cuts by the factor', () => {
    const controller = new AimdController({ key: 'p/m', initial: 13, rememberGood: false });
    expect(story(controller, '×××∧∧×∧')).toEqual([9, 6, 4, 5, 6, 4, 5]);
    expect(controller.snapshot()).not.toHaveProperty('lastGood');
  });
  it('is cut to no less than a floor above one', () => {
    expect(story(new AimdController({ key: 'p/m', initial: 6, floor: 4 }), '××')).toEqual([4, 4]);
  });
  it('rises by the step, but never past the growth limit', () => {
    const controller = new AimdController({ key: 'p/m', initial: 4, growthLimit: 9, increaseStep: 3 });
    expect(story(controller, '∧∧∧')).toEqual([7, 9, 9]);
  });
});

describe('a change', () => {
  it('says what is proven and disproven after it, and what is not so is not there', () => {
    const controller = new AimdController({ key: 'p/m', growthLimit: 20 });
    controller.waiting(0, 1);
    const succeed = () => controller.succeeded(0, controller.admitted(0));
    const refuse = (retryAfterMs?: number) =>
      controller.throttled(0, controller.admitted(0), 'rate_limited', retryAfterMs);
    expect([1, 2, 3].flatMap(succeed)).toEqual([]);
    expect(succeed()).toStrictEqual([{ key: 'p/m', previous: 8, next: 9, reason: 'recovered', lastGood: 8 }]);
    expect(refuse()).toStrictEqual([
      { key: 'p/m', previous: 9, next: 8, reason: 'rate_limited', lastGood: 8, lastBad: 9 },
    ]);
    expect(refuse(500)).toStrictEqual([
      { key: 'p/m', previous: 8, next: 6, reason: 'rate_limited', lastBad: 8, cooldownMs: 500 },
    ]);
    expect(refuse(0)).toStrictEqual([{ key: 'p/m', previous: 6, next: 4, reason: 'rate_limited', lastBad: 6 }]);
  });
});

describe('the idle reset', () => {
  it('waits for the end of a cooldown that outlives the idle time', () => {
    const controller = new AimdController({ key: 'p/m', initial: 8 });
    controller.throttled(0, controller.admitted(0), 'rate_limited', 400_000);
    expect(controller.observed(399_999)).toEqual([]);
    expect(controller.observed(400_000)).toEqual([{ key: 'p/m', previous: 6, next: 8, reason: 'idle_reset' }]);
    expect(controller.snapshot()).toEqual({
      key: 'p/m',
      initial: 8,
      growthLimit: 8,
      cap: 8,
      epoch: 2,
      inFlight: 0,
      waiters: 0,
      successStreak: 0,
      lastRequestAt: 0,
    } satisfies ControllerSnapshot);
  });
  it('turns the epoch silently when only a streak is forgotten, and never for a clean key', () => {
    const controller = new AimdController({ key: 'p/m' });
    controller.succeeded(0, controller.admitted(0));
    expect(controller.observed(300_000)).toEqual([]);
    expect(controller.snapshot()).toMatchObject({ epoch: 1, successStreak: 0 });
    controller.observed(900_000);
    expect(controller.snapshot().epoch).toBe(1);
  });
  it('comes before a seed and is reported before it', () => {
    const controller = new AimdController({ key: 'p/m', initial: 8, growthLimit: 32 });
    controller.throttled(0, controller.admitted(0), 'rate_limited');
    expect(controller.seed(300_000, 20)).toEqual([
      { key: 'p/m', previous: 6, next: 8, reason: 'idle_reset' },
      { key: 'p/m', previous: 8, next: 20, reason: 'seeded' },
    ]);
  });
  it('counts from the last settlement, not from the last admission', () => {
    const controller = new AimdController({ key: 'p/m' });
    const epoch = controller.admitted(0);
    controller.throttled(200_000, epoch, 'rate_limited');
    expect(controller.observed(499_999)).toEqual([]);
    expect(controller.observed(500_000)).toEqual([{ key: 'p/m', previous: 6, next: 8, reason: 'idle_reset' }]);
  });
});

describe('misuse', () => {
  it.each(['succeeded', 'throttled', 'failed', 'ended'] as const)('%s with nothing in flight is a defect', (signal) => {
    const controller = new AimdController({ key: 'p/m' });
    expect(() => controller[signal](0, 0, 'rate_limited' as never)).toThrow(InvariantError);
    expect(controller.snapshot().inFlight).toBe(0);
  });

  it.each([
    ['initial', 0, 'initial: expected an integer ≥ 1, got 0 (number)'],
    ['initial', 1.5, 'initial: expected an integer ≥ 1, got 1.5 (number)'],
    ['initial', '3', 'initial: expected an integer ≥ 1, got "3" (string)'],
    ['growthLimit', Number.POSITIVE_INFINITY, 'growthLimit: expected an integer ≥ 1, got Infinity (number)'],
    ['decreaseFactor', 1, 'decreaseFactor: expected a number between 0 and 1, both excluded, got 1 (number)'],
    [
      'decreaseFactor',
      Number.NaN,
      'decreaseFactor: expected a number between 0 and 1, both excluded, got NaN (number)',
    ],
    ['increaseStep', -1, 'increaseStep: expected an integer ≥ 1, got -1 (number)'],
    ['increaseAfterSuccesses', 0, 'increaseAfterSuccesses: expected an integer ≥ 1, got 0 (number)'],
    ['floor', 0, 'floor: expected an integer ≥ 1, got 0 (number)'],
    ['idleResetMs', 0, 'idleResetMs: expected milliseconds above 0, got 0 (number)'],
    ['rememberGood', 1, 'rememberGood: expected true or false, got 1 (number)'],
    ['key', '', 'key: expected a non-empty string, got "" (string)'],
  ])('%s: %s is refused by name', (option, value, message) => {
    const make = () => new AimdController({ key: 'p/m', [option]: value });
    expect(make).toThrow(new RangeError(message));
  });
  it('an initial cap below the floor is refused', () => {
    expect(() => new AimdController({ key: 'p/m', initial: 2, floor: 3 })).toThrow(
      new RangeError('initial: expected an integer ≥ floor (3), got 2 (number)'),
    );
  });
  it.each(['setGrowthLimit', 'seed'] as const)('%s refuses what is not finite', (signal) => {
    expect(() => new AimdController({ key: 'p/m' })[signal](0, Number.NaN)).toThrow(RangeError);
  });
});
