/**
 * A dialect of the wire: how a request is read and how a reply is written, whole and as a stream. Pure text; a dialect
 * knows no quota and no time.
 */

import type { Asked, JsonObject } from './asked.js';
import type { Json } from './json-template.js';
import type { DialectStyle } from './refusal-styles.js';
import type { Reply } from './reply.js';

export interface Dialect {
  /** How its errors look, where a profile does not say otherwise. */
  readonly style: DialectStyle;
  /** @throws MalformedRequest naming the member that is wrong. */
  read(body: JsonObject, path: RequestPath): Asked;
  /** The body of a whole answer. */
  whole(reply: Reply): string;
  /** An error inside a stream that has begun, as a frame; `body` is what the error's own answer would hold. */
  streamedError(body: Json, path: RequestPath): string;
  stream(reply: Reply, path: RequestPath & Pick<Asked, 'wantsUsage'>): DialectStream;
}

/** What the path of a request says. */
export interface RequestPath {
  /** Null where the body names it. */
  readonly model: string | null;
  /** Asked for by the path; elsewhere the body says. */
  readonly stream: boolean;
  /** Gemini streams server-sent events on demand, and a JSON list otherwise. */
  readonly asEvents: boolean;
}

/** A stream, frame by frame. The opening goes out with the head, the pieces at the pace of the model. */
export interface DialectStream {
  readonly contentType: string;
  readonly opening: readonly string[];
  /** Empty where this piece has no frame of its own. */
  piece(text: string): string;
  /** After the last piece. */
  closing(): readonly string[];
}
