/**
 * A `fetch` whose requests are governed, for any SDK that takes one. Each call is one attempt: it waits for a slot, sends,
 * and holds the slot until the answer's body has ended. Never retries, never changes what the caller gets.
 */

import type { Governor } from '../gate/governor.js';
import type { Key, Ticket } from '../gate/ticket.js';
import { ErrorDigest } from './body-digest.js';
import { type AnswerHead, BodyWatch } from './body-watch.js';
import { HeldSlot, type HoldingOptions, resolveHolding } from './held-slot.js';
import { heldStream } from './held-stream.js';
import { keyOfRequest } from './request-key.js';
import { acquireIn, type Scope } from './scope.js';
import { settleOnce, settleThrown } from './settling.js';

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = Parameters<Fetch>[1];

/** Whose requests they are, what their key is, and how long an answer may stand still. */
export interface GovernedFetchOptions extends Scope, HoldingOptions {
  /** Of all requests. Default: by the host of the URL; a host that is nobody's we know stands for itself. */
  readonly provider?: string;
  /**
   * The key, or what tells it; undefined lets the request pass ungoverned. Default: `provider`, and the model named by
   * the path (Gemini, Azure, Bedrock) or the body; `default` when none is named.
   */
  readonly key?: Key | ((input: Input, init: Init) => Key | undefined);
  /** What sends. Default: the global `fetch` at the time of each call. */
  readonly fetch?: Fetch;
}

/** An SDK may drop an error's body unread, so it is read before the SDK gets it; a body that does not come is not waited for. */
const ERROR_BODY_WAIT_MS = 1_000;

/**
 * Give it to an SDK as its `fetch`. It runs once per attempt, so the SDK's `maxRetries` retry with a new slot each. Do not
 * also send through `governor.request`: a request would take two slots, and wait for itself. An SDK that times around its
 * `fetch` counts the wait for a slot in its `timeout`.
 *
 * Rejects with `signal.reason` while queued, with `QueueFullError` or `GovernorClosedError` from the gate, and with
 * whatever the inner fetch rejects with. @throws RangeError on a bad `bodyTimeoutMs`.
 */
export function governedFetch(governor: Governor, options: GovernedFetchOptions = {}): Fetch {
  const holding = resolveHolding(options);
  return async (input, init) => {
    const send = options.fetch ?? globalThis.fetch;
    const key = await keyOf(input, init, options);
    if (key === undefined) return send(input, init);
    const signal = init?.signal ?? (isRequest(input) ? input.signal : undefined);
    const ticket = await acquireIn(options, governor, key, signal);
    try {
      return await answered(await send(input, init), ticket, signal, holding);
    } catch (error) {
      settleThrown(ticket, error, signal);
      throw error;
    }
  };
}

async function keyOf(input: Input, init: Init, { key, provider }: GovernedFetchOptions): Promise<Key | undefined> {
  if (typeof key === 'function') return key(input, init);
  if (key !== undefined) return key;
  const url = new URL(isRequest(input) ? input.url : input, globalThis.location?.href);
  return keyOfRequest({ url, body: init?.body ?? (await bodyOf(input)) }, provider);
}

/** Of a Request, which gives its body only as a stream; read from a copy, if it is JSON. */
async function bodyOf(input: Input): Promise<string | undefined> {
  if (!isRequest(input) || input.bodyUsed || !/json/.test(input.headers.get('content-type') ?? '')) return undefined;
  return await input.clone().text();
}

/** Of whatever implementation. */
function isRequest(input: Input): input is Request {
  return typeof input === 'object' && !(input instanceof URL);
}

/** Settles the ticket, now or as the body goes, and gives the answer on. */
async function answered(
  response: Response,
  ticket: Ticket,
  signal: AbortSignal | undefined,
  holding: Required<HoldingOptions>,
): Promise<Response> {
  const { status, headers, body } = response;
  // A body that is no stream of the platform's kind, as some implementations have, cannot be followed.
  if (typeof body?.getReader !== 'function' || headers.get('content-length') === '0') {
    settleOnce(ticket, () => ticket.settle({ status, headers }));
    return response;
  }
  if (!response.ok) {
    const said = await beginningOf(response, holding);
    settleOnce(ticket, () => ticket.settle({ status, headers, body: said }));
    return response;
  }
  const head: AnswerHead = { status, headers, contentType: headers.get('content-type') ?? '' };
  const watch = new BodyWatch(new HeldSlot(ticket, holding), head, signal);
  return sameWith(heldStream(body, watch), response);
}

/** What an error says, from a copy of it: as much as matters, as far as it came. */
async function beginningOf(response: Response, { clock }: Required<HoldingOptions>): Promise<string | undefined> {
  const digest = new ErrorDigest();
  const reader = response.clone().body?.getReader();
  const leave = (): void => {
    // The copy ends; the caller's own goes on. Both share one source, whose errors the caller will see.
    reader?.cancel().catch(() => {});
  };
  const cancelTimer = clock.schedule(leave, ERROR_BODY_WAIT_MS);
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      digest.read(next.value);
      if (digest.isFull) break;
    }
  } catch {
    // A body that cannot be read changes nothing: the status and the headers still speak.
  }
  cancelTimer();
  leave();
  return digest.text();
}

/** A response made anew has no address and no history of redirects; those of the original are put back. */
function sameWith(body: ReadableStream<Uint8Array>, original: Response): Response {
  const { status, statusText, headers, url, redirected, type } = original;
  return dressed(new Response(body, { status, statusText, headers }), { url, redirected, type });
}

function dressed(response: Response, origin: Pick<Response, 'url' | 'redirected' | 'type'>): Response {
  const own = Object.entries({ ...origin, clone: () => dressed(Response.prototype.clone.call(response), origin) });
  return Object.defineProperties(response, Object.fromEntries(own.map(([name, value]) => [name, { value }])));
}
