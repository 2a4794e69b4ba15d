import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, type LanguageModelMiddleware, streamText, wrapLanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GovernorMiddlewareOptions, governorMiddleware } from '../../src/ai-sdk.js';
import type { Governor } from '../../src/index.js';
import { hangUp, json, LIMITED, type ProviderServer, silence, startProvider, stream } from './provider-server.js';
import { answersTo, watched } from './settled.js';

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
const WORDS = ['Hel', 'lo'].map((content) => chunk({ choices: [{ index: 0, delta: { content } }] }));
const CHUNKS = [
  ...WORDS,
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
  'data: [DONE]\n\n',
];
const OVERLOADED = chunk({ error: { message: 'The server is overloaded', code: 'overloaded' } });
const quiet = { prompt: 'Hello', maxRetries: 0, onError() {} } as const;

function governedModel(governor: Governor, options?: GovernorMiddlewareOptions): ReturnType<typeof wrapLanguageModel> {
  const middleware: LanguageModelMiddleware = governorMiddleware(governor, options);
  const { chatModel } = createOpenAICompatible({ name: 'p', baseURL: provider.url, includeUsage: true });
  return wrapLanguageModel({ model: chatModel('m'), middleware });
}

describe('the AI SDK with a governor as middleware', () => {
  it('generates, with its usage, under the key of its model', async () => {
    provider.script(json(200, COMPLETION));
    const { governor, outcomes, keys, inFlight } = watched();
    const { text, usage } = await generateText({ ...quiet, model: governedModel(governor) });
    expect({ text, tokens: usage.totalTokens }).toEqual({ text: 'Hi', tokens: 5 });
    expect({ outcomes, keys, inFlight: inFlight() }).toEqual({ outcomes: ['succeeded'], keys: ['p/m'], inFlight: 0 });
  });

  it('streams, with its usage, and holds the slot to the end', async () => {
    provider.script(stream(CHUNKS));
    const { governor, outcomes, inFlight } = watched();
    const result = streamText({ ...quiet, model: governedModel(governor) });
    let text = '';
    const held = new Set<number>();
    for await (const word of result.textStream) {
      text += word;
      held.add(inFlight());
    }
    expect({ text, tokens: (await result.usage).totalTokens, held: [...held] }).toEqual({
      text: 'Hello',
      tokens: 5,
      held: [1],
    });
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['succeeded'], inFlight: 0 });
  });

  it('a 429 cuts the cap, with its wait, and is the SDK’s APICallError; no attempt is added', async () => {
    provider.script(LIMITED);
    const { governor, cap, inFlight } = watched();
    const refused = await generateText({ ...quiet, model: governedModel(governor) }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(APICallError);
    expect({ seen: provider.seen.length, cap: cap(), inFlight: inFlight() }).toEqual({ seen: 1, cap: 6, inFlight: 0 });
    expect(governor.snapshots()[0]!.cooldownUntil).toBe(2_000);
  });

  it('each attempt of the SDK takes a slot of its own', async () => {
    provider.script(json(500, {}, { 'retry-after-ms': '1' }), json(200, COMPLETION));
    const { governor, outcomes, inFlight } = watched({ initial: 1 });
    await generateText({ ...quiet, maxRetries: 1, model: governedModel(governor) });
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: ['failed', 'succeeded'], inFlight: 0 });
  });

  it.each([
    ['an error part says what it is', stream([WORDS[0]!, OVERLOADED, 'data: [DONE]\n\n']), 'provider_overloaded'],
    ['a stream cut on the wire failed', stream(WORDS, 'cut'), 'failed'],
    ['a refusal before the stream is a refusal', LIMITED, 'rate_limited'],
    ['a bad request is the caller’s', json(400, { error: { message: 'no' } }), 'ended'],
    ['no answer is a failure', hangUp, 'failed'],
  ] as const)('%s', async (_title, answer, outcome) => {
    provider.script(answer);
    const { governor, outcomes, inFlight } = watched();
    await streamText({ ...quiet, model: governedModel(governor) }).consumeStream();
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: [outcome], inFlight: 0 });
  });

  it('aborted before the head, in the stream, and in the queue, it is ended', async () => {
    provider.script(silence, stream(WORDS, 'open'));
    const { governor, outcomes, idle } = watched({ initial: 1 });
    const model = governedModel(governor);
    const abort = new AbortController();
    const first = generateText({ ...quiet, model, abortSignal: abort.signal });
    const leaving = new AbortController();
    const queued = generateText({ ...quiet, model, abortSignal: leaving.signal });
    leaving.abort();
    await expect(queued).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => provider.seen.length).toBe(1);
    abort.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    const inStream = new AbortController();
    for await (const _ of streamText({ ...quiet, model, abortSignal: inStream.signal }).textStream) inStream.abort();
    await idle();
    expect({ outcomes, seen: provider.seen.length }).toEqual({ outcomes: ['ended', 'ended'], seen: 2 });
  });

  it('a stream left, or never read, is ended', async () => {
    provider.script(stream(WORDS, 'open'));
    const { governor, clock, outcomes, idle } = watched();
    const model = governedModel(governor, { clock, bodyTimeoutMs: 1_000 });
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
    const left = await model.doStream({ prompt });
    for await (const _ of left.stream) break;
    await idle();
    const unread = await model.doStream({ prompt });
    clock.advance(1_000);
    expect(outcomes).toEqual(['ended', 'ended']);
    await unread.stream.cancel();
  });

  const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: undefined } });
  const text = { type: 'text-delta', id: '0', delta: 'Hi' };
  it.each([
    ['a finish', [text, finish('stop')], 'succeeded'],
    ['no finish', [text], 'failed'],
    ['a finish for an error', [text, finish('error')], 'failed'],
    ['a finish in one word', [{ type: 'finish', finishReason: 'error' }], 'failed'],
    ['an error of the caller’s', [{ type: 'error', error: new DOMException('gone', 'AbortError') }], 'ended'],
  ])('a stream with %s', async (_title, parts, outcome) => {
    const { governor, outcomes } = watched();
    const doStream = async () => ({
      stream: new ReadableStream({ pull: (c) => (parts[0] ? c.enqueue(parts.shift()) : c.close()) }),
    });
    const call = { doStream, params: {}, model: { provider: 'p', modelId: 'm' } };
    const { stream } = await governorMiddleware(governor).wrapStream(call);
    await stream.pipeTo(new WritableStream());
    expect(outcomes).toEqual([outcome]);
  });

  it('a stream left after its finish succeeded', async () => {
    const { governor, outcomes } = watched();
    const doStream = async () => ({ stream: new ReadableStream({ start: (c) => c.enqueue(finish('stop')) }) });
    const call = { doStream, params: {}, model: { provider: 'p', modelId: 'm' } };
    for await (const _ of (await governorMiddleware(governor).wrapStream(call)).stream) break;
    expect(outcomes).toEqual(['succeeded']);
  });

  it.each([
    ['before output', [OVERLOADED], false],
    ['after output', [WORDS[0]!, OVERLOADED], true],
  ])('an error part %s is told so', async (_title, frames, outputEmitted) => {
    provider.script(stream(frames));
    const { governor } = watched();
    const answers = answersTo(governor);
    await streamText({ ...quiet, model: governedModel(governor) }).consumeStream();
    expect(answers).toMatchObject([{ streamPhase: 'mid', outputEmitted }]);
  });

  it('a result for an error is a failure, and a slot that its run has taken back is not settled again', async () => {
    const seen = watched();
    const run = seen.governor.openRun('review');
    const { wrapGenerate } = governorMiddleware(seen.governor, { run });
    const model = { provider: 'p', modelId: 'm' };
    await wrapGenerate({ doGenerate: async () => finish('error'), params: {}, model });
    await wrapGenerate({ doGenerate: async () => run.amend({ settings: 'other' }), params: {}, model });
    expect(seen).toMatchObject({ outcomes: ['failed', 'ended'], again: 0 });
  });

  it('the interface after the first dot of a provider is not part of the key', async () => {
    const { governor, keys } = watched();
    const { wrapGenerate } = governorMiddleware(governor);
    const doGenerate = async () => ({ finishReason: 'error' });
    await wrapGenerate({ doGenerate, params: {}, model: { provider: 'openai.responses', modelId: 'gpt' } });
    expect(keys).toEqual(['openai/gpt']);
  });
});
