import { describe, expect, it } from 'vitest';
import { type BudgetAction, WallClockBudget } from '../../src/workload/wall-clock-budget.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const USUAL = { timeMs: 10 * MINUTE, warnAt: 0.8, graceMs: 3 * MINUTE };

/** What comes of sweeping every so often, with the minute it comes at. */
function sweeps(budget: WallClockBudget, everyMs: number, untilMs: number): [BudgetAction, number][] {
  const seen: [BudgetAction, number][] = [];
  for (let now = everyMs; now <= untilMs; now += everyMs) {
    const action = budget.sweep(now);
    if (action !== undefined) seen.push([action, now / MINUTE]);
  }
  return seen;
}

describe('a wall-clock budget', () => {
  it.each<[string, number, number, [BudgetAction, number][]]>([
    // Swept every 15 s, begun on the grid: 80 %, 100 %, and the grace after that.
    [
      'begun at a sweep',
      0,
      15 * SECOND,
      [
        ['warn', 8],
        ['interrupt', 10],
        ['stop', 13],
      ],
    ],
    // Each is up to a sweep late; the grace counts from the interrupt as it came.
    [
      'begun between two sweeps',
      SECOND,
      15 * SECOND,
      [
        ['warn', 8.25],
        ['interrupt', 10.25],
        ['stop', 13.25],
      ],
    ],
    [
      'swept every minute and a half',
      0,
      90 * SECOND,
      [
        ['warn', 9],
        ['interrupt', 10.5],
        ['stop', 13.5],
      ],
    ],
    // The time is up before anybody looked: no warning helps any more.
    [
      'swept after its end only',
      0,
      11 * MINUTE,
      [
        ['interrupt', 11],
        ['stop', 22],
      ],
    ],
  ])('%s: warned once, interrupted once, stopped once', (_, beganMs, everyMs, expected) => {
    expect(sweeps(new WallClockBudget(USUAL, beganMs), everyMs, 30 * MINUTE)).toEqual(expected);
  });

  it('without grace is stopped at the sweep after its interrupt', () => {
    const budget = new WallClockBudget({ ...USUAL, graceMs: 0 }, 0);
    expect(sweeps(budget, 15 * SECOND, 30 * MINUTE).slice(1)).toEqual([
      ['interrupt', 10],
      ['stop', 10.25],
    ]);
  });

  it('with a warning at 100 % interrupts without one', () => {
    const budget = new WallClockBudget({ ...USUAL, warnAt: 1 }, 0);
    expect(sweeps(budget, 15 * SECOND, 30 * MINUTE)[0]).toEqual(['interrupt', 10]);
  });

  it('knows how long its turn takes', () => {
    expect(new WallClockBudget(USUAL, 2 * MINUTE).elapsedMs(5 * MINUTE)).toBe(3 * MINUTE);
  });
});
