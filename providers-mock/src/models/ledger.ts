/**
 * What a model has counted since it was built: the mock's own books, against which a client's counts are checked.
 * Counts only; never part of a decision.
 */

import type { Usage } from './verdict.js';

/** A copy; it does not change with the model. */
export interface LedgerEntry {
  /** Requests decided: admitted + refused. */
  readonly requests: number;
  /** Requests that every quota let in. */
  readonly admitted: number;
  /** Requests answered by a quota. */
  readonly refused: number;
  /** Admitted requests whose client went away before the answer. */
  readonly abandoned: number;
  /** Admitted requests in flight: at most, and now. */
  readonly peakInFlight: number;
  readonly inFlight: number;
  /** By name, in the order of the quotas, provider-wide ones first, zeros included. Quotas of one name share a count. */
  readonly refusedBy: Readonly<Record<string, number>>;
  /** Of the answered requests. */
  readonly tokens: { readonly input: number; readonly output: number };
}

export class Ledger {
  #admitted = 0;
  #refused = 0;
  #abandoned = 0;
  #inFlight = 0;
  #peakInFlight = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  readonly #refusedBy = new Map<string, number>();

  get inFlight(): number {
    return this.#inFlight;
  }

  admitted(): void {
    this.#admitted += 1;
    this.#inFlight += 1;
    if (this.#inFlight > this.#peakInFlight) this.#peakInFlight = this.#inFlight;
  }

  refused(name: string): void {
    this.#refused += 1;
    this.#refusedBy.set(name, (this.#refusedBy.get(name) ?? 0) + 1);
  }

  answered(usage: Usage): void {
    this.#inFlight -= 1;
    this.#inputTokens += usage.inputTokens;
    this.#outputTokens += usage.outputTokens;
  }

  abandoned(): void {
    this.#inFlight -= 1;
    this.#abandoned += 1;
  }

  /** @param quotas the names that get a count even when it is 0. */
  entry(quotas: readonly string[]): LedgerEntry {
    return {
      requests: this.#admitted + this.#refused,
      admitted: this.#admitted,
      refused: this.#refused,
      abandoned: this.#abandoned,
      peakInFlight: this.#peakInFlight,
      inFlight: this.#inFlight,
      refusedBy: Object.fromEntries([...quotas.map((name) => [name, 0] as const), ...this.#refusedBy]),
      tokens: { input: this.#inputTokens, output: this.#outputTokens },
    };
  }
}
