/** Asks the mock in data, and reads its answers: no socket, no clock. */

import type { WireAnswer } from '../../src/wire/answer.js';
import type { Exchange } from '../../src/wire/exchange.js';
import { type ApiProvider, MockApi, type WireRequest } from '../../src/wire/mock-api.js';
import { NOON_MS } from '../adapters/manual-clock.js';

const MESSAGES = [{ role: 'user', content: 'How high is it?' }];

/** A usual request in each dialect; the members of `body` go before. */
export const REQUESTS = {
  openai: { target: '/v1/chat/completions', body: { model: 'large', messages: MESSAGES } },
  'openai-responses': { target: '/v1/responses', body: { model: 'large', input: MESSAGES } },
  anthropic: { target: '/v1/messages', body: { model: 'large', max_tokens: 1_000, messages: MESSAGES } },
  gemini: {
    target: '/v1beta/models/large:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'How high is it?' }] }] },
  },
} as const;

export type Dialect = keyof typeof REQUESTS;

export const DIALECTS = Object.keys(REQUESTS) as readonly Dialect[];

export function requestIn(dialect: Dialect, body: object = {}, headers: Record<string, string> = {}): WireRequest {
  const usual = REQUESTS[dialect];
  return { method: 'POST', target: usual.target, headers, body: JSON.stringify({ ...usual.body, ...body }) };
}

export function streamIn(dialect: Dialect, body: object = {}): WireRequest {
  if (dialect !== 'gemini') return requestIn(dialect, { ...body, stream: true });
  return { ...requestIn(dialect, body), target: '/v1beta/models/large:streamGenerateContent?alt=sse' };
}

export class Asking {
  readonly api: MockApi;
  #nowMs = 0;

  constructor(acme: ApiProvider) {
    this.api = new MockApi({ providers: { acme } });
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Asks, and leaves the request in flight. */
  open(request: WireRequest): { readonly exchange: Exchange; readonly answer: WireAnswer } {
    const exchange = this.api.exchange(request, { nowMs: this.#nowMs, epochMs: NOON_MS + this.#nowMs });
    let answer: WireAnswer | undefined;
    exchange.whenReady(
      (ready) => {
        answer = ready;
      },
      (error) => {
        throw error;
      },
    );
    if (answer === undefined) throw new Error('the request waits');
    return { exchange, answer };
  }

  /** Asks, and lets the request end at once. */
  ask(request: WireRequest): Read {
    const { exchange, answer } = this.open(request);
    exchange.answered(this.#nowMs);
    return read(answer);
  }
}

export interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** When the head, and then each frame comes, in ms from the request. */
  readonly headMs: number;
  readonly frames: readonly { readonly atMs: number; readonly data: string }[];
  readonly text: string;
  readonly ending: string;
  json(): unknown;
}

export function read(answer: WireAnswer): Read {
  const { afterMs, ending } = answer;
  if (answer.kind === 'nothing') {
    return { status: 0, headers: {}, headMs: afterMs, frames: [], text: '', ending, json: () => undefined };
  }
  let atMs = afterMs;
  const frames =
    answer.kind === 'whole'
      ? [{ atMs, data: answer.body }]
      : [...answer.frames].map((frame) => {
          atMs += frame.afterMs;
          return { atMs, data: String(frame.data) };
        });
  const text = frames.map(({ data }) => data).join('');
  const { status, headers } = answer;
  return { status, headers, headMs: afterMs, frames, text, ending, json: () => JSON.parse(text) };
}

/** The value at a path of members and elements; undefined where there is none. */
export function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string | number, unknown> | null | undefined)?.[name], value);
}
