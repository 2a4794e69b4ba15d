/**
 * One request to a model and what becomes of it, as data: the answer when there is one, and what the request holds at the
 * provider until it has ended. Adapters send the answer and say how it ended; they decide nothing.
 */

import type { AdmittedLease, Lease, Usage } from '../models/verdict.js';
import type { KeepAlive, WireAnswer } from './answer.js';

export interface Exchange {
  /** What is sent to a client whose request waits; null = nothing until it is worked on. */
  readonly keepAlive: KeepAlive | null;
  /**
   * Calls `begin` with the answer as soon as the request is worked on: at once, unless it waits at a busy server. Calls
   * `failed` instead where no answer can be made, which is a defect; the request is then still to be `abandoned`.
   */
  whenReady(begin: (answer: WireAnswer) => void, failed: (error: unknown) => void): void;
  /** The answer is about to be complete; its place is free before the client can hear of it. Once, or `abandoned`. */
  answered(nowMs: number): void;
  /** The client went away before. */
  abandoned(nowMs: number): void;
}

/** An answer that holds nothing: a list of models, a request that is wrong. */
export class PlainExchange implements Exchange {
  readonly keepAlive = null;
  readonly #answer: WireAnswer;

  constructor(answer: WireAnswer) {
    this.#answer = answer;
  }

  whenReady(begin: (answer: WireAnswer) => void): void {
    begin(this.#answer);
  }

  answered(): void {}

  abandoned(): void {}
}

export class RefusedExchange implements Exchange {
  readonly keepAlive = null;
  readonly #answer: WireAnswer;
  readonly #lease: Lease | null;

  /** @param lease null where refusals hold no place. */
  constructor(answer: WireAnswer, lease: Lease | null) {
    this.#answer = answer;
    this.#lease = lease;
  }

  whenReady(begin: (answer: WireAnswer) => void): void {
    begin(this.#answer);
  }

  answered(nowMs: number): void {
    this.#lease?.answered({ inputTokens: 0, outputTokens: 0 }, nowMs);
  }

  abandoned(nowMs: number): void {
    this.#lease?.abandoned(nowMs);
  }
}

export class AdmittedExchange implements Exchange {
  readonly keepAlive: KeepAlive | null;
  readonly #lease: AdmittedLease;
  readonly #usage: Usage;
  /** Null once it is given: what it rests on need not wait with it. */
  #answer: ((isHeadSent: boolean) => WireAnswer) | null;

  /**
   * @param usage of the whole answer.
   * @param answer asked when the request is served, and told whether its head has gone out, with bytes to keep it alive.
   */
  constructor(
    lease: AdmittedLease,
    usage: Usage,
    answer: (isHeadSent: boolean) => WireAnswer,
    keepAlive: KeepAlive | null = null,
  ) {
    this.keepAlive = keepAlive;
    this.#lease = lease;
    this.#usage = usage;
    this.#answer = answer;
  }

  whenReady(begin: (answer: WireAnswer) => void, failed: (error: unknown) => void): void {
    let hasWaited = false;
    this.#lease.whenServed(() => {
      let answer: WireAnswer;
      try {
        answer = this.#answer!(hasWaited && this.keepAlive !== null);
        this.#answer = null;
      } catch (error) {
        failed(error);
        return;
      }
      begin(answer);
    });
    hasWaited = true;
  }

  answered(nowMs: number): void {
    this.#lease.answered(this.#usage, nowMs);
  }

  abandoned(nowMs: number): void {
    this.#lease.abandoned(nowMs);
  }
}
