import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeBands, type Point, thinLines, thinPoints } from '../src/thinning.js';
import { lineChart } from './small-report.js';

/** 5 000 to 9 000 points in order of x, unevenly spaced, some of them gaps. */
const manyPoints = fc
  .tuple(fc.integer({ min: 5000, max: 9000 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
  .map(([count, seed]): Point[] => {
    let state = seed;
    let x = 0;
    const next = (): number => {
      state = (state * 48_271) % (2 ** 31 - 1);
      return state / (2 ** 31 - 1);
    };
    return Array.from({ length: count }, () => {
      x += next() < 0.9 ? next() : next() * 500;
      return [x, next() < 0.05 ? null : Math.round(next() ** 4 * 1e6)];
    });
  });

const heights = (points: readonly Point[]): number[] => points.flatMap(([, y]) => (y === null ? [] : [y]));

describe('thinning', () => {
  it('keeps ends and extremes of any long series, in order, and stays within 4 000 points', () => {
    fc.assert(
      fc.property(manyPoints, (points) => {
        const thin = thinPoints(points);
        expect(thin.length).toBeLessThanOrEqual(4000);
        expect(thin[0]).toBe(points[0]);
        expect(thin.at(-1)).toBe(points.at(-1));
        expect(Math.max(...heights(thin))).toBe(Math.max(...heights(points)));
        expect(Math.min(...heights(thin))).toBe(Math.min(...heights(points)));
        const places = thin.map((point) => points.indexOf(point));
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }),
      { numRuns: 25 },
    );
  });

  it('keeps a spike, and the gap beside it, of one slice among 100 000 flat points', () => {
    const points = Array.from({ length: 100_000 }, (_, i): Point => [i, i === 50_060 ? null : i === 50_050 ? 99 : 7]);
    const thin = thinPoints(points);
    expect(thin).toContainEqual([50_050, 99]);
    expect(thin).toContainEqual([50_060, null]);
    // Per slice: first (also lowest and highest) and last; the slice of the spike has five.
    expect(thin.length).toBeLessThan(1700);
  });

  it('leaves 4 000 points as they are', () => {
    const points = Array.from({ length: 4000 }, (_, i): Point => [i, i % 7]);
    expect(thinPoints(points)).toBe(points);
  });

  it('thins many points of one instant to its extremes', () => {
    const points = Array.from({ length: 5000 }, (_, i): Point => [3, i % 100]);
    expect(thinPoints(points)).toEqual([
      [3, 0],
      [3, 99],
      [3, 99],
    ]);
  });
});

describe('bands', () => {
  it('of one label and tone that nearly touch become one, others stay', () => {
    const a = { label: 'pause', tone: 'warn' } as const;
    const b = { label: 'outage', tone: 'bad' } as const;
    const bands = [
      { ...a, from: 5000, to: 6000 },
      { ...a, from: 0, to: 100 },
      { ...b, from: 50, to: 60 },
      { ...a, from: 101, to: 150 },
      { ...a, from: 120, to: 130 },
    ];
    expect(mergeBands(bands, 10_000)).toEqual([
      { ...a, from: 0, to: 150 },
      { ...b, from: 50, to: 60 },
      { ...a, from: 5000, to: 6000 },
    ]);
  });

  it('merge by the span of the chart that they lie in', () => {
    const near = { from: 55_050, to: 56_000, label: 'pause', tone: 'warn' } as const;
    const thin = thinLines({ ...lineChart, bands: [...lineChart.bands, near] });
    // 50 ms of 90 s is less than a thousandth.
    expect(thin).toMatchObject({ bands: [{ from: 40_000, to: 56_000, label: 'pause', tone: 'warn' }] });
  });
});
