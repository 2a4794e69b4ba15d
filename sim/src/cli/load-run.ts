/** A scenario as `sim run` needs it: with what its own modules make, and fit for the world it is to run in. */

import { dirname, resolve } from 'node:path';
import { loadController } from '../baselines/controller-module.js';
import type { MakeController } from '../baselines/controllers.js';
import { isModulePath } from '../scenario/controllers.js';
import type { Problem } from '../scenario/problems.js';
import type { Scenario } from '../scenario/scenario.js';
import { loadScenarioFile } from '../scenario/scenario-file.js';
import { overridesOf, type RunOptions } from './run-options.js';

export interface LoadedRun {
  readonly kind: 'run';
  readonly file: string;
  readonly scenario: Scenario;
  /** Where the scenario names a module. */
  readonly controller?: MakeController;
}

const CONTROLLER = ['governor', 'controller'];

export async function loadForRun(
  file: string,
  options: RunOptions,
): Promise<LoadedRun | { readonly kind: 'problems'; readonly problems: readonly Problem[] }> {
  const result = loadScenarioFile(file, overridesOf(options));
  if (result.kind === 'problems') return result;
  const { scenario, problemAt } = result;
  const { controller, options: numbers } = scenario.governor;
  const problem = (message: string) => ({ kind: 'problems' as const, problems: [problemAt(CONTROLLER, message)] });
  if (controller === 'oracle' && (options.loopback || options.live)) {
    return problem('an oracle looks into a simulated provider; leave --loopback and --live out, or take the pacer');
  }
  if (!isModulePath(controller)) return { kind: 'run', file, scenario };
  try {
    const make = await loadController(resolve(dirname(file), controller), numbers);
    return { kind: 'run', file, scenario, controller: make };
  } catch (error) {
    return problem(`${controller}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
