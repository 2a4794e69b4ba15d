/**
 * A recorded trace against the same run made again, event by event and byte by byte: whether they are the same, and where
 * they part. Keeps one line in memory; parses a line only where the two differ.
 */

import type { TraceEvent } from '../trace/events.js';
import type { Line } from '../trace/lines.js';

export type Comparison =
  | {
      readonly kind: 'identical';
      /** Compared ones. */
      readonly events: number;
      /** The record may end before the run did: by an interrupt, or in the middle of a line. */
      readonly until: 'its end' | 'the interrupt' | 'where the record breaks off';
    }
  | {
      readonly kind: 'different';
      /** From 1. */
      readonly line: number;
      /** Null where the one has no such line and the other has. */
      readonly recorded: string | null;
      readonly replayed: string | null;
    };

const FINISHED = '"type":"trace-finished"';

export class TraceComparison {
  readonly #lines: Iterator<Line, void>;
  #line = 0;
  #isFinished = false;
  #outcome: Comparison | undefined;

  constructor(lines: Iterator<Line, void>) {
    this.#lines = lines;
  }

  /** Nothing that is still to come can change the outcome. */
  get isDecided(): boolean {
    return this.#outcome !== undefined;
  }

  /** The next event of the run that is made again. */
  observe(event: TraceEvent): void {
    if (this.#outcome !== undefined) return;
    const replayed = JSON.stringify(event);
    const { value: recorded } = this.#lines.next();
    if (recorded === undefined) {
      this.#outcome = this.#isFinished
        ? this.#different(null, replayed)
        : this.#identical('where the record breaks off');
    } else if (recorded.text === replayed) {
      this.#line++;
      this.#isFinished = event.type === 'trace-finished';
    } else {
      this.#outcome = this.#parted(recorded, replayed);
    }
  }

  /** The outcome, when the run has ended. */
  end(): Comparison {
    if (this.#outcome === undefined) {
      const { value: rest } = this.#lines.next();
      this.#outcome = rest === undefined ? this.#identical('its end') : this.#different(rest.text, null);
    }
    this.#lines.return?.();
    return this.#outcome;
  }

  #parted({ text, endsHere }: Line, replayed: string): Comparison {
    const event = parsed(text);
    if (event === undefined && endsHere) return this.#identical('where the record breaks off');
    const isInterrupted = text.includes(FINISHED) && event?.stop === 'interrupted';
    return isInterrupted ? this.#identical('the interrupt') : this.#different(text, replayed);
  }

  #identical(until: Extract<Comparison, { kind: 'identical' }>['until']): Comparison {
    return { kind: 'identical', events: this.#line, until };
  }

  #different(recorded: string | null, replayed: string | null): Comparison {
    return { kind: 'different', line: this.#line + 1, recorded, replayed };
  }
}

function parsed(text: string): { readonly stop?: unknown } | undefined {
  try {
    return JSON.parse(text) as { readonly stop?: unknown };
  } catch {
    return undefined;
  }
}
