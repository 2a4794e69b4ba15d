import { ChatOpenAI } from '@langchain/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { governedFetch } from '../../src/fetch.js';
import type { Governor } from '../../src/index.js';
import { json, LIMITED, type ProviderServer, startProvider, stream } from './provider-server.js';
import { watched } from './settled.js';

let provider: ProviderServer;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(() => provider.close());

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const COMPLETION = {
  id: 'c1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
};
const chunk = (fields: object): string => `data: ${JSON.stringify({ id: 'c1', ...fields })}\n\n`;
const WORDS = ['Hel', 'lo'].map((content) =>
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] }),
);
const CHUNKS = [
  ...WORDS,
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
  'data: [DONE]\n\n',
];

function chat(governor: Governor): ChatOpenAI {
  const fetch = governedFetch(governor, { provider: 'openai' });
  return new ChatOpenAI({ model: 'gpt', apiKey: 'k', maxRetries: 0, configuration: { baseURL: provider.url, fetch } });
}

describe('LangChain on a governed fetch', () => {
  it('invokes, with its usage', async () => {
    provider.script(json(200, COMPLETION));
    const { governor, outcomes, keys, inFlight } = watched();
    const message = await chat(governor).invoke('Hello');
    expect(message).toMatchObject({ content: 'Hi', usage_metadata: { total_tokens: 5 } });
    expect({ outcomes, keys, inFlight: inFlight() }).toEqual({
      outcomes: ['succeeded'],
      keys: ['openai/gpt'],
      inFlight: 0,
    });
  });

  it('streams, and a stream that is left is ended', async () => {
    provider.script(stream(CHUNKS), stream(WORDS, 'open'));
    const { governor, outcomes, idle } = watched();
    let text = '';
    for await (const { content } of await chat(governor).stream('Hello')) text += content;
    expect({ text, outcomes }).toEqual({ text: 'Hello', outcomes: ['succeeded'] });
    for await (const _ of await chat(governor).stream('Hello')) break;
    await idle();
    expect(outcomes).toEqual(['succeeded', 'ended']);
  });

  it('a 429 cuts the cap, and with maxRetries 0 the server sees one request', async () => {
    provider.script(LIMITED);
    const { governor, cap, inFlight } = watched();
    await expect(chat(governor).invoke('Hello')).rejects.toMatchObject({ status: 429 });
    expect({ seen: provider.seen.length, cap: cap(), inFlight: inFlight() }).toEqual({ seen: 1, cap: 6, inFlight: 0 });
  });
});
