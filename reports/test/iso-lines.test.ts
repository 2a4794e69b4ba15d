import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoLines } from '../src/iso-lines.js';

describe('a line of equal value', () => {
  it('runs straight between two columns, from the lowest row to the highest', () => {
    const lines = isoLines(
      [
        [0, 10, 20],
        [0, 10, 20],
      ],
      5,
    );
    expect(lines).toHaveLength(1);
    const [{ level, points }] = lines as [(typeof lines)[0]];
    expect(level).toBe(5);
    expect(points.map(([x]) => x)).toEqual([0.5, 0.5]);
    expect(points.map(([, y]) => y).toSorted()).toEqual([0, 1]);
  });

  it('is a closed ring around a peak', () => {
    const [ring, ...others] = isoLines(
      [
        [0, 0, 0],
        [0, 4, 0],
        [0, 0, 0],
      ],
      1,
    );
    expect(others).toEqual([]);
    expect(ring!.points[0]).toEqual(ring!.points.at(-1));
    expect(ring!.points).toContainEqual([1, 0.25]);
  });

  it.each([
    {
      case: 'nothing is as high',
      rows: [
        [1, 2],
        [3, 4],
      ],
      level: 9,
    },
    {
      case: 'all is higher',
      rows: [
        [1, 2],
        [3, 4],
      ],
      level: 0,
    },
    { case: 'there is one row', rows: [[1, 5]], level: 3 },
    { case: 'there is none', rows: [], level: 3 },
    {
      case: 'no two neighbours have a value',
      rows: [
        [1, null],
        [null, 5],
      ],
      level: 3,
    },
  ])('is not there where $case', ({ rows, level }) => {
    expect(isoLines(rows, level)).toEqual([]);
  });

  it('lies where the value between two neighbours is the level, never in a hole, never off the table', () => {
    const cell = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 100 }) }, fc.constant(null));
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 6 }),
      );
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 99 }), (rows, whole) => {
        const level = whole + 0.5;
        for (const { points } of isoLines(rows, level)) {
          for (const [x, y] of points) {
            const [low, high] = [rows[Math.floor(y)]![Math.floor(x)], rows[Math.ceil(y)]![Math.ceil(x)]];
            const share = x - Math.floor(x) + (y - Math.floor(y));
            expect(low! + (high! - low!) * share).toBeCloseTo(level, 6);
          }
        }
      }),
    );
  });
});
