/** The AI SDK with its OpenAI-compatible provider, unmodified, against the served mock. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, type LanguageModel, streamText, type ToolSet } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { type MockServer, startMockServer } from '../../src/server.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { provider, requestsPerMinute } from '../adapters/mock-providers.js';

let server: MockServer;
afterEach(() => server.close(0));

async function modelOf(acme: ApiProvider): Promise<LanguageModel> {
  server = await startMockServer({ providers: { acme } });
  const openai = createOpenAICompatible({
    name: 'acme',
    baseURL: `${server.url}/v1`,
    apiKey: 'any',
    includeUsage: true,
  });
  return openai('large');
}

const PROMPT = 'How high is it?';
const TEXT = 'The tide comes in, t';
const USAGE = { inputTokens: 4, outputTokens: 5, totalTokens: 9 };

describe('the AI SDK', () => {
  it('a plain call brings the text, the finish and the usage', async () => {
    const model = await modelOf(provider());
    const { text, finishReason, usage } = await generateText({ model, prompt: PROMPT, maxRetries: 0 });
    expect({ text, finishReason, usage }).toMatchObject({ text: TEXT, finishReason: 'stop', usage: USAGE });
  });

  it('a stream brings a token a part and the usage', async () => {
    const model = await modelOf(provider());
    const { textStream, usage } = streamText({ model, prompt: PROMPT, maxRetries: 0 });
    const parts: string[] = [];
    for await (const part of textStream) parts.push(part);
    expect(parts).toEqual(['The ', 'tide', ' com', 'es i', 'n, t']);
    expect(await usage).toMatchObject(USAGE);
  });

  it('calls a tool with arguments that fit its schema', async () => {
    const model = await modelOf(provider());
    const inputSchema = jsonSchema<{ place: string }>({
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    });
    const tools: ToolSet = { tide: { inputSchema } };
    const { toolCalls, finishReason } = await generateText({ model, prompt: PROMPT, tools, maxRetries: 0 });
    expect(finishReason).toBe('tool-calls');
    expect(toolCalls).toMatchObject([{ toolName: 'tide', input: { place: 'text' } }]);
  });

  it('a 429 is its APICallError: retryable, with the headers', async () => {
    const model = await modelOf(provider([requestsPerMinute(1)]));
    await generateText({ model, prompt: PROMPT, maxRetries: 0 });
    const error = await generateText({ model, prompt: PROMPT, maxRetries: 0 }).catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '60', 'x-ratelimit-remaining-requests': '0' },
      data: { error: { type: 'requests', code: 'rate_limit_exceeded' } },
    });
  });

  it('a 429 of a stream is an error of the stream', async () => {
    const model = await modelOf(provider([requestsPerMinute(1)]));
    await generateText({ model, prompt: PROMPT, maxRetries: 0 });
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model,
      prompt: PROMPT,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    for await (const _ of textStream) expect.unreachable();
    expect(errors).toMatchObject([{ statusCode: 429 }]);
  });
});
