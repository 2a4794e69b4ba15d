/**
 * Writes a trace to a file, one event a line, and computes the SHA-256 of the file's bytes on the way. Keeps no more
 * than one chunk in memory, however long the run. Never changes an event and never reads the file again.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { EventBytes } from './event-bytes.js';
import type { TraceEvent } from './events.js';
import { OutputError } from './output-error.js';

/** Bytes per write: some hundreds of events, so that a system call costs nothing per event. */
const CHUNK = 65_536;

export class TraceWriter {
  readonly #path: string;
  readonly #lines = new EventBytes();
  readonly #hash = createHash('sha256');
  readonly #file: number;
  #isOpen = true;
  #sha256: string | undefined;

  /** @throws OutputError if the file cannot be created. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'w');
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  /** @throws OutputError if the file cannot take it. */
  observe(event: TraceEvent): void {
    this.#lines.add(event);
    if (this.#lines.size >= CHUNK) this.#flush();
  }

  /**
   * Writes what is left and closes the file.
   * @returns the SHA-256 of the file's bytes, in hexadecimal; the same when called again.
   * @throws OutputError if the file cannot take it.
   */
  close(): string {
    if (this.#sha256 === undefined) {
      this.#flush();
      this.abandon();
      this.#sha256 = this.#hash.digest('hex');
    }
    return this.#sha256;
  }

  /** Closes the file as it is. Does nothing once it is closed. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = this.#lines.take();
    this.#hash.update(bytes);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  #failure(cause: unknown): OutputError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'make room there, choose another place with --out DIR, or write no trace with --no-trace';
    return new OutputError(`${this.#path}: the trace cannot be written (${reason}); ${advice}`, { cause });
  }
}
