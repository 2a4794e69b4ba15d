/**
 * Requests over time: each costs one, paid at admission and never given back, however the request ends.
 */

import type { Allowance } from './allowance.js';
import type { Quota, QuotaStanding } from './quota.js';
import { allowanceNumbers, type QuotaSpec } from './quota-spec.js';
import type { RequestFacts } from './verdict.js';

type RequestsSpec = Extract<QuotaSpec, { kind: 'requests' }>;

export class RequestsQuota implements Quota {
  #spec: RequestsSpec;
  readonly #allowance: Allowance;

  constructor(spec: RequestsSpec, allowance: Allowance) {
    this.#spec = spec;
    this.#allowance = allowance;
  }

  get spec(): QuotaSpec {
    return this.#spec;
  }

  waitUs(_facts: RequestFacts, nowUs: number, count = 1): number {
    return this.#allowance.waitUs(count, nowUs);
  }

  admitted(_facts: RequestFacts, nowUs: number): void {
    this.#allowance.charged(1, nowUs);
  }

  answered(): void {}

  abandoned(): void {}

  refused(_facts: RequestFacts, nowUs: number): void {
    this.#allowance.refused(1, nowUs);
  }

  refusalEnded(): void {}

  standing(_facts: RequestFacts, nowUs: number): QuotaStanding {
    const fullInMs = this.#allowance.fullInUs(nowUs) / 1000;
    return { spec: this.#spec, remaining: this.#allowance.left(nowUs), requested: 1, fullInMs };
  }

  reconfigured(spec: QuotaSpec, nowUs: number): void {
    this.#spec = spec as RequestsSpec;
    this.#allowance.reconfigured(allowanceNumbers(this.#spec), nowUs);
  }
}
