/**
 * Reads the body of a request up to a limit; what is beyond it is thrown away as it comes, never kept.
 */

import type { IncomingMessage } from 'node:http';

export type BodyEnd = { readonly kind: 'body'; readonly text: string } | { readonly kind: 'too-large' };

/**
 * Calls `done` once: with the whole body, or as soon as it is known to be too large. Not at all where the client goes away
 * first.
 *
 * @param limit in bytes.
 */
export function readBody(request: IncomingMessage, limit: number, done: (end: BodyEnd) => void): void {
  const stated = request.headers['content-length'];
  if (stated !== undefined && Number(stated) > limit) {
    request.resume();
    done({ kind: 'too-large' });
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    if (size > limit) return;
    size += chunk.length;
    if (size <= limit) {
      chunks.push(chunk);
    } else {
      chunks = [];
      done({ kind: 'too-large' });
    }
  });
  request.on('end', () => {
    if (size > limit) return;
    const [first] = chunks;
    const whole = chunks.length === 1 ? first! : Buffer.concat(chunks);
    // The request outlives its body by the latency of its answer, and hundreds of them would keep their bytes that long.
    chunks = [];
    done({ kind: 'body', text: whole.toString('utf8') });
  });
}
