import OpenAI, { APIConnectionError, APIUserAbortError, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { governedFetch } from '../../src/fetch.js';
import { createGovernor, type Governor } from '../../src/index.js';
import { hangUp, json, LIMITED, type ProviderServer, silence, startProvider, stream } from './provider-server.js';
import { watched } from './settled.js';

let provider: ProviderServer;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(() => provider.close());

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
};
const chunk = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', ...fields })}\n\n`;
const WORDS = ['Hel', 'lo', ' 世界'].map((content) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
);
const CHUNKS = [
  ...WORDS,
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
];
const OVERLOADED = chunk({ error: { message: 'The model is overloaded', code: 'overloaded' } });
const ASK = {
  model: 'gpt',
  messages: [{ role: 'user', content: 'Hello' }],
} satisfies OpenAI.ChatCompletionCreateParamsNonStreaming;

function client(governor: Governor, maxRetries = 0): OpenAI {
  const fetch = governedFetch(governor, { provider: 'openai' });
  return new OpenAI({ apiKey: 'k', baseURL: provider.url, maxRetries, fetch });
}

describe('the OpenAI SDK on a governed fetch', () => {
  it('answers, with its usage, under the key of the body’s model', async () => {
    provider.script(json(200, COMPLETION, { 'x-request-id': 'req_1' }));
    const { governor, outcomes, keys, inFlight } = watched();
    const { data, response, request_id } = await client(governor).chat.completions.create(ASK).withResponse();
    expect(data.usage).toEqual(usage);
    expect(response.url).toBe(`${provider.url}/chat/completions`);
    expect({ id: request_id, outcomes, keys, inFlight: inFlight() }).toEqual({
      id: 'req_1',
      outcomes: ['succeeded'],
      keys: ['openai/gpt'],
      inFlight: 0,
    });
  });

  it('streams, with its usage, and holds the slot to the end', async () => {
    provider.script(stream(CHUNKS));
    const { governor, outcomes, inFlight } = watched();
    const chunks = await client(governor).chat.completions.create({ ...ASK, stream: true });
    let text = '';
    let total: number | undefined;
    const held = new Set<number>();
    for await (const { choices, usage } of chunks) {
      text += choices[0]?.delta.content ?? '';
      total ??= usage?.total_tokens;
      if (choices[0]?.delta.content) held.add(inFlight());
    }
    expect({ text, total, held: [...held], outcomes, inFlight: inFlight() }).toEqual({
      text: 'Hello 世界',
      total: 5,
      held: [1],
      outcomes: ['succeeded'],
      inFlight: 0,
    });
  });

  it('speaks the Responses API too', async () => {
    const response = {
      id: 'r1',
      object: 'response',
      status: 'completed',
      output: [],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    };
    const event = (type: string): string => `event: ${type}\ndata: ${JSON.stringify({ type, response })}\n\n`;
    provider.script(json(200, response), stream([event('response.created'), event('response.completed')]));
    const { governor, outcomes, inFlight } = watched();
    const { responses } = client(governor);
    expect((await responses.create({ model: 'gpt', input: 'Hello' })).usage?.total_tokens).toBe(5);
    const types: string[] = [];
    for await (const { type } of await responses.create({ model: 'gpt', input: 'Hello', stream: true }))
      types.push(type);
    expect(types).toEqual(['response.created', 'response.completed']);
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['succeeded', 'succeeded'], inFlight: 0 });
  });

  it('a 429 cuts the cap before the SDK’s RateLimitError is seen, and its wait holds the next request', async () => {
    provider.script(LIMITED, json(200, COMPLETION));
    const { governor, clock, cap, inFlight } = watched();
    const { completions } = client(governor).chat;
    const refused = await completions.create(ASK).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect({ cap: cap(), inFlight: inFlight() }).toEqual({ cap: 6, inFlight: 0 });
    const next = completions.create(ASK);
    clock.advance(1_999);
    await new Promise(setImmediate);
    expect(provider.seen).toHaveLength(1);
    clock.advance(1);
    expect((await next).usage).toEqual(usage);
  });

  it('four attempts against a lasting 429 are four requests: the SDK adds none', async () => {
    provider.script(json(429, { error: { code: 'rate_limit_exceeded' } }));
    const { governor, outcomes } = watched();
    const { completions } = client(governor).chat;
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect(completions.create(ASK)).rejects.toBeInstanceOf(RateLimitError);
    }
    expect(provider.seen).toHaveLength(4);
    expect(outcomes).toEqual(Array(4).fill('rate_limited'));
  });

  it('governor.request owns the retries of a client without a governed fetch', async () => {
    provider.script(json(429, { error: { code: 'rate_limit_exceeded' } }));
    const governor = createGovernor({ retry: { throttle: 3, firstDelayMs: 1 } });
    const { completions } = new OpenAI({ apiKey: 'k', baseURL: provider.url, maxRetries: 0 }).chat;
    const asked = governor.request({ provider: 'openai', model: 'gpt' }, () => completions.create(ASK));
    await expect(asked).rejects.toBeInstanceOf(RateLimitError);
    expect(provider.seen).toHaveLength(4);
    expect(governor.snapshots()).toMatchObject([{ inFlight: 0, cap: 2 }]);
  });

  it('with retries of its own, the SDK takes a slot for each and drops bodies unread', async () => {
    provider.script(json(500, 'x'.repeat(100_000), { 'retry-after-ms': '1' }), json(200, COMPLETION));
    const { governor, outcomes, inFlight } = watched({ initial: 1 });
    expect((await client(governor, 1).chat.completions.create(ASK)).usage).toEqual(usage);
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['failed', 'succeeded'], inFlight: 0 });
  });

  it('an error event in the stream is the SDK’s error and the governor’s refusal', async () => {
    provider.script(stream([WORDS[0]!, OVERLOADED]));
    const { governor, outcomes, cap, inFlight } = watched();
    const chunks = await client(governor).chat.completions.create({ ...ASK, stream: true });
    await expect(chunks.toReadableStream().pipeTo(new WritableStream())).rejects.toThrow('overloaded');
    expect({ outcomes, cap: cap(), inFlight: inFlight() }).toEqual({
      outcomes: ['provider_overloaded'],
      cap: 6,
      inFlight: 0,
    });
  });

  it('breaking out of a stream ends it without a verdict', async () => {
    provider.script(stream(WORDS, 'open'));
    const { governor, outcomes, cap, idle } = watched();
    for await (const _ of await client(governor).chat.completions.create({ ...ASK, stream: true })) break;
    await idle();
    expect({ outcomes, cap: cap() }).toEqual({ outcomes: ['ended'], cap: 8 });
    await expect.poll(() => provider.brokenOff).toBe(1);
  });

  it('a stream cut on the wire is a failure', async () => {
    provider.script(stream(WORDS, 'cut'));
    const { governor, outcomes, inFlight } = watched();
    const chunks = await client(governor).chat.completions.create({ ...ASK, stream: true });
    await expect(chunks.toReadableStream().pipeTo(new WritableStream())).rejects.toThrow();
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['failed'], inFlight: 0 });
  });

  it('aborted before and after the head, the slot comes back', async () => {
    provider.script(silence, stream(WORDS, 'open'));
    const { governor, outcomes, idle } = watched();
    const { completions } = client(governor).chat;
    const abort = new AbortController();
    const first = completions.create(ASK, { signal: abort.signal });
    await expect.poll(() => provider.seen.length).toBe(1);
    abort.abort();
    await expect(first).rejects.toBeInstanceOf(APIUserAbortError);
    const second = await completions.create({ ...ASK, stream: true });
    second.controller.abort();
    await idle();
    expect(outcomes).toEqual(['ended', 'ended']);
  });

  it('a connection closed without an answer is its APIConnectionError', async () => {
    provider.script(hangUp);
    const { governor, outcomes } = watched();
    await expect(client(governor).chat.completions.create(ASK)).rejects.toBeInstanceOf(APIConnectionError);
    expect(outcomes).toEqual(['failed']);
  });
});
