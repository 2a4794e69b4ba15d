/**
 * Providers over HTTP, a served mock or a real endpoint: each attempt is one request in the provider's dialect, and its
 * answer is judged by the governor's own rules. Measures the first generated token; knows no quota, retries nothing, and
 * takes every answer to its end unless the attempt is abandoned.
 */

import { type Classification, classify } from '@tidegate/governor';
import { type Dispatcher, Pool } from 'undici';
import { type EventHandle, InvariantError, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { LedgerEntry } from '../trace/events.js';
import { type AnswerReader, readerOf } from './answer-reader.js';
import type { ClientDialect } from './client-dialect.js';
import { promptText } from './prompt-text.js';
import type { Attempt, AttemptEnd, Transport } from './transport.js';

/** Where a provider is and how it is spoken to. */
export interface Endpoint {
  readonly dialect: ClientDialect;
  /** Up to where the paths of the dialect begin: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Goes with every request, as the dialect has it. Default: none. */
  readonly apiKey?: string;
  /** Whose rules tell what an answer means, as in `Answer.provider` of the governor. */
  readonly vendor: string;
  /** Whether the answers of a model are asked for as streams. */
  isStreamed(model: string): boolean;
}

export interface HttpTransportOptions {
  readonly scheduler: Scheduler;
  /** By the provider's name in the scenario. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Milliseconds since 1970, against which a date in an answer is read that has no date of its own. */
  readonly epochMs: () => number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const NO_HEADERS: Headers = {};
const ABANDONED = new Error('the attempt is abandoned');

interface Line {
  readonly endpoint: Endpoint;
  readonly pool: Pool;
  /** Of the base URL, without a slash at the end. */
  readonly prefix: string;
}

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #lines: ReadonlyMap<string, Line>;
  readonly #inFlight = new Set<Exchange>();

  /** @throws TypeError for a base URL that is none. */
  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#lines = new Map(Object.entries(options.endpoints).map(([name, endpoint]) => [name, lineTo(endpoint)]));
  }

  /** Attempts that have neither been answered nor abandoned. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** @param headers that go along with those of the dialect. */
  send(attempt: Attempt, headers: Headers = NO_HEADERS): () => void {
    const line = this.#lines.get(attempt.provider);
    if (line === undefined) throw new InvariantError(`no endpoint of ${attempt.provider} to send to`);
    const { endpoint, pool, prefix } = line;
    const request = endpoint.dialect.request({
      model: attempt.model,
      prompt: promptText(attempt.inputTokens),
      maxTokens: Math.max(1, attempt.maxTokens),
      stream: endpoint.isStreamed(attempt.model),
      apiKey: endpoint.apiKey,
    });
    const exchange = new Exchange(attempt, endpoint, this.#options, () => this.#inFlight.delete(exchange));
    this.#inFlight.add(exchange);
    pool.dispatch(
      {
        method: 'POST',
        path: prefix + request.path,
        headers: { 'content-type': 'application/json', ...request.headers, ...headers },
        body: JSON.stringify(request.body),
      },
      exchange,
    );
    return () => exchange.abandon();
  }

  /** Nobody sees a provider's own books from outside. */
  ledger(): Readonly<Record<string, LedgerEntry>> {
    return {};
  }

  /** Abandons what is in flight, and closes all connections. */
  async close(): Promise<void> {
    for (const exchange of [...this.#inFlight]) exchange.abandon();
    await Promise.all([...this.#lines.values()].map(({ pool }) => pool.destroy()));
  }
}

function lineTo(endpoint: Endpoint): Line {
  const { origin, pathname } = new URL(endpoint.baseUrl);
  // How long an attempt may take is the scenario's to say.
  const pool = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0 });
  return { endpoint, pool, prefix: pathname.replace(/\/+$/, '') };
}

/** One attempt on its way. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #attempt: Attempt;
  readonly #endpoint: Endpoint;
  readonly #options: HttpTransportOptions;
  readonly #ended: () => void;
  readonly #sentAtMs: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isAbandoned = false;
  #status: number | undefined;
  #headers: Headers | undefined;
  #reader: AnswerReader | undefined;
  #receivedAt: number | undefined;
  #firstTokenMs: number | null = null;
  /** Of the event that delivers the end. */
  #delivery: EventHandle | undefined;

  constructor(attempt: Attempt, endpoint: Endpoint, options: HttpTransportOptions, ended: () => void) {
    this.#attempt = attempt;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#ended = ended;
    this.#sentAtMs = options.scheduler.now();
  }

  abandon(): void {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.#ended();
    if (this.#delivery === undefined) this.#controller?.abort(ABANDONED);
    else this.#options.scheduler.cancel(this.#delivery);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAbandoned) controller.abort(ABANDONED);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    this.#receivedAt = this.#options.epochMs();
    this.#reader = readerOf(String(headers['content-type'] ?? ''), this.#endpoint.dialect);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    const reader = this.#reader as AnswerReader;
    reader.take(bytes);
    if (this.#firstTokenMs === null && reader.hasGenerated) this.#firstTokenMs = this.#sinceSentMs();
  }

  onResponseEnd(): void {
    this.#conclude(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#conclude(error);
  }

  /** To the microsecond: differences of millisecond doubles miss it by a rounding error. */
  #sinceSentMs(): number {
    return Math.round((this.#options.scheduler.now() - this.#sentAtMs) * 1000) / 1000;
  }

  /** Judged as it comes in, told in an instant of the run. */
  #conclude(error: Error | undefined): void {
    if (this.#isAbandoned) return;
    const { scheduler } = this.#options;
    this.#delivery = scheduler.after(0, PHASE.completion, deliver, { exchange: this, end: this.#judged(error) });
  }

  deliver(end: AttemptEnd): void {
    this.#ended();
    this.#attempt.answered(end);
  }

  #judged(error: Error | undefined): AttemptEnd {
    const reader = this.#reader;
    const body = reader?.body();
    const { class: verdict, retryAfterMs, scope } = this.#classified(body, error);
    if (verdict !== 'ok') return { class: verdict, retryAfterMs, ...(scope === 'concurrency' && { scope }) };
    // Who does not say what was used is taken to have used what was asked for.
    return {
      class: verdict,
      inputTokens: reader?.inputTokens ?? this.#attempt.inputTokens,
      outputTokens: reader?.outputTokens ?? this.#attempt.outputTokens,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #classified(body: unknown, error: Error | undefined): Classification {
    return classify({
      provider: this.#endpoint.vendor,
      status: this.#status,
      headers: this.#headers,
      body,
      receivedAt: this.#receivedAt,
      error,
    });
  }
}

function deliver({ exchange, end }: { readonly exchange: Exchange; readonly end: AttemptEnd }): void {
  exchange.deliver(end);
}
