/**
 * What a setting loses against the fastest of its grid, in time per success: per scenario a share of the fastest setting's
 * time there, so that scenarios of seconds and of hours count alike; per seed the mean over the scenarios, so that two
 * settings are compared pair by pair.
 */

import { isComplete } from '../study/run-row.js';
import type { CellFigures } from './cell-figures.js';

/** One setting under all scenarios. */
export interface SettingLosses {
  /** By number of the scenario: the mean over the seeds. 0 for the fastest there. */
  readonly byScenario: readonly number[];
  /** By position of the seed: the mean over the scenarios. */
  readonly bySeed: readonly number[];
  /** The mean of all. */
  readonly mean: number;
  /** The largest of `byScenario`. */
  readonly worst: number;
  /** By position of the seed: the refused share, a mean over the scenarios. */
  readonly refusedBySeed: readonly number[];
  readonly refused: number;
}

/**
 * @param cells Per scenario the cells of all settings, in one order.
 * @returns per setting its losses; null for one that did not finish everywhere, which cannot be chosen.
 */
export function settingLosses(cells: readonly (readonly CellFigures[])[]): readonly (SettingLosses | null)[] {
  const settings = cells[0]?.length ?? 0;
  const times = cells.map((ofScenario) => ofScenario.map(timesOf));
  const isWhole = (setting: number): boolean => times.every((ofScenario) => ofScenario[setting] !== null);
  const whole = Array.from({ length: settings }, (_, setting) => setting).filter(isWhole);
  const fastest = times.map((ofScenario) => Math.min(...whole.map((setting) => meanOf(ofScenario[setting]!))));
  return Array.from({ length: settings }, (_, setting) => {
    if (!isWhole(setting)) return null;
    const perSeed = times.map((ofScenario, s) => ofScenario[setting]!.map((time) => clean(time / fastest[s]! - 1)));
    const refused = cells.map((ofScenario) =>
      ofScenario[setting]!.rows.map(({ values }) => values['refused.share'] ?? 0),
    );
    const bySeed = acrossScenarios(perSeed);
    const refusedBySeed = acrossScenarios(refused);
    const byScenario = perSeed.map((bySeedThere) => clean(meanOf(bySeedThere)));
    return {
      byScenario,
      bySeed,
      mean: clean(meanOf(bySeed)),
      worst: Math.max(...byScenario),
      refusedBySeed,
      refused: meanOf(refusedBySeed),
    };
  });
}

/** Seconds per success, by seed; null where the cell is not whole. */
function timesOf({ status, rows }: CellFigures): readonly number[] | null {
  if (status !== 'ok' || rows.length === 0) return null;
  const times = rows.filter(isComplete).flatMap(({ values }) => (values.throughput ? [1 / values.throughput] : []));
  return times.length === rows.length ? times : null;
}

function acrossScenarios(perScenario: readonly (readonly number[])[]): readonly number[] {
  return (perScenario[0] ?? []).map((_, seed) => meanOf(perScenario.map((bySeed) => bySeed[seed]!)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Without the last bits of a sum, so that the fastest setting loses nothing at all. */
function clean(value: number): number {
  return Number(value.toFixed(12));
}
