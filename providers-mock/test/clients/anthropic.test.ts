/** The official Anthropic client, unmodified, against the served mock. */

import Anthropic, { APIError, AuthenticationError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { type MockServer, type MockServerOptions, startMockServer } from '../../src/server.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { provider, requestsPerMinute, tokensPerMinute } from '../adapters/mock-providers.js';

let server: MockServer;
afterEach(() => server.close(0));

async function clientOf(acme: ApiProvider, options: Partial<MockServerOptions> = {}): Promise<Anthropic> {
  server = await startMockServer({ providers: { acme }, ...options });
  return new Anthropic({ baseURL: server.url, apiKey: 'a key', maxRetries: 0 });
}

async function failure(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

const ASK: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'large',
  max_tokens: 100,
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'How high is it?' }] }],
};
const TEXT = 'The tide comes in, t';
const SCHEMA = { type: 'object' as const, properties: { place: { type: 'string' }, deep: { type: 'boolean' } } };
const TOOLS: Anthropic.Tool[] = [{ name: 'tide', input_schema: SCHEMA }];

describe('messages', () => {
  it('a plain call brings the text, the reason of its end and the usage', async () => {
    const anthropic = await clientOf(provider([], { wire: 'anthropic' }));
    const message = await anthropic.messages.create(ASK);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 6, output_tokens: 5 },
    });
    expect(message._request_id).toBe('req_000000000000000000000001');
  });

  it('a stream brings the events in order and the usage at both ends', async () => {
    const anthropic = await clientOf(provider([], { wire: 'anthropic' }));
    const events: Anthropic.RawMessageStreamEvent[] = [];
    for await (const event of await anthropic.messages.create({ ...ASK, stream: true })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...Array(5).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 6, output_tokens: 1 } } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } });
    const final = await anthropic.messages.stream(ASK).finalMessage();
    expect(final).toMatchObject({ content: [{ text: TEXT }], usage: { input_tokens: 6, output_tokens: 5 } });
  });

  it('uses a tool, whole and streamed', async () => {
    const anthropic = await clientOf(provider([], { wire: 'anthropic' }));
    const whole = await anthropic.messages.create({ ...ASK, tools: TOOLS });
    const streamed = await anthropic.messages.stream({ ...ASK, tools: TOOLS }).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(stop_reason).toBe('tool_use');
      expect(content).toMatchObject([{ type: 'tool_use', name: 'tide', input: { place: 'text', deep: true } }]);
    }
  });

  it('max_tokens cuts the answer off and says so', async () => {
    const anthropic = await clientOf(provider([], { wire: 'anthropic' }));
    const { content, stop_reason } = await anthropic.messages.create({ ...ASK, max_tokens: 2 });
    expect(content).toMatchObject([{ text: 'The tide' }]);
    expect(stop_reason).toBe('max_tokens');
  });
});

describe('refusals', () => {
  it('a 429 is its RateLimitError, with seconds to wait and resets as instants', async () => {
    const quotas = [requestsPerMinute(1), tokensPerMinute(9_600, 'input'), tokensPerMinute(8_000, 'output')];
    const anthropic = await clientOf(provider(quotas, { wire: 'anthropic' }));
    await anthropic.messages.create(ASK);
    const error = await failure(anthropic.messages.create({ ...ASK, stream: true }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.error).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
      request_id: 'req_000000000000000000000002',
    });
    const header = (name: string): string | null => error.headers?.get(name) ?? null;
    expect(header('retry-after')).toBe('60');
    expect(header('anthropic-ratelimit-requests-limit')).toBe('1');
    expect(header('anthropic-ratelimit-requests-remaining')).toBe('0');
    // To the nearest thousand, of which there may be more than the limit.
    expect(header('anthropic-ratelimit-input-tokens-remaining')).toBe('10000');
    expect(header('anthropic-ratelimit-output-tokens-limit')).toBe('8000');
    const reset = Date.parse(header('anthropic-ratelimit-requests-reset') ?? '');
    const answered = Date.parse(header('date') ?? '');
    expect(reset - answered).toBeGreaterThanOrEqual(60_000);
    expect(reset - answered).toBeLessThanOrEqual(62_000);
  });

  it('an unknown model, a wrong key and a missing max_tokens are its own errors', async () => {
    const anthropic = await clientOf(provider([], { wire: 'anthropic' }), { apiKey: 'a key' });
    const unknown = await failure(anthropic.messages.create({ ...ASK, model: 'huge' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown.error).toMatchObject({ error: { type: 'not_found_error', message: 'model: huge' } });
    const denied = await failure(anthropic.withOptions({ apiKey: 'another' }).messages.create(ASK));
    expect(denied).toBeInstanceOf(AuthenticationError);
    const { max_tokens: _, ...rest } = ASK;
    const malformed = await failure(anthropic.messages.create(rest as typeof ASK));
    expect(malformed.error).toMatchObject({
      error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
    });
  });
});
