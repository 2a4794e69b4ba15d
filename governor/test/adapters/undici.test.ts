import { Agent, type Dispatcher, interceptors, fetch as undiciFetch } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Governor } from '../../src/index.js';
import {
  type DispatchController,
  type DispatchHandler,
  type GovernorInterceptorOptions,
  governorInterceptor,
} from '../../src/undici.js';
import { hangUp, huge, json, LIMITED, type ProviderServer, silence, startProvider, stream } from './provider-server.js';
import { watched } from './settled.js';

let provider: ProviderServer;
let agent: Agent;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(() => provider.close());

beforeEach(() => {
  agent = new Agent();
});

afterEach(() => agent.destroy());

const CHUNK = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const OVERLOADED = 'data: {"error":{"message":"The server is overloaded","code":"overloaded"}}\n\n';
const POST = { method: 'POST', path: '/v1', body: '{"model":"m"}' } as const;

const idle: DispatchController = { paused: false, aborted: false, reason: null, abort() {}, pause() {}, resume() {} };

function governed(governor: Governor, options?: GovernorInterceptorOptions): Dispatcher {
  return agent.compose(governorInterceptor(governor, { provider: 'p', ...options }));
}

describe('undici with a governor in its dispatcher', () => {
  it.each([
    ['JSON', json(200, { choices: [] }), 'succeeded'],
    ['a huge body', huge(3_000_000), 'succeeded'],
    ['a stream', stream([CHUNK, DONE]), 'succeeded'],
    ['a stream without its end', stream([CHUNK]), 'failed'],
    ['an error in a stream', stream([CHUNK, OVERLOADED]), 'provider_overloaded'],
    ['a 429', LIMITED, 'rate_limited'],
    ['a 429 for want of credit', json(429, { error: { code: 'insufficient_quota' } }), 'ended'],
    ['a compressed answer, which is not looked at', json(200, 'xxx', { 'content-encoding': 'br' }), 'succeeded'],
    [
      'a compressed refusal',
      json(429, { error: { code: 'insufficient_quota' } }, { 'content-encoding': 'br' }),
      'rate_limited',
    ],
  ] as const)('%s', async (_title, answer, outcome) => {
    provider.script(answer);
    const { governor, outcomes, keys, inFlight } = watched();
    const { body } = await governed(governor).request({ ...POST, origin: provider.url });
    await body.text();
    expect({ outcomes, keys, inFlight: inFlight() }).toEqual({ outcomes: [outcome], keys: ['p/m'], inFlight: 0 });
  });

  it('a connection closed without an answer is a failure', async () => {
    provider.script(hangUp);
    const { governor, outcomes } = watched();
    await expect(governed(governor).request({ ...POST, origin: provider.url })).rejects.toThrow('other side closed');
    expect(outcomes).toEqual(['failed']);
  });

  it.each(['', '{"err'])('a refusal whose body is cut after %j is a refusal', async (begun) => {
    provider.script((response) => {
      response.writeHead(429).flushHeaders();
      response.write(begun);
      response.socket!.end();
    });
    const { governor, outcomes } = watched();
    const { body } = await governed(governor).request({ ...POST, origin: provider.url });
    await expect(body.text()).rejects.toThrow();
    expect(outcomes).toEqual(['rate_limited']);
  });

  it('news before the answer are not the answer', async () => {
    provider.script((response, request) => {
      response.writeProcessing();
      LIMITED(response, request);
    });
    const { governor, clock, outcomes } = watched();
    const { body } = await governed(governor, { clock }).request({ ...POST, origin: provider.url });
    await body.text();
    expect({ outcomes, timers: clock.pending }).toEqual({ outcomes: ['rate_limited'], timers: 0 });
  });

  it('an upgraded connection and a dispatch that throws give their slots back', () => {
    const { governor, outcomes } = watched();
    const errors: unknown[] = [];
    const handler = { onResponseError: (_controller: unknown, error: unknown) => errors.push(error) };
    const request = { ...POST, origin: provider.url };
    const dispatched = (dispatch: (_request: object, inner: DispatchHandler) => boolean): boolean =>
      governorInterceptor(governor)(dispatch)(request, handler);
    expect(dispatched((_request, inner) => inner.onRequestUpgrade!(idle, 101, {}, {} as never) === undefined)).toBe(
      true,
    );
    const wrong = new TypeError('invalid method');
    dispatched(() => {
      throw wrong;
    });
    expect({ outcomes, errors }).toEqual({ outcomes: ['ended', 'failed'], errors: [wrong] });
  });

  it('a body destroyed, left or aborted is ended', async () => {
    provider.script(stream([CHUNK], 'open'));
    const { governor, outcomes, idle } = watched();
    const dispatcher = governed(governor);
    const abort = new AbortController();
    const ask = () => dispatcher.request({ ...POST, origin: provider.url, signal: abort.signal });
    (await ask()).body.on('error', () => {}).destroy();
    await idle();
    for await (const _ of (await ask()).body) break;
    await idle();
    const { body } = await ask();
    abort.abort();
    await expect(body.text()).rejects.toThrow('aborted');
    expect(outcomes).toEqual(['ended', 'ended', 'ended']);
  });

  it('aborted before the head, the slot comes back', async () => {
    provider.script(silence);
    const { governor, outcomes } = watched();
    const abort = new AbortController();
    const asked = governed(governor).request({ ...POST, origin: provider.url, signal: abort.signal });
    await expect.poll(() => provider.seen.length).toBe(1);
    abort.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    expect(outcomes).toEqual(['ended']);
  });

  it('aborted in the queue, it leaves at once and sends nothing', async () => {
    provider.script(stream([CHUNK], 'open'), json(200, {}));
    const { governor, outcomes, inFlight } = watched({ initial: 1 });
    const dispatcher = governed(governor);
    const first = await dispatcher.request({ ...POST, origin: provider.url });
    const abort = new AbortController();
    const second = dispatcher.request({ ...POST, origin: provider.url, signal: abort.signal });
    const third = dispatcher.request({ ...POST, origin: provider.url });
    abort.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    first.body.on('error', () => {}).destroy();
    await (await third).body.json();
    expect({ seen: provider.seen.length, outcomes, inFlight: inFlight() }).toEqual({
      seen: 2,
      outcomes: ['ended', 'succeeded'],
      inFlight: 0,
    });
  });

  it('never read, it gives its slot back after bodyTimeoutMs', async () => {
    provider.script(huge(3_000_000));
    const { governor, clock, outcomes, inFlight } = watched();
    const { body } = await governed(governor, { clock, bodyTimeoutMs: 1_000 }).request({
      ...POST,
      origin: provider.url,
    });
    await expect.poll(() => body.readableLength).toBeGreaterThanOrEqual(body.readableHighWaterMark);
    clock.advance(999);
    expect(inFlight()).toBe(1);
    clock.advance(1);
    expect(outcomes).toEqual(['ended']);
    expect((await body.text()).length).toBeGreaterThan(3_000_000);
  });

  it('a retrying interceptor outside takes a slot for each attempt', async () => {
    provider.script(json(503, {}), json(200, {}));
    const { governor, outcomes, inFlight } = watched({ initial: 1 });
    const retry = interceptors.retry({ maxRetries: 1, minTimeout: 1, methods: ['POST'] });
    const dispatcher = agent.compose(governorInterceptor(governor), retry);
    const { statusCode, body } = await dispatcher.request({ ...POST, origin: provider.url });
    await body.json();
    expect({ statusCode, seen: provider.seen.length }).toEqual({ statusCode: 200, seen: 2 });
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['provider_overloaded', 'succeeded'], inFlight: 0 });
  });

  it('serves fetch, whose model is stated because its body is a stream', async () => {
    provider.script(stream([CHUNK, DONE]));
    const { governor, outcomes, keys } = watched();
    const dispatcher = governed(governor, { key: { provider: 'p', model: 'm' } });
    const response = await undiciFetch(provider.url, { method: 'POST', body: '{}', dispatcher });
    expect({ text: await response.text(), url: response.url }).toEqual({ text: CHUNK + DONE, url: `${provider.url}/` });
    expect({ outcomes, keys }).toEqual({ outcomes: ['succeeded'], keys: ['p/m'] });
  });

  it('a closed agent and a closed governor refuse through the request', async () => {
    const { governor, outcomes } = watched();
    const dispatcher = governed(governor);
    await agent.close();
    await expect(dispatcher.request({ ...POST, origin: provider.url })).rejects.toThrow('destroyed');
    expect(outcomes).toEqual(['failed']);
    governor.close();
    await expect(dispatcher.request({ ...POST, origin: provider.url })).rejects.toThrow('governor was closed');
  });
});
