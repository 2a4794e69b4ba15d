import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/gate/clock.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { KEY, stage } from './stage.js';

describe('the wake after a cooldown', () => {
  it('comes at the deadline, once, by one timer for all who wait', () => {
    const { ask, ticket, read, clock } = stage({ initial: 8 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 5_000 });
    for (const name of ['two', 'three', 'four']) ask(name);
    expect(clock.pending).toBe(1);
    clock.advance(4_999);
    expect(read()).toEqual(['one']);
    clock.advance(1);
    expect(read()).toEqual(['two', 'three', 'four']);
    expect(clock.pending).toBe(0);
  });

  it('moves with a later deadline and not with an earlier one', () => {
    const { ask, ticket, read, clock } = stage({ initial: 8 });
    for (const name of ['a', 'b', 'c']) ask(name);
    ticket('a').throttle({ retryAfterMs: 1_000 });
    ask('d');
    ticket('b').throttle({ retryAfterMs: 60_000 });
    ticket('c').throttle({ retryAfterMs: 2_000 });
    read();
    expect(clock.pending).toBe(1);
    clock.advance(59_999);
    expect(read()).toEqual([]);
    clock.advance(1);
    expect(read()).toEqual(['d']);
  });

  it('needs no timer while nobody waits: it is set with the first waiter and goes with the last', () => {
    const { ask, ticket, clock } = stage();
    ask('one');
    ticket('one').throttle({ retryAfterMs: 5_000 });
    expect(clock.pending).toBe(0);
    const [two, three] = [ask('two'), ask('three')];
    two.cancel();
    expect(clock.pending).toBe(1);
    three.cancel();
    expect(clock.pending).toBe(0);
  });

  it('asks the clock again: a timer that fires early is set anew for the rest', () => {
    const clock = new ManualClock();
    const hasty: Clock = {
      now: () => clock.now(),
      schedule: (fn, delayMs) => clock.schedule(fn, delayMs > 1 ? delayMs - 1 : delayMs),
    };
    const { ask, ticket, read } = stage({ clock: hasty });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 5_000 });
    ask('two');
    read();
    clock.advance(4_999);
    expect([read(), clock.pending, clock.nextAt]).toEqual([[], 1, 5_000]);
    clock.advance(1);
    expect([read(), clock.pending]).toEqual([['two'], 0]);
  });

  it('comes after a wait beyond 2³¹−1 ms', () => {
    const { ask, ticket, read, clock } = stage({ maxCooldownMs: 2 ** 40 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 2 ** 31 + 5 });
    ask('two');
    read();
    clock.advance(2 ** 31 + 4);
    expect(read()).toEqual([]);
    clock.advance(1);
    expect(read()).toEqual(['two']);
  });

  it('that outlasts the idle time starts from the initial cap, for as many as it then lets through', () => {
    const { ask, ticket, read, clock, events } = stage({ initial: 4 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 400_000 });
    for (let i = 2; i <= 7; i++) ask(`${i}`);
    read();
    clock.advance(400_000);
    expect(read()).toEqual(['2', '3', '4', '5']);
    expect(events.at(-1)).toEqual({
      type: 'concurrency-changed',
      at: 400_000,
      key: 'p/m',
      previous: 3,
      next: 4,
      reason: 'idle_reset',
      runs: [],
    });
  });

  it('finds nobody when a listener of the reset has taken the waiters away', () => {
    const { governor, ask, ticket, read, clock, errors } = stage();
    ask('one');
    ticket('one').throttle({ retryAfterMs: 400_000 });
    const two = ask('two');
    governor.onEvent((event) => {
      if (event.type === 'concurrency-changed' && event.reason === 'idle_reset') two.cancel('enough');
    });
    clock.advance(400_000);
    expect(read()).toEqual(['one', 'two: enough']);
    expect([errors, clock.pending, governor.snapshot(KEY)?.inFlight]).toEqual([[], 0, 0]);
  });
});

describe('during a cooldown', () => {
  it('nobody is let through, room or not, and settlements go on', () => {
    const { governor, ask, ticket, read, look } = stage({ initial: 8 });
    ask('one');
    ask('two');
    ticket('one').throttle({ retryAfterMs: 1_000 });
    ask('three');
    ticket('two').succeed();
    expect(read()).toEqual(['one', 'two']);
    expect(governor.tryAcquire(KEY)).toBeUndefined();
    expect(look()).toMatchObject({ inFlight: 0, queue: 1, cap: 6 });
  });

  it.each([undefined, 0])('a refusal with a Retry-After of %s does not begin one', (retryAfterMs) => {
    const { ask, ticket, read, look } = stage({ initial: 8 });
    ask('one');
    ticket('one').throttle(retryAfterMs === undefined ? {} : { retryAfterMs });
    ask('two');
    expect(read()).toEqual(['one', 'two']);
    expect(look()).not.toHaveProperty('cooldownUntil');
  });
});

describe('maxCooldownMs', () => {
  it('bounds what a hint can freeze, and says so after the change that it came with', () => {
    const { ask, ticket, read, clock, events } = stage({ initial: 8, maxCooldownMs: 10_000 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 86_400_000 });
    ask('two');
    expect(events).toEqual([
      {
        type: 'concurrency-changed',
        at: 0,
        key: 'p/m',
        previous: 8,
        next: 6,
        reason: 'rate_limited',
        lastBad: 8,
        cooldownMs: 10_000,
        runs: [],
      },
      { type: 'cooldown-clamped', at: 0, key: 'p/m', askedMs: 86_400_000, maxCooldownMs: 10_000 },
    ]);
    read();
    clock.advance(9_999);
    expect(read()).toEqual([]);
    clock.advance(1);
    expect(read()).toEqual(['two']);
  });

  it('is a quarter of an hour where nothing else is said, and silent at its very edge', () => {
    const { ask, ticket, read, clock, events } = stage({ idleResetMs: 10_000_000 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 900_000 });
    ask('two');
    expect(events.map(({ type }) => type)).toEqual(['concurrency-changed']);
    ask('three');
    read();
    clock.advance(900_000);
    expect(read()).toEqual(['two', 'three']);
    ticket('two').throttle({ retryAfterMs: 900_001 });
    expect(events.at(-1)).toMatchObject({ type: 'cooldown-clamped', askedMs: 900_001, maxCooldownMs: 900_000 });
  });
});
