/**
 * Many spans of time, as their two ends in typed arrays: 16 bytes a span. How many of them hold at an instant is known
 * only once they are all there, because whether an attempt was served is known when it ends.
 */
export class Spans {
  #size = 0;
  #starts = new Float64Array(64);
  #ends = new Float64Array(64);
  #level: Level | undefined;

  /** @param end at or after `start`. */
  add(start: number, end: number): void {
    if (this.#size === this.#starts.length) this.#grow();
    this.#starts[this.#size] = start;
    this.#ends[this.#size] = end;
    this.#size++;
    this.#level = undefined;
  }

  /** Put in order once, for all figures that ask. */
  level(): Level {
    this.#level ??= {
      starts: this.#starts.slice(0, this.#size).sort(),
      ends: this.#ends.slice(0, this.#size).sort(),
    };
    return this.#level;
  }

  /** All of these lists together. */
  static level(all: readonly Spans[]): Level {
    if (all.length === 1) return all[0]!.level();
    const size = all.reduce((sum, spans) => sum + spans.#size, 0);
    const [starts, ends] = [new Float64Array(size), new Float64Array(size)];
    let at = 0;
    for (const spans of all) {
      starts.set(spans.#starts.subarray(0, spans.#size), at);
      ends.set(spans.#ends.subarray(0, spans.#size), at);
      at += spans.#size;
    }
    return { starts: starts.sort(), ends: ends.sort() };
  }

  #grow(): void {
    const [starts, ends] = [new Float64Array(this.#size * 2), new Float64Array(this.#size * 2)];
    starts.set(this.#starts);
    ends.set(this.#ends);
    [this.#starts, this.#ends] = [starts, ends];
  }
}

/** How many spans hold: one more at each start, one less at each end. Both in order of time. */
export interface Level {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Calls `visit` for each stretch of the window in which both levels stand still, in order of time. */
export function sweep(
  first: Level,
  second: Level,
  { from, to }: Window,
  visit: (start: number, end: number, first: number, second: number) => void,
): void {
  let a = countUntil(first.starts, from);
  let b = countUntil(first.ends, from);
  let c = countUntil(second.starts, from);
  let d = countUntil(second.ends, from);
  const timeOf = (times: Float64Array, i: number): number => (i < times.length ? times[i]! : to);
  for (let now = from; now < to; ) {
    const next = Math.min(
      to,
      timeOf(first.starts, a),
      timeOf(first.ends, b),
      timeOf(second.starts, c),
      timeOf(second.ends, d),
    );
    if (next > now) visit(now, next, a - b, c - d);
    while (a < first.starts.length && first.starts[a]! <= next) a++;
    while (b < first.ends.length && first.ends[b]! <= next) b++;
    while (c < second.starts.length && second.starts[c]! <= next) c++;
    while (d < second.ends.length && second.ends[d]! <= next) d++;
    now = next;
  }
}

/** How many of the times, in order, are at or before `t`. */
function countUntil(times: Float64Array, t: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}
