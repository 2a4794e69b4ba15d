/**
 * One model of a provider: composes what may refuse into a verdict. A request is admitted when no overload turns it away,
 * every quota has room, and the server's queue has, asked in this order; otherwise the first refuses it, and it takes
 * nothing from any quota except those that count refused requests. A quota that the request alone exceeds goes before the
 * others, because no wait would help. Pure: it is told the time, and its random numbers come in.
 */

import { type Ahead, together } from './ahead.js';
import { createQuota, PLAIN_SETTING, type QuotaSetting } from './create-quota.js';
import { type Books, HeldLease, RefusedLease } from './lease.js';
import { Ledger, type LedgerEntry } from './ledger.js';
import { below } from './luck.js';
import { OVERLOAD, Overload, type OverloadSpec } from './overload.js';
import type { Quota, QuotaStanding } from './quota.js';
import { checkReconfiguration, type QuotaSpec } from './quota-spec.js';
import { RequestsQuota } from './requests-quota.js';
import { checkServer, QUEUE, type ServerSpec, ServiceLine } from './service-line.js';
import { checkFacts } from './token-count.js';
import { ToldTime } from './told-time.js';
import type { Lease, OverloadStatus, RequestFacts, Verdict } from './verdict.js';

/** What the models of one provider share. */
export interface ProviderWide {
  readonly quotas: readonly Quota[];
  readonly overload: Overload | null;
  readonly time: ToldTime;
  readonly setting: QuotaSetting;
}

/** What one model has besides its quotas. */
export interface ModelExtras {
  /** Default: it is never overloaded. */
  readonly overload?: OverloadSpec;
  /** Default: every admitted request is worked on at once. */
  readonly server?: ServerSpec;
}

export class ProviderModel {
  readonly #own: readonly Quota[];
  readonly #overloads: readonly Overload[];
  readonly #line: ServiceLine | null;
  readonly #books: Books;
  /** Those that count refused requests, and whether one of them keeps a place for a refused request. */
  readonly #counting: readonly Quota[];
  readonly #refusedHold: boolean;

  /**
   * @param specs the model's own quotas; none = everything is admitted.
   * @param extras what it has besides.
   * @param wide what it shares with other models; `createProvider` passes it, a model on its own has none.
   * @throws RangeError naming the quota, the option, its value and what is allowed.
   */
  constructor(specs: readonly QuotaSpec[], extras: ModelExtras = {}, wide: ProviderWide = alone()) {
    this.#own = specs.map((spec) => createQuota(spec, wide.setting));
    const own = createOverload(extras.overload, wide.setting);
    this.#overloads = [wide.overload, own].filter((overload) => overload !== null);
    this.#line = extras.server === undefined ? null : new ServiceLine(extras.server);
    const quotas = [...wide.quotas, ...this.#own];
    const settling = quotas.filter((quota) => !(quota instanceof RequestsQuota));
    this.#books = { quotas, settling, ledger: new Ledger(), time: wide.time, line: this.#line };
    this.#counting = quotas.filter((quota) => quota.spec.refusedCount);
    this.#refusedHold = this.#counting.some((quota) => quota.spec.kind === 'concurrency');
  }

  /** Admitted requests that have not ended. */
  get inFlight(): number {
    return this.#books.ledger.inFlight;
  }

  /** Of those, the ones that are worked on; all, where there is no server that lets some wait. */
  get inService(): number {
    return this.#line?.serving ?? this.inFlight;
  }

  /**
   * @param nowMs of a monotonic clock with any origin ≥ 0, to the microsecond; never before an earlier one told to the
   *   provider.
   * @throws RangeError when the time goes back, or a token count is not a whole number ≥ 0.
   */
  decide(facts: RequestFacts, nowMs: number): Verdict {
    checkFacts(facts);
    const { quotas, ledger, time } = this.#books;
    const nowUs = time.toUs(nowMs);
    for (const overload of this.#overloads) {
      if (overload.refuses(nowUs)) return this.#turnAway(OVERLOAD, overload.status, facts, nowUs);
    }
    // Counted loops: this is asked millions of times, and an iterator costs as much as a quota.
    for (let n = 0; n < quotas.length; n++) {
      const quota = quotas[n]!;
      if (quota.waitUs(facts, nowUs) !== 0) return this.#refuse(quota, facts, nowUs);
    }
    if (this.#line?.isFull) return this.#turnAway(QUEUE, 503, facts, nowUs);
    for (let n = 0; n < quotas.length; n++) quotas[n]!.admitted(facts, nowUs);
    ledger.admitted();
    return { kind: 'admitted', lease: new HeldLease(this.#books, facts, nowUs) };
  }

  /**
   * Other numbers for the model's own quotas and its server from now on. Requests in flight stay in flight, over a lowered limit too;
   * what is spent stays spent: a bucket keeps its units up to its new capacity, a fixed window in progress ends at the
   * next boundary of the new grid, a sliding window keeps its log.
   *
   * @param server where it has one; the places and the queue may be others. Default: as it is.
   * @throws RangeError, with nothing changed, when a number is out of range or more than name, limit, perMs and burst
   *   differs.
   */
  reconfigure(specs: readonly QuotaSpec[], nowMs: number, server?: ServerSpec): void {
    checkReconfiguration(
      this.#own.map((quota) => quota.spec),
      specs,
    );
    if (server !== undefined) checkServer(server);
    const nowUs = this.#books.time.toUs(nowMs);
    this.#own.forEach((quota, position) => {
      quota.reconfigured(specs[position]!, nowUs);
    });
    if (server !== undefined) this.#line?.reconfigured(server);
  }

  /**
   * How long until a request would be admitted if nothing else came, in ms rounded up to a microsecond: 0 = now,
   * Infinity = never, null = nobody can know, since a place must come free or an overload pass. Takes nothing; tells the
   * time as `decide` does.
   *
   * @param ahead those that will be told before it in this instant. Where nothing is left of a whole quota with them, a
   *   microsecond: once they are told, there is an answer. Default: none.
   */
  waitMs(facts: RequestFacts, nowMs: number, ahead: readonly Ahead[] = []): number | null {
    const { quotas, time } = this.#books;
    const nowUs = time.toUs(nowMs);
    if (this.#overloads.some((overload) => overload.isOn(nowUs)) || this.#line?.isFull) return null;
    if (quotas.some((quota) => quota.waitUs(facts, nowUs) === Infinity)) return Infinity;
    const ofAll = together(facts, ahead);
    const ofOwn = together(
      facts,
      ahead.filter(({ isOwn }) => isOwn),
    );
    const waits = quotas.map((quota, i) => {
      const { facts: all, count } = i < quotas.length - this.#own.length ? ofAll : ofOwn;
      return quota.waitUs(all, nowUs, count);
    });
    if (waits.includes(null)) return null;
    const longestUs = Math.max(0, ...waits.map((wait) => wait ?? 0));
    return longestUs === Infinity ? 0.001 : longestUs / 1000;
  }

  /** All quotas that the request meets, provider-wide ones first; tells the time as `decide` does, and takes nothing. */
  standings(facts: RequestFacts, nowMs: number): readonly QuotaStanding[] {
    const nowUs = this.#books.time.toUs(nowMs);
    return this.#books.quotas.map((quota) => quota.standing(facts, nowUs));
  }

  ledger(): LedgerEntry {
    const names = this.#books.quotas.map((quota) => quota.spec.name);
    if (this.#overloads.length > 0) names.push(OVERLOAD);
    if (this.#line !== null) names.push(QUEUE);
    return this.#books.ledger.entry(names);
  }

  /** By the provider itself, not by a limit of the caller. */
  #turnAway(name: string, status: OverloadStatus, facts: RequestFacts, nowUs: number): Verdict {
    for (const quota of this.#counting) quota.refused(facts, nowUs);
    this.#books.ledger.refused(name);
    const lease = this.#refusedLease();
    return { kind: 'refused', quota: name, scope: 'overload', status, waitMs: null, tooLarge: false, lease };
  }

  #refuse(first: Quota, facts: RequestFacts, nowUs: number): Verdict {
    const { quotas, ledger } = this.#books;
    let exceeded: Quota | undefined;
    for (let n = 0; n < quotas.length && exceeded === undefined; n++) {
      if (quotas[n]!.waitUs(facts, nowUs) === Infinity) exceeded = quotas[n];
    }
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
    const { quotas } = this.#books;
    let longestUs = 0;
    for (let n = 0; n < quotas.length; n++) longestUs = Math.max(longestUs, quotas[n]!.waitUs(facts, nowUs) ?? 0);
    return longestUs;
  }

  #refusedLease(): Lease | null {
    return this.#refusedHold ? new RefusedLease(this.#counting, this.#books.time) : null;
  }
}

function alone(): ProviderWide {
  return { quotas: [], overload: null, time: new ToldTime(), setting: PLAIN_SETTING };
}

export function createOverload(spec: OverloadSpec | undefined, { luck }: QuotaSetting): Overload | null {
  if (spec === undefined) return null;
  const own = below(luck, 'overload');
  return new Overload(spec, own('episodes'), own('share'));
}
