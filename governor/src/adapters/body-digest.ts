/**
 * What has to be remembered of a body while it passes in order to judge it: of a document its beginning, of a stream the
 * frames at its two ends, and at once whatever frame reports an error. Memory is bounded whatever the body's length; the
 * bytes themselves are neither kept nor changed, and where they were cut makes no difference.
 */

import { holdsOutput, inspectSuccess } from '../core/answer-body.js';

export interface BodyDigest {
  /** Generated output has passed. */
  readonly outputEmitted: boolean;
  /** Takes the next bytes, cut anywhere. Answers the frames that report an error, if some do. */
  read(bytes: Uint8Array): string | undefined;
  /** What to judge the body by; undefined when there is nothing to see in it. Asked once, after the last `read`. */
  text(): string | undefined;
}

/** Characters: longer than any error on the wire. */
const LIMIT = 16_384;
const HALF = LIMIT / 2;
/** The longest end of a frame, `\r\n\r\n`, may be cut anywhere. */
const OPEN_LIMIT = LIMIT + 4;
/** Bytes that hold more characters than the limit, whatever the characters. */
const ENOUGH_BYTES = 3 * (LIMIT + 1);
const EVENT_STREAM = 'text/event-stream';
/** A comment, so that a text reads as a stream whatever it begins with. */
const STREAM_MARK = ':\n\n';

/** The digest for a successful answer of this content type. */
export function digestOf(contentType: string): BodyDigest {
  if (/event-stream/i.test(contentType)) return new StreamDigest(EVENTS);
  if (/ndjson|jsonl/i.test(contentType)) return new StreamDigest(LINES);
  return /^$|json|text\//i.test(contentType) ? new DocumentDigest() : OPAQUE;
}

/** Sound, pictures, binary frames, compressed bytes: that they arrive whole is all one can see. */
export const OPAQUE: BodyDigest = { outputEmitted: false, read: () => undefined, text: () => undefined };

/** A document is judged by its beginning; one longer than the limit only by whether its end is there. */
class DocumentDigest implements BodyDigest {
  readonly outputEmitted = false;
  readonly #decoder = new TextDecoder();
  #head = '';
  #lastByte = 0;

  /** Nothing more will be remembered. */
  get isFull(): boolean {
    return this.#head.length > LIMIT;
  }

  protected get head(): string {
    return this.#head;
  }

  read(bytes: Uint8Array): undefined {
    if (!this.isFull) this.#head += this.#decoder.decode(bytes.subarray(0, ENOUGH_BYTES), { stream: true });
    this.#lastByte = bytes.findLast((byte) => byte > 0x20) ?? this.#lastByte;
  }

  text(): string | undefined {
    const isOpen = /^\s*[{[]/.test(this.#head) && this.#lastByte !== 0x7d && this.#lastByte !== 0x5d;
    return this.isFull && !isOpen ? undefined : this.#head;
  }
}

/** An error is judged by its beginning, however it goes on. */
export class ErrorDigest extends DocumentDigest {
  override text(): string | undefined {
    return this.head === '' ? undefined : this.head;
  }
}

/** How a kind of stream is divided. */
interface Framing {
  /** Where the last whole frame ends; 0 when none does. */
  end(text: string): number;
  frames(text: string): readonly string[];
}

const EVENTS: Framing = {
  end: (text) => Math.max(after(text, '\n\n'), after(text, '\n\r\n')),
  frames: (text) => text.split(/\r?\n\r?\n/),
};

const LINES: Framing = {
  end: (text) => after(text, '\n'),
  frames: (text) => text.split(/\r?\n/),
};

class StreamDigest implements BodyDigest {
  outputEmitted = false;
  readonly #framing: Framing;
  readonly #decoder = new TextDecoder();
  /** The frame that is not whole yet. */
  #open = '';
  /** The whole frames, first and last. */
  #passed = '';

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  read(bytes: Uint8Array): string | undefined {
    const text = this.#open + this.#decoder.decode(bytes, { stream: true });
    const end = this.#framing.end(text);
    this.#open = clipped(text.slice(end), OPEN_LIMIT);
    if (end === 0) return undefined;
    const events = this.#events(text.slice(0, end));
    this.#passed = clipped(this.#passed + events);
    const hasError = inspectSuccess(STREAM_MARK + events, EVENT_STREAM).kind === 'error';
    this.outputEmitted ||= holdsOutput(events);
    return hasError ? STREAM_MARK + events : undefined;
  }

  text(): string {
    const text = this.#passed + this.#events(this.#open + this.#decoder.decode());
    return text === '' ? '' : STREAM_MARK + text;
  }

  /** Frames with blank lines between them, each as long as it may be wherever it was cut. */
  #events(text: string): string {
    if (text.length <= LIMIT && this.#framing === EVENTS) return text;
    const frames = this.#framing.frames(text);
    return frames.map((frame) => clipped(frame)).join('\n\n');
  }
}

/** The two ends of a text, with nothing in between. */
function clipped(text: string, limit: number = LIMIT): string {
  return text.length <= limit ? text : text.slice(0, HALF) + text.slice(HALF - limit);
}

function after(text: string, mark: string): number {
  const at = text.lastIndexOf(mark);
  return at === -1 ? 0 : at + mark.length;
}
