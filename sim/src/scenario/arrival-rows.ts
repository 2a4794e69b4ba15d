/**
 * Recorded arrivals, out of a CSV file: `at` since the first moment (milliseconds, or a duration with its unit) and, where
 * there are such columns, `input` or `bytes` and `output`. Other columns are not looked at; the rows may be in any order.
 */

import { bytesPerToken, tokenCount } from './agent-rows.js';
import { type CsvFiles, optionalColumn, type ReportFault, requiredColumn } from './csv.js';
import { timeCell } from './distribution-schema.js';
import { echo } from './echo.js';
import type { ArrivalRow } from './scenario.js';

/** @param limits what of the file is replayed: so many, and those up to a time; null = all. */
export function arrivalRows(
  files: CsvFiles,
  csv: string,
  limits: { readonly count: number | null; readonly forMs: number | null },
  report: ReportFault,
): readonly ArrivalRow[] | undefined {
  const table = files.table(csv, report);
  const at = table && requiredColumn(table, ['at'], report);
  if (table === undefined || at === undefined) return undefined;
  const input = optionalColumn(table, ['input', 'bytes']);
  const output = optionalColumn(table, ['output']);
  const perToken = input !== undefined && table.columns[input] === 'bytes' ? bytesPerToken : 1;
  const rows = table.rows.map(({ line, cells }): ArrivalRow => {
    const cell = cells[at] ?? '';
    const atMs = timeCell(cell);
    if (atMs === undefined) {
      const message = `at: expected milliseconds ≥ 0 or a duration with its unit, got ${echo(cell)}`;
      report({ file: table.file, line, message });
    }
    return {
      atMs: atMs ?? 0,
      ...(input !== undefined && {
        inputTokens: Math.ceil(tokenCount(table, line, cells, input, report) / perToken),
      }),
      ...(output !== undefined && { outputTokens: tokenCount(table, line, cells, output, report) }),
    };
  });
  const { count, forMs } = limits;
  return rows
    .sort((a, b) => a.atMs - b.atMs)
    .filter(({ atMs }) => forMs === null || atMs <= forMs)
    .slice(0, count ?? rows.length);
}
