/**
 * Somebody in a line who may leave it before the turn comes: at the caller's word, on a signal, or with a run that closes.
 * Leaving and being told of it are two steps, so that of many who leave together all are gone before the first is told:
 * what it is told may call back in, and must not find the others still waiting, or let them through.
 */

import type { FifoMember } from '../core/fifo.js';
import type { Abortable, SignalGroup } from './abort.js';

export abstract class LineMember implements FifoMember, Abortable {
  previous: FifoMember | undefined = undefined;
  next: FifoMember | undefined = undefined;
  watched: SignalGroup | undefined = undefined;
  #refusal: { readonly reason: unknown } | undefined = undefined;

  /** Goes out of the line, telling nobody. */
  protected abstract withdraw(): void;
  /** Tells whoever waited. */
  protected abstract refuse(reason: unknown): void;

  cancel(reason: unknown = new DOMException('it was cancelled while it waited', 'AbortError')): void {
    if (this.next === undefined) return;
    this.leave(reason);
    this.told();
  }

  leave(reason: unknown): void {
    if (this.next === undefined) return;
    this.withdraw();
    this.watched?.leave(this);
    this.#refusal = { reason };
  }

  told(): void {
    const refusal = this.#refusal;
    if (refusal === undefined) return;
    this.#refusal = undefined;
    this.refuse(refusal.reason);
  }
}

/** They all leave, then they are told one by one. */
export function leaveTogether(members: readonly LineMember[], reason: unknown): void {
  for (const member of members) member.leave(reason);
  for (const member of members) member.told();
}
