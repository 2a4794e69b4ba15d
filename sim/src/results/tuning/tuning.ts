/**
 * A grid of settings tried on scenarios: what came of each cell, which setting to choose, how much each knob moves, and what
 * the reference loses. Plain data, `tune.json`; a pure function of the cells.
 */

import { resolveAimdOptions } from '@tidegate/governor';
import type { Estimate } from '../study/intervals.js';
import type { CellFigures, CellStatus } from './cell-figures.js';
import { type Choice, choose } from './choice.js';
import type { Grid, Place } from './grid.js';
import { type SettingLosses, settingLosses } from './losses.js';
import { paretoFront } from './pareto.js';
import { type Sensitivity, sensitivities } from './sensitivity.js';

export interface TuningInput {
  readonly grid: Grid;
  /** The settings that were tried. */
  readonly places: readonly Place[];
  /** By name. */
  readonly scenarios: readonly string[];
  /** Per scenario the cells of the places, in their order. */
  readonly cells: readonly (readonly CellFigures[])[];
  readonly seeds: number;
  readonly version: string;
}

export interface Tuning {
  readonly version: string;
  readonly scenarios: readonly string[];
  readonly seeds: number;
  readonly knobs: readonly { readonly name: string; readonly path: string; readonly values: readonly string[] }[];
  readonly settings: readonly TunedSetting[];
  /** Positions in `settings`; null where none can be chosen. */
  readonly choice: Choice | null;
  /** The position of the governor's own defaults; null where the grid lacks them. */
  readonly reference: number | null;
  /** Positions on the front of time lost against refused share, fastest first. */
  readonly pareto: readonly number[];
  readonly sensitivity: readonly Sensitivity[];
}

export interface TunedSetting {
  readonly label: string;
  readonly setting: Readonly<Record<string, string>>;
  /** By number of the knob. */
  readonly place: Place;
  /** By number of the scenario. */
  readonly cells: readonly TunedCell[];
  readonly losses: SettingLosses | null;
}

export interface TunedCell {
  readonly status: CellStatus;
  readonly note?: string;
  readonly metrics: Readonly<Record<string, Estimate | null>>;
}

export function tuning({ grid, places, scenarios, cells, seeds, version }: TuningInput): Tuning {
  const losses = settingLosses(cells);
  const settings = places.map((place, i) => ({
    label: grid.label(place),
    setting: grid.setting(place),
    place,
    cells: cells.map((ofScenario) => tunedCell(ofScenario[i]!)),
    losses: losses[i]!,
  }));
  const own = referencePlace(grid);
  const at = own === undefined ? -1 : places.findIndex((place) => place.join() === own.join());
  const reference = at < 0 ? undefined : at;
  const choice = choose(losses, reference) ?? null;
  const whole = [...losses.keys()].filter((i) => losses[i] !== null);
  const front = paretoFront(whole.map((i) => ({ x: losses[i]!.mean, y: losses[i]!.refused })));
  return {
    version,
    scenarios,
    seeds,
    knobs: grid.knobs.map(({ name, path, values }) => ({
      name,
      path,
      values: Array.from({ length: values.count }, (_, i) => values.at(i)),
    })),
    settings,
    choice,
    reference: reference ?? null,
    pareto: front.map((i) => whole[i]!),
    sensitivity: choice === null ? [] : sensitivities(grid, places, losses, choice.recommended),
  };
}

function tunedCell({ status, note, metrics }: CellFigures): TunedCell {
  return { status, ...(note === undefined ? {} : { note }), metrics };
}

/** Where the governor's own defaults are in the grid; undefined where a knob has none or the grid lacks it. */
export function referencePlace(grid: Grid): Place | undefined {
  const defaults: Readonly<Record<string, unknown>> = { ...resolveAimdOptions({ key: 'any' }), growthFactor: 1 };
  const indices = grid.knobs.map(({ path, values }) => {
    const own = defaults[path.replace(/^governor\./, '')];
    if (own === undefined) return -1;
    return Array.from({ length: values.count }, (_, i) => values.at(i)).findIndex((text) => Number(text) === own);
  });
  return indices.every((index) => index >= 0) ? indices : undefined;
}
