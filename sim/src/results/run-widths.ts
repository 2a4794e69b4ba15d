/**
 * How many subagents of a run can have a request in flight: `min(cap of the narrowest key it has asked, its bound)`, over
 * the run's life. Follows caps and bounds; knows nothing of single requests.
 */

import { type KeyCap, SharedWidth } from './shared-width.js';

interface RunWidth {
  readonly startedAt: number;
  endedAt: number | undefined;
  /** What it follows, since when, and how much of that was before. */
  shared: SharedWidth;
  since: number;
  areaBefore: number;
  /** Width × time up to `since`. */
  area: number;
  /** Of the levels that lasted; a bound that is stated seeds the cap in the very instant of the first request. */
  min: number;
}

interface FollowedCap extends KeyCap {
  readonly widths: Set<SharedWidth>;
}

/** Hears how widths go. */
export interface WidthListener {
  /** The run follows this width from `t` on. */
  follows(run: string, t: number, shared: SharedWidth): void;
  /** The width is another from `t` on, for all that follow it. */
  changed(shared: SharedWidth, t: number): void;
}

export class RunWidths {
  readonly #initial: number;
  readonly #listener: WidthListener | undefined;
  readonly #runs = new Map<string, RunWidth>();
  readonly #keys = new Map<string, FollowedCap>();
  /** Those that a run follows, by their bound and keys. */
  readonly #shared = new Map<string, SharedWidth>();
  #askedRun: string | undefined;
  #askedKey: string | undefined;

  /** @param initial the cap of a key before its first change; null: nothing governs. */
  constructor(initial: number | null, listener?: WidthListener) {
    this.#initial = initial ?? Number.POSITIVE_INFINITY;
    this.#listener = listener;
  }

  started(t: number, id: string, bound: number): void {
    const shared = this.#follow(id, t, [], bound);
    const levels = { since: t, areaBefore: shared.areaUntil(t), area: 0, min: Number.POSITIVE_INFINITY };
    this.#runs.set(id, { startedAt: t, endedAt: undefined, shared, ...levels });
  }

  /** A request of the run asked for the key. Told for every request, so that the first is among them. */
  asked(t: number, id: string, key: string): void {
    if (id === this.#askedRun && key === this.#askedKey) return;
    const run = this.#runs.get(id);
    if (run === undefined || run.endedAt !== undefined) return;
    this.#askedRun = id;
    this.#askedKey = key;
    if (run.shared.keys.some(({ name }) => name === key)) return;
    this.#move(run, id, t, [...run.shared.keys, this.#key(key)], run.shared.bound);
  }

  capChanged(t: number, key: string, cap: number): void {
    const changed = this.#key(key);
    changed.cap = cap;
    for (const shared of changed.widths) if (shared.update(t)) this.#listener?.changed(shared, t);
  }

  boundChanged(t: number, id: string, bound: number): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.endedAt !== undefined) return;
    if (bound !== run.shared.bound) this.#move(run, id, t, run.shared.keys, bound);
  }

  ended(t: number, id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.endedAt !== undefined) return;
    this.#leave(run, t);
    run.endedAt = t;
  }

  /** @param now the end of the life of a run that has not ended. */
  figures(id: string, now: number): { readonly min: number; readonly mean: number } {
    const run = this.#runs.get(id);
    if (run === undefined) throw new RangeError(`run: expected one that has started, got ${JSON.stringify(id)}`);
    const { startedAt, endedAt = now, shared, since, areaBefore, area, min } = run;
    if (endedAt <= startedAt) return { min: shared.width, mean: shared.width };
    if (run.endedAt !== undefined) return { min, mean: area / (endedAt - startedAt) };
    return {
      min: Math.min(min, shared.lowest(since, now)),
      mean: (area + shared.areaUntil(now) - areaBefore) / (now - startedAt),
    };
  }

  #key(name: string): FollowedCap {
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = { name, cap: this.#initial, widths: new Set() };
      this.#keys.set(name, key);
    }
    return key;
  }

  #move(run: RunWidth, id: string, t: number, keys: readonly KeyCap[], bound: number): void {
    this.#leave(run, t);
    run.shared = this.#follow(id, t, keys, bound);
    run.since = t;
    run.areaBefore = run.shared.areaUntil(t);
  }

  #follow(id: string, t: number, keys: readonly KeyCap[], bound: number): SharedWidth {
    const name = nameOf(keys, bound);
    let shared = this.#shared.get(name);
    if (shared === undefined) {
      shared = new SharedWidth(keys, bound, t);
      this.#shared.set(name, shared);
      for (const key of keys) this.#key(key.name).widths.add(shared);
    }
    shared.followers++;
    this.#listener?.follows(id, t, shared);
    return shared;
  }

  #leave(run: RunWidth, t: number): void {
    const { shared, since, areaBefore } = run;
    run.area += shared.areaUntil(t) - areaBefore;
    run.min = Math.min(run.min, shared.lowest(since, t));
    shared.followers--;
    if (shared.followers > 0) return;
    this.#shared.delete(nameOf(shared.keys, shared.bound));
    for (const key of shared.keys) this.#key(key.name).widths.delete(shared);
  }
}

function nameOf(keys: readonly KeyCap[], bound: number): string {
  const names = keys.map(({ name }) => name).sort();
  return JSON.stringify([bound, ...names]);
}
