/** The cells of a grid: each scenario under each setting, and under the oracle, which knows the provider. */

import { formatProblems } from '../../scenario/problems.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { StudiedScenario } from '../study/studied-scenario.js';
import { type CellRows, runCells, type StudyOptions } from '../study/study.js';
import { type CellFigures, cellFigures, invalidCell } from './cell-figures.js';
import type { Grid, Place } from './grid.js';

/** A cell's scenario, or why the setting makes none. */
export type GridCell =
  | { readonly kind: 'cell'; readonly label: string; readonly scenario: Scenario; readonly folder: string }
  | { readonly kind: 'invalid'; readonly note: string };

/** @param set What is changed in every cell. */
export function gridCell(
  { load, scenario, folder }: StudiedScenario,
  grid: Grid,
  place: Place,
  set: readonly string[],
): GridCell {
  const loaded = load({ set: [...set, ...grid.assignments(place)] });
  if (loaded.kind === 'problems')
    return { kind: 'invalid', note: formatProblems(loaded.problems).replaceAll('\n', '; ') };
  return { kind: 'cell', label: `${scenario.name}, ${grid.label(place)}`, scenario: loaded.scenario, folder };
}

/**
 * Runs what can be run.
 * @returns per scenario the cells of the places, in their order.
 * @throws StudyInterrupted when the interrupt fires.
 */
export async function runGrid(
  scenarios: readonly StudiedScenario[],
  grid: Grid,
  places: readonly Place[],
  study: StudyOptions & { readonly seeds: readonly number[]; readonly set: readonly string[] },
): Promise<readonly (readonly CellFigures[])[]> {
  const { seeds, set, ...options } = study;
  const table = scenarios.map((scenario) => places.map((place) => gridCell(scenario, grid, place, set)));
  const oracles = scenarios.map(({ load, scenario, folder }) => {
    const loaded = load({ set, controller: 'oracle' });
    return loaded.kind === 'scenario'
      ? [{ kind: 'cell' as const, label: `${scenario.name}, oracle`, scenario: loaded.scenario, folder }]
      : [];
  });
  const cells = [...oracles.flat(), ...table.flat().filter((cell) => cell.kind === 'cell')];
  const rows = (await runCells(cells, seeds, options))[Symbol.iterator]();
  const next = (): CellRows => rows.next().value as CellRows;
  const oracleRows = oracles.map((cell) => (cell.length === 0 ? [] : next().rows));
  return table.map((ofScenario, i) =>
    ofScenario.map((cell) => (cell.kind === 'invalid' ? invalidCell(cell.note) : cellFigures(next(), oracleRows[i]!))),
  );
}
