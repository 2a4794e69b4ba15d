/** What the folds of a trace need of the scenario that it carries. Reads it only. */

import type { ProviderSettings, Scenario } from '../scenario/scenario.js';
import type { TaskParts } from '../scenario/summary-fields.js';
import type { TraceStarted } from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';

/** A trace is written with the whole scenario; its version says which shape that has. */
export function scenarioOf(started: TraceStarted): Scenario {
  return started.scenario as Scenario;
}

/** Whether a refusal of the current epoch always turns it, and nothing else cuts: the trace then shows every epoch. */
export function hasReferenceEpochs(started: TraceStarted): boolean {
  const { pacing = 'off', latencySignal = false } = scenarioOf(started).governor.options;
  return started.controller === 'aimd' && pacing === 'off' && !latencySignal;
}

/** Each `provider/model` that is asked: by runs in the order of the file, arrivals, observers, pipelines, amended runs. */
export function keysAsked(scenario: Scenario): readonly string[] {
  return [...new Set(gatesAsked(scenario).map(({ key }) => key))];
}

/** The same, each process with a gate of its own. */
export function gatesAsked({
  workload,
  timeline,
}: Scenario): readonly { readonly gate: string; readonly key: string }[] {
  const { runs, arrivals = [], observers = [], pipelines = [] } = workload;
  const stages = pipelines.flatMap((pipeline) => pipeline.stages.map(({ target }) => ({ target, process: undefined })));
  const amended = timeline.flatMap((entry) => {
    const run = entry.kind === 'amend' && entry.target ? runs.find(({ id }) => id === entry.run) : undefined;
    return run === undefined || entry.kind !== 'amend' || !entry.target ? [] : [{ ...run, target: entry.target }];
  });
  const gates = [...runs, ...arrivals, ...observers, ...stages, ...amended].map(({ target, process }) => {
    const key = `${target.provider}/${target.model}`;
    return [gateOf({ key, process }), key] as const;
  });
  return [...new Map(gates)].map(([gate, key]) => ({ gate, key }));
}

export function taskPartsOf({ workload }: Scenario): TaskParts {
  const { runs, pipelines = [] } = workload;
  const lives = [...runs.map(({ agents }) => agents), ...pipelines.flatMap(({ stages }) => stages)];
  const tools = lives.some((life) => life.tools !== undefined);
  const context = lives.some((life) => life.context !== undefined);
  const executors = workload.executors !== undefined;
  const limits = lives.some((life) => life.limits !== undefined);
  return { tasks: tools || context || executors || limits, tools, context, executors };
}

/** What the provider really takes at once of this key: the smallest concurrency quota; null where there is none. */
export function concurrencyLimit(key: string, providers: Readonly<Record<string, ProviderSettings>>): number | null {
  const slash = key.indexOf('/');
  const provider = providers[key.slice(0, slash)];
  const quotas = [...(provider?.quotas ?? []), ...(provider?.models[key.slice(slash + 1)]?.quotas ?? [])];
  const limits = quotas.flatMap((quota) => (quota.kind === 'concurrency' ? [quota.limit] : []));
  return limits.length === 0 ? null : Math.min(...limits);
}
