/** LangChain's OpenAI client, unmodified, against the served mock. */

import { ChatOpenAI } from '@langchain/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type MockServer, startMockServer } from '../../src/server.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { provider, requestsPerMinute } from '../adapters/mock-providers.js';

let server: MockServer;
afterEach(() => server.close(0));

async function modelOf(acme: ApiProvider): Promise<ChatOpenAI> {
  server = await startMockServer({ providers: { acme } });
  return new ChatOpenAI({
    model: 'large',
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
  });
}

const PROMPT = 'How high is it?';
const USAGE = { input_tokens: 4, output_tokens: 5, total_tokens: 9 };

describe("LangChain's OpenAI client", () => {
  it('a plain call brings the text and the usage', async () => {
    const model = await modelOf(provider());
    const message = await model.invoke(PROMPT);
    expect(message).toMatchObject({ content: 'The tide comes in, t', usage_metadata: USAGE });
  });

  it('a stream brings a token a chunk and the usage once', async () => {
    const model = await modelOf(provider());
    const texts: string[] = [];
    const usages: unknown[] = [];
    for await (const chunk of await model.stream(PROMPT)) {
      if (chunk.content !== '') texts.push(String(chunk.content));
      if (chunk.usage_metadata !== undefined) usages.push(chunk.usage_metadata);
    }
    expect(texts).toEqual(['The ', 'tide', ' com', 'es i', 'n, t']);
    expect(usages).toMatchObject([USAGE]);
  });

  it('calls a bound tool', async () => {
    const model = await modelOf(provider());
    const schema = { type: 'object', properties: { place: { type: 'string' } } };
    const bound = model.bindTools([{ name: 'tide', description: 'How high', schema }]);
    const { tool_calls } = await bound.invoke(PROMPT);
    expect(tool_calls).toMatchObject([{ name: 'tide', args: { place: 'text' } }]);
  });

  it('a 429 is the RateLimitError of the OpenAI client, with the headers', async () => {
    const model = await modelOf(provider([requestsPerMinute(1)]));
    await model.invoke(PROMPT);
    const error = await model.invoke(PROMPT).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'requests' });
    const { headers } = error as { headers: Headers };
    expect(headers.get('retry-after')).toBe('60');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });
});
