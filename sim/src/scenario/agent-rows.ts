/**
 * The agents of a CSV file: one per row, named by `name`, `file` or `path`, its tokens from `input` or, at four bytes a
 * token, from `bytes`, and from `output` if there is such a column. Other columns are not looked at.
 */

import { type CsvFiles, type CsvTable, optionalColumn, type ReportFault, requiredColumn } from './csv.js';
import { echo } from './echo.js';
import type { AgentRow } from './scenario.js';

/** What English text and code come to, roughly; the factor of the scenario language. */
export const bytesPerToken = 4;

export function agentRows(files: CsvFiles, csv: string, report: ReportFault): readonly AgentRow[] | undefined {
  const table = files.table(csv, report);
  if (table === undefined) return undefined;
  const name = requiredColumn(table, ['name', 'file', 'path'], report);
  const input = requiredColumn(table, ['input', 'bytes'], report);
  if (name === undefined || input === undefined) return undefined;
  const output = optionalColumn(table, ['output']);
  const perToken = table.columns[input] === 'bytes' ? bytesPerToken : 1;
  const lineOfName = new Map<string, number>();
  return table.rows.map(({ line, cells }) => {
    const agent = cells[name] ?? '';
    const fault = nameFault(agent, lineOfName.get(agent));
    if (fault !== undefined) report({ file: table.file, line, message: `${table.columns[name]}: ${fault}` });
    lineOfName.set(agent, line);
    return {
      name: agent,
      inputTokens: Math.ceil(tokenCount(table, line, cells, input, report) / perToken),
      ...(output !== undefined && { outputTokens: tokenCount(table, line, cells, output, report) }),
    };
  });
}

function nameFault(name: string, sameOnLine: number | undefined): string | undefined {
  if (name === '') return 'is empty; every agent needs a name';
  return sameOnLine === undefined
    ? undefined
    : `${echo(name)} is taken by line ${sameOnLine}; every agent has its own name`;
}

/** A number of tokens or bytes in a cell; 0 after reporting what it is instead. */
export function tokenCount(
  table: CsvTable,
  line: number,
  cells: readonly string[],
  column: number,
  report: ReportFault,
): number {
  const cell = cells[column] ?? '';
  const value = /^\d{1,15}$/.test(cell) ? Number(cell) : undefined;
  if (value === undefined) {
    report({
      file: table.file,
      line,
      message: `${table.columns[column]}: expected a whole number ≥ 0, got ${echo(cell)}`,
    });
  }
  return value ?? 0;
}
