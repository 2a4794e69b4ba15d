/**
 * What a `set` of the timeline may change of a pipeline: its bounds, which hold from the next dispatch on. Reads one path and
 * its value; whether there is such a place in the scenario has been looked at before.
 */

import { check } from './issues.js';
import { isWithin, type Path } from './path.js';
import type { PipelineChange } from './pipeline-settings.js';
import { whole } from './quantities.js';
import { asMapping, valueAt } from './raw-data.js';

export type ReadPipelineChange =
  | { readonly kind: 'change'; readonly change: PipelineChange }
  | { readonly kind: 'problem'; readonly message: string }
  /** The path leads to something else of the scenario. */
  | { readonly kind: 'other' };

const bound = whole({ min: 0 });

/** @param data The scenario as written. */
export function readPipelineChange(data: unknown, path: Path, value: unknown, atMs: number): ReadPipelineChange {
  if (!isWithin(path, ['workload', 'pipelines'])) return { kind: 'other' };
  const [, , index, ...below] = path;
  const found = boundAt(below);
  if (index === undefined || found === undefined) return { kind: 'other' };
  const checked = check(bound, value);
  if (checked.kind === 'findings') return { kind: 'problem', message: checked.findings[0]?.message ?? '' };
  const pipeline = nameOf(data, ['workload', 'pipelines', index, 'id']);
  const ofStage = found === 'maxConcurrency' && { stage: nameOf(data, [...path.slice(0, -1), 'name']) };
  return {
    kind: 'change',
    change: { kind: 'pipeline', atMs, pipeline, bound: found, ...ofStage, value: checked.value },
  };
}

function boundAt(below: Path): PipelineChange['bound'] | undefined {
  const [what, inner, field] = below;
  if (below.length === 1 && what === 'maxParallelCalls') return what;
  if (below.length === 2 && what === 'host' && inner === 'maxActive') return inner;
  return below.length === 3 && what === 'stages' && field === 'maxConcurrency' ? field : undefined;
}

/** A name that is missing is the schema's to refuse. */
function nameOf(data: unknown, path: Path): string {
  const name = asMapping(valueAt(data, path.slice(0, -1)))?.[String(path.at(-1))];
  return typeof name === 'string' ? name : '';
}
