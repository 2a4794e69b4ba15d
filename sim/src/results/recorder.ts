/** The rows of something that changes over time: one per instant in which it did, with the state after all of it, thinned. */

import { ThinnedRows } from './thinned-rows.js';

/** The first column of every row. */
export const T = 0;

export class Recorder {
  /** The present state; written to after `changesAt`. */
  readonly row: Float64Array;
  readonly #rows: ThinnedRows;

  constructor(columns: number, watched: readonly number[]) {
    this.row = new Float64Array(columns);
    this.#rows = new ThinnedRows({ columns, watched });
  }

  /** Something is about to change at `t`: what held until then is complete. */
  changesAt(t: number): void {
    if (t === this.row[T]) return;
    this.#rows.push(this.row);
    this.row[T] = t;
  }

  /** All rows, the latest included. */
  close(): readonly Float64Array[] {
    this.#rows.push(this.row);
    return this.#rows.rows();
  }
}
