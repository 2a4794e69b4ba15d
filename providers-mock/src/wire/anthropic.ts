/** Anthropic's messages: one content block, text or the use of a tool. */

import { readAnthropic } from './anthropic-request.js';
import type { Dialect, DialectStream } from './dialect.js';
import { ANTHROPIC_STYLE } from './refusal-styles.js';
import { argumentsIn, idOf, type Reply } from './reply.js';
import { EVENT_STREAM, pieceWriter, sseEvent } from './server-sent-events.js';

const STOP = { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use' } as const;

export const ANTHROPIC: Dialect = {
  style: ANTHROPIC_STYLE,
  read: readAnthropic,
  whole,
  streamedError: (body) => sseEvent('error', JSON.stringify(body)),
  stream,
};

function whole(reply: Reply): string {
  const block =
    reply.toolName === null
      ? { type: 'text', text: reply.text() }
      : { type: 'tool_use', id: idOf(reply, 'toolu_'), name: reply.toolName, input: argumentsIn(reply) };
  return JSON.stringify({
    ...headOf(reply),
    content: [block],
    stop_reason: STOP[reply.finish],
    stop_sequence: null,
    usage: usageOf(reply, reply.usage.outputTokens),
  });
}

function stream(reply: Reply): DialectStream {
  const event = (type: string, members: object): string => sseEvent(type, JSON.stringify({ type, ...members }));
  const isText = reply.toolName === null;
  const block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: idOf(reply, 'toolu_'), name: reply.toolName, input: {} };
  const message = {
    ...headOf(reply),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // At the start one token of the answer is counted; the last event has them all.
    usage: usageOf(reply, 1),
  };
  return {
    contentType: EVENT_STREAM,
    opening: [
      event('message_start', { message }),
      event('content_block_start', { index: 0, content_block: block }),
      event('ping', {}),
    ],
    piece: pieceWriter((text) => {
      const delta = isText ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: text };
      return event('content_block_delta', { index: 0, delta });
    }),
    closing: () => [
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: STOP[reply.finish], stop_sequence: null },
        usage: { output_tokens: reply.usage.outputTokens },
      }),
      event('message_stop', {}),
    ],
  };
}

function headOf(reply: Reply): object {
  return { id: idOf(reply, 'msg_'), type: 'message', role: 'assistant', model: reply.model };
}

/** Here `input_tokens` are those that no cache had. */
function usageOf({ usage: { inputTokens, cachedTokens = 0 } }: Reply, outputTokens: number): object {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}
