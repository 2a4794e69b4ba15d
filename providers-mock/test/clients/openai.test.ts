/** The official OpenAI client, unmodified, against the served mock: chat completions and responses. */

import OpenAI, { APIError, AuthenticationError, NotFoundError, RateLimitError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type MockServer, type MockServerOptions, startMockServer } from '../../src/server.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { OPENAI_STYLE } from '../../src/wire/refusal-styles.js';
import { ManualClock } from '../adapters/manual-clock.js';
import { provider, requestsPerMinute, steady, tokensPerMinute } from '../adapters/mock-providers.js';

let server: MockServer;
afterEach(() => server.close(0));

async function clientOf(acme: ApiProvider, options: Partial<MockServerOptions> = {}): Promise<OpenAI> {
  server = await startMockServer({ providers: { acme }, ...options });
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'a key', maxRetries: 0 });
}

async function failure(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

/** Those that say how long to wait and where the quotas stand. */
function headersOf(headers: Headers | undefined): Record<string, string> {
  return Object.fromEntries([...(headers ?? [])].filter(([name]) => /^(x-ratelimit|retry)-/.test(name)));
}

const ASK: Pick<OpenAI.ChatCompletionCreateParams, 'model' | 'messages'> = {
  model: 'large',
  messages: [{ role: 'user', content: 'How high is it?' }],
};
const STREAM = { ...ASK, stream: true, stream_options: { include_usage: true } } as const;
const TEXT = 'The tide comes in, t';
const PARAMETERS = {
  type: 'object',
  properties: { place: { type: 'string' }, days: { type: 'integer', minimum: 2 }, unit: { enum: ['m', 'ft'] } },
};
const ARGUMENTS = { place: 'text', days: 2, unit: 'm' };
const TOOLS: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'tide', parameters: PARAMETERS } }];

describe('chat completions', () => {
  it('a plain call brings the text, the finish, the usage and an id', async () => {
    const openai = await clientOf(provider());
    const completion = await openai.chat.completions.create(ASK);
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'large',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: TEXT } }],
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
    });
    expect(completion._request_id).toBe('req_000000000000000000000001');
  });

  it('a stream brings the role, a token a chunk, the finish, and the usage last', async () => {
    const openai = await clientOf(provider());
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await openai.chat.completions.create(STREAM)) chunks.push(chunk);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(['chatcmpl-000000000000000000000001']));
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? choice?.finish_reason)).toEqual([
      '',
      'The ',
      'tide',
      ' com',
      'es i',
      'n, t',
      'stop',
      undefined,
    ]);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual(Array(7).fill(null));
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } });
  });

  it('a stream that does not ask for it has no usage', async () => {
    const openai = await clientOf(provider());
    const usages: unknown[] = [];
    const { stream_options: _, ...plain } = STREAM;
    for await (const chunk of await openai.chat.completions.create(plain)) usages.push(chunk.usage);
    expect(usages).toEqual(Array(7).fill(undefined));
  });

  it('n choices come side by side, each as long as any, and all of their tokens are counted', async () => {
    const openai = await clientOf(provider([tokensPerMinute(40)]));
    const plain = await openai.chat.completions.create({ ...ASK, n: 3, max_completion_tokens: 8 });
    expect(plain.choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])).toEqual(
      [0, 1, 2].map((index) => [index, TEXT, 'stop']),
    );
    expect(plain.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 15, total_tokens: 19 });
    // 21 of 40 are left: 4 and twice 8 fit, 4 and three times 8 do not.
    const texts = ['', ''];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of await openai.chat.completions.create({ ...STREAM, n: 2, max_completion_tokens: 8 })) {
      for (const { index, delta } of chunk.choices) texts[index] += delta.content ?? '';
      usage = chunk.usage;
    }
    expect(texts).toEqual([TEXT, TEXT]);
    expect(usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 10, total_tokens: 14 });
    const refused = await failure(openai.chat.completions.create({ ...ASK, n: 3, max_completion_tokens: 8 }));
    expect(refused).toBeInstanceOf(RateLimitError);
    const wrong = await failure(openai.chat.completions.create({ ...ASK, n: 129 }));
    expect([wrong.status, wrong.message]).toEqual([400, '400 n: must be at most 128, got 129']);
  });

  it('max_completion_tokens cuts the answer off and says so', async () => {
    const openai = await clientOf(provider());
    const { choices, usage } = await openai.chat.completions.create({ ...ASK, max_completion_tokens: 2 });
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'The tide' } });
    expect(usage?.completion_tokens).toBe(2);
  });

  it('calls a tool, always with the same fitting arguments, whole and streamed', async () => {
    const openai = await clientOf(provider());
    const { choices, usage } = await openai.chat.completions.create({ ...ASK, tools: TOOLS });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(call).toMatchObject({ type: 'function', function: { name: 'tide', arguments: JSON.stringify(ARGUMENTS) } });
    expect(usage?.completion_tokens).toBe(Math.ceil(JSON.stringify(ARGUMENTS).length / 4));

    const streamed = await openai.chat.completions.stream({ ...ASK, tools: TOOLS }).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'tide', arguments: JSON.stringify(ARGUMENTS) },
    });
  });

  it('answers the result of a tool with words, unless a tool is required', async () => {
    const openai = await clientOf(provider());
    const call = { id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{}' } } as const;
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      ...ASK.messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '2 m' },
    ];
    const free = await openai.chat.completions.create({ ...ASK, messages, tools: TOOLS });
    const forced = await openai.chat.completions.create({ ...ASK, messages, tools: TOOLS, tool_choice: 'required' });
    expect(free.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: TEXT } });
    expect(forced.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('responses', () => {
  it('a plain call brings the text and the usage', async () => {
    const openai = await clientOf(provider());
    const response = await openai.responses.create({ model: 'large', input: 'How high is it?' });
    expect(response).toMatchObject({
      status: 'completed',
      output_text: TEXT,
      usage: { input_tokens: 4, output_tokens: 5, total_tokens: 9 },
    });
  });

  it('a stream brings the events in order, counted from 0', async () => {
    const openai = await clientOf(provider());
    const stream = await openai.responses.create({ model: 'large', input: 'How high is it?', stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      ...Array(5).fill('response.output_text.delta'),
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ response: { usage: { total_tokens: 9 } } });
  });

  it('calls a function, whole and streamed', async () => {
    const openai = await clientOf(provider());
    const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'tide', parameters: PARAMETERS, strict: false }];
    const ask = { model: 'large', input: 'How high is it?', tools };
    const whole = await openai.responses.create(ask);
    const streamed = await openai.responses.stream(ask).finalResponse();
    for (const { output } of [whole, streamed]) {
      expect(output[0]).toMatchObject({ type: 'function_call', name: 'tide', arguments: JSON.stringify(ARGUMENTS) });
    }
  });

  it('max_output_tokens leaves it incomplete', async () => {
    const openai = await clientOf(provider());
    const response = await openai.responses.create({ model: 'large', input: 'High?', max_output_tokens: 1 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });
});

describe('refusals', () => {
  it('a 429 is its RateLimitError, with the wait and where the quotas stand', async () => {
    const quotas = [requestsPerMinute(60), tokensPerMinute(6_000)];
    const refusal = { ...OPENAI_STYLE, hints: ['retry-after', 'retry-after-ms', 'body'] } as const;
    const retryAfter = { kind: 'exact', as: 'ms', rounding: 'up', error: 0 } as const;
    const manners = { retryAfter, draws: steady({ outputTokens: 500 }) };
    const openai = await clientOf(provider(quotas, { refusal, manners }), { clock: new ManualClock() });
    // Each uses 504 of the 3,004 tokens that are reserved for it.
    await openai.chat.completions.create({ ...ASK, max_tokens: 3_000 });
    const { response } = await openai.chat.completions.create({ ...ASK, max_tokens: 3_000 }).withResponse();
    expect(headersOf(response.headers)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '58',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-limit-tokens': '6000',
      'x-ratelimit-remaining-tokens': '2492',
      'x-ratelimit-reset-tokens': '35.08s',
    });

    const tooMuch = { headers: { 'x-mock-input-tokens': '500' } };
    const error = await failure(openai.chat.completions.create({ ...ASK, max_tokens: 5_000 }, tooMuch));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'tokens' });
    expect(error.message).toContain(
      'tokens per min (TPM): Limit 6000, Used 1008, Requested 5500. Please try again in 5.08s.',
    );
    expect(headersOf(error.headers)).toEqual({
      'retry-after': '6',
      'retry-after-ms': '5080',
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '58',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-limit-tokens': '6000',
      'x-ratelimit-remaining-tokens': '4992',
      'x-ratelimit-reset-tokens': '10.08s',
    });
  });

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('a refusal of a %s call comes before the answer', async (_, stream) => {
    const openai = await clientOf(provider([requestsPerMinute(1)]), { clock: new ManualClock() });
    await openai.chat.completions.create(ASK);
    const error = await failure(openai.chat.completions.create({ ...ASK, stream }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(headersOf(error.headers)).toEqual({
      'retry-after': '60',
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0s',
    });
  });

  it.each([
    ['error-event', {}],
    ['status-503', { status: 503 }],
  ] as const)('the fault %s is its APIError', async (kind, expected) => {
    const faults = [{ kind, rate: 1, fromMs: null, toMs: null }];
    const openai = await clientOf(provider([], { manners: { faults } }));
    const deltas: string[] = [];
    const reading = async (): Promise<void> => {
      const stream = await openai.chat.completions.create({ ...ASK, stream: true });
      for await (const { choices } of stream) deltas.push(choices[0]?.delta.content ?? '');
    };
    const error = await failure(reading());
    expect(error).toMatchObject({ ...expected, code: 'server_is_overloaded' });
    expect(deltas).toEqual(kind === 'error-event' ? ['', 'The ', 'tide', ' com'] : []);
  });

  it('an unknown model, a wrong key and a malformed call are its own errors', async () => {
    const openai = await clientOf(provider(), { apiKey: 'a key' });
    const unknown = await failure(openai.chat.completions.create({ ...ASK, model: 'huge' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found' });
    const stranger = openai.withOptions({ apiKey: 'another' });
    const denied = await failure(stranger.chat.completions.create(ASK));
    expect(denied).toBeInstanceOf(AuthenticationError);
    expect(denied).toMatchObject({ code: 'invalid_api_key' });
    const malformed = await failure(openai.chat.completions.create({ ...ASK, max_tokens: 0 }));
    expect(malformed).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(malformed.message).toContain('max_tokens: must be a whole number of at least 1, got 0');
    expect(server.ledger()).toMatchObject({
      models: { 'acme/large': { requests: 0 } },
      rejected: { 'unknown-model': 1, unauthorized: 1, malformed: 1 },
    });
  });

  it('the models are listed', async () => {
    const openai = await clientOf(provider());
    const names: string[] = [];
    for await (const { id } of openai.models.list()) names.push(id);
    expect(names).toEqual(['large']);
    expect(await openai.models.retrieve('large')).toMatchObject({ id: 'large', object: 'model' });
  });
});
