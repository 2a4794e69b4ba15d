/**
 * A history as the steps in which a provider saw it: at one instant the answers first, then the requests in their order.
 * What is answered in the very instant in which it was sent comes after it.
 */

import type { History } from './history.js';

export interface Steps {
  /** The attempt of each step: its index, or its complement where the step is its end. */
  readonly order: Int32Array;
  readonly sentMs: Float64Array;
  readonly endMs: Float64Array;
  readonly isRefused: Uint8Array;
  /** Whether it tells of a limit: a failure does not. */
  readonly isEvidence: Uint8Array;
  readonly input: Float64Array;
  readonly output: Float64Array;
  /** Of `max_tokens`; the output itself where the scenario sent no more than that. */
  readonly max: Float64Array;
  readonly hintMs: Float64Array;
  /** The longest that a request and its answer are on their way; 0 = what the client sees is what the provider saw. */
  readonly lateMs: number;
  /** What that leaves open, by what is counted; filled as it is asked for. */
  readonly doubts: Map<object, Doubt>;
}

/** Of each attempt: by how much less, and by how much more, may be spent than the order of the client's own events says. */
export interface Doubt {
  readonly less: Float64Array;
  readonly more: Float64Array;
}

/** More are not needed to tell limits, and cost time; unless there are too few refusals among them. */
const ENOUGH = 1_000;
const ENOUGH_REFUSALS = 30;
const MOST = 5_000;

export interface Seen {
  /** As sent with every request; null: each request's own output. */
  readonly maxTokens: number | null;
  /** As of `Steps`. */
  readonly lateMs: number;
}

export function stepsOf({ sent: all }: History, { maxTokens, lateMs }: Seen): Steps {
  const sent = all.slice(0, lengthOf(all));
  const column = (of: (each: (typeof sent)[number]) => number): Float64Array => Float64Array.from(sent, of);
  const events = sent.flatMap(({ sentMs, endMs }, i) => {
    const begin = { t: sentMs, phase: 1, i, step: i };
    if (endMs === Number.POSITIVE_INFINITY) return [begin];
    return [begin, { t: endMs, phase: endMs === sentMs ? 2 : 0, i, step: ~i }];
  });
  events.sort((a, b) => a.t - b.t || a.phase - b.phase || a.i - b.i);
  return {
    order: Int32Array.from(events, ({ step }) => step),
    sentMs: column(({ sentMs }) => sentMs),
    endMs: column(({ endMs }) => endMs),
    isRefused: Uint8Array.from(sent, ({ outcome }) => (outcome === 'refused' ? 1 : 0)),
    isEvidence: Uint8Array.from(sent, ({ outcome }) => (outcome === 'refused' || outcome === 'admitted' ? 1 : 0)),
    input: column(({ inputTokens }) => inputTokens),
    output: column(({ outputTokens }) => outputTokens),
    max: column(({ outputTokens }) => maxTokens ?? outputTokens),
    hintMs: column(({ hintMs }) => hintMs ?? Number.NaN),
    lateMs,
    doubts: new Map(),
  };
}

function lengthOf(all: History['sent']): number {
  let refusals = 0;
  for (let i = 0; i < all.length && i < MOST; i++) {
    if (all[i]?.outcome === 'refused') refusals++;
    if (i >= ENOUGH && refusals >= ENOUGH_REFUSALS) return i;
  }
  return MOST;
}
