/**
 * Reads the body of an answer as it comes: what is generated, what was used, and the text by which it will be judged. Of a
 * document it keeps all, of a stream the end, which tells how it ended. Judges nothing itself.
 */

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ClientDialect } from './client-dialect.js';

export interface AnswerReader {
  /** Something generated has come. */
  readonly hasGenerated: boolean;
  /** As the answer states them. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** The next bytes, cut anywhere. */
  take(bytes: Uint8Array): void;
  /** What to judge the answer by: a document, parsed where that is possible, or text. Asked once, after the last bytes. */
  body(): unknown;
}

/** As much of a stream as the governor's rules look at, and as much again. */
const KEPT = 32_768;

/** @param contentType of the answer. */
export function readerOf(contentType: string, dialect: ClientDialect): AnswerReader {
  return /event-stream/i.test(contentType) ? new StreamReader(dialect) : new DocumentReader(dialect);
}

class DocumentReader implements AnswerReader {
  /** It comes as a whole, and nobody can tell when it was generated. */
  readonly hasGenerated = false;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  readonly #dialect: ClientDialect;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(dialect: ClientDialect) {
    this.#dialect = dialect;
  }

  take(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true });
  }

  body(): unknown {
    const document = parsed(this.#text);
    const { inputTokens, outputTokens } = this.#dialect.read(document);
    this.inputTokens = inputTokens;
    this.outputTokens = outputTokens;
    return document ?? this.#text;
  }
}

class StreamReader implements AnswerReader {
  hasGenerated = false;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  readonly #dialect: ClientDialect;
  readonly #decoder = new TextDecoder();
  #text = '';
  readonly #parser = createParser({
    onEvent: (event) => this.#hear(event),
    onComment: (comment) => this.#keep(`:${comment}\n\n`),
  });

  constructor(dialect: ClientDialect) {
    this.#dialect = dialect;
  }

  take(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Whole events only: one that was cut off was never said. */
  body(): string {
    return this.#text;
  }

  #hear({ event, data }: EventSourceMessage): void {
    this.#keep(event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`);
    const said = this.#dialect.read(parsed(data));
    this.hasGenerated ||= said.isGenerated;
    this.inputTokens = said.inputTokens ?? this.inputTokens;
    this.outputTokens = said.outputTokens ?? this.outputTokens;
  }

  #keep(frame: string): void {
    this.#text += frame;
    if (this.#text.length > 2 * KEPT) this.#text = this.#text.slice(-KEPT);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
