/** What names a cell: the content of all that its figures depend on. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isModulePath } from '../../scenario/controllers.js';
import type { Scenario } from '../../scenario/scenario.js';
import { METRICS } from './metric.js';
import { programDigest } from './program-text.js';

/**
 * The same for the same behaviour, whatever the file, the words and the expectations of the scenario; the seed counts
 * apart. Another program, by its version and its files, another list of metrics or another text of a controller's module
 * names another cell.
 * @param folder Of the scenario: where the module of its controller is looked for.
 */
export function cellKey(written: Scenario, version: string, folder: string): string {
  const { seed: _, name: __, question: ___, expect: ____, ...scenario } = written;
  const { controller } = scenario.governor;
  const module = isModulePath(controller) ? textOf(resolve(folder, controller)) : null;
  const program = programDigest();
  const content = JSON.stringify({ version, program, metrics: METRICS.map(({ name }) => name), scenario, module });
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** A module that is not there fails where it is loaded. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
