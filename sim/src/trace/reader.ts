/**
 * Reads a trace back, line by line, and hands each event to whoever observes. A last line that breaks off is what an
 * interrupted run leaves: it is reported and does no harm. Any other bad line is refused with its number. Keeps one line
 * in memory; checks that a line is an event, not what the event says.
 */

import { createHash } from 'node:crypto';
import type { TraceEvent } from './events.js';
import { linesOf } from './lines.js';
import { TraceError } from './trace-error.js';

export { TraceError } from './trace-error.js';

export interface TraceReading {
  readonly events: number;
  /** Of the file's bytes, in hexadecimal. */
  readonly sha256: string;
  /** The number of a last line that breaks off and was left out; null where there is none. */
  readonly brokenLine: number | null;
}

/** Every type of event there is; the compiler sees to it that none is missing. */
const TYPES: Readonly<Record<TraceEvent['type'], true>> = {
  'trace-started': true,
  'run-started': true,
  'request-queued': true,
  'request-admitted': true,
  'request-settled': true,
  'retry-scheduled': true,
  'request-withdrawn': true,
  'run-paused': true,
  'run-skipped': true,
  'concurrency-changed': true,
  'run-caps-changed': true,
  'node-waiting': true,
  'node-executing': true,
  'run-stalled': true,
  'provider-changed': true,
  'stage-dispatched': true,
  'stage-refused': true,
  'child-steered': true,
  'budget-warned': true,
  'turn-interrupted': true,
  'child-stopped': true,
  'child-settled': true,
  'pipeline-changed': true,
  'run-crashed': true,
  'run-resumed': true,
  'request-resumed': true,
  'step-started': true,
  'tool-started': true,
  'tool-finished': true,
  'tool-released': true,
  'context-compacted': true,
  'task-ended': true,
  'run-finished': true,
  'trace-finished': true,
};

/**
 * Reads the trace at `path`; what `observe` throws ends the reading and is thrown by it.
 * @throws TraceError if the file cannot be read or a line of it, but the last, is no event.
 */
export function readTrace(path: string, observe: (event: TraceEvent) => void): TraceReading {
  const hash = createHash('sha256');
  let line = 0;
  let brokenLine: number | null = null;
  for (const { text, endsHere } of linesOf(path, (bytes) => hash.update(bytes))) {
    line++;
    const event = eventIn(text, line, path);
    if (event !== undefined) observe(event);
    else if (endsHere && line > 1) brokenLine = line;
    else throw new TraceError(`${path}: line ${line} is not JSON; a trace has one event a line`);
  }
  if (line === 0) throw new TraceError(`${path}: is empty; a trace begins with a trace-started event`);
  return { events: brokenLine === null ? line : line - 1, sha256: hash.digest('hex'), brokenLine };
}

/**
 * The event of a line, counted from 1; undefined where the text is not JSON, as that of a line that breaks off.
 * @throws TraceError if it is JSON and no event.
 */
export function eventIn(text: string, line: number, path: string): TraceEvent | undefined {
  const value = parseJson(text);
  const problem = value === undefined ? undefined : problemOf(value, line);
  if (problem !== undefined) throw new TraceError(`${path}: line ${line} ${problem}`);
  return value as TraceEvent | undefined;
}

/** Undefined where the text is not JSON; JSON itself knows no undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(value: unknown, line: number): string | undefined {
  const { t, type } = (value ?? {}) as { readonly t?: unknown; readonly type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(TYPES, type)) {
    return `is no event: its type is ${JSON.stringify(type)}; read it with the version that wrote it`;
  }
  if (typeof t !== 'number') return 'is no event: its time t is not a number';
  if (line === 1 && type !== 'trace-started') return `is ${type}; a trace begins with trace-started`;
  return undefined;
}
