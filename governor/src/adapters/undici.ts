/**
 * An interceptor for undici's `Dispatcher.compose`: each dispatched request waits for a slot and holds it until its
 * answer has ended. Passes everything on as it comes; never retries.
 */

import type { Governor } from '../gate/governor.js';
import type { Key, Ticket } from '../gate/ticket.js';
import { BodyWatch } from './body-watch.js';
import { HeldSlot, type HoldingOptions, resolveHolding } from './held-slot.js';
import { keyOfRequest } from './request-key.js';
import { enqueueIn, type Scope } from './scope.js';
import { settleThrown } from './settling.js';

/** What is read of undici's `Dispatcher.DispatchOptions`. */
export interface DispatchedRequest {
  readonly origin?: string | URL;
  readonly path: string;
  readonly body?: unknown;
  /** As `request` and `stream` get it; `fetch` keeps its signal to itself. */
  readonly signal?: unknown;
}

/** What is used of undici's `Dispatcher.DispatchController`. */
export interface DispatchController {
  readonly paused: boolean;
  readonly aborted: boolean;
  readonly reason: Error | null;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is used of undici's `Dispatcher.DispatchHandler`. */
export interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void;
  onRequestUpgrade?(controller: DispatchController, status: number, headers: Headers, socket: never): void;
  onResponseStart?(controller: DispatchController, status: number, headers: Headers, message?: string): void;
  onResponseData?(controller: DispatchController, chunk: Uint8Array): void;
  onResponseEnd?(controller: DispatchController, trailers: Headers): void;
  onResponseError?(controller: DispatchController, error: Error): void;
}

/** Whose requests they are, what their key is, and how long an answer may stand still. */
export interface GovernorInterceptorOptions extends Scope, HoldingOptions {
  /** Of all requests. Default: by the host of the origin; a host that is nobody's we know stands for itself. */
  readonly provider?: string;
  /**
   * The key, or what tells it; undefined lets the request pass ungoverned. Default: `provider`, and the model named by
   * the path or by a body that is text or bytes; `default` when none is. Through `fetch` the body is a stream: state it.
   */
  readonly key?: Key | ((request: DispatchedRequest) => Key | undefined);
}

type Dispatch = (request: never, handler: never) => boolean;

/**
 * For `agent.compose(governorInterceptor(governor), …)`; first in the list is nearest the wire, where each attempt of a
 * retrying interceptor takes its own slot. A queued `request` leaves at once when its signal fires. A queued `fetch` does
 * not, because undici hides its signal: prefer `governedFetch` there. @throws RangeError on a bad `bodyTimeoutMs`.
 */
export function governorInterceptor(
  governor: Governor,
  options: GovernorInterceptorOptions = {},
): <D extends Dispatch>(dispatch: D) => D {
  const holding = resolveHolding(options);
  const intercept =
    (dispatch: (request: DispatchedRequest, handler: DispatchHandler) => boolean) =>
    (request: DispatchedRequest, handler: DispatchHandler): boolean => {
      const key = keyOf(request, options);
      if (key === undefined) return dispatch(request, handler);
      const signal = request.signal instanceof AbortSignal ? request.signal : undefined;
      enqueueIn(options, governor, key, signal, {
        admitted(ticket) {
          const governed = new GovernedHandler(handler, ticket, signal, holding);
          try {
            dispatch(request, governed);
          } catch (error) {
            governed.onResponseError(notDispatched(error), error as Error);
          }
        },
        refused: (reason) => handler.onResponseError?.(notDispatched(reason), reason as Error),
      });
      return true;
    };
  return intercept as unknown as <D extends Dispatch>(dispatch: D) => D;
}

function keyOf(request: DispatchedRequest, { key, provider }: GovernorInterceptorOptions): Key | undefined {
  if (typeof key === 'function') return key(request);
  if (key !== undefined) return key;
  return keyOfRequest({ url: new URL(request.path, request.origin), body: request.body }, provider);
}

/** For a handler of a request that never reached a connection. */
function notDispatched(reason: unknown): DispatchController {
  return { paused: false, aborted: true, reason: reason as Error, abort() {}, pause() {}, resume() {} };
}

class GovernedHandler implements DispatchHandler {
  readonly #inner: DispatchHandler;
  readonly #ticket: Ticket;
  readonly #signal: AbortSignal | undefined;
  readonly #holding: Required<HoldingOptions>;
  /** Once an answer has begun. */
  #watch: BodyWatch | undefined;

  constructor(
    inner: DispatchHandler,
    ticket: Ticket,
    signal: AbortSignal | undefined,
    holding: Required<HoldingOptions>,
  ) {
    this.#inner = inner;
    this.#ticket = ticket;
    this.#signal = signal;
    this.#holding = holding;
  }

  onRequestStart(controller: DispatchController, context: unknown): void {
    this.#inner.onRequestStart?.(controller, context);
  }

  /** The connection is no longer HTTP, and nothing more will be heard of it. */
  onRequestUpgrade(controller: DispatchController, status: number, headers: Headers, socket: never): void {
    this.#ticket.release();
    this.#inner.onRequestUpgrade?.(controller, status, headers, socket);
  }

  onResponseStart(controller: DispatchController, status: number, headers: Headers, message?: string): void {
    if (status >= 200) {
      // A compressed body is not legible here.
      const contentType = headers['content-encoding'] === undefined ? String(headers['content-type'] ?? '') : undefined;
      this.#watch = new BodyWatch(
        new HeldSlot(this.#ticket, this.#holding),
        { status, headers, contentType },
        this.#signal,
      );
    }
    this.#inner.onResponseStart?.(controller, status, headers, message);
    this.#awaits(controller);
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    this.#watch?.piece(chunk);
    this.#inner.onResponseData?.(controller, chunk);
    this.#awaits(controller);
  }

  onResponseEnd(controller: DispatchController, trailers: Headers): void {
    this.#watch?.ended();
    this.#inner.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: DispatchController, error: Error): void {
    if (this.#watch !== undefined) this.#watch.lost(error);
    else settleThrown(this.#ticket, error, this.#signal);
    this.#inner.onResponseError?.(controller, error);
  }

  /** A paused connection waits for the reader, any other for the provider. */
  #awaits(controller: DispatchController): void {
    if (this.#watch !== undefined) this.#watch.awaited = !controller.paused;
  }
}
