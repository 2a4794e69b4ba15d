/**
 * The scenario's providers as a mock that is served on this machine, and the HTTP between. Each attempt goes out as a real
 * request; its luck and the mock's books are at hand because both ends are in one process.
 */

import { randomUUID } from 'node:crypto';
import { type ApiProvider, CACHED_TOKENS, type MockServer, startMockServer } from '@tidegate/providers-mock/server';
import type { RandomStreams } from '../kernel/random.js';
import type { ModelSettings, ProviderSettings } from '../scenario/scenario.js';
import type { CountedModel } from '../trace/events.js';
import { CLIENT_DIALECTS, type DialectName } from './client-dialect.js';
import { countedModel } from './counted-model.js';
import { type Endpoint, HttpTransport } from './http-transport.js';
import { ServedAttempt, ServedAttempts, ServedModel, TOKEN_HEADER } from './served-luck.js';
import { isStreamed } from './streamed.js';
import type { Attempt, Transport } from './transport.js';
import { vendorOf } from './vendor.js';
import { WallScheduler } from './wall-scheduler.js';
import type { WallTime } from './wall-time.js';

export interface LoopbackOptions {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Of the scenario: the luck of what happens by itself at a provider. */
  readonly streams: RandomStreams;
  /** Of both ends; nothing else may use it. */
  readonly time: WallTime;
}

export interface Loopback {
  readonly scheduler: WallScheduler;
  readonly transport: LoopbackTransport;
}

/** Real milliseconds for which an answer may stay unread; both ends share a process, which may be busy for long. */
const STALL_MS = 60_000;

/** The version in the base URL that the paths of a dialect begin below. */
const VERSIONS: Readonly<Record<DialectName, string>> = { openai: 'v1', anthropic: 'v1', gemini: 'v1beta' };

/**
 * Serves the mock; its time is the scheduler's, and begins with it. A defect of the mock fails the run. Rejects with the
 * system's error where nothing can be served.
 */
export async function openLoopback(options: LoopbackOptions): Promise<Loopback> {
  const { time } = options;
  const scheduler = new WallScheduler(time);
  const mock = await ServedMock.start(options, (error) => scheduler.fail(error));
  const endpoints = Object.keys(options.providers).map((name) => [name, mock.endpoint(name)] as const);
  const epochMs = (): number => time.epochMs();
  const http = new HttpTransport({ scheduler, endpoints: Object.fromEntries(endpoints), epochMs });
  return { scheduler, transport: new LoopbackTransport(mock, http) };
}

class LoopbackTransport implements Transport {
  readonly #mock: ServedMock;
  readonly #http: HttpTransport;

  constructor(mock: ServedMock, http: HttpTransport) {
    this.#mock = mock;
    this.#http = http;
  }

  /** Attempts that have neither been answered nor abandoned. */
  get inFlight(): number {
    return this.#http.inFlight;
  }

  send(attempt: Attempt): () => undefined {
    const { attempts } = this.#mock;
    const served = new ServedAttempt(attempt);
    const token = attempts.enter(served);
    const { provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck } = attempt;
    const asked: Attempt = {
      ...{ provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck },
      answered(end) {
        attempts.leave(token);
        attempt.answered(served.told(end));
      },
    };
    const abandon = this.#http.send(asked, {
      [TOKEN_HEADER]: token,
      ...(cachedTokens > 0 && { [CACHED_TOKENS]: String(cachedTokens) }),
    });
    return () => {
      attempts.leave(token);
      abandon();
    };
  }

  reconfigure(provider: string, settings: ProviderSettings): void {
    this.#mock.reconfigure(provider, settings);
  }

  ledger(): Readonly<Record<string, CountedModel>> {
    return this.#mock.ledger();
  }

  async close(): Promise<void> {
    await this.#http.close();
    await this.#mock.close();
  }
}

/** The server, and the settings that its providers have now. */
class ServedMock {
  readonly attempts: ServedAttempts = new ServedAttempts();
  readonly #settings: Map<string, ProviderSettings>;
  readonly #models = new Map<string, ServedModel>();
  readonly #time: WallTime;
  readonly #apiKey: string = randomUUID();
  #server!: MockServer;

  constructor(providers: LoopbackOptions['providers'], time: WallTime) {
    this.#settings = new Map(Object.entries(providers));
    this.#time = time;
  }

  static async start(
    { providers, streams, time }: LoopbackOptions,
    onError: (error: unknown) => void,
  ): Promise<ServedMock> {
    const mock = new ServedMock(providers, time);
    const specs = Object.entries(providers).map(([name, settings]) => [name, mock.#spec(name, settings)] as const);
    mock.#server = await startMockServer({
      providers: Object.fromEntries(specs),
      // So that nobody else on this machine counts.
      apiKey: mock.#apiKey,
      luck: (label) => {
        const stream = streams.stream(`providers/${label}`);
        return () => stream.next();
      },
      clock: time,
      bodyLimit: Number.POSITIVE_INFINITY,
      stallMs: STALL_MS * time.speed,
      onError,
    });
    return mock;
  }

  endpoint(name: string): Endpoint {
    const { wire, refusal } = this.#settings.get(name) as ProviderSettings;
    return {
      dialect: CLIENT_DIALECTS[wire],
      baseUrl: `${this.#server.url}/${encodeURIComponent(name)}/${VERSIONS[wire]}`,
      apiKey: this.#apiKey,
      vendor: vendorOf(name, wire, refusal),
      isStreamed: (model) => isStreamed(this.#settings.get(name)?.models[model] as ModelSettings),
    };
  }

  reconfigure(name: string, settings: ProviderSettings): void {
    this.#settings.set(name, settings);
    this.#server.reconfigure(name, this.#spec(name, settings));
  }

  ledger(): Readonly<Record<string, CountedModel>> {
    const { models } = this.#server.ledger();
    return Object.fromEntries(Object.entries(models).map(([key, entry]) => [key, countedModel(entry)]));
  }

  /** At once; whoever is still there is gone. */
  async close(): Promise<void> {
    await this.#server.close(0);
  }

  #spec(name: string, settings: ProviderSettings): ApiProvider {
    const models = Object.entries(settings.models).map(([model, own]) => {
      const { latency: _, ...spec } = own;
      return [model, { ...spec, draws: this.#draws(`${name}/${model}`, own) }] as const;
    });
    return { ...settings, models: Object.fromEntries(models) };
  }

  /** One for the life of the mock, so that a request that waits to be worked on meets the latencies of that later time. */
  #draws(key: string, settings: ModelSettings): ServedModel {
    const known = this.#models.get(key);
    if (known !== undefined) {
      known.become(settings);
      return known;
    }
    const made = new ServedModel(settings, {
      attempts: this.attempts,
      nowMs: () => this.#time.nowMs(),
      refusedBy: () => this.#server.ledger().models[key]?.refusedBy ?? {},
    });
    this.#models.set(key, made);
    return made;
  }
}
