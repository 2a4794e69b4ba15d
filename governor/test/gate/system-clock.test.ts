import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/gate/clock.js';

const FAKED = { toFake: ['setTimeout', 'clearTimeout', 'performance'] } satisfies Parameters<
  typeof vi.useFakeTimers
>[0];

describe('the system clock', () => {
  beforeEach(() => void vi.useFakeTimers(FAKED));
  afterEach(() => void vi.useRealTimers());

  it('calls at the delay, once', () => {
    const called: number[] = [];
    const start = systemClock.now();
    systemClock.schedule(() => called.push(systemClock.now() - start), 5);
    vi.advanceTimersByTime(4);
    expect(called).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(called).toEqual([5]);
  });

  it('waits for longer than a timer can: beyond 2³¹−1 ms it does not fire at once but at its time', () => {
    const delayMs = 2 * (2 ** 31 - 1) + 7;
    let called = 0;
    systemClock.schedule(() => called++, delayMs);
    vi.advanceTimersByTime(delayMs - 1);
    expect([called, vi.getTimerCount()]).toEqual([0, 1]);
    vi.advanceTimersByTime(1);
    expect([called, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it.each([5, 2 ** 32])('takes a timer of %s ms back, in whichever of its pieces it is', (delayMs) => {
    let called = 0;
    const cancel = systemClock.schedule(() => called++, delayMs);
    vi.advanceTimersByTime(delayMs - 1);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(delayMs);
    expect(called).toBe(0);
  });

  it.each([-1, Number.NaN])('refuses a delay of %s', (delayMs) => {
    expect(() => systemClock.schedule(() => {}, delayMs)).toThrow(
      new RangeError(`delayMs: expected milliseconds ≥ 0, got ${delayMs}`),
    );
  });
});

describe('the system clock in real time', () => {
  it('never goes back, and calls after about its delay', async () => {
    const start = systemClock.now();
    await new Promise<void>((resolve) => systemClock.schedule(resolve, 2));
    // A timer may fire up to a millisecond early.
    expect(systemClock.now() - start).toBeGreaterThanOrEqual(1);
  });
});
