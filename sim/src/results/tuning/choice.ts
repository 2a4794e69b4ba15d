/**
 * Which setting to recommend. Speed first: all settings that cannot be told from the fastest. Then gentleness: of these,
 * all that cannot be told from the one with the fewest refusals. Then the reference, if it is still among them: nothing
 * speaks for a change. Else the one that was refused least, whatever that difference is worth.
 *
 * Two settings cannot be told apart when the difference is too small to matter, or when the interval of their paired
 * difference holds 0 and the difference is not large all the same. As each is held against one that was picked as the best, the intervals share the risk of all.
 */

import { type Estimate, isBeyondNoise, pairedDifference } from '../study/intervals.js';
import type { SettingLosses } from './losses.js';

export interface Choice {
  readonly recommended: number;
  /** Those that cannot be told from the fastest, it included; by number. */
  readonly asFast: readonly number[];
  /** Of these, those that cannot be told from the gentlest. */
  readonly asGentle: readonly number[];
  readonly fastest: number;
  /** The fewest refusals of all, however slow. */
  readonly gentlest: number;
  /** The smallest loss in the worst scenario. */
  readonly minimax: number;
  /** What decided at last. */
  readonly decidedBy: 'only' | 'reference' | 'refusals';
}

/** A hundredth of the time; a thousandth of the attempts. Less is not worth a change. */
export const SMALL = { time: 0.01, refused: 0.001 } as const;

/** A gap that wide is not set aside as noise, however few the samples: more seeds would tell. */
export const LARGE = { time: 0.05, refused: 0.02 } as const;

/**
 * @param losses By number of the setting; null for one that cannot be chosen.
 * @param reference The number of the reference setting; undefined where the grid lacks it.
 * @returns undefined where none can be chosen.
 */
export function choose(losses: readonly (SettingLosses | null)[], reference: number | undefined): Choice | undefined {
  const all = [...losses.keys()].filter((setting) => losses[setting] !== null);
  if (all.length === 0) return undefined;
  const of = (setting: number): SettingLosses => losses[setting]!;
  const least = (among: readonly number[], cost: (one: SettingLosses) => number): number =>
    among.reduce((best, setting) => (cost(of(setting)) < cost(of(best)) ? setting : best));
  const fastest = least(all, ({ mean }) => mean);
  const alike = (among: readonly number[], best: number, what: 'time' | 'refused'): readonly number[] =>
    among.filter((setting) => {
      const gap = difference(of(setting), of(best), what, all.length - 1);
      if (setting === best || gap === null || gap.mean <= SMALL[what]) return true;
      return gap.halfWidth !== null && !isBeyondNoise(gap) && gap.mean <= LARGE[what];
    });
  const asFast = alike(all, fastest, 'time');
  const gentle = least(asFast, ({ refused }) => refused);
  const asGentle = alike(asFast, gentle, 'refused');
  const keepsReference = reference !== undefined && asGentle.includes(reference);
  return {
    recommended: keepsReference ? reference : gentle,
    asFast,
    asGentle,
    fastest,
    gentlest: least(all, ({ refused }) => refused),
    minimax: least(all, ({ worst }) => worst),
    decidedBy: asGentle.length === 1 ? 'only' : keepsReference ? 'reference' : 'refusals',
  };
}

/** `a` minus `b`, seed by seed. */
export function difference(
  a: SettingLosses,
  b: SettingLosses,
  what: 'time' | 'refused',
  comparisons = 1,
): Estimate | null {
  const samples = ({ bySeed, refusedBySeed }: SettingLosses): readonly number[] =>
    what === 'time' ? bySeed : refusedBySeed;
  return pairedDifference(samples(a), samples(b), { comparisons: Math.max(1, comparisons) });
}
