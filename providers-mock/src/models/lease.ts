/**
 * What a decided request holds until it ends, once: an admitted one its place and its reservations, a refused one its
 * place where refusals count. Tells the quotas and the ledger how it ended; decides nothing.
 */

import type { Ledger } from './ledger.js';
import type { Quota } from './quota.js';
import type { InLine, ServiceLine } from './service-line.js';
import { checkUsage } from './token-count.js';
import type { ToldTime } from './told-time.js';
import type { AdmittedLease, Lease, RequestFacts, Usage } from './verdict.js';

/** What a model's verdicts and leases share. */
export interface Books {
  readonly quotas: readonly Quota[];
  /** Of these, the ones to which it matters how a request ends. */
  readonly settling: readonly Quota[];
  readonly ledger: Ledger;
  readonly time: ToldTime;
  /** Where the server works on so many at once; null = on all. */
  readonly line: ServiceLine | null;
}

type LeaseState = 'held' | 'answered' | 'abandoned';

export class HeldLease implements AdmittedLease, InLine {
  readonly #books: Books;
  readonly #facts: RequestFacts;
  readonly #takenUs: number;
  #state: LeaseState = 'held';
  #isServed: boolean;
  #begin: (() => void) | null = null;

  constructor(books: Books, facts: RequestFacts, takenUs: number) {
    this.#books = books;
    this.#facts = facts;
    this.#takenUs = takenUs;
    this.#isServed = books.line === null;
    books.line?.enter(this);
  }

  whenServed(begin: () => void): void {
    checkHeld(this.#state);
    if (this.#isServed) begin();
    else this.#begin = begin;
  }

  served(): void {
    this.#isServed = true;
    this.#begin?.();
  }

  answered(usage: Usage, nowMs: number): void {
    checkHeld(this.#state);
    checkUsage(usage);
    const { settling, ledger, time, line } = this.#books;
    const nowUs = time.toUs(nowMs);
    this.#state = 'answered';
    for (let n = 0; n < settling.length; n++) settling[n]!.answered(this.#facts, usage, this.#takenUs, nowUs);
    ledger.answered(usage);
    line?.leave(this);
  }

  abandoned(nowMs: number): void {
    checkHeld(this.#state);
    const { settling, ledger, time } = this.#books;
    const nowUs = time.toUs(nowMs);
    this.#state = 'abandoned';
    for (const quota of settling) quota.abandoned(this.#facts, this.#takenUs, nowUs);
    ledger.abandoned();
    this.#books.line?.leave(this);
  }
}

export class RefusedLease implements Lease {
  readonly #counting: readonly Quota[];
  readonly #time: ToldTime;
  #state: LeaseState = 'held';

  /** @param counting the quotas that count refused requests. */
  constructor(counting: readonly Quota[], time: ToldTime) {
    this.#counting = counting;
    this.#time = time;
  }

  answered(_usage: Usage, nowMs: number): void {
    this.#end('answered', nowMs);
  }

  abandoned(nowMs: number): void {
    this.#end('abandoned', nowMs);
  }

  #end(state: 'answered' | 'abandoned', nowMs: number): void {
    checkHeld(this.#state);
    this.#time.toUs(nowMs);
    this.#state = state;
    for (const quota of this.#counting) quota.refusalEnded();
  }
}

function checkHeld(state: LeaseState): void {
  if (state !== 'held') throw new Error(`this lease was already ${state}; end each lease once`);
}
