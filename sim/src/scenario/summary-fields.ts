/**
 * The fields of `summary.json` that a scenario's run has, and how a path of `expect` is read: each field that ends in
 * `Ms` may be written without it. Mirrors the summary as published; holds no values.
 */

import { type Path, parsePath } from './path.js';
import { asMapping } from './raw-data.js';

/** What a field's numbers count; `absent`: null whatever happens. */
export type FieldUnit = 'ms' | 'share' | 'number' | 'text' | 'flag' | 'list' | 'absent';

export interface Fields {
  readonly [name: string]: FieldUnit | Fields;
}

/** What of tasks a scenario has: where it has none of it, its trace and summary say nothing of it. */
export interface TaskParts {
  readonly tasks: boolean;
  readonly tools: boolean;
  readonly context: boolean;
  readonly executors: boolean;
}

/** The names that the scenario brings into its summary. */
export interface SummaryNames extends TaskParts {
  /** Whether the timeline has a crash. */
  readonly crashes: boolean;
  /** Each `provider/model` that is asked, `provider/model@process` where a process is named. */
  readonly gates: readonly string[];
  /** Each `provider/model` that is asked. */
  readonly keys: readonly string[];
  readonly runs: readonly string[];
  /** Of these, the ones with a gate. */
  readonly gated: readonly string[];
  /** Of a run that is a pipeline; none of any other. */
  stagesOf(run: string): readonly string[];
  /** The quotas that may refuse a request of this key. */
  quotasOf(key: string): readonly string[];
  /** Whether anything governs; without, there is no cap. */
  readonly isGoverned: boolean;
}

function all<const Name extends string>(unit: FieldUnit, ...names: readonly Name[]): Record<Name, FieldUnit> {
  return Object.fromEntries(names.map((name) => [name, unit])) as Record<Name, FieldUnit>;
}

function each(names: readonly string[], fields: (name: string) => Fields): Fields {
  return Object.fromEntries(names.map((name) => [name, fields(name)]));
}

const times: Fields = { ...all('ms', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'), count: 'number' };
const level: Fields = all('number', 'max', 'mean');

export function summaryFields(names: SummaryNames): Fields {
  return {
    ...all('text', 'scenario', 'mode', 'controller', 'version', 'traceSha256'),
    ...all('ms', 'virtualMs', 'makespanMs'),
    seed: 'number',
    complete: 'flag',
    requests: all('number', 'logical', 'attempts', 'succeeded', 'refused', 'failed', 'ended', 'lost', 'unfinished'),
    refused: { share: 'share', first: 'ms', perMinute: 'number' },
    tokens: all('number', 'input', 'output', 'repeated'),
    latencyMs: { wait: times, service: times, total: times, firstToken: times },
    queue: level,
    inFlight: level,
    keys: each(names.gates, () => keyFields(names.isGoverned)),
    runs: each(names.runs, (run) => ({
      bound: 'number',
      makespanMs: 'ms',
      effective: all('number', 'min', 'mean'),
      waitMs: 'ms',
      agents: 'number',
      cacheHits: 'number',
      ...(names.gated.includes(run) && { skipped: 'flag' as const }),
      ...stagesFields(names.stagesOf(run)),
    })),
    providers: each(names.keys, (key) => ({
      ...all('number', 'admitted', 'refused', 'peakInFlight'),
      refusedBy: Object.fromEntries(names.quotasOf(key).map((quota) => [quota, 'number' as const])),
    })),
    ...taskFields(names),
    ...(names.crashes && {
      crashes: { ...all('number', 'count', 'brokenOff', 'resumed', 'duplicatesSuppressed'), downMs: 'ms' },
    }),
    expectations: 'list',
  };
}

/** Of what the scenario has of tasks. */
function taskFields({ tasks, tools, context, executors }: SummaryNames): Fields {
  const reasons = all('number', 'done', 'steps', 'tokens', 'time', 'tool-time', 'context-window', 'request-lost');
  const counts = all('number', 'calls', 'done', 'failed', 'timedOut', 'invalidArguments', 'cut', 'runningMax');
  const kinds = all('number', 'fixed', 'summary', 'turns', 'results', 'fresh', 'summarising');
  return {
    ...(tasks && { tasks: { steps: 'number', endedBy: reasons, durationMs: times } }),
    ...(tools && { tools: { ...counts, resultTokens: 'number', waitMs: times, lateMs: times } }),
    ...(context && { context: { ...all('number', 'compactions', 'largest'), inputTokens: kinds } }),
    ...(executors && { executors: { waitMs: times } }),
  };
}

function stagesFields(stages: readonly string[]): Fields {
  return stages.length === 0 ? {} : { stages: each(stages, () => stageFields) };
}

const stageFields: Fields = all(
  'number',
  'dispatches',
  'refusals',
  'rounds',
  'warnings',
  'interrupts',
  'reports',
  'hardStops',
  'cachedTokens',
);

function keyFields(isGoverned: boolean): Fields {
  return {
    cap: all(isGoverned ? 'number' : 'absent', 'initial', 'min', 'max', 'final', 'mean'),
    inFlight: level,
    queue: level,
    ...all('number', 'cuts', 'raises', 'idleResets', 'epochs'),
    cooldownMs: 'ms',
    capPath: 'list',
  };
}

/** The name that `fields` has for a step as written; undefined if it has none. `isShort`: `Ms` was left out. */
export function fieldName(
  fields: Readonly<Record<string, unknown>>,
  written: string,
): { readonly name: string; readonly isShort: boolean } | undefined {
  if (Object.hasOwn(fields, written)) return { name: written, isShort: false };
  return Object.hasOwn(fields, `${written}Ms`) ? { name: `${written}Ms`, isShort: true } : undefined;
}

/**
 * What a summary holds at the path of an expectation; undefined where it has no such field.
 * @param path As an `Expectation` has it: in the notation of `--set`, `Ms` left out or not.
 */
export function readSummaryField(summary: unknown, path: string): unknown {
  const reading = parsePath(path);
  const steps: Path = reading.kind === 'path' ? reading.path : [];
  return steps.length === 0 ? undefined : steps.reduce<unknown>(fieldOf, summary);
}

function fieldOf(value: unknown, step: string | number): unknown {
  const fields = asMapping(value);
  const found = fields && fieldName(fields, String(step));
  return fields && found && fields[found.name];
}
