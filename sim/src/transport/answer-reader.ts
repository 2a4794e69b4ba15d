/**
 * Reads the body of an answer as it comes: what is generated, what was used, and the text by which it will be judged. Of a
 * document it keeps all, of a stream the end, which tells how it ended. Judges nothing itself.
 */

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ClientDialect, Said } from './client-dialect.js';

export interface AnswerReader {
  /** Pieces of the stream so far that hold something generated, be it reasoning or the answer proper. */
  readonly pieces: number;
  /** Of the answer proper something has come. */
  readonly hasAnswered: boolean;
  /** Characters generated so far. */
  readonly characters: number;
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

/** @param contentType of the answer. */
export function readerOf(contentType: string, options: ReaderOptions): AnswerReader {
  return /event-stream/i.test(contentType) ? new StreamReader(options) : new DocumentReader(options);
}

/** What both kinds of answers are found to say. */
class Findings {
  pieces = 0;
  hasAnswered = false;
  characters = 0;
  answer = '';
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  reasoningTokens: number | undefined;
  readonly #keepsAnswer: boolean;

  constructor(keepsAnswer: boolean) {
    this.#keepsAnswer = keepsAnswer;
  }

  protected hear({ answer, reasoning, inputTokens, outputTokens, reasoningTokens }: Said): void {
    if (answer !== '' || reasoning !== '') this.pieces++;
    if (answer !== '') this.hasAnswered = true;
    this.characters += answer.length + reasoning.length;
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
  readonly #decoder = new TextDecoder();
  #text = '';
  readonly #parser = createParser({
    onEvent: (event) => this.#event(event),
    onComment: (comment) => this.#keep(`:${comment}\n\n`),
  });

  constructor({ dialect, keepsAnswer }: ReaderOptions) {
    super(keepsAnswer);
    this.#dialect = dialect;
  }

  take(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Whole events only: one that was cut off was never said. */
  body(): string {
    return this.#text;
  }

  #event({ event, data }: EventSourceMessage): void {
    this.#keep(event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`);
    this.hear(this.#dialect.read(parsed(data)));
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
