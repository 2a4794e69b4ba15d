/**
 * The whole mock as an HTTP API in data: a request goes in, an exchange comes out. Knows paths, keys, providers and their
 * models; knows no socket, reads no clock and draws no random number. HTTP server and msw handlers are thin around it.
 */

import type { LedgerEntry } from '../models/ledger.js';
import type { Luck } from '../models/luck.js';
import { createProvider, type Provider, type ProviderSpec } from '../models/provider.js';
import type { ErrorCase, RefusalStyle, WireAnswer, WireStyle } from './answer.js';
import { type Asked, isObject, MalformedRequest } from './asked.js';
import { DIALECTS } from './dialects.js';
import { type ErrorFacts, errorAnswer, requestIdHeader } from './error-answer.js';
import { type Exchange, PlainExchange } from './exchange.js';
import { generate, type Instant, type ModelManners, type RequestHeaders } from './generation.js';
import { modelEntry, modelList } from './model-list.js';
import { idOf } from './reply.js';
import { firstSegmentOf, METHODS, parameterOf, type Route, routeOf, type Target, targetOf } from './route.js';

/** A provider as a mock plays it: its limits, and how it speaks. */
export interface ApiProvider extends ProviderSpec {
  /** The dialect that its errors are in where a path is in none, and that `refusal` is of. */
  readonly wire: 'openai' | 'anthropic' | 'gemini';
  /** Default: as usual in the dialect. Paths of another dialect have that one's usual look. */
  readonly refusal?: RefusalStyle;
  readonly models: Readonly<Record<string, ProviderSpec['models'][string] & ModelManners>>;
}

export interface MockApiOptions {
  /** By name. One alone is reached under any path; of several each under its own: `/NAME/v1/…`. */
  readonly providers: Readonly<Record<string, ApiProvider>>;
  /** Requests without this key are answered as unauthorized. Default: none is needed. */
  readonly apiKey?: string;
  /** The random numbers of what happens by itself, as `createProvider` takes them. */
  readonly luck?: Luck;
}

export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: RequestHeaders;
  readonly body: string;
}

/** What the mock has counted. */
export interface ApiLedger {
  /** By `provider/model`. */
  readonly models: Readonly<Record<string, LedgerEntry>>;
  /** Requests that came to no model, by what was wrong; none that is 0. */
  readonly rejected: Readonly<Partial<Record<ErrorCase, number>>>;
}

/** A request header that fixes the tokens of its answer, for tests; and one for what the request counts as. */
const OUTPUT_TOKENS = 'x-mock-output-tokens';
const INPUT_TOKENS = 'x-mock-input-tokens';
/** A request header that says how many of the input tokens are in the prompt cache: whole, ≥ 1. */
export const CACHED_TOKENS = 'x-mock-cached-tokens';

interface Host {
  readonly name: string;
  readonly provider: Provider;
  spec: ApiProvider;
}

/** Where a request target leads. */
interface Place {
  readonly target: Target;
  readonly host: Host;
  readonly route: Route;
}

/** A request on its way through: what is known of it so far. */
interface Visit {
  readonly request: WireRequest;
  readonly place: Place;
  readonly at: Instant;
  readonly number: number;
  readonly requestId: string;
}

/** Clients have a handful of targets; whoever makes up more finds the memory of them emptied. */
const KNOWN_TARGETS = 256;

export class MockApi {
  readonly #hosts: ReadonlyMap<string, Host>;
  readonly #apiKey: string | undefined;
  readonly #rejected = new Map<ErrorCase, number>();
  readonly #places = new Map<string, Place>();
  #requests = 0;

  /** @throws RangeError when there is no provider, or naming the quota, the option, its value and what is allowed. */
  constructor({ providers, apiKey, luck }: MockApiOptions) {
    const hosts = Object.entries(providers).map(([name, spec]): [string, Host] => {
      const own: Luck | undefined = luck && ((label) => luck(`${name}/${label}`));
      return [name, { name, spec, provider: createProvider(spec, own) }];
    });
    if (hosts.length === 0) throw new RangeError('providers: at least one is needed, got none');
    this.#hosts = new Map(hosts);
    this.#apiKey = apiKey;
  }

  /** Never throws for anything in the request. */
  exchange(request: WireRequest, at: Instant): Exchange {
    const visit = this.#visit(request, at);
    const { route } = visit.place;
    if (route.kind === 'health') return new PlainExchange(json({ status: 'ok' }));
    if (!this.#isAllowed(visit)) return this.#reject('unauthorized', visit);
    if (route.kind === 'unknown') return this.#reject('unknown-path', visit);
    if (METHODS[route.kind] !== request.method) return this.#reject('wrong-method', visit);
    switch (route.kind) {
      case 'ledger':
        return new PlainExchange(json(this.ledger()));
      case 'models':
        return this.#models(visit, route.id);
      case 'generate':
        return this.#generate(visit, route);
    }
  }

  /** The answer to a request that an adapter turns away by itself: its body is too large, it is no HTTP, the mock failed. */
  reject(kase: ErrorCase, request: Omit<WireRequest, 'body'>, at: Instant, reason?: string): WireAnswer {
    const visit = this.#visit({ ...request, body: '' }, at);
    return this.#rejection(kase, visit, reason === undefined ? {} : { reason });
  }

  /** Other numbers for a provider from now on, as `Provider.reconfigure` says. */
  reconfigure(name: string, spec: ApiProvider, nowMs: number): void {
    const host = this.#hosts.get(name);
    if (host === undefined)
      throw new RangeError(`provider must be one of ${[...this.#hosts.keys()].join(', ')}, got ${name}`);
    host.provider.reconfigure(spec, nowMs);
    host.spec = spec;
  }

  ledger(): ApiLedger {
    const models = [...this.#hosts.values()].flatMap(({ name, provider }) =>
      Object.entries(provider.ledger()).map(([model, entry]) => [`${name}/${model}`, entry] as const),
    );
    return { models: Object.fromEntries(models), rejected: Object.fromEntries(this.#rejected) };
  }

  #visit(request: WireRequest, at: Instant): Visit {
    this.#requests += 1;
    const number = this.#requests;
    return { request, place: this.#placeOf(request.target), at, number, requestId: idOf({ number }, 'req_') };
  }

  #placeOf(text: string): Place {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const target = targetOf(text);
    const named = this.#hosts.get(firstSegmentOf(target));
    const isHosted = named !== undefined || this.#hosts.size === 1;
    const route = routeOf(target);
    const place = { target, host: named ?? this.#first(), route: isHosted ? route : unhosted(route) };
    if (this.#places.size === KNOWN_TARGETS) this.#places.clear();
    this.#places.set(text, place);
    return place;
  }

  #first(): Host {
    return this.#hosts.values().next().value as Host;
  }

  #isAllowed({ request: { headers }, place: { target } }: Visit): boolean {
    if (this.#apiKey === undefined) return true;
    const keys = [
      /^Bearer +(.+)$/i.exec(String(headers.authorization))?.[1],
      headers['x-api-key'],
      headers['api-key'],
      headers['x-goog-api-key'],
      parameterOf(target, 'key'),
    ];
    return keys.includes(this.#apiKey);
  }

  #models(visit: Visit, id: string | null): Exchange {
    const { spec } = visit.place.host;
    const names = Object.keys(spec.models);
    if (id === null) return new PlainExchange(json(modelList(spec.wire, names)));
    const entry = names.includes(id) ? modelEntry(spec.wire, id) : undefined;
    return entry === undefined ? this.#reject('unknown-model', visit, { model: id }) : new PlainExchange(json(entry));
  }

  #generate(visit: Visit, { wire, path }: Extract<Route, { kind: 'generate' }>): Exchange {
    const { request, place, at, number, requestId } = visit;
    const { host, target } = place;
    const { method, headers } = request;
    const dialect = DIALECTS[wire];
    try {
      const asked = withInput(dialect.read(parsed(request.body), path), headers);
      const outputTokens = tokensIn(headers, OUTPUT_TOKENS);
      const { model, stream } = asked;
      const manners = Object.hasOwn(host.spec.models, model) ? host.spec.models[model] : undefined;
      if (manners === undefined) return this.#reject('unknown-model', visit, { model, stream });
      const style = styleOf(host.spec, wire);
      const asking = {
        asked,
        dialect,
        style,
        path,
        method,
        url: target.path,
        headers,
        number,
        requestId,
        at,
        outputTokens,
      };
      return generate(host.provider.model(model), manners, asking);
    } catch (error) {
      if (error instanceof MalformedRequest) return this.#reject('malformed', visit, { reason: error.message });
      throw error;
    }
  }

  #reject(kase: ErrorCase, visit: Visit, more: Partial<ErrorFacts> = {}): Exchange {
    return new PlainExchange(this.#rejection(kase, visit, more));
  }

  #rejection(kase: ErrorCase, visit: Visit, more: Partial<ErrorFacts> = {}): WireAnswer {
    this.#rejected.set(kase, (this.#rejected.get(kase) ?? 0) + 1);
    const { request, place, at, requestId } = visit;
    const { host, route, target } = place;
    const wire = route.kind === 'generate' ? route.wire : host.spec.wire;
    const style = styleOf(host.spec, wire);
    const { method } = request;
    const facts = { method, path: target.path, requestId, stream: false, epochMs: at.epochMs, ...more };
    const allow = METHODS[route.kind];
    const headers = {
      ...requestIdHeader(style, requestId),
      ...(kase === 'wrong-method' && allow !== null && { allow }),
    };
    return errorAnswer(kase, { style, dialect: DIALECTS[wire].style }, { facts }, { headers, afterMs: 0 });
  }
}

/** Under no provider's name only the mock's own pages are known. */
function unhosted(route: Route): Route {
  return route.kind === 'health' || route.kind === 'ledger' ? route : { kind: 'unknown' };
}

function styleOf({ wire, refusal }: ApiProvider, asked: WireStyle): RefusalStyle {
  const family = asked === 'openai-responses' ? 'openai' : asked;
  return family === wire && refusal !== undefined ? refusal : DIALECTS[asked].style;
}

function json(value: object): WireAnswer {
  const headers = { 'content-type': 'application/json' };
  return { kind: 'whole', status: 200, headers, afterMs: 0, ending: 'end', body: JSON.stringify(value) };
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new MalformedRequest('The body of the request is not valid JSON.');
  }
  if (isObject(value)) return value;
  throw new MalformedRequest('The body of the request must be a JSON object.');
}

function withInput(asked: Asked, headers: RequestHeaders): Asked {
  const inputTokens = tokensIn(headers, INPUT_TOKENS) ?? asked.inputTokens;
  const cachedTokens = tokensIn(headers, CACHED_TOKENS);
  if (cachedTokens === null) return inputTokens === asked.inputTokens ? asked : { ...asked, inputTokens };
  // No more than there is: the estimate of a prompt is only one.
  return { ...asked, inputTokens, cachedTokens: Math.min(cachedTokens, inputTokens) };
}

/** Null where the header is not there. */
function tokensIn(headers: RequestHeaders, name: string): number | null {
  const text = headers[name];
  if (text === undefined) return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new MalformedRequest(`the header ${name} must be a whole number of at least 1, got ${String(text)}`);
}
