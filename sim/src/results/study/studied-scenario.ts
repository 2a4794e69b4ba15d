/** The scenarios of a study: opened once, loaded once per setting. */

import { dirname } from 'node:path';
import type { LoadResult, OpenScenario } from '../../scenario/load.js';
import type { OverrideOptions } from '../../scenario/overrides.js';
import type { Problem } from '../../scenario/problems.js';
import type { Scenario } from '../../scenario/scenario.js';
import { openScenarioFile } from '../../scenario/scenario-file.js';

export interface StudiedScenario {
  readonly file: string;
  readonly folder: string;
  /** Of the scenario language. */
  readonly schema: unknown;
  /** Without its expectations: they are about the scenario as it is written. */
  load(options: OverrideOptions): LoadResult;
  /** As it is without any setting of the study. */
  readonly scenario: Scenario;
}

export type OpenedStudy =
  | { readonly kind: 'scenarios'; readonly scenarios: readonly StudiedScenario[] }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/**
 * Opens all before anything is run: with a problem in any, none is.
 * @param set Changes of every scenario, as `--set` has them.
 */
export function openStudy(files: readonly string[], set: readonly string[]): OpenedStudy {
  const scenarios: StudiedScenario[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const opened = openScenarioFile(file);
    if (opened.kind === 'problems') {
      problems.push(...opened.problems);
      continue;
    }
    const loaded = opened.scenario.load({ set });
    if (loaded.kind === 'problems') problems.push(...loaded.problems);
    else scenarios.push(studied(file, opened.scenario, loaded.scenario));
  }
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'scenarios', scenarios };
}

function studied(file: string, { schema, load }: OpenScenario, scenario: Scenario): StudiedScenario {
  return {
    file,
    folder: dirname(file),
    schema,
    scenario,
    load: ({ set = [], ...options }) => load({ ...options, set: ['expect={}', ...set] }),
  };
}

/** Of the scenarios, each told from the others: a name that comes twice is followed by its file. */
export function namesOf(scenarios: readonly StudiedScenario[]): readonly string[] {
  const names = scenarios.map(({ scenario }) => scenario.name);
  return scenarios.map(({ file, scenario: { name } }) =>
    names.filter((other) => other === name).length > 1 ? `${name} (${file})` : name,
  );
}
