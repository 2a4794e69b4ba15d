/**
 * Sends one exchange over a server response: the head in time, the frames at their pace and no faster than the client
 * reads, the ending. Its place at the provider is given back once: right before the last byte goes out, or when the client
 * is gone.
 */

import type { ServerResponse } from 'node:http';
import type { KeepAlive, NoAnswer, StreamedAnswer, WholeAnswer, WireAnswer, WireFrame } from '../wire/answer.js';
import type { Exchange } from '../wire/exchange.js';
import type { MockClock } from './clock.js';

export interface DeliveryOptions {
  readonly clock: MockClock;
  /** The `date` header of an answer that goes out now. */
  date(): string;
  /** Whether the connection may be used again; asked when the head goes out. */
  keepsAlive(): boolean;
  /** Told of a defect; the request is given up and its connection closed. */
  onError(error: unknown): void;
}

export class Delivery {
  readonly #response: ServerResponse;
  readonly #exchange: Exchange;
  readonly #clock: MockClock;
  readonly #options: DeliveryOptions;
  #cancelTimer: (() => void) | null = null;
  /** Its place at the provider is given back. */
  #isSettled = false;
  #isGone = false;
  #hasBegun = false;
  /** When the next thing is due: reckoned from the first, so that late timers do not add up. */
  #dueMs = 0;
  #frames: Iterator<WireFrame> | null = null;
  /** The next to send; null = there is none left. */
  #frame: WireFrame | null = null;
  #ending: StreamedAnswer['ending'] = 'end';
  readonly #ended: () => void;

  /** @param ended told once the last byte is handed over; not where the connection breaks. */
  constructor(response: ServerResponse, exchange: Exchange, options: DeliveryOptions, ended: () => void) {
    this.#response = response;
    this.#ended = ended;
    this.#exchange = exchange;
    this.#clock = options.clock;
    this.#options = options;
  }

  start(): void {
    this.#exchange.whenReady(
      (answer) => this.#begin(answer),
      (error) => this.#fail(error),
    );
    if (!this.#hasBegun && this.#exchange.keepAlive !== null) this.#keepAlive(this.#exchange.keepAlive);
  }

  /** The connection is closed, whatever the reason. */
  gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelTimer?.();
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#exchange.abandoned(this.#clock.nowMs());
  }

  #begin(answer: WireAnswer): void {
    if (this.#isGone) return;
    this.#hasBegun = true;
    this.#cancelTimer?.();
    this.#dueMs = this.#clock.nowMs() + answer.afterMs;
    this.#whenDue(() => this.#send(answer));
  }

  #keepAlive({ headers, data, everyMs }: KeepAlive): void {
    this.#writeHead(200, headers);
    this.#response.flushHeaders();
    const beat = (): void => {
      this.#response.write(data);
      this.#cancelTimer = this.#clock.after(everyMs, beat);
    };
    this.#cancelTimer = this.#clock.after(everyMs, beat);
  }

  /** A head that cannot be sent, of a style with a name that no header takes, is a defect too. */
  #send(answer: WireAnswer): void {
    try {
      this.#sendWhatever(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  #sendWhatever(answer: WireAnswer): void {
    switch (answer.kind) {
      case 'nothing':
        this.#sendNothing(answer);
        break;
      case 'whole':
        this.#sendWhole(answer);
        break;
      case 'streamed':
        this.#sendStream(answer);
        break;
    }
  }

  #sendNothing({ ending }: NoAnswer): void {
    if (ending === 'hang') return;
    this.#settle();
    // A response that waits behind another on its connection has no socket yet.
    this.#response.req.socket.resetAndDestroy();
  }

  #sendWhole({ status, headers, body, ending }: WholeAnswer): void {
    if (ending === 'end') {
      this.#settle();
      this.#writeHead(status, headers, Buffer.byteLength(body));
      this.#end(body);
    } else {
      this.#writeHead(status, headers);
      this.#endAfter(body, ending);
    }
  }

  #sendStream({ status, headers, frames, ending }: StreamedAnswer): void {
    this.#writeHead(status, headers);
    this.#response.flushHeaders();
    const iterator = frames[Symbol.iterator]();
    this.#ending = ending;
    this.#frames = iterator;
    this.#take(iterator.next());
    this.#pump();
  }

  /** Sends what is due, as far as the client reads. */
  readonly #pump = (): void => {
    if (this.#isGone) return;
    let isRead = true;
    while (isRead && this.#frame !== null && this.#dueMs <= this.#clock.nowMs()) isRead = this.#sendFrame(this.#frame);
    if (!isRead) this.#whenRead();
    else if (this.#frame !== null) this.#whenDue(this.#wake);
    else this.#endAfter('', this.#ending);
  };

  /** The time of the next frame has come. */
  readonly #wake = (): void => {
    if (this.#frame !== null && !this.#sendFrame(this.#frame)) this.#whenRead();
    else this.#pump();
  };

  #sendFrame({ data }: WireFrame): boolean {
    this.#take(this.#frames!.next());
    if (this.#frame === null && this.#ending === 'end') this.#settle();
    return this.#response.write(data);
  }

  #take(result: IteratorResult<WireFrame, unknown>): void {
    this.#frame = result.done ? null : result.value;
    this.#dueMs += this.#frame?.afterMs ?? 0;
  }

  /** Goes on when the client has read, and in a turn of its own, so that a long answer lets the others have theirs. */
  #whenRead(): void {
    this.#response.once('drain', () => this.#clock.soon(this.#pump));
  }

  #endAfter(last: string, ending: StreamedAnswer['ending']): void {
    if (ending === 'end') {
      this.#settle();
      this.#end(last);
      return;
    }
    if (last !== '') this.#response.write(last);
    if (ending === 'hang') return;
    this.#settle();
    // What was written goes out first: the client is to see the connection break in the middle of the body.
    this.#response.write('', () => this.#response.destroy());
  }

  #end(last: string): void {
    this.#response.end(last);
    this.#ended();
  }

  #fail(error: unknown): void {
    this.#options.onError(error);
    this.#response.req.socket.destroy();
    this.gone();
  }

  /** As one flat list: an answer has a dozen headers, and a copy of the record for each step would cost more than they do. */
  #writeHead(status: number, headers: Readonly<Record<string, string>>, length?: number): void {
    if (this.#response.headersSent) return;
    const list: string[] = [];
    for (const name in headers) list.push(name, headers[name]!);
    if (headers.date === undefined) list.push('date', this.#options.date());
    if (length !== undefined) list.push('content-length', String(length));
    if (!this.#options.keepsAlive()) list.push('connection', 'close');
    this.#response.writeHead(status, list);
  }

  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#exchange.answered(this.#clock.nowMs());
  }

  #whenDue(run: () => void): void {
    const waitMs = this.#dueMs - this.#clock.nowMs();
    if (waitMs <= 0) run();
    else this.#cancelTimer = this.#clock.after(waitMs, run);
  }
}
