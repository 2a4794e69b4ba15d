/**
 * Follows the body of one HTTP answer and settles its ticket by how it ends. Decides nothing itself: what the answer
 * means is `classify`'s word, and who went away is the caller's.
 */

import type { Answer } from '../core/answer.js';
import { classify } from '../core/classify.js';
import type { Ticket } from '../gate/ticket.js';
import { type BodyDigest, digestOf, ErrorDigest, OPAQUE } from './body-digest.js';
import type { HeldSlot } from './held-slot.js';
import type { StreamWatch } from './held-stream.js';
import { isCallerAbort } from './settling.js';

/** How an answer began. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: NonNullable<Answer['headers']>;
  /** Empty when unknown; undefined when the body is not legible, as a compressed one. */
  readonly contentType: string | undefined;
}

export class BodyWatch implements StreamWatch<Uint8Array> {
  readonly #slot: HeldSlot;
  readonly #head: AnswerHead;
  readonly #signal: AbortSignal | undefined;
  readonly #isSuccess: boolean;
  readonly #digest: BodyDigest;

  /** @param signal the caller's: an answer lost to it is not the provider's failure. */
  constructor(slot: HeldSlot, head: AnswerHead, signal: AbortSignal | undefined) {
    this.#slot = slot;
    this.#head = head;
    this.#signal = signal;
    this.#isSuccess = head.status >= 200 && head.status < 300;
    if (head.contentType === undefined) this.#digest = OPAQUE;
    else this.#digest = this.#isSuccess ? digestOf(head.contentType) : new ErrorDigest();
  }

  get awaited(): boolean {
    return this.#slot.awaited;
  }

  set awaited(awaited: boolean) {
    this.#slot.awaited = awaited;
  }

  /** What was seen so far settles the ticket at once if it reports an error. */
  piece(bytes: Uint8Array): void {
    this.#slot.moved();
    if (!this.#slot.isHeld) return;
    const errors = this.#digest.read(bytes);
    if (errors !== undefined) this.#slot.settle((ticket) => ticket.settle(this.#answer(errors)));
  }

  ended(): void {
    this.#slot.settle((ticket) => ticket.settle(this.#answer(this.#digest.text())));
  }

  lost(error: unknown): void {
    const isGone = isCallerAbort(error, this.#signal);
    this.#brokenOff((ticket) => (isGone ? ticket.end() : ticket.fail()));
  }

  dropped(): void {
    this.#brokenOff((ticket) => ticket.end());
  }

  /** A refusal stays one, and what was complete already is a success; anything else has no end to judge. */
  #brokenOff(otherwise: (ticket: Ticket) => void): void {
    this.#slot.settle((ticket) => {
      const text = this.#digest.text();
      const answer: Answer = { provider: ticket.key.provider, ...this.#answer(text) };
      const isTold = !this.#isSuccess || (text !== undefined && classify(answer).class !== 'transient');
      if (isTold) ticket.settle(answer);
      else otherwise(ticket);
    });
  }

  #answer(body: string | undefined): Answer {
    const { status, headers } = this.#head;
    if (!this.#isSuccess) return { status, headers, body };
    return { status, headers, body, streamPhase: 'mid', outputEmitted: this.#digest.outputEmitted };
  }
}
