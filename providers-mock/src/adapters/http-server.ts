/**
 * The mock as an HTTP server on `node:http`. Translates: requests into data for the API, its exchanges into bytes. Survives
 * whatever a client does; decides nothing.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Exchange, PlainExchange } from '../wire/exchange.js';
import type { Instant } from '../wire/generation.js';
import { httpDate } from '../wire/instants.js';
import { type ApiLedger, type ApiProvider, MockApi, type MockApiOptions, type WireRequest } from '../wire/mock-api.js';
import type { MockClock } from './clock.js';
import { Delivery, type DeliveryOptions } from './http-delivery.js';
import { readBody } from './request-body.js';
import { WALL_CLOCK } from './wall-clock.js';

export interface MockServerOptions extends MockApiOptions {
  /** The address to listen on. Default 127.0.0.1: this machine alone. */
  readonly host?: string;
  /** 0 = any free one. Default 0. */
  readonly port?: number;
  /** Bytes of a request's body; a larger one is answered as too large. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** Milliseconds that a client may leave an answer unread before its connection is closed. Default 10 s. */
  readonly stallMs?: number;
  /** Milliseconds in which a request must have arrived; slower connections are closed. Default 30 s. */
  readonly receiveMs?: number;
  /** Default: real time. */
  readonly clock?: MockClock;
  /** Told when others than this machine can reach the server. Default: stderr. */
  readonly onWarning?: (warning: string) => void;
  /** Told of a defect of the mock; the request is answered with status 500. Default: stderr. */
  readonly onError?: (error: unknown) => void;
}

export interface MockServer {
  /** `http://127.0.0.1:PORT`, without a path: clients add `/v1`. */
  readonly url: string;
  readonly port: number;
  ledger(): ApiLedger;
  /** Other numbers for a provider from now on, as `Provider.reconfigure` says. */
  reconfigure(provider: string, spec: ApiProvider): void;
  /**
   * Takes no more requests, lets those that are there be answered, and closes what is left after `graceMs` (default 5 s).
   * Resolves when every connection is closed; calling it again waits for the same end.
   */
  close(graceMs?: number): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;
const STALL_MS = 10_000;
const RECEIVE_MS = 30_000;
const GRACE_MS = 5_000;
/** Longer than the pools of usual clients keep an idle connection, so that they are the ones who close it. */
const KEEP_ALIVE_MS = 65_000;
/** Connections that may wait to be accepted, where the system allows as many. */
const BACKLOG = 4096;

/** @throws RangeError for a spec that cannot be; rejects with the system's error when the address cannot be listened on. */
export async function startMockServer(options: MockServerOptions): Promise<MockServer> {
  const server = new HttpServer(options);
  await server.listen();
  return server;
}

class HttpServer implements MockServer {
  readonly #api: MockApi;
  readonly #server: Server;
  readonly #host: string;
  #port: number;
  readonly #bodyLimit: number;
  readonly #stallMs: number;
  readonly #clock: MockClock;
  readonly #onWarning: (warning: string) => void;
  readonly #onError: (error: unknown) => void;
  /** A connection that closes takes all of its own requests along. */
  readonly #connections = new Map<Socket, Connection>();
  readonly #delivery: DeliveryOptions;
  #cancelSweep: (() => void) | null = null;
  #open = 0;
  #closing: Promise<void> | null = null;
  #drained: (() => void) | null = null;

  constructor(options: MockServerOptions) {
    this.#api = new MockApi(options);
    this.#host = options.host ?? '127.0.0.1';
    this.#port = options.port ?? 0;
    this.#bodyLimit = options.bodyLimit ?? BODY_LIMIT;
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#clock = options.clock ?? WALL_CLOCK;
    this.#onWarning = options.onWarning ?? ((warning) => process.stderr.write(`${warning}\n`));
    this.#onError = options.onError ?? ((error) => console.error(error));
    const dates = new DateHeader();
    this.#delivery = {
      clock: this.#clock,
      date: () => dates.at(this.#clock.epochMs()),
      keepsAlive: () => this.#closing === null,
      onError: this.#onError,
    };
    this.#server = this.#createServer(options.receiveMs ?? RECEIVE_MS);
  }

  /** Still told when the server is closed. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${this.port}`;
  }

  listen(): Promise<void> {
    if (!isLoopback(this.#host)) {
      this.#onWarning(
        `warning: the mock listens on ${this.#host}, where other machines can reach it; it is made for tests, so use 127.0.0.1 unless you mean it`,
      );
    }
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: this.#host, port: this.#port, backlog: BACKLOG }, () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        this.#server.off('error', reject);
        this.#server.on('error', this.#onError);
        this.#sweep();
        resolve();
      });
    });
  }

  ledger(): ApiLedger {
    return this.#api.ledger();
  }

  reconfigure(provider: string, spec: ApiProvider): void {
    this.#api.reconfigure(provider, spec, this.#clock.nowMs());
  }

  close(graceMs: number = GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const giveUp = (): void => this.#server.closeAllConnections();
    const cancel = graceMs === 0 ? giveUp() : this.#clock.after(graceMs, giveUp);
    await this.#whenDrained();
    for (const socket of this.#connections.keys()) socket.destroySoon();
    await closed;
    cancel?.();
    this.#cancelSweep?.();
  }

  #whenDrained(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  #createServer(receiveMs: number): Server {
    const server = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: receiveMs,
        requestTimeout: receiveMs,
        connectionsCheckingInterval: Math.max(1, Math.ceil(receiveMs / 4)),
        noDelay: true,
      },
      (request, response) => this.#receive(request, response),
    );
    server.on('connection', (socket: Socket) => this.#connected(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#answerBadHttp(error, socket));
    return server;
  }

  #connected(socket: Socket): void {
    this.#connections.set(socket, { open: new Set(), unread: 0, sinceMs: 0 });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#lost(socket));
  }

  #lost(socket: Socket): void {
    const { open } = this.#connections.get(socket) as Connection;
    this.#connections.delete(socket);
    for (const request of open) {
      request.delivery?.gone();
      this.#ended();
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const open: OpenRequest = { delivery: null };
    connection.open.add(open);
    this.#open += 1;
    const ended = (): void => {
      if (connection.open.delete(open)) this.#ended();
    };
    // Whoever writes to a connection that is just closing hears of it here, and again when it is closed.
    response.on('error', ignore);
    readBody(request, this.#bodyLimit, (end) => {
      if (end.kind === 'too-large') {
        this.#turnAway(request, response, ended);
      } else {
        open.delivery = new Delivery(response, this.#exchange(request, end.text), this.#delivery, ended);
        open.delivery.start();
      }
    });
  }

  #exchange(message: IncomingMessage, body: string): Exchange {
    const head = headOf(message);
    const at = this.#now();
    try {
      return this.#api.exchange({ ...head, body }, at);
    } catch (error) {
      this.#onError(error);
      return new PlainExchange(this.#api.reject('status-500', head, at));
    }
  }

  /**
   * The body is too large. The answer goes out at once and the connection is closed once the rest has come and gone
   * unread: closing it under a client that still sends would take the answer from it.
   */
  #turnAway(request: IncomingMessage, response: ServerResponse, ended: () => void): void {
    const answer = this.#api.reject('body-too-large', headOf(request), this.#now());
    if (answer.kind !== 'whole') return;
    const length = String(Buffer.byteLength(answer.body));
    response.writeHead(answer.status, { ...answer.headers, 'content-length': length, connection: 'close' });
    response.write(answer.body);
    const end = (): void => {
      response.end();
      ended();
    };
    const cancel = this.#clock.after(this.#stallMs, end);
    request.once('end', end);
    response.once('close', cancel);
  }

  #now(): Instant {
    return { nowMs: this.#clock.nowMs(), epochMs: this.#clock.epochMs() };
  }

  /**
   * One look at all connections now and then, in place of a timer for each answer: where the same bytes wait to be read as
   * they did `stallMs` ago, nobody reads.
   */
  #sweep(): void {
    this.#cancelSweep = this.#clock.after(this.#stallMs / 4, () => {
      const nowMs = this.#clock.nowMs();
      for (const [socket, connection] of this.#connections) {
        const { writableLength } = socket;
        if (writableLength === 0 || writableLength !== connection.unread) {
          connection.unread = writableLength;
          connection.sinceMs = nowMs;
        } else if (nowMs - connection.sinceMs >= this.#stallMs) {
          socket.destroy();
        }
      }
      this.#sweep();
    });
  }

  #ended(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#drained?.();
  }

  /** What is no HTTP at all is answered in the provider's shape too, where the connection still takes an answer. */
  #answerBadHttp({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable || WENT_AWAY.has(code)) {
      socket.destroy();
      return;
    }
    const answer = this.#api.reject('malformed', { method: 'GET', target: '/', headers: {} }, this.#now(), BAD_HTTP);
    const status = STATUS_OF_BAD_HTTP[code ?? ''] ?? 400;
    const body = answer.kind === 'whole' ? answer.body : '';
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
    socket.end(`${head}${body}`, () => socket.destroy());
  }
}

interface Connection {
  readonly open: Set<OpenRequest>;
  /** Bytes that the client has not read, at the last look, and since when they are as many. */
  unread: number;
  sinceMs: number;
}

/** A request whose head has come and whose answer has not gone out; null = its body is still coming. */
interface OpenRequest {
  delivery: Delivery | null;
}

/** Not bad HTTP but a client that is gone, in the middle of a request. */
const WENT_AWAY = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);
const BAD_HTTP = 'The request is not valid HTTP.';
const STATUS_OF_BAD_HTTP: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function headOf({ method = 'GET', url: target = '/', headers }: IncomingMessage): Omit<WireRequest, 'body'> {
  return { method, target, headers };
}

/** The text of a date, made once a second. */
class DateHeader {
  #second = Number.NaN;
  #text = '';

  at(epochMs: number): string {
    const second = Math.floor(epochMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = httpDate(epochMs);
    }
    return this.#text;
  }
}

function ignore(): void {}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
