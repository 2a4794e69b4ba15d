/**
 * What the runs of a scenario say of each other, and its timeline of them: do they exist, do they wait for themselves.
 * Reads data that may be wrong in other places too.
 */

import { echo } from './echo.js';
import { suggestion } from './nearest.js';
import type { Path } from './path.js';
import type { Finding } from './problems.js';
import { asList, asMapping, valueAt } from './raw-data.js';

interface WrittenRun {
  readonly index: number;
  readonly id: string;
  readonly after: readonly string[];
}

export function runOrderChecks(data: unknown): readonly Finding[] {
  const runs = writtenRuns(data);
  return [...unknownAfters(runs), ...cycles(runs), ...unknownTimelineRuns(data, runs)];
}

function writtenRuns(data: unknown): readonly WrittenRun[] {
  return [...asList(valueAt(data, ['workload', 'runs'])).entries()].flatMap(([index, run]) => {
    const { id, after } = asMapping(run) ?? {};
    return typeof id === 'string' ? [{ index, id, after: asList(after).filter((one) => typeof one === 'string') }] : [];
  });
}

function unknownRun(runs: readonly WrittenRun[], id: string, path: Path): readonly Finding[] {
  const ids = runs.map((run) => run.id);
  if (ids.includes(id)) return [];
  return [{ path, at: 'value', message: `there is no run ${echo(id)}${suggestion(id, ids, 'the runs are')}` }];
}

function unknownAfters(runs: readonly WrittenRun[]): readonly Finding[] {
  return runs.flatMap(({ index, after }) =>
    after.flatMap((id, place) => unknownRun(runs, id, ['workload', 'runs', index, 'after', place])),
  );
}

/** Each run that waits for itself, at the place where its circle begins. */
function cycles(runs: readonly WrittenRun[]): readonly Finding[] {
  const told = new Set<string>();
  const byId = new Map(runs.map((one) => [one.id, one]));
  return runs.flatMap((run): readonly Finding[] => {
    const circle = circleOf(run, byId);
    if (circle === undefined || told.has(run.id)) return [];
    for (const id of circle) told.add(id);
    const place = run.after.indexOf(circle[1] as string);
    const message = `goes in a circle, so that none of its runs can ever start: ${circle.map((id) => shown(id)).join(' → ')}`;
    return [{ path: ['workload', 'runs', run.index, 'after', place], at: 'value', message }];
  });
}

function shown(id: string): string {
  return id.length > 40 ? `${id.slice(0, 40)}…` : id;
}

/** The way from a run along `after` back to it; undefined where there is none. */
function circleOf(run: WrittenRun, byId: ReadonlyMap<string, WrittenRun>): readonly string[] | undefined {
  const from = new Map<string, string>();
  const open = [run];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    for (const id of here.after) {
      if (id === run.id) return [...wayBack(here.id, run.id, from), run.id];
      const next = byId.get(id);
      if (next === undefined || from.has(id)) continue;
      from.set(id, here.id);
      open.push(next);
    }
  }
  return undefined;
}

function wayBack(last: string, first: string, from: ReadonlyMap<string, string>): readonly string[] {
  const way = [last];
  for (let id = last; id !== first; ) {
    id = from.get(id) as string;
    way.unshift(id);
  }
  return way;
}

function unknownTimelineRuns(data: unknown, runs: readonly WrittenRun[]): readonly Finding[] {
  return [...asList(valueAt(data, ['timeline'])).entries()].flatMap(([index, entry]) =>
    ['retune', 'amend', 'pause', 'crash'].flatMap((action) => {
      const id = asMapping(asMapping(entry)?.[action])?.run;
      return typeof id === 'string' ? unknownRun(runs, id, ['timeline', index, action, 'run']) : [];
    }),
  );
}

/** A model that the timeline gives to a run. */
export interface AmendedModel {
  readonly path: Path;
  readonly run: string;
  readonly model: string;
}

export function amendedModels(data: unknown): readonly AmendedModel[] {
  return [...asList(valueAt(data, ['timeline'])).entries()].flatMap(([index, entry]) => {
    const { run, settings } = asMapping(asMapping(entry)?.amend) ?? {};
    const model = asMapping(settings)?.model;
    if (typeof run !== 'string' || typeof model !== 'string' || !model.includes('/')) return [];
    return [{ path: ['timeline', index, 'amend', 'settings', 'model'], run, model }];
  });
}

/** The ids that the successors of a run may have: one per change of its settings. */
export function successorIds(data: unknown, id: string): readonly string[] {
  const changes = asList(valueAt(data, ['timeline'])).filter((entry) => {
    const { run, settings } = asMapping(asMapping(entry)?.amend) ?? {};
    return run === id && settings !== undefined;
  });
  return changes.map((_, i) => `${id}@${i + 2}`);
}
