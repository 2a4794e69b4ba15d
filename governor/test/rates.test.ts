import { describe, expect, it } from 'vitest';
import { Meter } from '../src/core/meter.js';
import { RollingSum } from '../src/core/rolling-sum.js';

describe('a rolling sum of 240 ms, in parts of one', () => {
  const sum = (...added: readonly (readonly [at: number, amount: number])[]): RollingSum => {
    const made = new RollingSum(240);
    for (const [at, amount] of added) made.add(at, amount);
    return made;
  };

  it('keeps what was added until nothing of its part can be younger than the period', () => {
    const kept = sum([0, 3], [0.9, 1], [1, 5]);
    expect([kept.sum(1), kept.sum(240), kept.sum(240.9), kept.sum(241), kept.sum(242)]).toEqual([9, 9, 9, 5, 0]);
  });

  it('forgets all of it when nobody asked for a long time, and begins anew', () => {
    const kept = sum([7, 3], [200, 4]);
    expect(kept.sum(1_000_000)).toBe(0);
    kept.add(1_000_000, 2);
    expect([kept.sum(1_000_240), kept.sum(1_000_241)]).toEqual([2, 0]);
  });

  it('says when it will have fallen: now, or when the part goes that is too much', () => {
    const kept = sum([10, 2], [20, 3]);
    const falls = [5, 4, 3, 2, 0].map((most) => kept.fallsTo(most, 20));
    expect(falls).toEqual([20, 251, 251, 261, 261]);
    expect([kept.sum(250), kept.sum(251), kept.sum(261)]).toEqual([5, 3, 0]);
  });

  it('counts what is told late at the time when it was, and not at all when that is too long ago', () => {
    const kept = sum();
    kept.add(5, 2, 100);
    expect([kept.sum(100), kept.sum(245), kept.sum(246)]).toEqual([2, 2, 0]);
    kept.add(59, 1, 300);
    expect(kept.sum(300)).toBe(0);
    kept.add(60, 1, 300);
    expect([kept.sum(300), kept.sum(301)]).toEqual([1, 0]);
  });

  it('goes on at its latest time when it is told an earlier one', () => {
    const kept = sum([300, 1]);
    kept.add(290, 4);
    expect([kept.sum(100), kept.sum(530), kept.sum(531), kept.sum(541)]).toEqual([5, 5, 1, 0]);
  });

  it('a longer period has longer parts', () => {
    const kept = new RollingSum(60_000);
    kept.add(249, 1);
    kept.add(250, 1);
    expect(kept.fallsTo(1, 300)).toBe(60_250);
    expect([kept.sum(60_249), kept.sum(60_250), kept.sum(60_499), kept.sum(60_500)]).toEqual([2, 1, 1, 0]);
  });
});

describe('a meter', () => {
  const REQUEST = { prompt: 1, total: 1 };
  const meterOf = (limit: number, since = 0): Meter => {
    const meter = new Meter('tokens', 60_000, since);
    meter.limit = limit;
    return meter;
  };

  it('of 60 a minute lets three go at once, a twentieth of the period, then keeps the pace with a margin of 2 %', () => {
    const meter = meterOf(60);
    const next: number[] = [];
    for (let i = 0; i < 5; i++) {
      next.push(meter.nextAt(REQUEST, 0, 1));
      meter.spend(REQUEST, 0, 1);
    }
    // 60 000 ms / (60 × 0.98) = 1020.408 ms each, counted from 3000 ms before.
    expect(next.map((at) => Number(at.toFixed(3)))).toEqual([0, 0, 0, 61.224, 1081.633]);
  });

  it('at half of the share each takes twice as long', () => {
    const meter = meterOf(60);
    for (let i = 0; i < 2; i++) meter.spend(REQUEST, 0, 0.5);
    expect(meter.nextAt(REQUEST, 0, 0.5)).toBeCloseTo(1_081.633, 3);
  });

  it('what is more than all there is goes when nothing else is spent', () => {
    const meter = meterOf(60);
    const huge = { prompt: 1, total: 1_000 };
    expect(meter.nextAt(huge, 5, 1)).toBe(5);
    meter.spend(REQUEST, 5, 1);
    expect(meter.nextAt(huge, 5, 1)).toBe(60_250);
    expect(meter.nextAt({ prompt: 1_000, total: 1_000 }, 5, 1)).toBe(60_250);
  });

  it('never holds longer than a period, and says how much of the limit is used', () => {
    const meter = meterOf(60);
    expect(meter.use(0)).toBe(0);
    meter.spend({ prompt: 30, total: 90 }, 0, 1);
    expect(meter.use(0)).toBe(1.5);
    expect(meter.nextAt(REQUEST, 0, 1)).toBe(60_250);
    expect([meter.use(60_249), meter.use(60_250)]).toEqual([1.5, 0]);
    expect(meter.nextAt(REQUEST, 60_250, 1)).toBe(60_250);
  });

  it('an answer of half the size gives half back, and counts its output when it comes', () => {
    const meter = meterOf(1_000);
    const expected = { prompt: 10, total: 100 };
    meter.spend(expected, 0, 1);
    expect(meter.use(0)).toBe(0.1);
    expect(meter.nextAt(expected, 0, 1)).toBeCloseTo(3_122.449, 3);
    meter.answered(expected, { prompt: 20, total: 50 }, 0, 2_000, 1);
    expect(meter.use(2_000)).toBe(0.05);
    expect(meter.nextAt(expected, 0, 1)).toBeCloseTo(61.224, 3);
    // Reserved was all of it at 0; grown, 20 at 0 and 30 at 2000.
    expect([meter.use(60_250), meter.use(62_249), meter.use(62_250)]).toEqual([0.03, 0.03, 0]);
  });

  it('what was let in before there was a meter is counted whole when it is answered', () => {
    const expected = { prompt: 10, total: 100 };
    const used = { prompt: 10, total: 50 };
    const later = meterOf(1_000, 500);
    later.answered(expected, used, 499, 1_000, 1);
    expect(later.use(1_000)).toBe(0.05);
    const there = meterOf(1_000, 500);
    there.spend(expected, 500, 1);
    there.answered(expected, used, 500, 1_000, 1);
    expect(there.use(1_000)).toBe(0.05);
  });
});
