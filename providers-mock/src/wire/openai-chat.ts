/** OpenAI's chat completions: the dialect that most providers speak. */

import type { Dialect, DialectStream } from './dialect.js';
import { readOpenaiChat } from './openai-chat-request.js';
import { OPENAI_STYLE } from './refusal-styles.js';
import { idOf, type Reply } from './reply.js';
import { EVENT_STREAM, pieceWriter, sseData } from './server-sent-events.js';

const FINISH = { stop: 'stop', length: 'length', tool: 'tool_calls' } as const;

export const OPENAI_CHAT: Dialect = {
  style: OPENAI_STYLE,
  read: (body, path) => readOpenaiChat(body, path.model),
  whole,
  streamedError: (body) => sseData(JSON.stringify(body)),
  stream,
};

/** Written by hand, since every plain call goes through it: half the price of an object that is made to be a text. */
function whole(reply: Reply): string {
  const { createdS, model, finish, toolName } = reply;
  const content =
    toolName === null
      ? `"content":${JSON.stringify(reply.text())},"refusal":null`
      : `"content":null,"refusal":null,"tool_calls":[${JSON.stringify(callOf(reply, toolName, reply.text()))}]`;
  const choices = numbersOf(reply).map(
    (index) =>
      `{"index":${index},"message":{"role":"assistant",${content}},"logprobs":null,"finish_reason":"${FINISH[finish]}"}`,
  );
  return `{"id":"${idOf(reply, 'chatcmpl-')}","object":"chat.completion","created":${createdS},"model":${JSON.stringify(model)},"choices":[${choices.join(',')}],"usage":${usageOf(reply)},"system_fingerprint":null}`;
}

/** With `include_usage` every frame has `usage`, null in all but the last, which has no choice. */
function stream(reply: Reply, { wantsUsage }: { readonly wantsUsage: boolean }): DialectStream {
  const { toolName } = reply;
  const head = {
    id: idOf(reply, 'chatcmpl-'),
    object: 'chat.completion.chunk',
    created: reply.createdS,
    model: reply.model,
    system_fingerprint: null,
  };
  const chunk = (index: number, delta: object, finish: string | null = null): string => {
    const choices = [{ index, delta, logprobs: null, finish_reason: finish }];
    return sseData(JSON.stringify(wantsUsage ? { ...head, choices, usage: null } : { ...head, choices }));
  };
  const numbers = numbersOf(reply);
  const called = toolName === null ? {} : { tool_calls: [{ index: 0, ...callOf(reply, toolName, '') }] };
  const content = toolName === null ? '' : null;
  return {
    contentType: EVENT_STREAM,
    opening: numbers.map((index) => chunk(index, { role: 'assistant', content, refusal: null, ...called })),
    piece: together(
      numbers.map((index) =>
        pieceWriter((text) => {
          const called = { tool_calls: [{ index: 0, function: { arguments: text } }] };
          return chunk(index, toolName === null ? { content: text } : called);
        }),
      ),
    ),
    closing: () => [
      ...numbers.map((index) => chunk(index, {}, FINISH[reply.finish])),
      ...(wantsUsage ? [sseData(JSON.stringify({ ...head, choices: [], usage: JSON.parse(usageOf(reply)) }))] : []),
      sseData('[DONE]'),
    ],
  };
}

/** Of the choices, from 0. */
function numbersOf({ choices }: Reply): readonly number[] {
  return Array.from({ length: choices }, (_, index) => index);
}

/** The frames of all choices, which come side by side: a piece of each in one go. */
function together(writers: readonly ((text: string) => string)[]): (text: string) => string {
  const [only] = writers;
  if (writers.length === 1 && only !== undefined) return only;
  return (text) => writers.map((write) => write(text)).join('');
}

function callOf(reply: Reply, name: string, json: string): object {
  return { id: idOf(reply, 'call_'), type: 'function', function: { name, arguments: json } };
}

/** As JSON. */
function usageOf({ usage: { inputTokens, cachedTokens = 0, outputTokens } }: Reply): string {
  return `{"prompt_tokens":${inputTokens},"completion_tokens":${outputTokens},"total_tokens":${inputTokens + outputTokens},"prompt_tokens_details":{"cached_tokens":${cachedTokens},"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}`;
}
