/**
 * Runs the cells of a study: each a scenario on a list of seeds. What the store has is not run again; the rest goes to the
 * workers in pieces, in whatever order they come back. The result depends on neither: it is sorted by cell and seed.
 */

import type { Scenario } from '../../scenario/scenario.js';
import { cellKey } from './cell-key.js';
import type { CellStore } from './cell-store.js';
import type { RunRow } from './run-row.js';
import type { Workers } from './worker-pool.js';

export interface Cell {
  /** How messages name it: `fanout30, decreaseFactor 0.5`. */
  readonly label: string;
  readonly scenario: Scenario;
  /** Of the scenario's file: where the module of its controller is looked for. */
  readonly folder: string;
}

export interface StudyOptions {
  readonly workers: Workers;
  readonly store: CellStore;
  readonly version: string;
  /** Fields of `summary.json` to keep beside the metrics. */
  readonly fields?: readonly string[];
  /** Told of runs that are done, those of the store first. */
  readonly progress?: (done: number, total: number, found: number) => void;
  /** Fires to end the study early; what is finished is in the store. */
  readonly interrupt?: AbortSignal;
}

/** The rows of a cell in the order of its seeds; those that a dying worker took with it are not among them. */
export interface CellRows {
  readonly rows: readonly RunRow[];
  /** Why rows are missing; undefined where none is. */
  readonly died?: string;
}

export class StudyInterrupted extends Error {
  override readonly name = 'StudyInterrupted';
}

/** A worker gets about so many pieces, so that the last one to end does not end long after the others. */
const PIECES_PER_WORKER = 8;

/** Waits in a worker's queue while it is busy, so that it never idles. */
const AHEAD = 2;

interface Piece {
  readonly cell: number;
  readonly seeds: readonly number[];
}

/**
 * @returns per cell its rows, in the order of `cells`.
 * @throws StudyInterrupted when the interrupt fires.
 */
export async function runCells(
  cells: readonly Cell[],
  seeds: readonly number[],
  options: StudyOptions,
): Promise<readonly CellRows[]> {
  const { store, workers, version, fields = [], interrupt } = options;
  const keys = cells.map(({ scenario, folder }) => cellKey(scenario, version, folder));
  const total = cells.length * seeds.length;
  const pieces = pieceList(keys, seeds, total, options);
  const died = new Map<string, string>();
  let done = total - pieces.reduce((sum, piece) => sum + piece.seeds.length, 0);
  const found = done;
  options.progress?.(done, total, found);

  const aborted = new Promise<never>((_, reject) => {
    interrupt?.addEventListener('abort', () => reject(new StudyInterrupted('interrupted')), { once: true });
  });
  aborted.catch(() => {});
  const queue = pieces[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const piece of queue) {
      if (interrupt?.aborted) throw new StudyInterrupted('interrupted');
      const { scenario, folder } = cells[piece.cell]!;
      const task = { scenario, folder, seeds: piece.seeds, fields, version };
      const outcome = await Promise.race([twice(() => workers.run(task)), aborted]);
      if (outcome.kind === 'rows') store.add(keys[piece.cell]!, outcome.rows);
      else died.set(keys[piece.cell]!, outcome.why);
      done += piece.seeds.length;
      options.progress?.(done, total, found);
    }
  };
  await Promise.all(Array.from({ length: workers.count * AHEAD }, work));

  return keys.map((key) => {
    const rows = seeds.flatMap((seed) => store.row(key, seed, fields) ?? []);
    const why = died.get(key);
    return why === undefined ? { rows } : { rows, died: why };
  });
}

function pieceList(
  keys: readonly string[],
  seeds: readonly number[],
  total: number,
  { store, workers, fields = [] }: StudyOptions,
): readonly Piece[] {
  const most = Math.max(1, Math.floor(total / (workers.count * PIECES_PER_WORKER)));
  const planned = new Set<string>();
  return keys.flatMap((key, cell) => {
    // Two cells of one content are run once.
    if (planned.has(key)) return [];
    planned.add(key);
    const missing = seeds.filter((seed) => store.row(key, seed, fields) === undefined);
    return Array.from({ length: Math.ceil(missing.length / most) }, (_, i) => ({
      cell,
      seeds: missing.slice(i * most, (i + 1) * most),
    }));
  });
}

type Outcome =
  | { readonly kind: 'rows'; readonly rows: readonly RunRow[] }
  | { readonly kind: 'died'; readonly why: string };

/** A worker that dies may have died of something that passes; one that dies twice died of the cell. */
async function twice(attempt: () => Promise<readonly RunRow[]>): Promise<Outcome> {
  try {
    return { kind: 'rows', rows: await attempt().catch(attempt) };
  } catch (error) {
    return { kind: 'died', why: error instanceof Error ? error.message : String(error) };
  }
}
