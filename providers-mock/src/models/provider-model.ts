/**
 * One model of a provider: composes quotas into a verdict. A request is admitted when every quota has room; otherwise the
 * first that has none refuses it, and it takes nothing from any quota except those that count refused requests. A quota
 * that the request alone exceeds goes before the others, because no wait would help. Pure: it is told the time and draws
 * nothing at random.
 */

import { createQuota } from './create-quota.js';
import { AdmittedLease, type Books, RefusedLease } from './lease.js';
import { Ledger, type LedgerEntry } from './ledger.js';
import type { Quota } from './quota.js';
import { checkReconfiguration } from './quota-spec.js';
import { checkTokens } from './token-count.js';
import { ToldTime } from './told-time.js';
import type { Lease, QuotaSpec, RequestFacts, Verdict } from './verdict.js';

/** What the models of one provider share. */
export interface ProviderWide {
  readonly quotas: readonly Quota[];
  readonly time: ToldTime;
}

export class ProviderModel {
  readonly #own: readonly Quota[];
  readonly #books: Books;
  /** Those that count refused requests, and whether one of them keeps a place for a refused request. */
  readonly #counting: readonly Quota[];
  readonly #refusedHold: boolean;

  /**
   * @param specs the model's own quotas; none = everything is admitted.
   * @param wide what it shares with other models; `createProvider` passes it, a model on its own has none.
   * @throws RangeError naming the quota, the option, its value and what is allowed.
   */
  constructor(specs: readonly QuotaSpec[], wide: ProviderWide = { quotas: [], time: new ToldTime() }) {
    this.#own = specs.map(createQuota);
    const quotas = [...wide.quotas, ...this.#own];
    this.#books = { quotas, ledger: new Ledger(), time: wide.time };
    this.#counting = quotas.filter((quota) => quota.spec.refusedCount);
    this.#refusedHold = this.#counting.some((quota) => quota.spec.kind === 'concurrency');
  }

  /** Admitted requests that have not ended. */
  get inFlight(): number {
    return this.#books.ledger.inFlight;
  }

  /**
   * @param nowMs of a monotonic clock with any origin ≥ 0, to the microsecond; never before an earlier one told to the
   *   provider.
   * @throws RangeError when the time goes back, or a token count is not a whole number ≥ 0.
   */
  decide(facts: RequestFacts, nowMs: number): Verdict {
    checkTokens('inputTokens', facts.inputTokens);
    checkTokens('maxTokens', facts.maxTokens);
    const { quotas, ledger, time } = this.#books;
    const nowUs = time.toUs(nowMs);
    for (const quota of quotas) {
      if (quota.waitUs(facts, nowUs) !== 0) return this.#refuse(quota, facts, nowUs);
    }
    for (const quota of quotas) quota.admitted(facts, nowUs);
    ledger.admitted();
    return { kind: 'admitted', lease: new AdmittedLease(this.#books, facts, nowUs) };
  }

  /**
   * Other numbers for the model's own quotas from now on. Requests in flight stay in flight, over a lowered limit too;
   * what is spent stays spent: a bucket keeps its units up to its new capacity, a fixed window in progress ends at the
   * next boundary of the new grid, a sliding window keeps its log.
   *
   * @throws RangeError, with nothing changed, when a number is out of range or more than name, limit, perMs and burst
   *   differs.
   */
  reconfigure(specs: readonly QuotaSpec[], nowMs: number): void {
    checkReconfiguration(
      this.#own.map((quota) => quota.spec),
      specs,
    );
    const nowUs = this.#books.time.toUs(nowMs);
    this.#own.forEach((quota, position) => {
      quota.reconfigured(specs[position]!, nowUs);
    });
  }

  ledger(): LedgerEntry {
    return this.#books.ledger.entry(this.#books.quotas.map((quota) => quota.spec.name));
  }

  #refuse(first: Quota, facts: RequestFacts, nowUs: number): Verdict {
    const { quotas, ledger } = this.#books;
    const exceeded = quotas.find((quota) => quota.waitUs(facts, nowUs) === Infinity);
    const { name, kind } = (exceeded ?? first).spec;
    for (const quota of this.#counting) quota.refused(facts, nowUs);
    ledger.refused(name);
    return {
      kind: 'refused',
      quota: name,
      scope: kind,
      waitMs: exceeded !== undefined || kind === 'concurrency' ? null : this.#waitUs(facts, nowUs) / 1000,
      tooLarge: exceeded !== undefined,
      lease: this.#refusedLease(),
    };
  }

  /** Asked after the refusal has counted, so that it holds for a request that is refused and waits. */
  #waitUs(facts: RequestFacts, nowUs: number): number {
    return Math.max(...this.#books.quotas.map((quota) => quota.waitUs(facts, nowUs) ?? 0));
  }

  #refusedLease(): Lease | null {
    return this.#refusedHold ? new RefusedLease(this.#counting, this.#books.time) : null;
  }
}
