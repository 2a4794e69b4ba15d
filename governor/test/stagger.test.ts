import { describe, expect, it } from 'vitest';
import { Stagger } from '../src/core/stagger.js';

describe('a stagger of 100 ms', () => {
  it('spaces out as many grants as the cap is, the first at the end of the cooldown, and tells which is the last', () => {
    const stagger = new Stagger(100);
    stagger.cooldownExtended();
    expect(stagger.begins(999, 1_000, 3)).toBe(false);
    expect([stagger.isHolding, stagger.nextAt]).toEqual([false, Number.NEGATIVE_INFINITY]);
    expect(stagger.begins(1_005, 1_000, 3)).toBe(true);
    expect([stagger.isHolding, stagger.nextAt]).toEqual([true, 1_000]);
    expect(stagger.granted(1_005)).toBe(false);
    expect(stagger.nextAt).toBe(1_105);
    expect(stagger.granted(1_110)).toBe(false);
    expect(stagger.nextAt).toBe(1_210);
    expect(stagger.granted(1_210)).toBe(true);
    expect([stagger.isHolding, stagger.nextAt]).toEqual([false, Number.NEGATIVE_INFINITY]);
    expect(stagger.granted(1_211)).toBe(false);
  });

  it('begins once for a cooldown, at its very end at the earliest', () => {
    const stagger = new Stagger(100);
    expect(stagger.begins(0, Number.NEGATIVE_INFINITY, 2)).toBe(false);
    stagger.cooldownExtended();
    expect(stagger.begins(1_000, 1_000, 2)).toBe(true);
    expect(stagger.begins(1_001, 1_000, 2)).toBe(false);
  });

  it('of 0 ms holds nothing', () => {
    const stagger = new Stagger(0);
    stagger.cooldownExtended();
    expect(stagger.begins(5, 1, 2)).toBe(false);
    expect(stagger.isHolding).toBe(false);
  });
});
