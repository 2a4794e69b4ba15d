/** Gemini's generateContent and streamGenerateContent: one candidate, text or the call of a function. */

import type { Dialect, DialectStream, RequestPath } from './dialect.js';
import { readGemini } from './gemini-request.js';
import { GEMINI_STYLE } from './refusal-styles.js';
import { argumentsIn, idOf, type Reply } from './reply.js';
import { EVENT_STREAM } from './server-sent-events.js';

const JSON_LIST = 'application/json; charset=UTF-8';

export const GEMINI: Dialect = {
  style: GEMINI_STYLE,
  read: (body, { model, stream }) => readGemini(body, { model: model ?? '', stream }),
  whole: (reply) => JSON.stringify(responseOf(reply, [partOf(reply)], true)),
  streamedError: (body, { asEvents }) => framed(JSON.stringify(body), asEvents, ','),
  stream,
};

/** A function is called in one piece, with the last frame; text comes piece by piece. */
function stream(reply: Reply, { asEvents }: RequestPath): DialectStream {
  const isText = reply.toolName === null;
  const last = responseOf(reply, isText ? [{ text: '' }] : [partOf(reply)], true);
  let isFirst = true;
  const frame = (response: object): string => {
    const separator = isFirst ? '[' : ',\r\n';
    isFirst = false;
    return framed(JSON.stringify(response), asEvents, separator);
  };
  return {
    contentType: asEvents ? EVENT_STREAM : JSON_LIST,
    opening: [],
    piece: (text) => (isText ? frame(responseOf(reply, [{ text }], false)) : ''),
    closing: () => (asEvents ? [frame(last)] : [frame(last), ']']),
  };
}

function framed(json: string, asEvents: boolean, separator: string): string {
  return asEvents ? `data: ${json}\r\n\r\n` : `${separator}${json}`;
}

function responseOf(reply: Reply, parts: readonly object[], isLast: boolean): object {
  const finish = reply.finish === 'length' ? 'MAX_TOKENS' : 'STOP';
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(isLast && { finishReason: finish }), index: 0 }],
    usageMetadata: usageOf(reply, isLast),
    modelVersion: reply.model,
    responseId: idOf(reply, 'resp-'),
  };
}

function partOf(reply: Reply): object {
  if (reply.toolName === null) return { text: reply.text() };
  return { functionCall: { name: reply.toolName, args: argumentsIn(reply) } };
}

/** Only the last frame of a stream knows the answer's tokens. */
function usageOf({ usage: { inputTokens, cachedTokens = 0, outputTokens } }: Reply, isLast: boolean): object {
  const cached = cachedTokens > 0 && { cachedContentTokenCount: cachedTokens };
  if (!isLast) return { promptTokenCount: inputTokens, ...cached, totalTokenCount: inputTokens };
  return {
    promptTokenCount: inputTokens,
    ...cached,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
}
