/**
 * The CSV files that a scenario names, as rows that remember their lines. Each file is read once. Faults are handed to
 * whoever asked, all of a file at once; nothing is thrown.
 */

import { CsvError, parse } from 'csv-parse/sync';
import { shorten } from './echo.js';
import { suggestion } from './nearest.js';
import { reasonOf } from './read-failure.js';

export interface CsvTable {
  /** As messages name it. */
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
}

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** `line` 0 = the file as a whole. */
export interface CsvFault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export type ReportFault = (fault: CsvFault) => void;

export interface CsvFiles {
  /** The file's rows; undefined after reporting why there are none. */
  table(relativePath: string, report: ReportFault): CsvTable | undefined;
}

/** @param fileName How messages name a file, from the path as the scenario writes it. */
export function csvFiles(readFile: (relativePath: string) => string, fileName: (path: string) => string): CsvFiles {
  const readings = new Map<string, { readonly table: CsvTable | undefined; readonly faults: readonly CsvFault[] }>();
  return {
    table: (relativePath, report) => {
      const faults: CsvFault[] = [];
      const known = readings.get(relativePath);
      const reading = known ?? {
        table: readTable(
          () => readFile(relativePath),
          fileName(relativePath),
          (fault) => faults.push(fault),
        ),
        faults,
      };
      readings.set(relativePath, reading);
      for (const fault of reading.faults) report(fault);
      return reading.table;
    },
  };
}

function readTable(read: () => string, file: string, report: ReportFault): CsvTable | undefined {
  const records = parseCsv(read, file, report);
  if (records === undefined) return undefined;
  const [header, ...rows] = records;
  if (header === undefined) {
    report({ file, line: 0, message: 'is empty; it needs a header row and at least one row' });
    return undefined;
  }
  const columns = header.cells;
  if (rows.length === 0)
    report({ file, line: header.line, message: 'holds only its header; it needs at least one row' });
  for (const { line, cells } of rows) {
    if (cells.length === columns.length) continue;
    report({ file, line, message: `has ${cells.length} cells where the header has ${columns.length}` });
  }
  return { file, columns, rows };
}

function parseCsv(read: () => string, file: string, report: ReportFault): readonly CsvRow[] | undefined {
  let content: string;
  try {
    content = read();
  } catch (error) {
    report({ file, line: 0, message: `cannot be read: ${shorten(reasonOf(error), longestReason)}` });
    return undefined;
  }
  try {
    const records = parse(content, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    });
    // With `info`, which the types do not follow, each record comes with where it ends.
    return (records as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      line: info.lines,
      cells: record,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    report({
      file,
      line: Number(error.lines ?? 0),
      message: `is not CSV: ${shorten(error.message, longestReason)}`,
    });
    return undefined;
  }
}

const longestReason = 160;

/** The position of the first of the `names` that the table has; undefined after reporting that it has none. */
export function requiredColumn(table: CsvTable, names: readonly string[], report: ReportFault): number | undefined {
  const found = optionalColumn(table, names);
  if (found === undefined) {
    const wanted = names.map((name) => JSON.stringify(shorten(name))).join(' or ');
    const hint = suggestion(names[0] ?? '', table.columns, 'its columns are');
    report({ file: table.file, line: 1, message: `has no column ${wanted}${hint}` });
  }
  return found;
}

/** The same, without a report. */
export function optionalColumn(table: CsvTable, names: readonly string[]): number | undefined {
  return names.map((name) => table.columns.indexOf(name)).find((position) => position >= 0);
}
