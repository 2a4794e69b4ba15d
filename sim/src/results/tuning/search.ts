/**
 * Looks for the best setting of a grid without trying all of it. First successive halving: a coarse part of the grid on few
 * seeds, the better half of it on twice as many, until the full number. Then a pattern search from the best one: to the
 * neighbour that is better, as long as one is. Every step follows from the figures alone, so the same grid gives the same
 * setting, and what was run before need not be run again.
 */

import { type CellFigures, isWhole } from './cell-figures.js';
import { type Goal, miss } from './goal.js';
import type { Grid, Place } from './grid.js';

export interface Objective {
  readonly goals: readonly Goal[];
  /** The name of what is to be as small as possible. */
  readonly minimise: string;
}

export interface Tried {
  readonly place: Place;
  /** Per scenario. */
  readonly cells: readonly CellFigures[];
  readonly seeds: number;
  /** How far the goals are missed, all scenarios together; 0 where all hold in every one. */
  readonly missed: number;
  /** What is minimised, as a mean over the scenarios of its share of the first setting's; infinite where it is not known. */
  readonly cost: number;
}

export interface SearchResult {
  readonly best: Tried;
  /** Those that were tried on all seeds, the best first. */
  readonly tried: readonly Tried[];
  /** Settings that were tried on any number of seeds. */
  readonly looked: number;
}

/** Runs the places on the first so many seeds; per scenario the cells of the places. */
export type Evaluate = (places: readonly Place[], seeds: number) => Promise<readonly (readonly CellFigures[])[]>;

/** A grid of no more settings is tried whole; the coarse part of a larger one has about as many. */
const COARSE = 64;

/** @param reference is always among the first, so that the result can be held against it. */
export async function search(
  grid: Grid,
  objective: Objective,
  seeds: number,
  evaluate: Evaluate,
  reference?: Place,
): Promise<SearchResult> {
  let scale: readonly number[] | undefined;
  const seen = new Set<number>();
  const full = new Map<number, Tried>();
  const attempt = async (places: readonly Place[], count: number): Promise<Tried[]> => {
    const cells = await evaluate(places, count);
    const all = places.map((place, i) => ({ place, cells: cells.map((ofScenario) => ofScenario[i]!) }));
    scale ??= all[0]!.cells.map((cell) => cell.metrics[objective.minimise]?.mean || 1);
    return all
      .map((one) => {
        const tried = judged(one, objective, scale!, count);
        seen.add(grid.number(one.place));
        if (count === seeds) full.set(grid.number(one.place), tried);
        return tried;
      })
      .sort(better);
  };

  let places = coarse(grid, reference);
  let count = Math.min(seeds, Math.max(2, Math.ceil(seeds / 4)));
  for (;;) {
    const ranked = await attempt(places, count);
    if (count === seeds) break;
    places = ranked.slice(0, Math.max(1, Math.ceil(ranked.length / 2))).map(({ place }) => place);
    count = Math.min(seeds, count * 2);
  }
  for (;;) {
    const [best] = [...full.values()].sort(better);
    const fresh = grid.neighbours(best!.place).filter((place) => !full.has(grid.number(place)));
    if (fresh.length === 0) break;
    const [next] = await attempt(fresh, seeds);
    if (better(next!, best!) >= 0) break;
  }
  const tried = [...full.values()].sort(better);
  return { best: tried[0]!, tried, looked: seen.size };
}

/** Sound before unsound, then who misses less, then who costs less; at last the order of the grid. */
function better(a: Tried, b: Tried): number {
  return a.missed - b.missed || a.cost - b.cost || 0;
}

function judged(
  { place, cells }: Pick<Tried, 'place' | 'cells'>,
  { goals, minimise }: Objective,
  scale: readonly number[],
  seeds: number,
): Tried {
  const isSound = cells.every(isWhole);
  const misses = cells.flatMap(({ metrics }) =>
    goals.map((goal) => {
      const value = metrics[goal.name]?.mean;
      return value === undefined ? 1e6 : miss(goal, value);
    }),
  );
  const costs = cells.map(({ metrics }, i) => (metrics[minimise]?.mean ?? 1e9) / scale[i]!);
  return {
    place,
    cells,
    seeds,
    missed: isSound ? misses.reduce((sum, each) => sum + each, 0) : 1e9,
    cost: costs.reduce((sum, each) => sum + each, 0) / costs.length,
  };
}

/** All of a small grid; of a large one the ends and the middle of each knob, as many as there is room for, evenly spread. */
function coarse(grid: Grid, reference: Place | undefined): readonly Place[] {
  const own = reference === undefined ? [] : [reference];
  if (grid.size <= COARSE) {
    return unique(grid, [...own, ...Array.from({ length: grid.size }, (_, setting) => grid.place(setting))]);
  }
  const steps = grid.knobs.map(({ values: { count } }) => [...new Set([0, (count - 1) >> 1, count - 1])]);
  const size = steps.reduce((product, { length }) => product * length, 1);
  const taken = Math.min(size, COARSE);
  const places = Array.from({ length: taken }, (_, i) => {
    let rest = taken === 1 ? 0 : Math.round((i * (size - 1)) / (taken - 1));
    return steps.map((indices) => {
      const index = indices[rest % indices.length]!;
      rest = Math.floor(rest / indices.length);
      return index;
    });
  });
  return unique(grid, [...own, ...places]);
}

function unique(grid: Grid, places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [grid.number(place), place])).values()];
}
