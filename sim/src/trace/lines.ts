/** The lines of a file, one at a time, as they are asked for: no more than one is in memory. Knows nothing of events. */

import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { TraceError } from './trace-error.js';

export interface Line {
  readonly text: string;
  /** No line break follows: the file ends here, perhaps in the middle of a line. */
  readonly endsHere: boolean;
}

const CHUNK = 65_536;

/**
 * Nothing for an empty file.
 *
 * @param seeBytes called with the bytes of the file as they are read.
 * @throws TraceError if the file cannot be read.
 */
export function* linesOf(path: string, seeBytes: (bytes: Uint8Array) => void = () => {}): Generator<Line, void> {
  const file = attempt(path, () => openSync(path, 'r'));
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.alloc(CHUNK);
    const read = (): number => attempt(path, () => readSync(file, chunk));
    let parts: string[] = [];
    for (let size = read(); size > 0; size = read()) {
      const bytes = chunk.subarray(0, size);
      seeBytes(bytes);
      const [first = '', ...others] = decoder.write(bytes).split('\n');
      parts.push(first);
      for (const text of others) {
        yield { text: parts.join(''), endsHere: false };
        parts = [text];
      }
    }
    const last = parts.join('') + decoder.end();
    if (last !== '') yield { text: last, endsHere: true };
  } finally {
    closeSync(file);
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TraceError(`${path}: cannot be read (${reason}); give the trace.jsonl of a run`, { cause });
  }
}
