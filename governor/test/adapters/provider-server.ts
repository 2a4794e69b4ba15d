/**
 * A provider on a loopback port that answers as scripted, one answer per request in order, and counts what it saw. It
 * judges nothing.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Scripted = (response: ServerResponse, request: IncomingMessage) => void;

export interface ProviderServer {
  readonly url: string;
  /** The bodies of the requests since the last `script`. */
  readonly seen: string[];
  /** Connections that a client broke off since the last `script`. */
  readonly brokenOff: number;
  /** The last answer repeats. */
  script(...answers: readonly Scripted[]): void;
  close(): Promise<void>;
}

export async function startProvider(): Promise<ProviderServer> {
  let answers: readonly Scripted[] = [];
  let brokenOff = 0;
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = answers[Math.min(seen.length, answers.length - 1)]!;
    seen.push(body);
    response.on('close', () => {
      if (!response.writableFinished) brokenOff++;
    });
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get brokenOff() {
      return brokenOff;
    },
    script(...next) {
      answers = next;
      seen.length = 0;
      brokenOff = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Scripted {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Nothing at all: the request hangs. */
export const silence: Scripted = () => {};

/** The connection is closed without an answer. */
export const hangUp: Scripted = (response) => response.destroy();

/** A stream of these frames, and how it ends: closed properly, cut, or left open. */
export function stream(frames: readonly string[], ending: 'end' | 'cut' | 'open' = 'end'): Scripted {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (i: number): void => {
      const frame = frames[i];
      if (frame !== undefined) response.write(frame, () => setImmediate(write, i + 1));
      else if (ending === 'end') response.end();
      else if (ending === 'cut') response.destroy();
    };
    write(0);
  };
}

/** JSON of that many characters. */
export function huge(characters: number): Scripted {
  return json(200, { object: 'list', data: [{ embedding: 'x'.repeat(characters) }] });
}

export const LIMITED: Scripted = json(
  429,
  { error: { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' } },
  { 'retry-after': '2' },
);
