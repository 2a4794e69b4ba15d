/**
 * The mock as handlers of msw 2, for tests that intercept requests in their own process. Translates between the API and
 * `Request` and `Response`; decides nothing.
 */

import { type HttpHandler, HttpResponse, http } from 'msw';
import type { ProfileName } from '../profiles/catalogue.js';
import { type ApiLedger, type ApiProvider, MockApi, type MockApiOptions } from '../wire/mock-api.js';
import type { MockClock } from './clock.js';
import { FetchDelivery } from './fetch-delivery.js';
import { profileApi } from './profile-api.js';
import { WALL_CLOCK } from './wall-clock.js';

export interface MswMockOptions extends Pick<MockApiOptions, 'apiKey' | 'luck'> {
  /** A profile by name, answering at once; or a provider of your own. */
  readonly provider: ProfileName | ApiProvider;
  /**
   * Requests to URLs that begin so are answered, whatever their path: `https://api.openai.com`. Default: requests to any
   * host whose path is one of the mock's; the others are left to other handlers.
   */
  readonly baseUrl?: string;
  /** Default: real time, or the fake timers of the test. */
  readonly clock?: MockClock;
}

export interface MswMock {
  /** For `setupServer(...mock.handlers)` or `server.use(...mock.handlers)`. */
  readonly handlers: readonly HttpHandler[];
  ledger(): ApiLedger;
  /** Other numbers for the provider from now on, as `Provider.reconfigure` says. */
  reconfigure(provider: ApiProvider): void;
}

const NAME = 'mock';
const KNOWN_PATHS = /\/(?:chat\/completions|responses|messages|models(?:\/[^/]+)?|health|ledger)$/;

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function createMock({ provider, baseUrl, clock = WALL_CLOCK, ...rest }: MswMockOptions): MswMock {
  const spec = typeof provider === 'string' ? profileApi(provider) : provider;
  const api = new MockApi({ providers: { [NAME]: spec }, ...rest });
  const urls = baseUrl === undefined ? KNOWN_PATHS : startingWith(baseUrl);
  return {
    handlers: [http.all(urls, ({ request }) => answer(api, clock, request))],
    ledger: () => api.ledger(),
    reconfigure: (next) => api.reconfigure(NAME, next, clock.nowMs()),
  };
}

/** The handlers alone, for a test that does not look at the ledger. */
export function handlers(options: MswMockOptions): readonly HttpHandler[] {
  return createMock(options).handlers;
}

async function answer(api: MockApi, clock: MockClock, request: Request): Promise<Response> {
  const body = await request.text();
  const { pathname, search } = new URL(request.url);
  const wire = {
    method: request.method,
    target: pathname + search,
    headers: Object.fromEntries(request.headers),
    body,
  };
  const exchange = api.exchange(wire, { nowMs: clock.nowMs(), epochMs: clock.epochMs() });
  const response = await new FetchDelivery(exchange, clock, request.signal).response();
  return response ?? HttpResponse.error();
}

function startingWith(baseUrl: string): RegExp {
  const escaped = baseUrl.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped}(?:/.*)?$`);
}
