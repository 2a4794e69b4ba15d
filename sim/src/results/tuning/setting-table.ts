/** A small grid as a table of text: each setting in each scenario. A larger one is a page to look at. */

import { duration, NO_VALUE, percent } from '../human-numbers.js';
import type { Tuning } from './tuning.js';

/** More lines than this are read on the page. */
const MOST_LINES = 24;
const HEAD = ['scenario', 'setting', 'makespan', 'refused', 'used', 'p99 wait'];
/** Names to the left, figures to the right. */
const NAMES = 2;

/** None where the grid is not small. */
export function settingLines({ settings, scenarios }: Tuning): readonly string[] {
  if (settings.length * scenarios.length > MOST_LINES) return [];
  const rows = scenarios.flatMap((scenario, i) =>
    settings.map(({ label, cells }) => {
      const { status, metrics } = cells[i]!;
      const mean = (name: string): number | null => metrics[name]?.mean ?? null;
      const figures = [
        duration(mean('makespan')),
        percent(mean('refused.share')),
        percent(mean('utilisation')),
        duration(mean('latencyMs.wait.p99')),
      ];
      return [scenario, label, ...(status === 'ok' ? figures : figures.map(() => NO_VALUE))];
    }),
  );
  const lines = [HEAD, ...rows];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines.map((line) =>
    line.map((cell, i) => (i < NAMES ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  );
}
