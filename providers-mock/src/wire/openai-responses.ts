/** OpenAI's responses: one output item, a message or a call of a function. */

import { isObject, objectAt } from './asked.js';
import type { Dialect, DialectStream } from './dialect.js';
import type { Json } from './json-template.js';
import { readOpenaiResponses } from './openai-responses-request.js';
import { OPENAI_STYLE } from './refusal-styles.js';
import { idOf, type Reply } from './reply.js';
import { EVENT_STREAM, sseEvent } from './server-sent-events.js';

export const OPENAI_RESPONSES: Dialect = {
  style: OPENAI_STYLE,
  read: (body, path) => readOpenaiResponses(body, path.model),
  whole: (reply) => JSON.stringify(responseOf(reply, 'done')),
  streamedError,
  stream,
};

/** Flat here: the members of the error stand beside the type. */
function streamedError(body: Json): string {
  const error = isObject(body) ? objectAt(body, 'error') : {};
  const { code = null, message = null, param = null } = error;
  return sseEvent('error', JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 }));
}

type Stage = 'begun' | 'done';

function stream(reply: Reply): DialectStream {
  let sequence = 0;
  const event = (type: string, members: object): string => {
    const data = JSON.stringify({ type, ...members, sequence_number: sequence });
    sequence += 1;
    return sseEvent(type, data);
  };
  const item = { item_id: itemId(reply), output_index: 0 };
  const part = { ...item, content_index: 0 };
  const isText = reply.toolName === null;
  const created = { response: responseOf(reply, 'begun') };
  return {
    contentType: EVENT_STREAM,
    opening: [
      event('response.created', created),
      event('response.in_progress', created),
      event('response.output_item.added', { output_index: 0, item: itemOf(reply, 'begun') }),
      ...(isText ? [event('response.content_part.added', { ...part, part: textPart('') })] : []),
    ],
    piece: (delta) =>
      isText
        ? event('response.output_text.delta', { ...part, delta, logprobs: [] })
        : event('response.function_call_arguments.delta', { ...item, delta }),
    closing: () => {
      const text = reply.text();
      return [
        ...(isText
          ? [
              event('response.output_text.done', { ...part, text, logprobs: [] }),
              event('response.content_part.done', { ...part, part: textPart(text) }),
            ]
          : [event('response.function_call_arguments.done', { ...item, name: reply.toolName, arguments: text })]),
        event('response.output_item.done', { output_index: 0, item: itemOf(reply, 'done') }),
        event(reply.finish === 'length' ? 'response.incomplete' : 'response.completed', {
          response: responseOf(reply, 'done'),
        }),
      ];
    },
  };
}

function responseOf(reply: Reply, stage: Stage): object {
  const isCut = stage === 'done' && reply.finish === 'length';
  return {
    id: idOf(reply, 'resp_'),
    object: 'response',
    created_at: reply.createdS,
    status: stage === 'begun' ? 'in_progress' : statusOf(reply),
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    model: reply.model,
    output: stage === 'begun' ? [] : [itemOf(reply, 'done')],
    parallel_tool_calls: true,
    previous_response_id: null,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: stage === 'begun' ? null : usageOf(reply),
  };
}

function itemOf(reply: Reply, stage: Stage): object {
  const status = stage === 'begun' ? 'in_progress' : statusOf(reply);
  const text = stage === 'begun' ? '' : reply.text();
  const id = itemId(reply);
  if (reply.toolName !== null) {
    const call_id = idOf(reply, 'call_');
    return { id, type: 'function_call', status, call_id, name: reply.toolName, arguments: text };
  }
  return { id, type: 'message', status, role: 'assistant', content: stage === 'begun' ? [] : [textPart(text)] };
}

function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function statusOf({ finish }: Reply): string {
  return finish === 'length' ? 'incomplete' : 'completed';
}

function itemId(reply: Reply): string {
  return idOf(reply, reply.toolName === null ? 'msg_' : 'fc_');
}

function usageOf({ usage: { inputTokens, cachedTokens = 0, outputTokens } }: Reply): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
