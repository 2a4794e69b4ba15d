import { describe, expect, it } from 'vitest';
import { estimate, isBeyondNoise, pairedDifference } from '../../../src/results/study/intervals.js';

describe("Student's t interval", () => {
  // The quantiles of t as every table has them: 12.706, 4.303, 2.776, 2.093 at 97.5 %; 4.604 at 99.5 %.
  it.each([
    { case: 'two samples', samples: [0, 2], options: {}, halfWidth: 12.706_204_7 },
    { case: 'three samples', samples: [1, 2, 3], options: {}, halfWidth: 4.302_652_7 / Math.sqrt(3) },
    { case: 'five samples', samples: [1, 2, 3, 4, 5], options: {}, halfWidth: 2.776_445_1 * Math.sqrt(2.5 / 5) },
    { case: '99 %', samples: [1, 2, 3, 4, 5], options: { confidence: 0.99 }, halfWidth: 4.604_094_9 * Math.sqrt(0.5) },
    // Five at once: each at 99 %.
    {
      case: 'five at once',
      samples: [1, 2, 3, 4, 5],
      options: { comparisons: 5 },
      halfWidth: 4.604_094_9 * Math.sqrt(0.5),
    },
    { case: 'no spread, though a tenth is not exact', samples: [0.1, 0.1, 0.1], options: {}, halfWidth: 0 },
  ])('of $case', ({ samples, options, halfWidth }) => {
    expect(estimate(samples, options)?.halfWidth).toBeCloseTo(halfWidth, 6);
  });

  it('of one sample knows no spread, and of none nothing', () => {
    expect(estimate([3])).toEqual({ mean: 3, halfWidth: null, samples: 1 });
    expect(estimate([])).toBeNull();
  });
});

describe('a paired difference', () => {
  it('sees through what both share: samples that differ by hundreds, pairs by one', () => {
    const difference = pairedDifference([101, 301, 501, 702], [100, 300, 500, 700])!;
    expect(difference.mean).toBe(1.25);
    expect(isBeyondNoise(difference)).toBe(true);
  });

  it('leaves out pairs with a missing side', () => {
    expect(pairedDifference([1, null, 3, 4], [1, 2, null])).toEqual({ mean: 0, halfWidth: null, samples: 1 });
  });

  it('is beyond noise only where the interval leaves 0 out', () => {
    expect(isBeyondNoise({ mean: 1, halfWidth: 1, samples: 9 })).toBe(false);
    expect(isBeyondNoise({ mean: -1.1, halfWidth: 1, samples: 9 })).toBe(true);
    expect(isBeyondNoise({ mean: 5, halfWidth: null, samples: 1 })).toBe(false);
  });
});
