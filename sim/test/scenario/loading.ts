/**
 * Loading of scenarios in tests, from texts and from files that exist only there. Reads no disk.
 */

import { type LoadResult, loadScenario } from '../../src/scenario/load.js';
import type { OverrideOptions } from '../../src/scenario/overrides.js';
import { formatProblem } from '../../src/scenario/problems.js';
import type { ProviderChange, Scenario } from '../../src/scenario/scenario.js';

export interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: OverrideOptions;
}

export function load(text: string, { files = {}, options = {} }: Setting = {}): LoadResult {
  const readFile = (path: string): string => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content === undefined) throw Object.assign(new Error('the text of the system'), { code: 'ENOENT' });
    return content;
  };
  return loadScenario({ text, path: 's/x.yaml', readFile }, options);
}

/** The scenario; fails with the problems if there are any. */
export function scenarioOf(text: string, setting: Setting = {}): Scenario {
  const result = load(text, setting);
  if (result.kind === 'scenario') return result.scenario;
  throw new Error(result.problems.map(formatProblem).join('\n'));
}

/** What the timeline of the scenario does to providers. */
export function changesIn(text: string): readonly ProviderChange[] {
  return scenarioOf(text).timeline.filter((entry) => entry.kind === 'set');
}

/** The problems as they are printed; none if there is a scenario. */
export function problemsOf(text: string, setting: Setting = {}): readonly string[] {
  const result = load(text, setting);
  return result.kind === 'problems' ? result.problems.map(formatProblem) : [];
}

/** The smallest scenario, with other lines below it; they start on line 3. */
export function minimal(...more: readonly string[]): string {
  return [
    'providers: { acme: { models: { large: {} } } }',
    'workload: { runs: [{ id: r, target: acme/large, agents: { count: 3 } }] }',
    ...more,
    '',
  ].join('\n');
}

/** The smallest scenario with this model, which is on line 3, from column 14. */
export function withModel(model: string): string {
  return ['providers:', '  acme:', `    models: { large: ${model} }`, minimal().split('\n')[1], ''].join('\n');
}
