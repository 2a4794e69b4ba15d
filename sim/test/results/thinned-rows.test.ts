import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CooldownSpans } from '../../src/results/cooldown-spans.js';
import { ThinnedRows } from '../../src/results/thinned-rows.js';

function thin(rows: readonly (readonly [t: number, level: number])[], limit: number): readonly number[][] {
  const thinned = new ThinnedRows({ columns: 2, watched: [1], limit });
  for (const row of rows) thinned.push(Float64Array.from(row));
  return thinned.rows().map((row) => [...row]);
}

describe('thinned rows', () => {
  it('are all there up to the limit', () => {
    const rows = Array.from({ length: 8 }, (_, i) => [i, i % 3] as const);
    expect(thin(rows, 8)).toEqual(rows);
  });

  it('keep the first, the last, the lowest and the highest of each slice of time', () => {
    // Limit 8: two slices of four rows. 0 to 8 and 8 to 16.
    const levels = [5, 6, 9, 7, 5, 1, 4, 4, 3, 3, 2, 8, 3, 3, 3, 3, 3];
    const rows = levels.map((level, t) => [t, level] as const);
    expect(thin(rows, 8)).toEqual([
      [0, 5],
      [2, 9],
      [5, 1],
      [7, 4],
      [8, 3],
      [10, 2],
      [11, 8],
      [16, 3],
    ]);
  });

  it('keep every extreme of any number of rows, invent none, and stay in order', () => {
    const rows = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: -1000, max: 1000 })), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(rows, (steps) => {
        let t = 0;
        const given = steps.map(([gap, level]) => {
          t += gap;
          return [t, level] as const;
        });
        const kept = thin(given, 12);
        const levels = (of: readonly (readonly number[])[]) => of.map(([, level]) => level!);
        expect(kept.length).toBeLessThanOrEqual(12);
        expect([kept[0], kept.at(-1)]).toEqual([given[0], given.at(-1)]);
        expect(Math.max(...levels(kept))).toBe(Math.max(...levels(given)));
        expect(Math.min(...levels(kept))).toBe(Math.min(...levels(given)));
        const known = new Set(given.map((row) => row.join()));
        expect(kept.every((row) => known.has(row.join()))).toBe(true);
        expect(kept.every(([time], i) => i === 0 || time! >= kept[i - 1]![0]!)).toBe(true);
      }),
    );
  });
});

it('rows cannot be thinned to fewer than one slice has', () => {
  expect(() => new ThinnedRows({ columns: 2, watched: [1], limit: 3 })).toThrow(
    'limit: expected at least 4 rows, got 3',
  );
});

describe('cooldown spans', () => {
  it('are one where they overlap or touch, and end where the run ends', () => {
    const spans = new CooldownSpans();
    for (const [t, until] of [
      [100, 300],
      [200, 250],
      [250, 400],
      [400, 450],
      [500, 500],
      [600, 700],
      [900, 2000],
    ] as const) {
      spans.extend(t, until);
    }
    expect(spans.until(950)).toEqual([
      { from: 100, to: 450 },
      { from: 600, to: 700 },
      { from: 900, to: 950 },
    ]);
  });

  it('beyond a thousand lose their smallest gaps, and no time that was cool', () => {
    const spans = new CooldownSpans();
    // 1500 spans of 1 ms; between them 1 ms, after every tenth 9 ms.
    let t = 0;
    for (let i = 1; i <= 1500; i++) {
      spans.extend(t, t + 1);
      t += i % 10 === 0 ? 10 : 2;
    }
    const kept = spans.until(t);
    expect(kept.length).toBeLessThanOrEqual(1000);
    expect(kept[0]).toEqual({ from: 0, to: 19 });
    expect(kept.every(({ from, to }) => to > from)).toBe(true);
    expect(kept.slice(1).every(({ from }, i) => from - kept[i]!.to >= 1)).toBe(true);
  });
});
