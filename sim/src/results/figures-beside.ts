/** The figures of two runs of one scenario side by side, for a person: what was measured, and what the simulator makes of it. */

import { duration, number, percent } from './human-numbers.js';
import type { Figures } from './summary.js';

/** Name, the one's figure, the other's. */
export type Row = readonly [name: string, one: string, other: string];

export function figuresBeside(one: Figures, other: Figures): readonly Row[] {
  const row = (name: string, figure: (figures: Figures) => string): Row => [name, figure(one), figure(other)];
  const keys = [...new Set([...Object.keys(one.keys), ...Object.keys(other.keys)])];
  return [
    row('makespan', ({ makespanMs }) => duration(makespanMs)),
    row('requests', ({ requests }) => number(requests.logical)),
    row('succeeded', ({ requests }) => number(requests.succeeded)),
    row('attempts', ({ requests }) => number(requests.attempts)),
    row('refused', ({ refused }) => percent(refused.share)),
    row('service, median', ({ latencyMs }) => duration(latencyMs.service.p50)),
    row('service, p95', ({ latencyMs }) => duration(latencyMs.service.p95)),
    row('total, p95', ({ latencyMs }) => duration(latencyMs.total.p95)),
    ...keys.flatMap((key) => [
      row(`${key}: cuts`, ({ keys }) => number(keys[key]?.cuts ?? null)),
      row(`${key}: final cap`, ({ keys }) => number(keys[key]?.cap.final ?? null)),
      row(`${key}: mean cap`, ({ keys }) => number(keys[key]?.cap.mean ?? null)),
    ]),
  ];
}

/** As lines of a table: names to the left, figures to the right. */
export function tableLines(head: Row, rows: readonly Row[]): readonly string[] {
  const all = [head, ...rows];
  const width = (column: 0 | 1 | 2): number => Math.max(...all.map((row) => row[column].length));
  const [names, ones, others] = [width(0), width(1), width(2)];
  return all.map(([name, one, other]) => `  ${name.padEnd(names)}  ${one.padStart(ones)}  ${other.padStart(others)}`);
}
