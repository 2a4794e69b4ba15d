/**
 * Reads the body of an answer as it comes: what is generated, what was used, and the text by which it will be judged. Of a
 * document it keeps all, of a stream what tells how it ended: its mere pieces, but for the first, say nothing of that.
 * Judges nothing itself.
 */

import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ClientDialect, Piece, Said } from './client-dialect.js';

export interface AnswerReader {
  /** Pieces of the stream so far that hold something generated, be it reasoning or the answer proper. */
  readonly pieces: number;
  /** Of the answer proper something has come. */
  readonly hasAnswered: boolean;
  /** As the answer states them. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** The answer proper, where it is to be kept. */
  readonly answer: string;
  /** The next bytes, cut anywhere. */
  take(bytes: Uint8Array): void;
  /** What to judge the answer by: a document, parsed where that is possible, or text. Asked once, after the last bytes. */
  body(): unknown;
}

export interface ReaderOptions {
  readonly dialect: ClientDialect;
  /** Whether the answer's text is kept. */
  readonly keepsAnswer: boolean;
}

/** As much of a stream as the governor's rules look at, and as much again. */
const KEPT = 32_768;
/** Some servers begin a text with it; it belongs to no field. */
const BYTE_ORDER_MARK = '\uFEFF';

/** @param contentType of the answer. */
export function readerOf(contentType: string, options: ReaderOptions): AnswerReader {
  return /event-stream/i.test(contentType) ? new StreamReader(options) : new DocumentReader(options);
}

/** What both kinds of answers are found to say. */
class Findings {
  pieces = 0;
  hasAnswered = false;
  answer = '';
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  reasoningTokens: number | undefined;
  readonly #keepsAnswer: boolean;

  constructor(keepsAnswer: boolean) {
    this.#keepsAnswer = keepsAnswer;
  }

  protected grow(piece: Piece): void {
    this.pieces++;
    if (piece === 'answer') this.hasAnswered = true;
  }

  protected hear({ answer, reasoning, inputTokens, outputTokens, reasoningTokens }: Said): void {
    if (answer !== '') this.grow('answer');
    else if (reasoning !== '') this.grow('reasoning');
    if (this.#keepsAnswer) this.answer += answer;
    this.inputTokens = inputTokens ?? this.inputTokens;
    this.outputTokens = outputTokens ?? this.outputTokens;
    this.reasoningTokens = reasoningTokens ?? this.reasoningTokens;
  }
}

/** It comes as a whole, and nobody can tell when it was generated. */
class DocumentReader extends Findings implements AnswerReader {
  readonly #dialect: ClientDialect;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor({ dialect, keepsAnswer }: ReaderOptions) {
    super(keepsAnswer);
    this.#dialect = dialect;
  }

  take(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true });
  }

  body(): unknown {
    const document = parsed(this.#text);
    this.hear(this.#dialect.read(document));
    return document ?? this.#text;
  }
}

class StreamReader extends Findings implements AnswerReader {
  readonly #dialect: ClientDialect;
  /** To be kept, an answer has to be read word for word. */
  readonly #readsAll: boolean;
  readonly #decoder = new StringDecoder();
  #isBegun = false;
  #text = '';
  readonly #parser = createParser({
    onEvent: (event) => this.#event(event),
    onComment: (comment) => this.#keep(`:${comment}\n\n`),
  });

  constructor({ dialect, keepsAnswer }: ReaderOptions) {
    super(keepsAnswer);
    this.#dialect = dialect;
    this.#readsAll = keepsAnswer;
  }

  take(bytes: Uint8Array): void {
    const text = this.#decoder.write(bytes);
    if (text === '') return;
    this.#parser.feed(this.#isBegun || text[0] !== BYTE_ORDER_MARK ? text : text.slice(1));
    this.#isBegun = true;
  }

  /** Whole events only: one that was cut off was never said. */
  body(): string {
    return this.#text;
  }

  #event({ event, data }: EventSourceMessage): void {
    const piece = this.#readsAll ? undefined : this.#dialect.glance(data);
    if (piece === undefined) {
      this.#keepEvent(event, data);
      // What ends a stream may be no document: [DONE]. To fail at parsing it would cost more than all its pieces.
      this.hear(this.#dialect.read(data[0] === '{' ? parsed(data) : undefined));
      return;
    }
    if (this.pieces === 0) this.#keepEvent(event, data);
    this.grow(piece);
  }

  #keepEvent(event: string | undefined, data: string): void {
    this.#keep(event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`);
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
