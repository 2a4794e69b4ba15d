/**
 * What the schema cannot see because it takes a look at two places: does the target exist, are names taken twice, is the
 * floor above the start. Reads data that may be wrong in other places too, so that all problems come out at once.
 */

import { AimdController } from '@tidegate/governor';
import { echo } from './echo.js';
import { suggestion } from './nearest.js';
import type { Path } from './path.js';
import { pipelineFindings } from './pipeline-checks.js';
import { stageNames } from './pipelines-schema.js';
import type { Finding } from './problems.js';
import { quotaNameOf } from './quota-schema.js';
import { asList, asMapping, entriesOf, valueAt } from './raw-data.js';
import { amendedModels, runOrderChecks, successorIds } from './run-order-checks.js';
import type { SummaryNames, TaskParts } from './summary-fields.js';
import { splitTarget } from './target.js';

export function crossChecks(data: unknown): readonly Finding[] {
  return [
    ...providerNames(data),
    ...quotaNames(data),
    ...floorAndInitial(data),
    ...hasRuns(data),
    ...callerIds(data),
    ...targets(data),
    ...pipelineFindings(data),
    ...hangs(data),
    ...runOrderChecks(data),
  ];
}

function providerNames(data: unknown): readonly Finding[] {
  return entriesOf(valueAt(data, ['providers']))
    .filter(([name]) => name.includes('/') || name === '')
    .map(([name]) => ({
      path: ['providers', name],
      at: 'name',
      message: 'the name of a provider has no slash and is not empty; a key is written provider/model',
    }));
}

/** Every list of quotas, with its path. */
function quotaLists(data: unknown): readonly { readonly path: Path; readonly quotas: readonly unknown[] }[] {
  return entriesOf(valueAt(data, ['providers'])).flatMap(([provider, settings]) => [
    { path: ['providers', provider, 'quotas'], quotas: asList(asMapping(settings)?.quotas) },
    ...entriesOf(asMapping(settings)?.models).map(([model, written]) => ({
      path: ['providers', provider, 'models', model, 'quotas'],
      quotas: asList(asMapping(written)?.quotas),
    })),
  ]);
}

function quotaNames(data: unknown): readonly Finding[] {
  return quotaLists(data).flatMap(({ path, quotas }) =>
    repeats(quotas.map(quotaNameOf)).map(({ index, first, name }) => ({
      path: [...path, index],
      at: 'value',
      message: `is named ${echo(name)}, as [${first}] is; give one of them another name`,
    })),
  );
}

/** The entries whose name an earlier one has. */
function repeats(
  names: readonly (string | undefined)[],
): readonly { readonly index: number; readonly first: number; readonly name: string }[] {
  const firsts = new Map<string, number>();
  return [...names.entries()].flatMap(([index, name]) => {
    if (name === undefined) return [];
    const first = firsts.get(name);
    if (first !== undefined) return [{ index, first, name }];
    firsts.set(name, index);
    return [];
  });
}

/** The governor's own default, needed where only the floor is written. */
const defaultInitial = new AimdController({ key: 'any/model' }).snapshot().initial;

function floorAndInitial(data: unknown): readonly Finding[] {
  const floor = valueAt(data, ['governor', 'floor']);
  const initial = valueAt(data, ['governor', 'initial']);
  if (typeof floor !== 'number' || floor <= (typeof initial === 'number' ? initial : defaultInitial)) return [];
  const start = typeof initial === 'number' ? `initial, ${initial}` : `initial, by default ${defaultInitial}`;
  return [
    {
      path: ['governor', 'floor'],
      at: 'value',
      message: `${floor} is above ${start}; the cap starts at or above its floor`,
    },
  ];
}

/** What asks the providers: each entry of the workload, with its place. */
interface Caller {
  readonly path: Path;
  readonly list: string;
  readonly index: number;
  readonly id: unknown;
  readonly target: unknown;
}

const callerLists = ['runs', 'arrivals', 'observers', 'pipelines'];

function callers(data: unknown): readonly Caller[] {
  return callerLists.flatMap((list) =>
    asList(valueAt(data, ['workload', list])).map((written, index) => {
      const { id, target } = asMapping(written) ?? {};
      return { path: ['workload', list, index], list, index, id, target };
    }),
  );
}

function hasRuns(data: unknown): readonly Finding[] {
  const workload = asMapping(valueAt(data, ['workload']));
  const isThere = (list: unknown): boolean => list !== undefined && !isEmptyList(list);
  if (workload === undefined || ['runs', 'arrivals', 'pipelines'].some((list) => isThere(workload[list]))) return [];
  return [
    {
      path: ['workload', 'runs'],
      at: 'value',
      message: 'nothing is asked of the providers; give at least one run, arrival or pipeline',
    },
  ];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function callerIds(data: unknown): readonly Finding[] {
  const all = callers(data);
  const ids = all.map(({ id }) => (typeof id === 'string' ? id : undefined));
  return repeats(ids).flatMap(({ index, first, name }) => {
    const [caller, taken] = [all[index], all[first]];
    if (caller === undefined || taken === undefined) return [];
    const message = `${echo(name)} is the id of ${taken.list}[${taken.index}] as well; each has its own`;
    return [{ path: [...caller.path, 'id'], at: 'value' as const, message }];
  });
}

/** A target that has the form of one, where it stands, and who asks it. */
interface WrittenTarget {
  readonly path: Path;
  readonly caller: Path;
  readonly target: string;
}

function writtenTargets(data: unknown): readonly WrittenTarget[] {
  const all = callers(data);
  const places = all.flatMap(({ path, list }): readonly (readonly [Path, Path])[] => [
    [path, path],
    ...(list === 'pipelines' ? stagePaths(data, path).map((stage) => [stage, path] as const) : []),
  ]);
  const own = places.flatMap(([place, caller]): readonly WrittenTarget[] => {
    const path: Path = [...place, 'target'];
    const target = valueAt(data, path);
    return typeof target === 'string' && target.includes('/') ? [{ path, caller, target }] : [];
  });
  const amended = amendedModels(data).flatMap(({ path, run, model }) =>
    all.flatMap(({ id, path: caller }) => (id === run ? [{ path, caller, target: model }] : [])),
  );
  return [...own, ...amended];
}

function stagePaths(data: unknown, pipeline: Path): readonly Path[] {
  return asList(valueAt(data, [...pipeline, 'stages'])).map((_, index) => [...pipeline, 'stages', index]);
}

function targets(data: unknown): readonly Finding[] {
  const models = entriesOf(valueAt(data, ['providers'])).map(
    ([provider, settings]) => [provider, asMapping(asMapping(settings)?.models)] as const,
  );
  // Where the providers or their models are missing, that is what there is to say.
  const isMissing = asMapping(valueAt(data, ['providers'])) === undefined;
  if (isMissing || models.some(([, ofProvider]) => ofProvider === undefined)) return [];
  const keys = models.flatMap(([provider, ofProvider]) =>
    Object.keys(ofProvider ?? {}).map((model) => `${provider}/${model}`),
  );
  return writtenTargets(data)
    .filter(({ target }) => !keys.includes(target))
    .map(({ path, target }) => ({
      path,
      at: 'value',
      message: `there is no ${echo(target)}${suggestion(target, keys, 'there is')}`,
    }));
}

/** An attempt that hangs has no end but its timeout. */
function hangs(data: unknown): readonly Finding[] {
  return writtenTargets(data).flatMap(({ caller, target }): readonly Finding[] => {
    const { provider, model } = splitTarget(target);
    const faults = asList(valueAt(data, ['providers', provider, 'models', model, 'faults']));
    const at = faults.findIndex((fault) => asMapping(fault)?.kind === 'hang');
    if (at < 0 || valueAt(data, [...caller, 'timeout']) !== undefined) return [];
    const message = `is missing; ${echo(target)} may hang (faults[${at}]), and an attempt that hangs ends only by a timeout`;
    return [{ path: [...caller, 'timeout'], at: 'value', message }];
  });
}

/** What of tasks it has, and so has its summary. */
function taskParts(data: unknown): TaskParts {
  const lives = [
    ...asList(valueAt(data, ['workload', 'runs'])).map((run) => asMapping(run)?.agents),
    ...asList(valueAt(data, ['workload', 'pipelines'])).flatMap((pipeline) => asList(asMapping(pipeline)?.stages)),
  ];
  const have = (part: string): boolean => lives.some((life) => asMapping(life)?.[part] !== undefined);
  const [tools, context] = [have('tools'), have('context')];
  const executors = valueAt(data, ['workload', 'executors']) !== undefined;
  return { tasks: tools || context || executors || have('limits'), tools, context, executors };
}

/** The names that the scenario gives to the fields of its summary. */
export function summaryNames(data: unknown): SummaryNames {
  const targets = writtenTargets(data);
  const gates = targets.map(({ caller, target }) => {
    const { process, inProcess } = asMapping(valueAt(data, caller)) ?? {};
    const named = process !== undefined && caller[1] === 'runs' ? process : inProcess;
    return typeof named === 'string' ? `${target}@${named}` : target;
  });
  const runs = asList(valueAt(data, ['workload', 'runs'])).flatMap((run) => {
    const { id, gate } = asMapping(run) ?? {};
    return typeof id === 'string' ? [{ id, isGated: gate !== undefined }] : [];
  });
  const pipelines = callers(data).flatMap(({ list, id }) =>
    list === 'pipelines' && typeof id === 'string' ? [id] : [],
  );
  return {
    gates: [...new Set(gates)],
    keys: [...new Set(targets.map(({ target }) => target))],
    runs: [...runs.flatMap(({ id }) => [id, ...successorIds(data, id)]), ...pipelines],
    stagesOf: (run) => stagesOf(data, run),
    gated: runs.flatMap(({ id, isGated }) => (isGated ? [id, ...successorIds(data, id)] : [])),
    quotasOf: (key) => {
      const { provider, model } = splitTarget(key);
      const has = (...path: Path): boolean => valueAt(data, ['providers', provider, ...path]) !== undefined;
      const names = [['quotas'], ['models', model, 'quotas']]
        .flatMap((path) => asList(valueAt(data, ['providers', provider, ...path])))
        .flatMap((quota) => quotaNameOf(quota) ?? []);
      if (has('overload') || has('models', model, 'overload')) names.push('overload');
      if (has('models', model, 'server')) names.push('queue');
      return names;
    },
    ...taskParts(data),
    crashes: asList(valueAt(data, ['timeline'])).some((entry) => asMapping(entry)?.crash !== undefined),
    isGoverned: valueAt(data, ['governor', 'controller']) !== 'none',
  };
}

/** The names of the stages of the pipeline with this id; none of a run that is no pipeline. */
function stagesOf(data: unknown, id: string): readonly string[] {
  const pipeline = asList(valueAt(data, ['workload', 'pipelines'])).find((each) => asMapping(each)?.id === id);
  return stageNames(asMapping(pipeline) ?? {}).filter((name) => name !== undefined);
}
