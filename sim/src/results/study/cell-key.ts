/** What names a cell: the content of all that its figures depend on. */

import { createHash } from 'node:crypto';
import type { Scenario } from '../../scenario/scenario.js';
import { METRICS } from './metric.js';

/**
 * The same for the same behaviour, whatever the file, the words and the expectations of the scenario; the seed counts
 * apart. Another version of the simulator or another list of metrics names another cell.
 */
export function cellKey(
  { seed: _, name: __, question: ___, expect: ____, ...scenario }: Scenario,
  version: string,
): string {
  const content = JSON.stringify({ version, metrics: METRICS.map(({ name }) => name), scenario });
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
