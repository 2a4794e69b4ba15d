/**
 * Makes a `Response` of one exchange: its head in time, the frames at their pace. Its place at the provider is given back
 * once: right before the last byte, or when the caller aborts. The frames do not wait to be read: what intercepts a request
 * may keep a copy of its answer that nobody reads, and a place must not hang on that.
 */

import type { KeepAlive, StreamedAnswer, WholeAnswer, WireAnswer, WireFrame } from '../wire/answer.js';
import type { Exchange } from '../wire/exchange.js';
import { httpDate } from '../wire/instants.js';
import type { MockClock } from './clock.js';
import { Course } from './course.js';

const ENCODER = new TextEncoder();

/** Frames that are handed over in one go, before others get their turn. */
const TURN = 64;

export class FetchDelivery {
  readonly #exchange: Exchange;
  readonly #clock: MockClock;
  readonly #signal: AbortSignal;
  readonly #course: Course;
  #isOver = false;
  #hasBegun = false;
  #controller: ReadableStreamDefaultController | null = null;
  #ending: StreamedAnswer['ending'] = 'end';

  constructor(exchange: Exchange, clock: MockClock, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#course = new Course(exchange, clock);
    this.#signal = signal;
  }

  /** Undefined where the connection breaks before an answer, or the caller is gone. Rejects for a defect of the mock. */
  response(): Promise<Response | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#gone();
        resolve(undefined);
      };
      if (this.#signal.aborted) {
        abort();
        return;
      }
      this.#signal.addEventListener('abort', abort, { once: true });
      const failed = (error: unknown): void => {
        this.#gone();
        reject(error);
      };
      this.#exchange.whenReady((answer) => {
        this.#hasBegun = true;
        this.#course.begin(answer.afterMs, () => {
          try {
            this.#answer(answer, resolve);
          } catch (error) {
            failed(error);
          }
        });
      }, failed);
      const { keepAlive } = this.#exchange;
      if (!this.#hasBegun && keepAlive !== null) resolve(this.#keptAlive(keepAlive));
    });
  }

  /** The response is there before its answer is; what `#answer` makes then goes into its stream. */
  #keptAlive({ headers, data, everyMs }: KeepAlive): Response {
    const body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#gone(),
    });
    this.#course.keepAlive(everyMs, () => this.#controller!.enqueue(ENCODER.encode(data)));
    return this.#responseOf({ status: 200, headers }, body);
  }

  #answer(answer: WireAnswer, resolve: (response: Response | undefined) => void): void {
    if (this.#controller !== null) {
      this.#play(answer);
      return;
    }
    switch (answer.kind) {
      case 'nothing':
        if (answer.ending === 'hang') return;
        this.#course.settle();
        resolve(undefined);
        break;
      case 'whole':
        resolve(this.#whole(answer));
        break;
      case 'streamed':
        resolve(this.#responseOf(answer, this.#stream(answer)));
        break;
    }
  }

  #whole(answer: WholeAnswer): Response {
    if (answer.ending !== 'end') return this.#responseOf(answer, this.#stream(answer));
    this.#course.settle();
    return this.#responseOf(answer, answer.body);
  }

  #responseOf({ status, headers }: Pick<WholeAnswer, 'status' | 'headers'>, body: string | ReadableStream): Response {
    return new Response(body, { status, headers: { date: httpDate(this.#clock.epochMs()), ...headers } });
  }

  #stream(answer: WholeAnswer | StreamedAnswer): ReadableStream {
    return new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        this.#play(answer);
      },
      cancel: () => this.#gone(),
    });
  }

  /** Puts the answer, whatever its kind, into the stream that is open. */
  #play(answer: WireAnswer): void {
    this.#ending = answer.ending;
    this.#course.play(framesOf(answer));
    this.#pump();
  }

  readonly #pump = (): void => {
    if (this.#isOver) return;
    const course = this.#course;
    let sent = 0;
    while (sent < TURN && course.frame !== null && course.isDue) {
      this.#sendFrame(course.frame);
      sent += 1;
    }
    if (course.frame === null) this.#end();
    else if (sent === TURN) this.#clock.soon(this.#pump);
    else course.whenDue(this.#wake);
  };

  /** The time of the next frame has come. */
  readonly #wake = (): void => {
    const { frame } = this.#course;
    if (frame !== null) this.#sendFrame(frame);
    this.#pump();
  };

  #sendFrame({ data }: WireFrame): void {
    this.#course.advance();
    this.#controller!.enqueue(typeof data === 'string' ? ENCODER.encode(data) : data);
  }

  #end(): void {
    if (this.#ending === 'hang') return;
    this.#course.settle();
    this.#isOver = true;
    if (this.#ending === 'end') this.#controller!.close();
    else this.#controller!.error(new TypeError('terminated'));
  }

  #gone(): void {
    this.#course.stop();
    if (!this.#isOver && this.#signal.aborted) this.#controller?.error(this.#signal.reason);
    this.#isOver = true;
    this.#course.abandon();
  }
}

function framesOf(answer: WireAnswer): Iterable<WireFrame> {
  switch (answer.kind) {
    case 'nothing':
      return [];
    case 'whole':
      return [{ afterMs: 0, data: answer.body }];
    case 'streamed':
      return answer.frames;
  }
}
