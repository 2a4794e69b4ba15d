/** `sim tune … --goal … --minimise …`: searches the grid instead of tabulating it. */

import { METRICS, REGRET } from '../results/study/metric.js';
import type { StudiedScenario } from '../results/study/studied-scenario.js';
import { namesOf } from '../results/study/studied-scenario.js';
import type { StudyOptions } from '../results/study/study.js';
import { writeStudy } from '../results/study/study-folder.js';
import { readGoal, unknownName } from '../results/tuning/goal.js';
import type { Grid } from '../results/tuning/grid.js';
import { runGrid } from '../results/tuning/grid-cells.js';
import { type Objective, search } from '../results/tuning/search.js';
import { isSatisfied, searchContents, searchFindings, searchJson } from '../results/tuning/search-report.js';
import { referencePlace } from '../results/tuning/tuning.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { VERSION } from './version.js';

/** What is to be reached, or all that is wrong with it. */
export function readObjective(
  texts: readonly string[],
  minimise: string,
  scenarios: readonly StudiedScenario[],
): Objective | string[] {
  // A field can be expected of a scenario's summary exactly where its summary has it.
  const isField = (path: string): boolean =>
    scenarios.every(
      ({ load }) => load({ set: [`expect=${JSON.stringify({ [path]: { min: 0 } })}`] }).kind === 'scenario',
    );
  const readings = texts.map((text) => readGoal(text, isField));
  const unknown = unknownName(minimise, isField);
  const problems = [
    ...readings.flatMap((reading) => (reading.kind === 'problem' ? [reading.message] : [])),
    ...(unknown === undefined ? [] : [`--minimise  ${minimise}  ${unknown}`]),
  ];
  if (problems.length > 0) return problems;
  return { goals: readings.flatMap((reading) => (reading.kind === 'goal' ? [reading.goal] : [])), minimise };
}

export interface SearchRequest {
  readonly grid: Grid;
  readonly objective: Objective;
  readonly scenarios: readonly StudiedScenario[];
  readonly seeds: number;
  readonly set: readonly string[];
  readonly replay: string;
}

export interface SearchOutput {
  readonly out: string;
  readonly folder: string;
  readonly json: boolean;
  /** Called when all is run. */
  readonly done: () => void;
}

/** @throws StudyInterrupted when the interrupt fires. */
export async function searchGrid(request: SearchRequest, study: StudyOptions, output: SearchOutput): Promise<ExitCode> {
  const { grid, objective, scenarios, seeds, set, replay } = request;
  const names = [...objective.goals.map(({ name }) => name), objective.minimise];
  const known = [...METRICS, REGRET].map(({ name }) => name);
  const fields = [...new Set(names)].filter((name) => !known.includes(name));
  const evaluate: Parameters<typeof search>[3] = (places, count) => {
    const firstSeeds = Array.from({ length: count }, (_, i) => i + 1);
    return runGrid(scenarios, grid, places, { ...study, fields, seeds: firstSeeds, set });
  };
  const result = await search(grid, objective, seeds, evaluate, referencePlace(grid));
  output.done();
  const found = { grid, objective, scenarios: namesOf(scenarios), result, version: VERSION, replay };
  const folder = await writeStudy(output.out, output.folder, searchContents(found));
  const lines = [...searchFindings(found), `${folder}/report.html`];
  if (output.json) console.log(JSON.stringify(searchJson(found)));
  else console.log([...lines.map((line, i) => (i === 0 ? line : `  ${line}`)), replay].join('\n'));
  return isSatisfied(found) ? EXIT.ok : EXIT.expectationFailed;
}
