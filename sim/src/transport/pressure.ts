/**
 * Load that nothing governs: autocannon keeps so many requests at once on the way, step by step. It hammers a relay on
 * 127.0.0.1, and the relay sends each request on as a live run would: with the key, over verified TLS, through the proxy,
 * within the budgets. Other processes of the machine do not know the relay's path.
 */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { PHASE } from '../kernel/kernel.js';
import { RandomStreams } from '../kernel/random.js';
import type { Spending } from './budget.js';
import type { Heard, HttpTransport } from './http-transport.js';
import type { Attempt, AttemptEnd } from './transport.js';
import type { WallScheduler } from './wall-scheduler.js';

export interface PressureOptions {
  readonly http: HttpTransport;
  readonly scheduler: WallScheduler;
  readonly spending: Spending;
  readonly asked: Pick<Attempt, 'provider' | 'model' | 'inputTokens' | 'outputTokens' | 'maxTokens'>;
  readonly hopelessness: (heard: Heard) => string | undefined;
}

/** How long a step keeps its width, or that it sends one wave of it. */
export type StepLength = { readonly kind: 'seconds'; readonly seconds: number } | { readonly kind: 'shot' };

/** What one attempt of a step came to. */
export type Seen =
  | { readonly kind: 'accepted'; readonly serviceMs: number }
  | { readonly kind: 'refused'; readonly serviceMs: number }
  | { readonly kind: 'failed'; readonly cause: string };

interface Hammer extends PromiseLike<unknown> {
  stop(): void;
}

/** As much of autocannon as is used here; it has no types of its own. */
type Autocannon = (options: {
  readonly url: string;
  readonly connections: number;
  readonly amount?: number;
  readonly duration?: number;
  readonly timeout: number;
  readonly bailout: number;
}) => Hammer;

const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;

/** Longer than any step: its end is told, not timed, so that what is on the way comes in. */
const NO_END_S = 86_400;

export class Pressure {
  readonly #options: PressureOptions;
  readonly #path = `/${randomUUID()}`;
  readonly #server: Server;
  readonly #luck: Attempt['luck'];
  #see: (seen: Seen) => void = nothing;
  #hammer: Hammer | undefined;
  /** Those that wait for what others in flight will leave of the budget. */
  readonly #held: ServerResponse[] = [];
  /** The step is over: nothing more is sent for it. */
  #isClosing = false;
  #stopped: string | undefined;

  private constructor(options: PressureOptions) {
    this.#options = options;
    const stream = new RandomStreams(1).stream('pressure');
    this.#luck = { service: stream, prompt: stream, mode: stream, refusal: stream, hint: stream, fault: stream };
    this.#server = createServer({ keepAliveTimeout: 0 }, (request, response) => this.#relay(request, response));
  }

  static async open(options: PressureOptions): Promise<Pressure> {
    const pressure = new Pressure(options);
    pressure.#server.listen(0, '127.0.0.1');
    await once(pressure.#server, 'listening');
    return pressure;
  }

  /** Why nothing more is sent; undefined while it is. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Keeps `width` requests at once on the way; ends when the last of them is in. */
  async step(width: number, length: StepLength, see: (seen: Seen) => void): Promise<void> {
    if (this.#stopped !== undefined) return;
    const { scheduler } = this.#options;
    this.#isClosing = false;
    this.#held.length = 0;
    this.#see = see;
    const { port } = this.#server.address() as AddressInfo;
    const hammer = autocannon({
      url: `http://127.0.0.1:${port}${this.#path}`,
      connections: width,
      ...(length.kind === 'shot' ? { amount: width } : { duration: NO_END_S }),
      timeout: NO_END_S,
      bailout: 1,
    });
    this.#hammer = hammer;
    const end =
      length.kind === 'seconds' ? scheduler.after(length.seconds * 1000, PHASE.timer, closeStep, this) : undefined;
    await hammer;
    if (end !== undefined) scheduler.cancel(end);
    this.#hammer = undefined;
  }

  /** Nothing more leaves; what is on the way comes in. */
  close(): void {
    this.#isClosing = true;
    this.#endIfIdle();
  }

  /** To be told of every answer as it comes in. */
  readonly hear = (heard: Heard): void => {
    const hopeless = this.#options.hopelessness(heard);
    if (hopeless !== undefined) this.halt(hopeless);
  };

  /** Ends the step, and all further ones. */
  halt(why: string): void {
    this.#stopped ??= why;
    this.close();
  }

  async end(): Promise<void> {
    this.#hammer?.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#options.http.close();
  }

  #relay(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    if (request.url !== this.#path) {
      response.writeHead(404).end();
      return;
    }
    this.#sendOn(response);
  }

  #sendOn(response: ServerResponse): void {
    // Not answered: the step waits for those that are on the way, and then lets go of all.
    if (this.#isClosing) return;
    const { http, scheduler, spending, asked } = this.#options;
    const objection = spending.objection(asked);
    if (objection?.mayPass) {
      this.#held.push(response);
      return;
    }
    if (objection !== undefined) {
      this.halt(objection.why);
      return;
    }
    spending.leaves(asked);
    const sentAtMs = scheduler.now();
    http.send({
      ...asked,
      cachedTokens: 0,
      luck: this.#luck,
      answered: (end) => {
        const rail = spending.ended(asked, end);
        this.#see(seenOf(end, scheduler.now() - sentAtMs));
        if (rail !== undefined) this.halt(rail);
        if (this.#isClosing) this.#endIfIdle();
        else response.writeHead(204).end();
        const next = this.#held.shift();
        if (next !== undefined) this.#sendOn(next);
      },
    });
  }

  #endIfIdle(): void {
    if (this.#options.http.inFlight === 0) this.#hammer?.stop();
  }
}

function closeStep(pressure: Pressure): void {
  pressure.close();
}

function seenOf(end: AttemptEnd, serviceMs: number): Seen {
  if (end.class === 'ok') return { kind: 'accepted', serviceMs };
  if (end.class === 'throttle' || end.class === 'overload') return { kind: 'refused', serviceMs };
  return { kind: 'failed', cause: end.cause ?? end.class };
}

function nothing(): void {}
