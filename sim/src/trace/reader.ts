/**
 * Reads a trace back, line by line, and hands each event to whoever observes. A last line that breaks off is what an
 * interrupted run leaves: it is reported and does no harm. Any other bad line is refused with its number. Keeps one line
 * in memory; checks that a line is an event, not what the event says.
 */

import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { TraceEvent } from './events.js';

export interface TraceReading {
  readonly events: number;
  /** Of the file's bytes, in hexadecimal. */
  readonly sha256: string;
  /** The number of a last line that breaks off and was left out; null where there is none. */
  readonly brokenLine: number | null;
}

/** The file is no trace; the message names the file, the line and what was expected. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
}

const CHUNK = 65_536;

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
  const isThere = forEachLine(path, hash, (text, endsHere) => {
    line++;
    const value = parseJson(text);
    if (value === undefined && endsHere && line > 1) {
      brokenLine = line;
      return;
    }
    const problem = value === undefined ? 'is not JSON; a trace has one event a line' : problemOf(value, line);
    if (problem !== undefined) throw new TraceError(`${path}: line ${line} ${problem}`);
    observe(value as TraceEvent);
  });
  if (!isThere) throw new TraceError(`${path}: is empty; a trace begins with a trace-started event`);
  return { events: brokenLine === null ? line : line - 1, sha256: hash.digest('hex'), brokenLine };
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

/** Calls `see` for every line; `endsHere`: no line break follows. False if there is none at all. */
function forEachLine(path: string, hash: Hash, see: (text: string, endsHere: boolean) => void): boolean {
  const file = open(path);
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.alloc(CHUNK);
    let parts: string[] = [];
    let isEmpty = true;
    for (let size = read(path, file, chunk); size > 0; size = read(path, file, chunk)) {
      isEmpty = false;
      const bytes = chunk.subarray(0, size);
      hash.update(bytes);
      const [first = '', ...others] = decoder.write(bytes).split('\n');
      parts.push(first);
      for (const text of others) {
        see(parts.join(''), false);
        parts = [text];
      }
    }
    const last = parts.join('') + decoder.end();
    if (last !== '') see(last, true);
    return !isEmpty;
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function read(path: string, file: number, chunk: Buffer): number {
  try {
    return readSync(file, chunk);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): TraceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TraceError(`${path}: cannot be read (${reason}); give the trace.jsonl of a run`, { cause });
}
