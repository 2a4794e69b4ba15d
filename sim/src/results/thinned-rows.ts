/**
 * Rows of numbers over time, never more than twice a limit of them: when that many have come, time is cut into equal
 * slices, and of each slice the first and the last row stay, and the rows where a watched column is lowest and highest.
 * So the first row, the last row and every extreme of the whole outlive any number of rows. Never changes a row, never
 * invents one.
 */

export interface ThinningOptions {
  readonly columns: number;
  /** Columns whose extremes stay. Column 0 is the time, ascending. */
  readonly watched: readonly number[];
  /** Rows that `rows` gives at most; default 2000: more than a chart has pixels. */
  readonly limit?: number;
}

export class ThinnedRows {
  readonly #columns: number;
  readonly #watched: readonly number[];
  readonly #limit: number;
  #numbers: Float64Array;
  #size = 0;

  constructor({ columns, watched, limit = 2000 }: ThinningOptions) {
    this.#columns = columns;
    this.#watched = watched;
    this.#limit = limit;
    this.#numbers = new Float64Array(columns * 32);
  }

  /** @param row `columns` numbers; copied. */
  push(row: Float64Array): void {
    if (this.#size >= 2 * this.#limit) this.#thin();
    if ((this.#size + 1) * this.#columns > this.#numbers.length) this.#grow();
    this.#numbers.set(row, this.#size * this.#columns);
    this.#size++;
  }

  /** At most `limit` rows, in order. */
  rows(): readonly Float64Array[] {
    if (this.#size > this.#limit) this.#thin();
    return Array.from({ length: this.#size }, (_, i) =>
      this.#numbers.slice(i * this.#columns, (i + 1) * this.#columns),
    );
  }

  #at(row: number, column: number): number {
    return this.#numbers[row * this.#columns + column]!;
  }

  #thin(): void {
    const slices = Math.max(1, Math.floor(this.#limit / (2 + 2 * this.#watched.length)));
    const start = this.#at(0, 0);
    const width = (this.#at(this.#size - 1, 0) - start) / slices || 1;
    const sliceOf = (row: number): number => Math.min(slices - 1, Math.floor((this.#at(row, 0) - start) / width));
    let kept = 0;
    for (let from = 0, to = 0; from < this.#size; from = to) {
      while (to < this.#size && sliceOf(to) === sliceOf(from)) to++;
      for (const row of this.#outline(from, to)) this.#move(row, kept++);
    }
    this.#size = kept;
  }

  /** The rows of [from, to) that stay, in order. */
  #outline(from: number, to: number): readonly number[] {
    const chosen = new Set([from, to - 1]);
    for (const column of this.#watched) {
      let lowest = from;
      let highest = from;
      for (let row = from + 1; row < to; row++) {
        if (this.#at(row, column) < this.#at(lowest, column)) lowest = row;
        if (this.#at(row, column) > this.#at(highest, column)) highest = row;
      }
      chosen.add(lowest).add(highest);
    }
    return [...chosen].sort((a, b) => a - b);
  }

  #move(row: number, to: number): void {
    this.#numbers.copyWithin(to * this.#columns, row * this.#columns, (row + 1) * this.#columns);
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
