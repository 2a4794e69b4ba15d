/**
 * Places that other tenants use as well: they arrive at random times of their own, hold a place for a while, and go away
 * where there is none. Caught up with before anything else is asked or told.
 */

import type { OthersPlaces } from './changing-limit.js';
import type { ConcurrencyQuota } from './concurrency-quota.js';
import { exponentialUs, type Random } from './luck.js';
import type { Quota, QuotaStanding } from './quota.js';
import type { QuotaSpec } from './quota-spec.js';
import type { RequestFacts, Usage } from './verdict.js';

export class SharedPlaces implements Quota {
  readonly #inner: ConcurrencyQuota;
  readonly #everyUs: number;
  readonly #holdUs: number;
  readonly #random: Random;
  /** When the places of the others come free, in order, since all hold one equally long; at most as many as the limit. */
  readonly #ends: number[] = [];
  #nextUs: number;

  constructor(inner: ConcurrencyQuota, { everyMs, holdMs }: OthersPlaces, random: Random) {
    this.#inner = inner;
    this.#everyUs = everyMs * 1000;
    this.#holdUs = Math.round(holdMs * 1000);
    this.#random = random;
    this.#nextUs = exponentialUs(this.#everyUs, random);
  }

  get spec(): QuotaSpec {
    return this.#inner.spec;
  }

  waitUs(facts: RequestFacts, nowUs: number, count?: number): number | null {
    this.#catchUp(nowUs);
    return this.#inner.waitUs(facts, nowUs, count);
  }

  admitted(_facts: RequestFacts, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.admitted();
  }

  answered(_facts: RequestFacts, _usage: Usage, _takenUs: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.answered();
  }

  abandoned(_facts: RequestFacts, _takenUs: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.abandoned();
  }

  refused(_facts: RequestFacts, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.refused();
  }

  refusalEnded(): void {
    this.#inner.refusalEnded();
  }

  standing(_facts: RequestFacts, nowUs: number): QuotaStanding {
    this.#catchUp(nowUs);
    return this.#inner.standing();
  }

  reconfigured(spec: QuotaSpec, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.reconfigured(spec);
  }

  #catchUp(nowUs: number): void {
    while (this.#nextUs <= nowUs) {
      this.#freeUntil(this.#nextUs);
      if (this.#inner.waitUs() === 0) {
        this.#inner.admitted();
        this.#ends.push(this.#nextUs + this.#holdUs);
      }
      this.#nextUs += exponentialUs(this.#everyUs, this.#random);
    }
    this.#freeUntil(nowUs);
  }

  #freeUntil(us: number): void {
    while (this.#ends.length > 0 && this.#ends[0]! <= us) {
      this.#ends.shift();
      this.#inner.answered();
    }
  }
}
