/** What came of a cell of a grid: one scenario under one setting, over all its seeds. */

import { type Estimate, estimate } from '../study/intervals.js';
import { METRICS, REGRET } from '../study/metric.js';
import { isComplete, type RunRow } from '../study/run-row.js';
import type { CellRows } from '../study/study.js';

/** `unfinished`: a run was stopped before its end; `invalid`: the setting makes no scenario. */
export type CellStatus = 'ok' | 'unfinished' | 'broken' | 'died' | 'invalid';

export interface CellFigures {
  readonly status: CellStatus;
  /** Of a cell that is not ok: what happened. */
  readonly note?: string;
  readonly rows: readonly RunRow[];
  /** By name of the metric, of the runs that came to their end; null where there was nothing to measure. */
  readonly metrics: Readonly<Record<string, Estimate | null>>;
}

/** @param oracle The rows of the oracle on the same seeds. */
export function cellFigures(cell: CellRows, oracle: readonly RunRow[]): CellFigures {
  const sound = cell.rows.filter(isComplete);
  const fields = [
    ...new Set([...METRICS.map(({ name }) => name), ...sound.flatMap(({ values }) => Object.keys(values))]),
  ];
  const of = (name: string): Estimate | null => estimate(sound.flatMap(({ values }) => values[name] ?? []));
  return {
    ...statusOf(cell),
    rows: cell.rows,
    metrics: {
      ...Object.fromEntries(fields.map((name) => [name, of(name)])),
      [REGRET.name]: estimate(sound.flatMap((row) => regretOf(row, oracle) ?? [])),
    },
  };
}

/** Whether every run of the cell came to its end. */
export function isWhole({ status }: CellFigures): boolean {
  return status === 'ok';
}

export function invalidCell(note: string): CellFigures {
  return { status: 'invalid', note, rows: [], metrics: {} };
}

/** How much longer each success took than the oracle's on the same seed; null where either had none. */
export function regretOf({ seed, values }: RunRow, oracle: readonly RunRow[]): number | null {
  const own = values.throughput;
  const best = oracle.find((row) => row.seed === seed && isComplete(row))?.values.throughput;
  return own && best ? best / own - 1 : null;
}

function statusOf({ rows, died }: CellRows): Pick<CellFigures, 'status' | 'note'> {
  const broken = rows.find(({ stop }) => stop === 'broken');
  if (broken !== undefined) return { status: 'broken', note: `seed ${broken.seed}: ${broken.detail}` };
  if (died !== undefined) return { status: 'died', note: `its worker died twice: ${died}` };
  const unfinished = rows.filter((row) => !isComplete(row));
  const [first] = unfinished;
  if (first === undefined) return { status: 'ok' };
  const reason = first.detail ?? first.stop;
  return { status: 'unfinished', note: `${unfinished.length} of ${rows.length} runs did not finish: ${reason}` };
}
