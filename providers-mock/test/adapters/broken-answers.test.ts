/** Broken and late answers as a client sees them, over HTTP and through msw alike; and that none of them keeps its place. */

import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultKind } from '../../src/models/faults.js';
import { createMock } from '../../src/msw.js';
import { type MockServer, startMockServer } from '../../src/server.js';
import type { ApiLedger, ApiProvider } from '../../src/wire/mock-api.js';
import { concurrency, provider, steady } from './mock-providers.js';
import { ASK, eventually, STREAM } from './raw-client.js';

const BASE_URL = 'https://api.broken.test';
const msw = setupServer();
beforeAll(() => msw.listen({ onUnhandledRequest: 'bypass' }));
afterAll(() => msw.close());

let server: MockServer | undefined;
afterEach(() => server?.close(0));

interface Mocked {
  readonly url: string;
  ledger(): ApiLedger;
}

async function mocked(adapter: string, kind: FaultKind): Promise<Mocked> {
  const faults = [{ kind, rate: 1, fromMs: null, toMs: null }];
  const draws = steady({ outputTokens: 4, firstTokenMs: 2, perTokenMs: 1, refusalMs: 1 });
  return mockOf(adapter, provider([concurrency(1)], { manners: { faults, draws } }));
}

async function mockOf(adapter: string, acme: ApiProvider): Promise<Mocked> {
  if (adapter === 'msw') {
    const mock = createMock({ provider: acme, baseUrl: BASE_URL });
    msw.resetHandlers(...mock.handlers);
    return { url: BASE_URL, ledger: mock.ledger };
  }
  server = await startMockServer({ providers: { acme } });
  return server;
}

function large(mock: Mocked): { readonly inFlight: number; readonly abandoned: number } {
  return Object.values(mock.ledger().models)[0]!;
}

function ask({ url }: Mocked, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body, ...(signal && { signal }) });
}

describe.each(['http', 'msw'])('over %s', (adapter) => {
  it.each([
    ['status-503', 503, 'server_is_overloaded'],
    ['html-page', 502, '<html>'],
    ['error-in-200', 200, '"code":502'],
    ['empty-body', 200, ''],
    ['truncated-json', 200, 'chat.completion'],
    ['slow', 200, 'The tide comes i'],
    ['no-headers', 200, 'The tide comes i'],
  ] as const)('%s arrives with status %d', async (kind, status, text) => {
    const mock = await mocked(adapter, kind);
    for (const body of [ASK, STREAM]) {
      const response = await ask(mock, body);
      const read = await response.text();
      expect(response.status).toBe(status);
      expect(
        kind === 'slow' || kind === 'no-headers' ? read.replaceAll(/.*?"content":"([^"]*)|.*/gs, '$1') : read,
      ).toContain(text);
      await eventually(() => large(mock).inFlight === 0);
    }
    expect(large(mock).abandoned).toBe(0);
  });

  it('reset breaks the connection before an answer', async () => {
    const mock = await mocked(adapter, 'reset');
    for (const body of [ASK, STREAM]) await expect(ask(mock, body)).rejects.toThrow(TypeError);
    expect(large(mock)).toMatchObject({ inFlight: 0, abandoned: 0, admitted: 2 });
  });

  it('cut-stream breaks a whole answer in the middle of its body, and stops a stream', async () => {
    const mock = await mocked(adapter, 'cut-stream');
    const whole = await ask(mock, ASK);
    expect(whole.status).toBe(200);
    await expect(whole.text()).rejects.toThrow(TypeError);
    const text = await (await ask(mock, STREAM)).text();
    expect(text).toContain('tide');
    expect(text).not.toContain('[DONE]');
    expect(large(mock)).toMatchObject({ inFlight: 0, abandoned: 0 });
  });

  it('hang keeps its place until its client gives up', async () => {
    const mock = await mocked(adapter, 'hang');
    const controller = new AbortController();
    const answer = ask(mock, ASK, controller.signal);
    await eventually(() => large(mock).inFlight === 1);
    expect((await ask(mock, ASK)).status).toBe(429);
    controller.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => large(mock).inFlight === 0);
    expect(large(mock).abandoned).toBe(1);
  });

  it('a request that waits at a busy server is kept alive, if that is the provider’s way', async () => {
    const draws = steady({ outputTokens: 2, firstTokenMs: 400 });
    const server = { slots: 1, queue: 5 };
    const waiting = provider([], { manners: { draws, keepAliveMs: 10 } });
    const queueing = { ...waiting, models: { large: { ...waiting.models.large!, server } } };
    const mock = await mockOf(adapter, queueing);
    const first = ask(mock, ASK);
    await eventually(() => large(mock).inFlight === 1);
    const [whole, stream] = await Promise.all([ask(mock, ASK), ask(mock, STREAM)]);
    // Their heads are here before the first has its answer.
    expect(large(mock).inFlight).toBe(3);
    expect([whole.headers.get('content-type'), stream.headers.get('content-type')]).toEqual([
      'application/json',
      'text/event-stream; charset=utf-8',
    ]);
    const text = await whole.text();
    expect(text).toMatch(/^\n+\{/);
    expect(JSON.parse(text).choices[0].message.content).toBe('The tide');
    expect(await stream.text()).toMatch(/^(: keep-alive\n\n)+data: (.|\n)*data: \[DONE\]\n\n$/);
    expect((await (await first).text()).startsWith('{')).toBe(true);
    expect(large(mock)).toMatchObject({ inFlight: 0, abandoned: 0 });
  });

  it('one that goes away while it waits gives its place in the line back', async () => {
    const waiting = provider([], { manners: { draws: steady({ firstTokenMs: 60_000 }), keepAliveMs: 5 } });
    const server = { slots: 1, queue: 5 };
    const mock = await mockOf(adapter, { ...waiting, models: { large: { ...waiting.models.large!, server } } });
    const controller = new AbortController();
    const first = ask(mock, ASK, controller.signal);
    first.catch(() => {});
    await eventually(() => large(mock).inFlight === 1);
    const second = (await ask(mock, STREAM, controller.signal)).text();
    controller.abort();
    await expect(second).rejects.toThrow();
    await eventually(() => large(mock).inFlight === 0);
    expect(large(mock).abandoned).toBe(2);
  });
});
