import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../../src/results/study/run-row.js';
import { type CellFigures, cellFigures } from '../../../src/results/tuning/cell-figures.js';
import { choose } from '../../../src/results/tuning/choice.js';
import { findings } from '../../../src/results/tuning/findings.js';
import { Grid } from '../../../src/results/tuning/grid.js';
import { settingLosses } from '../../../src/results/tuning/losses.js';
import { paretoFront } from '../../../src/results/tuning/pareto.js';
import { tuning } from '../../../src/results/tuning/tuning.js';

/** A cell whose runs took these seconds per success and had these refused shares, on the seeds 1, 2, … */
function cell(seconds: readonly number[], refused: readonly number[]): CellFigures {
  const rows = seconds.map(
    (time, i): RunRow => ({
      seed: i + 1,
      stop: 'done',
      values: { makespan: time * 1000, throughput: 1 / time, 'refused.share': refused[i]! },
    }),
  );
  return cellFigures({ rows }, []);
}

/** Ten seeds; the noise is the same for all settings but for a hundredth. */
const NOISE = [1, 1.2, 0.9, 1.1, 0.8, 1.05, 0.95, 1.15, 0.85, 1];
const SHAKE = [0.01, -0.01, 0.005, -0.005, 0.008, -0.008, 0.002, -0.002, 0.006, -0.006];

function noisy(time: number, refused: number, turn = 0): CellFigures {
  return cell(
    NOISE.map((noise, i) => time * noise * (1 + SHAKE[(i + turn) % 10]!)),
    NOISE.map((_, i) => refused * (1 + SHAKE[(i + turn + 3) % 10]!)),
  );
}

const FACTORS = ['0.5', '0.75', '0.9'];
const grid = new Grid([
  { name: 'decreaseFactor', path: 'governor.decreaseFactor', values: { count: 3, at: (i) => FACTORS[i]! } },
]);

function tuned(cells: readonly (readonly CellFigures[])[]) {
  const scenarios = cells.map((_, i) => `s${i}`);
  return tuning({ grid, places: [[0], [1], [2]], scenarios, cells, seeds: NOISE.length, version: 'v' });
}

describe('what is said of a grid', () => {
  it('whose settings differ by noise alone: that it is flat, and that nothing speaks for a change', () => {
    const result = tuned([[noisy(1, 0.1), noisy(1.001, 0.1, 2), noisy(0.999, 0.1, 5)]]);
    expect(result.choice).toMatchObject({ recommended: 1, asFast: [0, 1, 2], decidedBy: 'reference' });
    const said = findings(result).join('\n');
    expect(said).toContain('Flat: in time no setting can be told from another');
    expect(said).toContain('it is the reference, and nothing speaks for a change');
    expect(said).not.toMatch(/more time|less time|more often|less often/);
  });

  it('that is flat in time and not in refusals: the gentlest, and what the reference pays', () => {
    const result = tuned([[noisy(1, 0.1), noisy(1.001, 0.2, 2), noisy(0.999, 0.3, 5)]]);
    expect(result.choice).toMatchObject({ recommended: 0, asFast: [0, 1, 2], asGentle: [0], decidedBy: 'only' });
    expect(findings(result).join('\n')).toMatch(
      /the reference \(decreaseFactor 0\.75\) takes a time that cannot be told from it and is refused 10 percentage points \(± .*\) more often/,
    );
  });

  it('with one setting faster beyond doubt: that one, whatever it is refused', () => {
    const result = tuned([[noisy(1, 0.3), noisy(1.2, 0.1, 2), noisy(1.3, 0.05, 5)]]);
    expect(result.choice).toMatchObject({ recommended: 0, asFast: [0], fastest: 0, gentlest: 2 });
    expect(result.pareto).toEqual([0, 1, 2]);
    const said = findings(result).join('\n');
    expect(said).toContain('it is the fastest beyond doubt');
    expect(said).toMatch(/the reference \(decreaseFactor 0\.75\) takes 2\d.* % \(± .*\) more time per success/);
  });

  it('of two scenarios that want opposite things: the smallest worst case lies between', () => {
    const result = tuned([
      [noisy(1, 0.1), noisy(1.1, 0.1), noisy(1.5, 0.1)],
      [noisy(1.5, 0.1), noisy(1.1, 0.1), noisy(1, 0.1)],
    ]);
    expect(result.choice).toMatchObject({ minimax: 1 });
    expect(result.settings[0]!.losses!.byScenario[1]).toBeCloseTo(0.5, 9);
  });

  it('of one seed: what is twice as slow is no match for the fastest, though no spread is known', () => {
    const result = tuned([[cell([2], [0]), cell([1], [0.2]), cell([1.002], [0.1])]]);
    expect(result.choice).toMatchObject({ asFast: [1, 2], recommended: 2 });
  });

  it('of few and wild seeds: a gap of a third is not set aside as noise', () => {
    const result = tuned([[cell([1, 3], [0, 0]), cell([1, 2], [0.2, 0.2]), cell([1, 2], [0.2, 0.2])]]);
    expect(result.choice).toMatchObject({ asFast: [1, 2] });
  });

  it('with a setting that does not finish everywhere: never that one', () => {
    const stuck = cellFigures({ rows: [{ seed: 1, stop: 'after', values: {}, detail: 'too long' }] }, []);
    const result = tuned([[noisy(2, 0.1), stuck, noisy(1, 0.1)]]);
    expect(result.choice).toMatchObject({ recommended: 2 });
    expect(result.settings[1]).toMatchObject({ losses: null, cells: [{ status: 'unfinished' }] });
    expect(findings(result).join('\n')).toContain('The reference (decreaseFactor 0.75) does not finish every run.');
    expect(findings(tuned([[stuck, stuck, stuck]]))).toEqual([
      'No setting finishes every run of every scenario, so none is recommended.',
    ]);
  });
});

describe('the Pareto front', () => {
  const points = fc.array(fc.record({ x: fc.integer({ min: 0, max: 9 }), y: fc.integer({ min: 0, max: 9 }) }), {
    minLength: 1,
  });

  it('is those that no other point beats, in order', () => {
    fc.assert(
      fc.property(points, (all) => {
        const front = paretoFront(all);
        const isBeaten = ({ x, y }: (typeof all)[0]): boolean =>
          all.some((other) => other.x <= x && other.y <= y && (other.x < x || other.y < y));
        expect([...front].sort((a, b) => a - b)).toEqual([...all.keys()].filter((i) => !isBeaten(all[i]!)));
        const xs = front.map((i) => all[i]!.x);
        expect(xs).toEqual([...xs].sort((a, b) => a - b));
      }),
    );
  });
});

describe('the smallest worst case', () => {
  it('is worse than no other in its own worst scenario', () => {
    const table = fc.array(fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 4, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(table, (times) => {
        const losses = settingLosses(times.map((row) => row.map((time) => cell([time, time], [0, 0]))));
        const worst = (setting: number): number =>
          Math.max(...times.map((row) => row[setting]! / Math.min(...row) - 1));
        const { minimax } = choose(losses, undefined)!;
        for (let setting = 0; setting < 4; setting++) expect(worst(minimax)).toBeLessThanOrEqual(worst(setting) + 1e-9);
      }),
    );
  });
});
