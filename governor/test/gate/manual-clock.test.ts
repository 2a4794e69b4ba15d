import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/testing/manual-clock.js';

describe('a manual clock', () => {
  it('fires what falls due on the way, in order of time and then of setting, at its own instant', () => {
    const clock = new ManualClock(100);
    const fired: string[] = [];
    const set = (name: string, delayMs: number) =>
      clock.schedule(() => fired.push(`${name} at ${clock.now()}`), delayMs);
    set('late', 20);
    set('early', 5);
    set('early too', 5);
    set('never', 5)();
    clock.schedule(() => set('nested', 3), 10);
    expect([clock.pending, clock.nextAt]).toEqual([4, 105]);
    clock.advance(15);
    expect(fired).toEqual(['early at 105', 'early too at 105', 'nested at 113']);
    expect([clock.now(), clock.pending, clock.nextAt]).toEqual([115, 1, 120]);
  });

  it('can jump as a busy process does: what fell due meanwhile fires late', () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    clock.schedule(() => fired.push(clock.now()), 10);
    clock.jump(50);
    expect([fired, clock.nextAt]).toEqual([[], 10]);
    clock.advance(1);
    expect([fired, clock.now(), clock.nextAt]).toEqual([[50], 51, undefined]);
  });

  it.each([-1, Number.NaN])('refuses a delay of %s', (delayMs) => {
    expect(() => new ManualClock().schedule(() => {}, delayMs)).toThrow(RangeError);
  });
});
