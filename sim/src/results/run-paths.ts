/**
 * The widths of runs over time, for the charts. Records each shared width once; the points of a run are cut out of those
 * that it followed when somebody asks for them.
 */

import { Recorder, T } from './recorder.js';
import type { WidthListener } from './run-widths.js';
import type { SharedWidth } from './shared-width.js';

export interface RunPoint {
  readonly tMs: number;
  readonly effective: number;
  readonly bound: number;
}

export interface RunSeries {
  readonly run: string;
  readonly points: readonly RunPoint[];
}

/** Column of a width's row, after the time. */
const WIDTH = 1;

interface Stretch {
  readonly from: number;
  readonly shared: SharedWidth;
}

interface RunPath {
  readonly stretches: Stretch[];
  endedAt: number | undefined;
}

export class RunPaths implements WidthListener {
  readonly #recorders = new Map<SharedWidth, Recorder>();
  readonly #runs = new Map<string, RunPath>();

  follows(run: string, t: number, shared: SharedWidth): void {
    if (!this.#recorders.has(shared)) {
      const recorder = new Recorder(WIDTH + 1, [WIDTH]);
      recorder.row[T] = t;
      recorder.row[WIDTH] = shared.width;
      this.#recorders.set(shared, recorder);
    }
    const path = this.#runs.get(run) ?? { stretches: [], endedAt: undefined };
    this.#runs.set(run, path);
    // What was followed for no time at all is not to be seen.
    if (path.stretches.at(-1)?.from === t) path.stretches.pop();
    path.stretches.push({ from: t, shared });
  }

  changed(shared: SharedWidth, t: number): void {
    const recorder = this.#recorders.get(shared) as Recorder;
    recorder.changesAt(t);
    recorder.row[WIDTH] = shared.width;
  }

  ended(run: string, t: number): void {
    const path = this.#runs.get(run);
    if (path !== undefined) path.endedAt = t;
  }

  /** Ends the recording. @param now the end of a run that has not ended. */
  series(now: number): readonly RunSeries[] {
    const rows = new Map([...this.#recorders].map(([shared, recorder]) => [shared, recorder.close()]));
    return [...this.#runs].map(([run, { stretches, endedAt = now }]) => ({
      run,
      get points() {
        return pointsOf(stretches, endedAt, rows);
      },
    }));
  }
}

function pointsOf(
  stretches: readonly Stretch[],
  endedAt: number,
  rows: ReadonlyMap<SharedWidth, readonly Float64Array[]>,
): readonly RunPoint[] {
  const points: RunPoint[] = [];
  for (const [place, { from, shared }] of stretches.entries()) {
    const until = stretches[place + 1]?.from ?? endedAt;
    const all = rows.get(shared) as readonly Float64Array[];
    const first = all.findLast((row) => row[T]! <= from) as Float64Array;
    points.push({ tMs: from, effective: first[WIDTH]!, bound: shared.bound });
    for (const row of all) {
      const tMs = row[T]!;
      if (tMs > from && tMs < until) points.push({ tMs, effective: row[WIDTH]!, bound: shared.bound });
    }
    if (place < stretches.length - 1 || endedAt <= from) continue;
    const last = all.findLast((row) => row[T]! <= endedAt) as Float64Array;
    points.push({ tMs: endedAt, effective: last[WIDTH]!, bound: shared.bound });
  }
  return points;
}
