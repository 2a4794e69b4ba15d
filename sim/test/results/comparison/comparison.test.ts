import { describe, expect, it } from 'vitest';
import { claims } from '../../../src/results/comparison/claims.js';
import { comparison, isNarrowEnough } from '../../../src/results/comparison/comparison.js';
import type { RunRow } from '../../../src/results/study/run-row.js';

const NOISE = [1, 1.2, 0.9, 1.1, 0.8, 1.05, 0.95, 1.15];
const SHAKE = [0.01, -0.01, 0.005, -0.005, 0.008, -0.008, 0.002, -0.002];
const seeds = NOISE.map((_, i) => i + 1);

/** Ten requests in `seconds`, but for the noise of the seed, which all share, and a shake of its own. */
function contest(name: string, seconds: number, refused: number, turn = 0) {
  const rows = NOISE.map((noise, i): RunRow => {
    const makespan = seconds * 1000 * noise * (1 + SHAKE[(i + turn) % 8]!);
    return {
      seed: i + 1,
      stop: 'done',
      values: { makespan, throughput: 10_000 / makespan, 'refused.share': refused, converge: null, 'requests.lost': 0 },
    };
  });
  return { name, cell: { rows } };
}

function compared(...contests: readonly ReturnType<typeof contest>[]) {
  return comparison({ scenario: 's', version: 'v', contests, seeds, stopped: 'narrow' });
}

describe('what a comparison claims', () => {
  it('is each difference beyond noise, with its size and its doubt', () => {
    const said = claims(compared(contest('aimd', 100, 0.1), contest('slow', 120, 0.02, 3)));
    expect(said).toEqual([
      expect.stringMatching(/^slow takes 2\d\.?\d* % \(± [\d.]+ %\) longer than aimd: 2m 2s against 1m 42s\.$/),
      'slow is refused 8 (± 0) percentage points less often than aimd: 2 % against 10 %.',
    ]);
  });

  it('is that two cannot be told apart, where nothing is beyond noise', () => {
    expect(claims(compared(contest('aimd', 100, 0.1), contest('twin', 100.1, 0.1, 3)))).toEqual([
      'twin cannot be told from aimd by anything that was measured.',
    ]);
  });

  it('is nothing of one that did not finish, but that it did not', () => {
    const stuck = contest('stuck', 10, 0);
    const rows = stuck.cell.rows.map((row, i): RunRow => (i < 2 ? { ...row, stop: 'after', detail: 'too long' } : row));
    expect(claims(compared(contest('aimd', 100, 0.1), { name: 'stuck', cell: { rows } }))).toEqual([
      'stuck did not finish 2 of 8 runs (too long), so nothing is claimed of it.',
    ]);
  });
});

describe('a comparison', () => {
  it('measures regret against the oracle on the same seed', () => {
    const { contenders } = compared(contest('aimd', 110, 0.1), contest('oracle', 100, 0));
    expect(contenders[0]!.metrics.regret!.mean).toBeCloseTo(0.1, 12);
    expect(contenders[1]!.metrics.regret).toEqual({ mean: 0, halfWidth: 0, samples: 8 });
  });

  it('leaves out what a contender has no value of', () => {
    const { contenders, differences } = compared(contest('aimd', 110, 0.1), contest('none', 100, 0));
    expect(contenders[0]!.metrics.converge).toBeNull();
    expect(differences.map(({ metric }) => metric)).not.toContain('converge');
  });
});

describe('replications', () => {
  it('end when the differences are narrow: a hundredth of the time', () => {
    const first = contest('aimd', 100, 0.1);
    expect(isNarrowEnough([first, contest('other', 101, 0.02)], seeds)).toBe(true);
    const rows = contest('wild', 100, 0.1).cell.rows.map((row, i) => ({
      ...row,
      values: { ...row.values, throughput: 0.1 * (1 + (i % 2) / 2) },
    }));
    expect(isNarrowEnough([first, { name: 'wild', cell: { rows } }], seeds)).toBe(false);
  });

  it('go on after one seed, of which no spread is known', () => {
    expect(isNarrowEnough([contest('aimd', 100, 0.1), contest('other', 120, 0.02)], [1])).toBe(false);
  });
});
