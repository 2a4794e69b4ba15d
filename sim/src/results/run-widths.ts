/**
 * How many subagents of a run can have a request in flight: `min(cap of the narrowest key it has asked, its bound)`, over
 * the run's life. Follows caps and bounds; knows nothing of single requests.
 */

interface RunWidth {
  readonly id: string;
  readonly keys: KeyCap[];
  readonly startedAt: number;
  bound: number;
  endedAt: number | undefined;
  width: number;
  since: number;
  /** Width × time up to `since`. */
  area: number;
  /** Of the levels that lasted; a bound that is stated seeds the cap in the very instant of the first request. */
  min: number;
}

interface KeyCap {
  readonly name: string;
  readonly runs: RunWidth[];
  cap: number;
}

/** Called when the width or the bound of a run is another from `t` on. */
export type WidthListener = (run: string, t: number, width: number, bound: number) => void;

export class RunWidths {
  readonly #initial: number;
  readonly #changed: WidthListener;
  readonly #runs = new Map<string, RunWidth>();
  readonly #keys = new Map<string, KeyCap>();
  #askedRun: string | undefined;
  #askedKey: string | undefined;

  /** @param initial the cap of a key before its first change; null: nothing governs. */
  constructor(initial: number | null, changed: WidthListener = () => {}) {
    this.#initial = initial ?? Number.POSITIVE_INFINITY;
    this.#changed = changed;
  }

  started(t: number, id: string, bound: number): void {
    const levels = { width: bound, since: t, area: 0, min: Number.POSITIVE_INFINITY };
    this.#runs.set(id, { id, keys: [], startedAt: t, bound, endedAt: undefined, ...levels });
    this.#changed(id, t, bound, bound);
  }

  /** A request of the run asked for the key. Told for every request, so that the first is among them. */
  asked(t: number, id: string, key: string): void {
    if (id === this.#askedRun && key === this.#askedKey) return;
    this.#askedRun = id;
    this.#askedKey = key;
    const run = this.#runs.get(id);
    if (run === undefined || run.keys.some(({ name }) => name === key)) return;
    const used = this.#key(key);
    run.keys.push(used);
    used.runs.push(run);
    this.#update(run, t);
  }

  capChanged(t: number, key: string, cap: number): void {
    const changed = this.#key(key);
    changed.cap = cap;
    for (const run of changed.runs) this.#update(run, t);
  }

  boundChanged(t: number, id: string, bound: number): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#update(run, t, bound);
  }

  ended(t: number, id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.endedAt = t;
    for (const { runs } of run.keys) runs.splice(runs.indexOf(run), 1);
  }

  /** @param now the end of the life of a run that has not ended. */
  figures(id: string, now: number): { readonly min: number; readonly mean: number } {
    const run = this.#runs.get(id);
    if (run === undefined) throw new RangeError(`run: expected one that has started, got ${JSON.stringify(id)}`);
    const { startedAt, endedAt = now, width, since, area, min } = run;
    if (endedAt <= startedAt) return { min: width, mean: width };
    return {
      min: endedAt > since ? Math.min(min, width) : min,
      mean: (area + width * (endedAt - since)) / (endedAt - startedAt),
    };
  }

  #key(name: string): KeyCap {
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = { name, runs: [], cap: this.#initial };
      this.#keys.set(name, key);
    }
    return key;
  }

  #update(run: RunWidth, t: number, bound: number = run.bound): void {
    const width = run.keys.reduce((narrowest, { cap }) => Math.min(narrowest, cap), bound);
    if (width === run.width && bound === run.bound) return;
    if (t > run.since) {
      run.area += run.width * (t - run.since);
      run.min = Math.min(run.min, run.width);
      run.since = t;
    }
    run.width = width;
    run.bound = bound;
    this.#changed(run.id, t, width, bound);
  }
}
