/** The msw handlers: profiles by name, what they intercept, and callers that go away. */

import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import OpenAI, { RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileNames } from '../../src/index.js';
import { createMock, handlers } from '../../src/msw.js';
import { ManualClock } from './manual-clock.js';
import { concurrency, provider, requestsPerMinute, steady } from './mock-providers.js';
import { ASK, eventually, STREAM } from './raw-client.js';

const msw = setupServer();
beforeAll(() => msw.listen({ onUnhandledRequest: 'error' }));
afterAll(() => msw.close());

const HOST = 'https://api.acme.test';

describe('profiles', () => {
  it('openai: a client without a base URL gets its text, and in the end its RateLimitError', async () => {
    msw.resetHandlers(...handlers({ provider: 'openai', clock: new ManualClock() }));
    const openai = new OpenAI({ apiKey: 'any', maxRetries: 0 });
    const ask = { model: 'gpt-4o', messages: [{ role: 'user', content: 'How high?' }], max_tokens: 15_000 } as const;
    const call = (): Promise<OpenAI.ChatCompletion> => openai.chat.completions.create({ ...ASK_OF(ask) });
    expect((await call()).usage?.completion_tokens).toBe(200);
    const held = openai.chat.completions.create({ ...ASK_OF(ask), stream: true });
    await held;
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).headers?.get('retry-after-ms')).toMatch(/^\d+$/);
  });

  it.each(profileNames)(
    '%s answers with success, and in the shape of its own where the model is none of its',
    async (name) => {
      const mock = createMock({ provider: name, baseUrl: HOST });
      msw.resetHandlers(...mock.handlers);
      const [model] = Object.keys(mock.ledger().models).map((key) => key.slice('mock/'.length));
      const messages = [{ role: 'user', content: 'How high?' }];
      const ask = (asked: string | undefined): Promise<Response> =>
        fetch(`${HOST}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: asked, messages }) });
      expect((await ask(model)).status).toBe(200);
      const unknown = await ask('nobody');
      expect([404, 200]).toContain(unknown.status);
      expect(await unknown.json()).toEqual(expect.anything());
    },
  );
});

/** The request as the client's types want it. */
function ASK_OF(ask: { readonly model: string; readonly messages: readonly unknown[]; readonly max_tokens: number }) {
  return { ...ask, messages: [...ask.messages] as OpenAI.ChatCompletionMessageParam[] };
}

describe('interception', () => {
  it('leaves other paths to other handlers, unless it has a base URL', async () => {
    const other = http.all('*', () => HttpResponse.json({ other: true }));
    const status = async (path: string): Promise<number | string> => {
      const response = await fetch(`${HOST}${path}`);
      return response.headers.has('request-id') || response.headers.has('x-request-id') ? response.status : 'other';
    };
    msw.resetHandlers(...handlers({ provider: provider() }), other);
    expect([await status('/v1/unknown'), await status('/v1/messages'), await status('/login')]).toEqual([
      'other',
      405,
      'other',
    ]);
    msw.resetHandlers(...handlers({ provider: provider(), baseUrl: HOST }), other);
    expect(await status('/v1/unknown')).toBe(404);
    expect((await (await fetch('https://api.acme.test.evil.test/v1/unknown')).json()).other).toBe(true);
  });

  it('serves the ledger and the models', async () => {
    msw.resetHandlers(...handlers({ provider: provider([requestsPerMinute(1)]), baseUrl: HOST }));
    await fetch(`${HOST}/v1/chat/completions`, { method: 'POST', body: ASK });
    const models = await (await fetch(`${HOST}/v1/models`)).json();
    const ledger = await (await fetch(`${HOST}/ledger`)).json();
    expect(models.data).toMatchObject([{ id: 'large' }]);
    expect(ledger.models['mock/large']).toMatchObject({ admitted: 1 });
  });

  it('takes other numbers while it runs', async () => {
    const mock = createMock({ provider: provider([concurrency(0)]), baseUrl: HOST });
    msw.resetHandlers(...mock.handlers);
    const status = async (): Promise<number> =>
      (await fetch(`${HOST}/v1/chat/completions`, { method: 'POST', body: ASK })).status;
    expect(await status()).toBe(429);
    mock.reconfigure(provider([concurrency(1)]));
    expect(await status()).toBe(200);
  });
});

describe('callers that go away', () => {
  it.each([
    ['while it waits', ASK, steady({ firstTokenMs: 60_000 })],
    ['in the middle of a stream', STREAM, steady({ outputTokens: 1_000, perTokenMs: 60_000 })],
  ])('%s: the place is free', async (_, body, draws) => {
    const clock = new ManualClock();
    const mock = createMock({ provider: provider([concurrency(1)], { manners: { draws } }), baseUrl: HOST, clock });
    msw.resetHandlers(...mock.handlers);
    const large = () => mock.ledger().models['mock/large']!;
    const controller = new AbortController();
    const answer = fetch(`${HOST}/v1/chat/completions`, { method: 'POST', body, signal: controller.signal });
    const read = answer.then((response) => response.text());
    read.catch(() => {});
    await eventually(() => large().inFlight === 1);
    if (body === STREAM) await answer;
    controller.abort();
    await expect(read).rejects.toThrow();
    await eventually(() => large().inFlight === 0);
    expect(large().abandoned).toBe(1);
  });

  it('an answer that nobody reads frees its place when it would have ended', async () => {
    const draws = steady({ outputTokens: 1_000, perTokenMs: 1_000 });
    const clock = new ManualClock();
    const mock = createMock({ provider: provider([], { manners: { draws } }), baseUrl: HOST, clock });
    msw.resetHandlers(...mock.handlers);
    await fetch(`${HOST}/v1/chat/completions`, { method: 'POST', body: STREAM });
    const inFlight = (): number | undefined => mock.ledger().models['mock/large']?.inFlight;
    clock.advance(999_000);
    expect(inFlight()).toBe(1);
    clock.advance(1_000);
    expect(inFlight()).toBe(0);
    expect(mock.ledger().models['mock/large']?.abandoned).toBe(0);
  });
});
