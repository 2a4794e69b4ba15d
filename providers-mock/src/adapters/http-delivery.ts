/**
 * Sends one exchange over a server response: the head in time, the frames at their pace and no faster than the client
 * reads, the ending. Its place at the provider is given back once: right before the last byte goes out, or when the client
 * is gone.
 */

import type { ServerResponse } from 'node:http';
import type { KeepAlive, NoAnswer, StreamedAnswer, WholeAnswer, WireAnswer, WireFrame } from '../wire/answer.js';
import type { Exchange } from '../wire/exchange.js';
import type { MockClock } from './clock.js';
import { Course } from './course.js';

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
  readonly #options: DeliveryOptions;
  readonly #course: Course;
  #isGone = false;
  #hasBegun = false;
  #ending: StreamedAnswer['ending'] = 'end';
  readonly #ended: () => void;

  /** @param ended told once the last byte is handed over; not where the connection breaks. */
  constructor(response: ServerResponse, exchange: Exchange, options: DeliveryOptions, ended: () => void) {
    this.#response = response;
    this.#ended = ended;
    this.#exchange = exchange;
    this.#options = options;
    this.#course = new Course(exchange, options.clock);
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
    this.#course.abandon();
  }

  #begin(answer: WireAnswer): void {
    if (this.#isGone) return;
    this.#hasBegun = true;
    this.#course.begin(answer.afterMs, () => this.#send(answer));
  }

  #keepAlive({ headers, data, everyMs }: KeepAlive): void {
    this.#writeHead(200, headers);
    this.#response.flushHeaders();
    this.#course.keepAlive(everyMs, () => this.#response.write(data));
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
    this.#course.settle();
    // A response that waits behind another on its connection has no socket yet.
    this.#response.req.socket.resetAndDestroy();
  }

  #sendWhole({ status, headers, body, ending }: WholeAnswer): void {
    if (ending === 'end') {
      this.#course.settle();
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
    this.#ending = ending;
    this.#course.play(frames);
    this.#pump();
  }

  /** Sends what is due, as far as the client reads. */
  readonly #pump = (): void => {
    if (this.#isGone) return;
    const course = this.#course;
    let isRead = true;
    while (isRead && course.frame !== null && course.isDue) isRead = this.#sendFrame(course.frame);
    if (!isRead) this.#whenRead();
    else if (course.frame !== null) course.whenDue(this.#wake);
    else this.#endAfter('', this.#ending);
  };

  /** The time of the next frame has come. */
  readonly #wake = (): void => {
    const { frame } = this.#course;
    if (frame !== null && !this.#sendFrame(frame)) this.#whenRead();
    else this.#pump();
  };

  #sendFrame({ data }: WireFrame): boolean {
    this.#course.advance();
    if (this.#course.frame === null && this.#ending === 'end') this.#course.settle();
    return this.#response.write(data);
  }

  /** Goes on when the client has read, and in a turn of its own, so that a long answer lets the others have theirs. */
  #whenRead(): void {
    this.#response.once('drain', () => this.#options.clock.soon(this.#pump));
  }

  #endAfter(last: string, ending: StreamedAnswer['ending']): void {
    if (ending === 'end') {
      this.#course.settle();
      this.#end(last);
      return;
    }
    if (last !== '') this.#response.write(last);
    if (ending === 'hang') return;
    this.#course.settle();
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
}
