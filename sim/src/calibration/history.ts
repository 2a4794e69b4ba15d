/**
 * What a trace shows of one provider and model from the outside: when each attempt left, whether it was refused, how long
 * it was there and what it used. A fold of the trace; looks at nothing that only a mock could tell.
 */

import type { RequestAdmitted, RequestSettled, TraceEvent } from '../trace/events.js';

/** One attempt, from dispatch to answer. */
export interface Sent {
  readonly id: number;
  sentMs: number;
  /** Infinity while it is not answered. */
  endMs: number;
  /** `open`: the trace ends before it does. Of a failure nobody knows whether a limit let it in. */
  outcome: 'admitted' | 'refused' | 'failed' | 'open';
  inputTokens: number;
  outputTokens: number;
  /** Of a refusal: what it says of the wait. */
  hintMs: number | null;
  firstTokenMs: number | null;
}

/** The attempts of one key in the order in which they left. */
export class History {
  readonly key: string;
  readonly sent: Sent[] = [];

  constructor(key: string) {
    this.key = key;
  }

  get refusals(): number {
    return this.sent.filter(({ outcome }) => outcome === 'refused').length;
  }
}

/** Collects the histories of all keys; `observe` every event in order. */
export class Histories {
  readonly #byKey = new Map<string, History>();
  readonly #open = new Map<number, Sent>();
  /** Sizes are told with a success only; an attempt that was refused has those of its request. */
  readonly #sizes = new Map<number, Pick<Sent, 'inputTokens' | 'outputTokens'>>();

  observe(event: TraceEvent): void {
    if (event.type === 'request-admitted') this.#admitted(event);
    else if (event.type === 'request-settled') this.#settled(event);
  }

  /** In the order in which the keys were first asked. */
  histories(): readonly History[] {
    const all = [...this.#byKey.values()];
    for (const history of all) {
      // One that a budget held back left after some that were admitted later.
      history.sent.sort((a, b) => a.sentMs - b.sentMs);
      this.#fillSizes(history);
    }
    return all;
  }

  #admitted({ t, id, key }: RequestAdmitted): void {
    const sent: Sent = {
      ...{ id, sentMs: t, endMs: Number.POSITIVE_INFINITY, outcome: 'open' },
      ...{ inputTokens: Number.NaN, outputTokens: Number.NaN, hintMs: null, firstTokenMs: null },
    };
    let history = this.#byKey.get(key);
    if (history === undefined) {
      history = new History(key);
      this.#byKey.set(key, history);
    }
    history.sent.push(sent);
    this.#open.set(id, sent);
  }

  #settled(event: RequestSettled): void {
    const { t, id, outcome, inputTokens, outputTokens, retryAfterMs, firstTokenMs, observed } = event;
    const sent = this.#open.get(id);
    if (sent === undefined) return;
    this.#open.delete(id);
    sent.sentMs += observed?.heldMs ?? 0;
    sent.endMs = t;
    sent.outcome = outcome === 'succeeded' ? 'admitted' : outcome === 'throttled' ? 'refused' : 'failed';
    sent.hintMs = retryAfterMs ?? null;
    sent.firstTokenMs = firstTokenMs ?? null;
    if (inputTokens !== undefined && outputTokens !== undefined) this.#sizes.set(id, { inputTokens, outputTokens });
  }

  /** What never succeeded is taken to be of ordinary size. */
  #fillSizes({ sent }: History): void {
    const known = sent.flatMap(({ id }) => this.#sizes.get(id) ?? []);
    const mean = (of: (size: (typeof known)[number]) => number): number =>
      known.length === 0 ? 0 : Math.round(known.reduce((sum, size) => sum + of(size), 0) / known.length);
    const ordinary = { inputTokens: mean((size) => size.inputTokens), outputTokens: mean((size) => size.outputTokens) };
    for (const each of sent) Object.assign(each, this.#sizes.get(each.id) ?? ordinary);
  }
}
