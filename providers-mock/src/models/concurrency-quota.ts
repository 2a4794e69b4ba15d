/**
 * At most `limit` requests in flight. It counts places and nothing else: it knows no time, and so never says how long to
 * wait. A limit of 0 refuses every request.
 */

import type { Quota, QuotaStanding } from './quota.js';
import type { QuotaSpec } from './quota-spec.js';
import type { RequestFacts } from './verdict.js';

type ConcurrencySpec = Extract<QuotaSpec, { kind: 'concurrency' }>;

export class ConcurrencyQuota implements Quota {
  #spec: ConcurrencySpec;
  /** May exceed the limit: after a cut, and by refused requests where they count. */
  #inFlight = 0;

  constructor(spec: ConcurrencySpec) {
    this.#spec = spec;
  }

  get spec(): QuotaSpec {
    return this.#spec;
  }

  waitUs(_facts?: RequestFacts, _nowUs?: number, count = 1): number | null {
    return this.#inFlight + count <= this.#spec.limit ? 0 : null;
  }

  admitted(): void {
    this.#inFlight += 1;
  }

  answered(): void {
    this.#inFlight -= 1;
  }

  abandoned(): void {
    this.#inFlight -= 1;
  }

  refused(): void {
    this.#inFlight += 1;
  }

  refusalEnded(): void {
    this.#inFlight -= 1;
  }

  standing(): QuotaStanding {
    return { spec: this.#spec, remaining: this.#spec.limit - this.#inFlight, requested: 1, fullInMs: null };
  }

  reconfigured(spec: QuotaSpec): void {
    this.#spec = spec as ConcurrencySpec;
  }
}
