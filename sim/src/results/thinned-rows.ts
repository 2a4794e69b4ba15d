/**
 * Rows of numbers over time, never more than four times a limit of them: when that many have come, time is cut into equal
 * slices, and of each slice the first and the last row stay, and the rows where a watched column is lowest and highest.
 * So the first row, the last row and every extreme of the whole outlive any number of rows. Never changes a row, never
 * invents one.
 */

export interface ThinningOptions {
  readonly columns: number;
  /** Columns whose extremes stay. Column 0 is the time, ascending. */
  readonly watched: readonly number[];
  /** Rows that `rows` gives at most, at least `2 + 2 × watched`; default 2000: more than a chart has pixels. */
  readonly limit?: number;
}

export class ThinnedRows {
  readonly #columns: number;
  readonly #watched: readonly number[];
  readonly #limit: number;
  readonly #mostPerSlice: number;
  #numbers: Float64Array;
  #size = 0;

  /** @throws RangeError for a limit that the extremes of one slice exceed. */
  constructor({ columns, watched, limit = 2000 }: ThinningOptions) {
    const least = 2 + 2 * watched.length;
    if (limit < least) throw new RangeError(`limit: expected at least ${least} rows, got ${limit}`);
    this.#mostPerSlice = least;
    this.#columns = columns;
    this.#watched = watched;
    this.#limit = limit;
    this.#numbers = new Float64Array(columns * 32);
  }

  /** @param row `columns` numbers; copied. */
  push(row: Float64Array): void {
    // Half of the room stays free, so that this is done rarely; slices of half the final width lose nothing to be seen.
    if (this.#size >= 4 * this.#limit)
      this.#keep(this.#outline(Math.max(1, Math.floor((2 * this.#limit) / this.#mostPerSlice))));
    if ((this.#size + 1) * this.#columns > this.#numbers.length) this.#grow();
    this.#numbers.set(row, this.#size * this.#columns);
    this.#size++;
  }

  /** At most `limit` rows, in order; in the finest slices that give no more. */
  rows(): readonly Float64Array[] {
    for (let slices = this.#limit / 2; this.#size > this.#limit; slices /= 2) {
      const outline = this.#outline(Math.max(1, Math.floor(slices)));
      if (outline.length <= this.#limit) this.#keep(outline);
    }
    return Array.from({ length: this.#size }, (_, i) =>
      this.#numbers.slice(i * this.#columns, (i + 1) * this.#columns),
    );
  }

  #at(row: number, column: number): number {
    return this.#numbers[row * this.#columns + column]!;
  }

  /** The rows that stay of all, in order, when time is cut into so many slices. */
  #outline(slices: number): readonly number[] {
    const start = this.#at(0, 0);
    const width = (this.#at(this.#size - 1, 0) - start) / slices || 1;
    const sliceOf = (row: number): number => Math.min(slices - 1, Math.floor((this.#at(row, 0) - start) / width));
    const kept: number[] = [];
    for (let from = 0, to = 0; from < this.#size; from = to) {
      const slice = sliceOf(from);
      while (to < this.#size && sliceOf(to) === slice) to++;
      kept.push(...this.#outlineOf(from, to));
    }
    return kept;
  }

  /** The rows that stay of [from, to), in order. */
  #outlineOf(from: number, to: number): readonly number[] {
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

  #keep(rows: readonly number[]): void {
    rows.forEach((row, to) => {
      this.#numbers.copyWithin(to * this.#columns, row * this.#columns, (row + 1) * this.#columns);
    });
    this.#size = rows.length;
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
