/**
 * The timeline of a scenario, in order of time: each `set` applied to the provider as the ones before it left it, and the
 * provider checked and resolved again; it may only move numbers, latencies and hints of what is there, and the bounds of
 * pipelines. What happens to runs is read as it stands.
 */

import type { z } from 'zod';
import { readDuration } from './duration.js';
import { check } from './issues.js';
import { formatPath, isWithin, type Path, parsePath } from './path.js';
import { readPipelineChange } from './pipeline-changes.js';
import type { Finding } from './problems.js';
import { quotaNameOf } from './quota-schema.js';
import { asList, asMapping, entriesOf, valueAt, withValue } from './raw-data.js';
import type { ProviderSettings, TimelineEntry } from './scenario.js';
import { setValue } from './set-value.js';
import { readRunChanges } from './timeline-schema.js';

export interface TimelineSchemas {
  /** Of the whole scenario: it knows which paths there are. */
  readonly scenario: unknown;
  readonly provider: z.ZodType<ProviderSettings>;
}

export interface ReadTimeline {
  readonly entries: readonly TimelineEntry[];
  readonly findings: readonly Finding[];
}

/** @param data The scenario as written. What is wrong with it elsewhere is not repeated here. */
export function readTimeline(data: unknown, schemas: TimelineSchemas): ReadTimeline {
  const entries: Placed[] = readRunChanges(valueAt(data, ['timeline']));
  const findings: Finding[] = [];
  const changes = writtenChanges(data);
  if (changes.length === 0) return { entries: inTime(entries), findings };
  const sound = soundProviders(data, schemas);
  let current = withPinnedNames(data);
  for (const change of changes) {
    const step = applyChange(current, change, schemas, sound);
    if (step.kind === 'findings') findings.push(...step.findings);
    if (step.kind === 'changed') {
      current = step.data;
      entries.push({ index: change.index, entry: step.entry });
    }
  }
  return { entries: inTime(entries), findings };
}

/** `index`: of the entry in the file. */
type Placed = { readonly index: number; readonly entry: TimelineEntry };

/** At equal times in order of the file. */
function inTime(entries: readonly Placed[]): readonly TimelineEntry[] {
  return [...entries].sort((a, b) => a.entry.atMs - b.entry.atMs || a.index - b.index).map(({ entry }) => entry);
}

interface Change {
  readonly atMs: number;
  /** Of the entry in the file. */
  readonly index: number;
  readonly path: string;
  readonly value: unknown;
}

/** In order of time, at equal times in order of the file. */
function writtenChanges(data: unknown): readonly Change[] {
  const changes = [...asList(valueAt(data, ['timeline'])).entries()].flatMap(([index, entry]) => {
    const at = readDuration(asMapping(entry)?.at);
    // A time that cannot be read is the schema's to refuse; the paths are still looked at.
    const atMs = at.kind === 'duration' ? at.ms : 0;
    return entriesOf(asMapping(entry)?.set).map(([path, value]) => ({ atMs, index, path, value }));
  });
  return changes.sort((a, b) => a.atMs - b.atMs);
}

/** A default name follows the quota's window; during a run it stays what it was at the start. */
function withPinnedNames(data: unknown): unknown {
  let pinned = data;
  const pin = (path: Path): void => {
    for (const [i, quota] of asList(valueAt(data, path)).entries()) {
      const name = quotaNameOf(quota);
      if (name !== undefined) pinned = withValue(pinned, [...path, i, 'name'], name);
    }
  };
  for (const [provider, settings] of entriesOf(valueAt(data, ['providers']))) {
    pin(['providers', provider, 'quotas']);
    for (const [model] of entriesOf(asMapping(settings)?.models))
      pin(['providers', provider, 'models', model, 'quotas']);
  }
  return pinned;
}

/** The providers without problems of their own; of the others no change can be judged. */
function soundProviders(data: unknown, schemas: TimelineSchemas): ReadonlySet<string> {
  const all = entriesOf(valueAt(data, ['providers']));
  return new Set(all.filter(([, written]) => check(schemas.provider, written).kind === 'fits').map(([name]) => name));
}

type Step =
  | { readonly kind: 'changed'; readonly data: unknown; readonly entry: TimelineEntry }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] };

function applyChange(
  data: unknown,
  { atMs, index, path: text, value }: Change,
  schemas: TimelineSchemas,
  sound: ReadonlySet<string>,
): Step {
  const place: Path = ['timeline', index, 'set', text];
  const wrongPath = (message: string): Step => ({ kind: 'findings', findings: [{ path: place, at: 'name', message }] });
  const reading = parsePath(text);
  if (reading.kind === 'problem') return wrongPath(reading.message);
  const path = reading.path;
  const [, provider] = path;
  const changed = setValue(schemas.scenario, data, path, value);
  if (changed.kind === 'problem') return wrongPath(changed.message);
  const ofPipeline = readPipelineChange(data, path, value, atMs);
  if (ofPipeline.kind === 'change') return { kind: 'changed', data: changed.data, entry: ofPipeline.change };
  if (ofPipeline.kind === 'problem') {
    return { kind: 'findings', findings: [{ path: place, at: 'value', message: ofPipeline.message }] };
  }
  if (typeof provider !== 'string' || !isChangeable(path)) return wrongPath(whatIsChangeable);
  if (isOfServer(path) && valueAt(data, path.slice(0, -1)) === undefined) {
    return wrongPath('the model has no server whose places could change');
  }

  if (!sound.has(provider)) return { kind: 'findings', findings: [] };
  const base: Path = ['providers', provider];
  const after = check(schemas.provider, valueAt(changed.data, base), base);
  if (after.kind === 'fits') {
    const entry: TimelineEntry = { kind: 'set', atMs, path: text, value, provider, becomes: after.value };
    return { kind: 'changed', data: changed.data, entry };
  }
  const findings = after.findings.map((finding) => ({ ...finding, path: place, message: located(finding, path) }));
  return { kind: 'findings', findings };
}

const quotaNumbers = ['concurrency', 'requests', 'tokens', 'per', 'burst'];

const whatIsChangeable =
  `cannot change during a run; what can are the numbers of a quota (${quotaNumbers.join(', ')}), latency, retryAfter, ` +
  'server.slots and server.queue, as providers.acme.models.large.quotas[0].concurrency, and the bounds of a pipeline, as ' +
  'workload.pipelines[0].stages[1].maxConcurrency';

/** At the number of a server's places, or of those in its queue. */
function isOfServer(path: Path): boolean {
  const [, , models, , server, field] = path;
  return models === 'models' && server === 'server' && (field === 'slots' || field === 'queue') && path.length === 6;
}

/** Whether a run can go on with another value there: nothing appears, goes, or becomes of another kind. */
function isChangeable(path: Path): boolean {
  const [top, , ...below] = path;
  if (top !== 'providers') return false;
  if (isOfServer(path)) return true;
  const ofModel = below[0] === 'models';
  const [what, index, field, ...more] = ofModel ? below.slice(2) : below;
  if (ofModel && (what === 'latency' || what === 'retryAfter')) return true;
  return what === 'quotas' && index !== undefined && quotaNumbers.includes(String(field)) && more.length === 0;
}

/** The message of a finding, with its place where that is not the changed value itself. */
function located({ path, message }: Finding, changed: Path): string {
  if (!isWithin(path, changed)) return `${formatPath(path)}: ${message}`;
  const inner = formatPath(path.slice(changed.length));
  return inner === '' ? message : `${inner}: ${message}`;
}
