import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../../src/results/study/run-row.js';
import { cellFigures } from '../../../src/results/tuning/cell-figures.js';
import { type Goal, miss, readGoal } from '../../../src/results/tuning/goal.js';
import { Grid } from '../../../src/results/tuning/grid.js';
import { type Evaluate, search } from '../../../src/results/tuning/search.js';
import { searchFindings } from '../../../src/results/tuning/search-report.js';

const numbers = (count: number) => ({ count, at: (i: number) => String(i) });
const grid = new Grid([
  { name: 'a', path: 'governor.a', values: numbers(40) },
  { name: 'b', path: 'governor.b', values: numbers(40) },
]);

/** A bowl: the least makespan at a 29, b 7; refusals fall as a rises. */
const bowl: Evaluate = async (places, seeds) => [
  places.map(([a, b]) => {
    const values = { makespan: 1000 + (a! - 29) ** 2 + (b! - 7) ** 2, 'refused.share': 0.5 - a! / 100 };
    const rows = Array.from({ length: seeds }, (_, i): RunRow => ({ seed: i + 1, stop: 'done', values }));
    return cellFigures({ rows }, []);
  }),
];

function goal(text: string): Goal {
  const reading = readGoal(text, () => false);
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.goal;
}

const found = (goals: readonly string[]) => search(grid, { goals: goals.map(goal), minimise: 'makespan' }, 8, bowl);

describe('a search', () => {
  it('finds the least of a bowl without trying a tenth of the grid', async () => {
    const { best, looked } = await found([]);
    expect(best).toMatchObject({ place: [29, 7], seeds: 8, missed: 0 });
    expect(looked).toBeLessThan(160);
  });

  it('stays where the goals hold: the least makespan with a ≥ 35', async () => {
    expect((await found(['refused.share<=15.5%'])).best).toMatchObject({ place: [35, 7], missed: 0 });
  });

  it('says what comes closest where no setting meets the goals', async () => {
    const result = await found(['refused.share<0.05']);
    expect(result.best.place[0]).toBe(39);
    const study = {
      grid,
      objective: { goals: [goal('refused.share<0.05')], minimise: 'makespan' },
      scenarios: ['s'],
      result,
    };
    const [head, evidence] = searchFindings({ ...study, version: 'v', replay: '' });
    expect(head).toBe('No setting that was tried meets refused.share<0.05; the closest is a 39, b 7.');
    expect(evidence).toContain('refused.share 11 % ± 0 % (missed)');
  });
});

describe('a goal', () => {
  it.each([
    { text: 'refused.share<2%', goal: { name: 'refused.share', operator: '<', bound: 0.02, unit: 'share' } },
    { text: 'makespan <= 3m', goal: { name: 'makespan', operator: '<=', bound: 180_000, unit: 'duration' } },
    { text: 'fairness>=0.95', goal: { name: 'fairness', operator: '>=', bound: 0.95, unit: 'number' } },
  ])('is read from $text', ({ text, goal: expected }) => {
    expect(goal(text)).toMatchObject(expected);
  });

  it.each([
    { text: 'refused.share', says: 'expected a bound' },
    { text: 'refused.shar<1%', says: 'did you mean "refused.share"?' },
    { text: 'makespan<3', says: 'expected a duration with its unit' },
    { text: 'fairness>a', says: 'expected a number' },
  ])('is refused in $text', ({ text, says }) => {
    const reading = readGoal(text, () => false);
    expect(reading.kind === 'problem' ? reading.message : '').toContain(says);
  });

  it('is missed by a share of its bound, and never by nothing', () => {
    expect(miss(goal('makespan<100s'), 150_000)).toBe(0.5);
    expect(miss(goal('makespan<100s'), 100_000)).toBeGreaterThan(0);
    expect(miss(goal('makespan<=100s'), 100_000)).toBe(0);
    expect(miss(goal('fairness>=0.5'), 0.4)).toBeCloseTo(0.2, 12);
  });
});
