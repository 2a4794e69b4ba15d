/**
 * A limit on growth, as `RampSpec` says it: what was used in each window is remembered for twice the span that the growth
 * is measured over, and nothing longer. Windows lie end to end from the origin of the told time.
 */

import type { Quota, QuotaStanding } from './quota.js';
import type { QuotaSpec, RampSpec } from './quota-spec.js';
import type { RequestFacts } from './verdict.js';

export class RampQuota implements Quota {
  #spec: RampSpec;
  readonly #perUs: number;
  /** Windows from one to the one it is measured against. */
  readonly #back: number;
  /** What was used in window w, at w modulo the length; the present one and 2·back before it. */
  readonly #used: Float64Array;
  #window = 0;
  /** What the present window may use in all. */
  #limit: number;

  constructor(spec: RampSpec) {
    this.#spec = spec;
    this.#perUs = Math.round(spec.perMs * 1000);
    this.#back = Math.round(spec.overMs / spec.perMs);
    this.#used = new Float64Array(2 * this.#back + 1);
    this.#limit = spec.limit;
  }

  /** With the limit of the present window, as far as the time was told. */
  get spec(): RampSpec {
    return { ...this.#spec, limit: this.#limit };
  }

  waitUs(facts: RequestFacts, nowUs: number, count = 1): number {
    this.#roll(nowUs);
    const need = this.#spec.counts === 'requests' ? count : Math.max(1, asked(this.#spec, facts));
    if (this.#usedIn(this.#window) + need <= this.#limit) return 0;
    const next = this.#window + 1;
    return (need <= this.#spec.limit ? next : this.#firstAllowing(need)) * this.#perUs - nowUs;
  }

  admitted(facts: RequestFacts, nowUs: number): void {
    this.#roll(nowUs);
    this.#used[this.#window % this.#used.length]! += asked(this.#spec, facts);
  }

  answered(): void {}

  abandoned(): void {}

  refused(facts: RequestFacts, nowUs: number): void {
    this.admitted(facts, nowUs);
  }

  refusalEnded(): void {}

  standing(facts: RequestFacts, nowUs: number): QuotaStanding {
    this.#roll(nowUs);
    const used = this.#usedIn(this.#window);
    return {
      spec: this.spec,
      remaining: this.#limit - used,
      requested: asked(this.#spec, facts),
      fullInMs: used > 0 ? ((this.#window + 1) * this.#perUs - nowUs) / 1000 : 0,
    };
  }

  reconfigured(spec: QuotaSpec): void {
    this.#spec = spec as RampSpec;
    this.#measure();
  }

  #usedIn(window: number): number {
    return this.#used[window % this.#used.length]!;
  }

  /** The next window that `need` fits into, by what is used so far; Infinity = none will. */
  #firstAllowing(need: number): number {
    let first = Infinity;
    for (let past = Math.max(0, this.#window - 2 * this.#back); past <= this.#window; past += 1) {
      const allows = Math.max(this.#window + 1, past + this.#back);
      if (allows <= past + 2 * this.#back && need <= this.#grown(this.#usedIn(past))) first = Math.min(first, allows);
    }
    return first;
  }

  #grown(used: number): number {
    return Math.floor(used * (1 + this.#spec.growth));
  }

  #measure(): void {
    let most = 0;
    const from = Math.max(0, this.#window - 2 * this.#back);
    for (let past = from; past <= this.#window - this.#back; past += 1) most = Math.max(most, this.#usedIn(past));
    this.#limit = Math.max(this.#spec.limit, this.#grown(most));
  }

  #roll(nowUs: number): void {
    const window = Math.floor(nowUs / this.#perUs);
    if (window === this.#window) return;
    const first = Math.max(this.#window + 1, window - this.#used.length + 1);
    for (let next = first; next <= window; next += 1) this.#used[next % this.#used.length] = 0;
    this.#window = window;
    this.#measure();
  }
}

function asked({ counts }: RampSpec, { inputTokens, maxTokens }: RequestFacts): number {
  switch (counts) {
    case 'requests':
      return 1;
    case 'input':
      return inputTokens;
    case 'output':
      return maxTokens;
    case 'total':
      return inputTokens + maxTokens;
  }
}
