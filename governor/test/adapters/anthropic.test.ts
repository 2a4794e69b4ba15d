import Anthropic, { RateLimitError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { governedFetch } from '../../src/fetch.js';
import type { Governor } from '../../src/index.js';
import { json, type ProviderServer, startProvider, stream } from './provider-server.js';
import { watched } from './settled.js';

let provider: ProviderServer;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(() => provider.close());

const MESSAGE = {
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const OPENING = [
  event('message_start', { message: { ...MESSAGE, content: [], stop_reason: null } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('ping'),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
];
const EVENTS = [
  ...OPENING,
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }),
  event('message_stop'),
];
const OVERLOADED = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
const ASK = {
  model: 'claude',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hello' }],
} satisfies Anthropic.MessageCreateParamsNonStreaming;

function client(governor: Governor): Anthropic {
  const fetch = governedFetch(governor, { provider: 'anthropic' });
  return new Anthropic({ apiKey: 'k', baseURL: provider.url, maxRetries: 0, fetch });
}

describe('the Anthropic SDK on a governed fetch', () => {
  it('answers, with its usage', async () => {
    provider.script(json(200, MESSAGE));
    const { governor, outcomes, keys, inFlight } = watched();
    expect((await client(governor).messages.create(ASK)).usage).toEqual(MESSAGE.usage);
    expect({ outcomes, keys, inFlight: inFlight() }).toEqual({
      outcomes: ['succeeded'],
      keys: ['anthropic/claude'],
      inFlight: 0,
    });
  });

  it('streams, with its usage', async () => {
    provider.script(stream(EVENTS));
    const { governor, outcomes, inFlight } = watched();
    const message = await client(governor).messages.stream(ASK).finalMessage();
    expect(message).toMatchObject({ content: [{ text: 'Hi' }], usage: { input_tokens: 3, output_tokens: 7 } });
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['succeeded'], inFlight: 0 });
  });

  it('a 429 cuts the cap and is its RateLimitError, its wait read from its own header', async () => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } };
    provider.script(json(429, body, { 'retry-after': '3' }));
    const { governor, cap, inFlight } = watched();
    const refused = await client(governor)
      .messages.create(ASK)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({ status: 429, error: body });
    expect({ cap: cap(), inFlight: inFlight() }).toEqual({ cap: 6, inFlight: 0 });
    expect(governor.snapshots()[0]!.cooldownUntil).toBe(3_000);
    expect(provider.seen).toHaveLength(1);
  });

  it('a 529, and an overload in the middle of a stream, are overloads', async () => {
    provider.script(
      json(529, { type: 'error', error: { type: 'overloaded_error' } }),
      stream([...OPENING, OVERLOADED], 'open'),
    );
    const { governor, outcomes, cap, idle } = watched();
    const { messages } = client(governor);
    await expect(messages.create(ASK)).rejects.toMatchObject({ status: 529 });
    await expect(messages.stream(ASK).finalMessage()).rejects.toThrow('Overloaded');
    await idle();
    expect({ outcomes, cap: cap() }).toEqual({ outcomes: ['provider_overloaded', 'provider_overloaded'], cap: 4 });
  });

  it('aborted, left, or cut, a stream gives its slot back', async () => {
    provider.script(stream(OPENING, 'open'), stream(OPENING, 'open'), stream(OPENING, 'cut'), stream(OPENING));
    const { governor, outcomes, idle } = watched();
    const { messages } = client(governor);
    const aborted = messages.stream(ASK);
    aborted.on('text', () => aborted.abort());
    await expect(aborted.finalMessage()).rejects.toThrow('aborted');
    await idle();
    for await (const _ of await messages.create({ ...ASK, stream: true })) break;
    await idle();
    for (let end = 0; end < 2; end++) await expect(messages.stream(ASK).finalMessage()).rejects.toThrow();
    expect(outcomes).toEqual(['ended', 'ended', 'failed', 'failed']);
  });
});
