/**
 * What is wrong between the stages of a pipeline: two of one name, a stage after one that is not there, stages that wait
 * for each other. Reads data that may be wrong in other places too.
 */

import { echo } from './echo.js';
import { suggestion } from './nearest.js';
import type { Path } from './path.js';
import { stageNames } from './pipelines-schema.js';
import type { Finding } from './problems.js';
import { asList, asMapping, valueAt } from './raw-data.js';

export function pipelineFindings(data: unknown): readonly Finding[] {
  return asList(valueAt(data, ['workload', 'pipelines'])).flatMap((written, index) => {
    const names = stageNames(asMapping(written) ?? {});
    const path: Path = ['workload', 'pipelines', index, 'stages'];
    const afters = asList(asMapping(written)?.stages).map((stage) => asList(asMapping(stage)?.after));
    return [...sameNames(path, names), ...unknownNames(path, names, afters), ...circles(path, names, afters)];
  });
}

function sameNames(path: Path, names: readonly (string | undefined)[]): readonly Finding[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (name === undefined || first === index) return [];
    const message = `${echo(name)} is the name of stages[${first}] as well; each has its own`;
    return [{ path: [...path, index, 'name'], at: 'value' as const, message }];
  });
}

function unknownNames(
  path: Path,
  names: readonly (string | undefined)[],
  afters: readonly (readonly unknown[])[],
): readonly Finding[] {
  const known = names.filter((name) => name !== undefined);
  return afters.flatMap((after, index) =>
    after.flatMap((name, at) => {
      if (typeof name !== 'string' || known.includes(name)) return [];
      const message = `there is no stage ${echo(name)}${suggestion(name, known, 'there is')}`;
      return [{ path: [...path, index, 'after', at], at: 'value' as const, message }];
    }),
  );
}

/** Each circle once, at the stage of it that comes first in the file. */
function circles(
  path: Path,
  names: readonly (string | undefined)[],
  afters: readonly (readonly unknown[])[],
): readonly Finding[] {
  const before = afters.map((after) =>
    after.flatMap((name, at) => {
      const index = typeof name === 'string' ? names.indexOf(name) : -1;
      return index < 0 ? [] : [{ at, index }];
    }),
  );
  const found: Finding[] = [];
  const seen = new Set<number>();
  for (const first of before.keys()) {
    if (seen.has(first)) continue;
    const circle = shortestCircle(before, first);
    if (circle === undefined) continue;
    for (const index of circle) seen.add(index);
    const at = before[first]?.find(({ index }) => index === (circle[1] ?? first))?.at ?? 0;
    const round = [...circle, first].map((index) => names[index]).join(' after ');
    const message = `goes round in a circle: ${round}; none of them could begin`;
    found.push({ path: [...path, first, 'after', at], at: 'value', message });
  }
  return found;
}

/** From stage to stage, each after the next, until `first` comes again; undefined where it never does. */
function shortestCircle(
  before: readonly (readonly { readonly index: number }[])[],
  first: number,
): readonly number[] | undefined {
  const reached = new Map<number, readonly number[]>([[first, [first]]]);
  // A map goes on to what is added to it on the way: nearest first.
  for (const [index, way] of reached) {
    for (const next of before[index] ?? []) {
      if (next.index === first) return way;
      if (!reached.has(next.index)) reached.set(next.index, [...way, next.index]);
    }
  }
  return undefined;
}
