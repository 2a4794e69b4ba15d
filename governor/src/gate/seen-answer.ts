/**
 * What a caller's `send` came back with, as an `Answer` to classify: a `Response`, any other value, or an error of one
 * of the SDKs. Reads by shape only, so that no SDK is needed here.
 */

import type { Answer } from '../core/answer.js';
import type { Clock } from './clock.js';

/** What a refusal says stands at its beginning; a body that goes on for ever must not hold the request. */
const LONGEST_BODY = 65_536;
const LONGEST_READ_MS = 1_000;

/** A resolved value: a Response speaks by its status, anything else is a success. A refusal's body is read from a copy. */
export async function answerOfValue(value: unknown, clock: Clock): Promise<Answer> {
  if (!isResponse(value)) return { status: 200 };
  const { status, headers } = value;
  if (status < 400) return { status, headers };
  return { status, headers, body: await beginningOf(value.clone(), clock) };
}

/** As much of the body as comes in time; a body that cannot be read changes nothing. */
async function beginningOf(copy: Response, clock: Clock): Promise<string> {
  const reader = copy.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  const leave = (): void => void reader.cancel().catch(() => {});
  const cancelTimer = clock.schedule(leave, LONGEST_READ_MS);
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += decoder.decode(piece.value, { stream: true });
      if (text.length > LONGEST_BODY) leave();
    }
  } catch {
    // A broken body: what has come of it counts.
  }
  cancelTimer();
  return text;
}

/** An error that carries a status is an answer; one that does not is a fault of the network. */
export function answerOfError(error: unknown): Answer {
  const seen = fieldsOf(error);
  const response = fieldsOf(seen.response);
  // The SDKs of OpenAI and Anthropic, the AI SDK, fetch wrappers, and those of AWS, in this order.
  const status = seen.status ?? seen.statusCode ?? response.status ?? fieldsOf(seen.$metadata).httpStatusCode;
  if (typeof status !== 'number') return { error };
  const headers = seen.headers ?? seen.responseHeaders ?? response.headers;
  const body = seen.error ?? seen.body ?? seen.responseBody ?? seen.data ?? seen.message;
  return { status, ...(headers ? { headers: headers as NonNullable<Answer['headers']> } : {}), body, error };
}

/** Lets the connection go before the sleep: an unread body would hold it. */
export async function discardBody(value: unknown): Promise<void> {
  if (!isResponse(value) || value.bodyUsed) return;
  try {
    await value.body?.cancel();
  } catch {
    // Somebody reads it; then it is theirs to end.
  }
}

function isResponse(value: unknown): value is Response {
  return typeof Response === 'function' && value instanceof Response;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
