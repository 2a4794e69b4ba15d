/**
 * Makes a `Response` of one exchange: its head in time, the frames at their pace. Its place at the provider is given back
 * once: right before the last byte, or when the caller aborts. The frames do not wait to be read: what intercepts a request
 * may keep a copy of its answer that nobody reads, and a place must not hang on that.
 */

import type { KeepAlive, StreamedAnswer, WholeAnswer, WireAnswer, WireFrame } from '../wire/answer.js';
import type { Exchange } from '../wire/exchange.js';
import { httpDate } from '../wire/instants.js';
import type { MockClock } from './clock.js';

const ENCODER = new TextEncoder();

/** Frames that are handed over in one go, before others get their turn. */
const TURN = 64;

export class FetchDelivery {
  readonly #exchange: Exchange;
  readonly #clock: MockClock;
  readonly #signal: AbortSignal;
  #cancelTimer: (() => void) | null = null;
  /** Its place at the provider is given back. */
  #isSettled = false;
  #isOver = false;
  #hasBegun = false;
  /** When the next thing is due: reckoned from the first, so that late timers do not add up. */
  #dueMs = 0;
  #controller: ReadableStreamDefaultController | null = null;
  #frames: Iterator<WireFrame> | null = null;
  /** The next to send; null = there is none left. */
  #frame: WireFrame | null = null;
  #ending: StreamedAnswer['ending'] = 'end';

  constructor(exchange: Exchange, clock: MockClock, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#clock = clock;
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
        this.#cancelTimer?.();
        this.#dueMs = this.#clock.nowMs() + answer.afterMs;
        this.#whenDue(() => {
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
    const beat = (): void => {
      this.#controller!.enqueue(ENCODER.encode(data));
      this.#cancelTimer = this.#clock.after(everyMs, beat);
    };
    this.#cancelTimer = this.#clock.after(everyMs, beat);
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
        this.#settle();
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
    this.#settle();
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
    this.#frames = framesOf(answer)[Symbol.iterator]();
    this.#ending = answer.ending;
    this.#take(this.#frames.next());
    this.#pump();
  }

  readonly #pump = (): void => {
    if (this.#isOver) return;
    let sent = 0;
    while (sent < TURN && this.#frame !== null && this.#dueMs <= this.#clock.nowMs()) {
      this.#sendFrame(this.#frame);
      sent += 1;
    }
    if (this.#frame === null) this.#end();
    else if (sent === TURN) this.#clock.soon(this.#pump);
    else this.#whenDue(this.#wake);
  };

  /** The time of the next frame has come. */
  readonly #wake = (): void => {
    if (this.#frame !== null) this.#sendFrame(this.#frame);
    this.#pump();
  };

  #sendFrame({ data }: WireFrame): void {
    this.#take(this.#frames!.next());
    this.#controller!.enqueue(typeof data === 'string' ? ENCODER.encode(data) : data);
  }

  #take(result: IteratorResult<WireFrame, unknown>): void {
    this.#frame = result.done ? null : result.value;
    this.#dueMs += this.#frame?.afterMs ?? 0;
  }

  #end(): void {
    if (this.#ending === 'hang') return;
    this.#settle();
    this.#isOver = true;
    if (this.#ending === 'end') this.#controller!.close();
    else this.#controller!.error(new TypeError('terminated'));
  }

  #gone(): void {
    this.#cancelTimer?.();
    if (!this.#isOver && this.#signal.aborted) this.#controller?.error(this.#signal.reason);
    this.#isOver = true;
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#exchange.abandoned(this.#clock.nowMs());
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
