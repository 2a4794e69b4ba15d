/**
 * A reply as a stream of frames at the pace of a model: the first piece at the time of the first token, each further one a
 * token later, the end a token after the last piece. Knows no dialect's words.
 */

import type { WireFrame } from './answer.js';
import type { DialectStream } from './dialect.js';

/** Milliseconds ≥ 0 from the request; the head never after the first token. */
export interface Pace {
  readonly headMs: number;
  readonly firstTokenMs: number;
  readonly perTokenMs: number;
}

/** A streamed reply of `outputTokens` pieces ends then; a whole one comes then. */
export function totalMs({ firstTokenMs, perTokenMs }: Pace, outputTokens: number): number {
  return firstTokenMs + perTokenMs * outputTokens;
}

/**
 * The frames in order; made one by one, so that a long answer is never all in memory.
 *
 * @param tailMs from the last piece to the end. Default: a token.
 */
export function* pacedFrames(
  stream: DialectStream,
  pieces: Iterable<string>,
  pace: Pace,
  tailMs: number = pace.perTokenMs,
): Iterable<WireFrame> {
  for (const data of stream.opening) yield { afterMs: 0, data };
  let afterMs = pace.firstTokenMs - pace.headMs;
  for (const text of pieces) {
    const data = stream.piece(text);
    if (data !== '') {
      yield { afterMs, data };
      afterMs = 0;
    }
    afterMs += pace.perTokenMs;
  }
  afterMs += tailMs - pace.perTokenMs;
  for (const data of stream.closing()) {
    yield { afterMs, data };
    afterMs = 0;
  }
}
