/**
 * The finished runs of studies, in a file that only grows: one line per piece of work, so that what was done before a
 * Ctrl-C or a crash need not be done again. Shared by all studies of a folder: a cell is named by its content.
 */

import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutputError } from '../../trace/output-error.js';
import type { RunRow } from './run-row.js';

export class CellStore {
  readonly #path: string;
  readonly #rows = new Map<string, Map<number, RunRow>>();

  /**
   * Reads what is there. A line that breaks off, as a crash leaves it, is no line.
   * @throws OutputError if nothing could be kept at the path.
   */
  constructor(path: string) {
    this.#path = path;
    for (const line of readLines(path)) {
      const entry = parsed(line);
      if (entry !== undefined) this.#remember(entry.cell, entry.rows);
    }
  }

  /** The finished run; undefined where it is to be done, or lacks one of the fields. */
  row(cell: string, seed: number, fields: readonly string[]): RunRow | undefined {
    const row = this.#rows.get(cell)?.get(seed);
    return row !== undefined && fields.every((field) => Object.hasOwn(row.values, field)) ? row : undefined;
  }

  /** Keeps finished runs, those of a broken check excepted: what broke it may be mended. */
  add(cell: string, rows: readonly RunRow[]): void {
    const sound = rows.filter(({ stop }) => stop !== 'broken');
    this.#remember(cell, rows);
    if (sound.length === 0) return;
    try {
      appendFileSync(this.#path, `${JSON.stringify({ cell, rows: sound })}\n`);
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  #remember(cell: string, rows: readonly RunRow[]): void {
    let known = this.#rows.get(cell);
    if (known === undefined) {
      known = new Map();
      this.#rows.set(cell, known);
    }
    for (const row of rows) known.set(row.seed, { ...row, values: { ...known.get(row.seed)?.values, ...row.values } });
  }
}

/** Makes the file if need be: that it can be written is known before anything is run. A new line begins after a broken one. */
function readLines(path: string): readonly string[] {
  try {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, '');
    const text = readFileSync(path, 'utf8');
    if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
    return text.split('\n');
  } catch (error) {
    throw unwritable(path, error);
  }
}

function parsed(line: string): { readonly cell: string; readonly rows: readonly RunRow[] } | undefined {
  try {
    const entry = JSON.parse(line) as { cell?: unknown; rows?: unknown };
    if (typeof entry.cell !== 'string' || !Array.isArray(entry.rows)) return undefined;
    return { cell: entry.cell, rows: entry.rows as readonly RunRow[] };
  } catch {
    return undefined;
  }
}

function unwritable(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new OutputError(
    `${path}: finished cells cannot be kept there (${error.message}); choose another place with --out DIR`,
    { cause: error },
  );
}
