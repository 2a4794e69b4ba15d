import { describe, expect, it } from 'vitest';
import { type Clock, createGovernor } from '../../src/index.js';

/** A clock whose timers fire by hand: as late as those of a busy process. */
class LateClock implements Clock {
  time = 0;
  readonly timers = new Set<() => void>();

  now(): number {
    return this.time;
  }

  schedule(fn: () => void): () => void {
    const timer = (): void => {
      this.timers.delete(timer);
      fn();
    };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }
}

const KEY = { provider: 'p', model: 'm' };

describe('a cooldown that is over before its timer has fired', () => {
  it.each([0, 1, 500])('is still waited for by its timer when somebody joins the queue %i ms late', async (lateMs) => {
    const clock = new LateClock();
    const governor = createGovernor({ clock, initial: 2 });
    governor.tryAcquire(KEY)!.throttle({ retryAfterMs: 1_000 });
    const first = governor.acquire(KEY);
    clock.time = 1_000 + lateMs;
    const second = governor.acquire(KEY);
    expect(clock.timers.size).toBe(1);
    for (const fire of [...clock.timers]) fire();
    (await first).succeed();
    (await second).succeed();
    expect({ timers: clock.timers.size, ...governor.snapshot(KEY) }).toMatchObject({
      timers: 0,
      inFlight: 0,
      queue: 0,
    });
  });

  it('is over for whoever settles, too, and then nothing is left to fire', async () => {
    const clock = new LateClock();
    const governor = createGovernor({ clock, initial: 4 });
    const inFlight = governor.tryAcquire(KEY)!;
    governor.tryAcquire(KEY)!.throttle({ retryAfterMs: 1_000 });
    const waiting = governor.acquire(KEY);
    clock.time = 1_000;
    inFlight.succeed();
    (await waiting).succeed();
    expect(clock.timers.size).toBe(0);
  });
});
