/**
 * Providers over HTTP, a served mock or a real endpoint: each attempt is one request in the provider's dialect, and its
 * answer is judged by the governor's own rules. Measures the first generated token; knows no quota, retries nothing, and
 * takes every answer to its end unless the attempt is abandoned.
 */

import { announcedLimits, type Classification, classify } from '@tidegate/governor';
import type { Dispatcher } from 'undici';
import { DefectError, type EventHandle, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { CountedModel } from '../trace/events.js';
import { causeOf, EndlessAnswerError } from './answer-cause.js';
import { type AnswerReader, readerOf } from './answer-reader.js';
import type { ClientDialect, MaxTokensField } from './client-dialect.js';
import { type Connections, connectionsTo, type ProxySettings } from './connections.js';
import { promptText } from './prompt-text.js';
import { Stopwatch } from './stopwatch.js';
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
  /** What a model of the scenario is called there. Default: the same. */
  readonly modelName?: (model: string) => string;
  /** What is asked. Default: text that is only there for its size. */
  readonly promptOf?: (attempt: Attempt) => string;
  /** Default max_tokens. */
  readonly maxTokensField?: MaxTokensField;
  /** Default: nobody in between. */
  readonly proxies?: ProxySettings;
}

/** An answer, or what came in place of one, as it was judged: what to tell a person of it. */
export interface Heard {
  /** As the endpoint calls it. */
  readonly model: string;
  readonly class: Classification['class'];
  /** Undefined for a success. */
  readonly cause: string | undefined;
  readonly status: number | undefined;
  readonly headers: Headers;
  /** As it came; never to be shown as it is. */
  readonly body: unknown;
  /** Something was generated. */
  readonly isGenerated: boolean;
  readonly outputTokens: number | undefined;
}

export interface HttpTransportOptions {
  readonly scheduler: Scheduler;
  /** By the provider's name in the scenario. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Milliseconds since 1970, against which a date in an answer is read that has no date of its own. */
  readonly epochMs: () => number;
  /** Told of each answer as it comes in, before its attempt is. */
  readonly heard?: (heard: Heard) => void;
  /** Whether prompts and answers go along with the ends of their attempts. Default false. */
  readonly keepsTexts?: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const NO_HEADERS: Headers = {};
const ABANDONED = new Error('the attempt is abandoned');
/** More than any model says in one answer: a server that never ends one would fill the memory. */
const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024;

interface Line {
  readonly endpoint: Endpoint;
  readonly connections: Connections;
  readonly origin: string;
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
  send(attempt: Attempt, headers: Headers = NO_HEADERS): () => undefined {
    const line = this.#lines.get(attempt.provider);
    if (line === undefined) throw new DefectError(`no endpoint of ${attempt.provider} to send to`);
    const { endpoint, connections, origin, prefix } = line;
    const prompt = endpoint.promptOf?.(attempt) ?? promptText(attempt.inputTokens);
    const model = endpoint.modelName?.(attempt.model) ?? attempt.model;
    const request = endpoint.dialect.request({
      model,
      prompt,
      maxTokens: Math.max(1, attempt.maxTokens),
      maxTokensField: endpoint.maxTokensField ?? 'max_tokens',
      stream: endpoint.isStreamed(attempt.model),
      apiKey: endpoint.apiKey,
    });
    const exchange = new Exchange({ attempt, endpoint, model, prompt }, this.#options, () =>
      this.#inFlight.delete(exchange),
    );
    this.#inFlight.add(exchange);
    connections.dispatch(
      {
        origin,
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
  ledger(): Readonly<Record<string, CountedModel>> {
    return {};
  }

  /** Abandons what is in flight, and closes all connections. */
  async close(): Promise<void> {
    for (const exchange of [...this.#inFlight]) exchange.abandon();
    await Promise.all([...this.#lines.values()].map(({ connections }) => connections.destroy()));
  }
}

function lineTo(endpoint: Endpoint): Line {
  const { origin, pathname } = new URL(endpoint.baseUrl);
  return {
    endpoint,
    connections: connectionsTo(origin, endpoint.proxies),
    origin,
    prefix: pathname.replace(/\/+$/, ''),
  };
}

interface Sent {
  readonly attempt: Attempt;
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly prompt: string;
}

/** One attempt on its way. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #attempt: Attempt;
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #prompt: string;
  readonly #options: HttpTransportOptions;
  readonly #ended: () => void;
  readonly #stopwatch: Stopwatch;
  #controller: Dispatcher.DispatchController | undefined;
  #isAbandoned = false;
  #status: number | undefined;
  #headers: Headers = NO_HEADERS;
  #reader: AnswerReader | undefined;
  #receivedAt: number | undefined;
  #bytes = 0;
  /** Of the event that delivers the end. */
  #delivery: EventHandle | undefined;

  constructor({ attempt, endpoint, model, prompt }: Sent, options: HttpTransportOptions, ended: () => void) {
    this.#attempt = attempt;
    this.#endpoint = endpoint;
    this.#model = model;
    this.#prompt = prompt;
    this.#options = options;
    this.#ended = ended;
    this.#stopwatch = new Stopwatch(options.scheduler);
  }

  abandon(): undefined {
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
    this.#reader = readerOf(this.#contentType, {
      dialect: this.#endpoint.dialect,
      keepsAnswer: this.#options.keepsTexts ?? false,
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    const reader = this.#reader as AnswerReader;
    reader.take(bytes);
    this.#stopwatch.generated(reader.pieces, reader.hasAnswered);
    this.#bytes += bytes.length;
    if (this.#bytes > LONGEST_ANSWER_BYTES) controller.abort(new EndlessAnswerError('the answer does not end'));
  }

  onResponseEnd(): void {
    this.#conclude(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#conclude(error);
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
    const body = this.#reader?.body();
    const classification = this.#classified(body, error);
    const contentType = this.#contentType;
    // A success is a document or a stream; text in its place comes from somebody else.
    const isForeign = classification.class === 'ok' && typeof body === 'string' && !/event-stream/i.test(contentType);
    const verdict = isForeign ? 'transient' : classification.class;
    const cause = verdict === 'ok' ? undefined : causeOf({ status: this.#status, contentType, body, error });
    this.#options.heard?.({
      ...{ model: this.#model, class: verdict, cause, status: this.#status, headers: this.#headers, body },
      isGenerated: (this.#reader?.pieces ?? 0) > 0,
      outputTokens: this.#reader?.outputTokens,
    });
    const refusedBy = classification.reducesCap ? classification.scope : undefined;
    const limits = announcedLimits({ headers: this.#headers, body }, refusedBy);
    const end = verdict === 'ok' ? this.#success() : this.#failure({ ...classification, class: verdict }, cause);
    return limits.length === 0 ? end : { ...end, limits };
  }

  #success(): AttemptEnd {
    const { inputTokens, outputTokens } = this.#attempt;
    const reader = this.#reader;
    const texts = this.#options.keepsTexts ? { prompt: this.#prompt, answer: reader?.answer ?? '' } : undefined;
    const isStated = reader?.inputTokens !== undefined && reader.outputTokens !== undefined;
    return {
      class: 'ok',
      // Who does not say what was used is taken to have used what was asked for.
      inputTokens: reader?.inputTokens ?? inputTokens,
      outputTokens: reader?.outputTokens ?? outputTokens,
      firstTokenMs: this.#stopwatch.firstMs,
      ...this.#stopwatch.paces(),
      ...(reader?.reasoningTokens !== undefined && { reasoningTokens: reader.reasoningTokens }),
      ...(!isStated && { tokensEstimated: true as const }),
      ...(texts && { texts }),
    };
  }

  #failure(
    {
      class: verdict,
      retryAfterMs,
      scope,
    }: Classification & { readonly class: Exclude<Classification['class'], 'ok'> },
    cause: string | undefined,
  ): AttemptEnd {
    return {
      class: verdict,
      retryAfterMs,
      ...(scope !== undefined && { scope }),
      ...(cause !== undefined && { cause }),
      ...(this.#options.keepsTexts && { texts: { prompt: this.#prompt, answer: '' } }),
    };
  }

  get #contentType(): string {
    return String(this.#headers['content-type'] ?? '');
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
