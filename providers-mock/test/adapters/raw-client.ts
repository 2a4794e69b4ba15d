/** A client that does what it is told, byte by byte: what an SDK would never send, and connections that misbehave. */

import { connect, type Socket } from 'node:net';

export const ASK: string = JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'How high is it?' }] });
export const STREAM: string = JSON.stringify({ ...JSON.parse(ASK), stream: true });

/** A POST to chat completions, as bytes. */
export function post(body: string, path = '/v1/chat/completions'): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nhost: mock\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

export class RawClient {
  readonly socket: Socket;
  /** Everything that has come. */
  text = '';
  readonly closed: Promise<void>;

  constructor(port: number, { reads = true }: { readonly reads?: boolean } = {}) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('error', () => {});
    if (reads) this.socket.on('data', (chunk) => (this.text += chunk.toString()));
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** When what has come contains `text`. */
  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) {
      await new Promise<void>((resolve, reject) => {
        this.socket.once('data', () => resolve());
        this.socket.once('close', () => reject(new Error(`closed before ${text}: ${this.text}`)));
      });
    }
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1]);
  }

  get body(): string {
    return this.text.slice(this.text.indexOf('\r\n\r\n') + 4);
  }
}

/** Looks again and again, in turns of the event loop, until it holds. */
export async function eventually(holds: () => boolean, withinMs = 2_000): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > untilMs) throw new Error(`did not come to hold within ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
