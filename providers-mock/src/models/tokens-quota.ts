/**
 * Tokens over time: reserved at admission, settled against what was used at the end. Whatever is reserved, a request
 * needs room for at least one token, so that an exhausted or overdrawn quota holds back also those who reserve nothing.
 */

import type { Allowance } from './allowance.js';
import type { Quota, QuotaStanding } from './quota.js';
import { allowanceNumbers, type QuotaSpec } from './quota-spec.js';
import type { RequestFacts, Usage } from './verdict.js';

type TokensSpec = Extract<QuotaSpec, { kind: 'tokens' }>;

export class TokensQuota implements Quota {
  #spec: TokensSpec;
  readonly #allowance: Allowance;

  constructor(spec: TokensSpec, allowance: Allowance) {
    this.#spec = spec;
    this.#allowance = allowance;
  }

  get spec(): QuotaSpec {
    return this.#spec;
  }

  waitUs(facts: RequestFacts, nowUs: number): number {
    return this.#allowance.waitUs(Math.max(1, reservation(this.#spec, facts)), nowUs);
  }

  admitted(facts: RequestFacts, nowUs: number): void {
    this.#allowance.reserved(reservation(this.#spec, facts), nowUs);
  }

  /** More than reserved is charged now, into debt if need be; less comes back under `settle: refund`. */
  answered(facts: RequestFacts, usage: Usage, takenUs: number, nowUs: number): void {
    const reserved = reservation(this.#spec, facts);
    const used = tokensUsed(this.#spec, usage);
    const unused = this.#spec.settle === 'refund' ? Math.max(0, reserved - used) : 0;
    this.#allowance.settled(reserved, unused, takenUs, nowUs);
    if (used > reserved) this.#allowance.charged(used - reserved, nowUs);
  }

  abandoned(facts: RequestFacts, takenUs: number, nowUs: number): void {
    this.#allowance.settled(reservation(this.#spec, facts), 0, takenUs, nowUs);
  }

  /** Counts what it would have reserved. */
  refused(facts: RequestFacts, nowUs: number): void {
    this.#allowance.refused(reservation(this.#spec, facts), nowUs);
  }

  refusalEnded(): void {}

  standing(facts: RequestFacts, nowUs: number): QuotaStanding {
    const requested = reservation(this.#spec, facts);
    const fullInMs = this.#allowance.fullInUs(nowUs) / 1000;
    return { spec: this.#spec, remaining: this.#allowance.left(nowUs), requested, fullInMs };
  }

  reconfigured(spec: QuotaSpec, nowUs: number): void {
    this.#spec = spec as TokensSpec;
    this.#allowance.reconfigured(allowanceNumbers(this.#spec), nowUs);
  }
}

/**
 * What a request takes at admission. An `estimate` is what the provider can count before the answer exists: the prompt.
 * An output quota has no prompt to go by, so there it is the caller's `max_tokens`. Where cached tokens are free, `input`
 * is what the prompt cache does not have.
 *
 * | counts | none | estimate  | max-tokens        | larger                |
 * |--------|------|-----------|-------------------|-----------------------|
 * | input  | 0    | input     | input             | input                 |
 * | output | 0    | maxTokens | maxTokens         | maxTokens             |
 * | total  | 0    | input     | input + maxTokens | max(input, maxTokens) |
 */
function reservation(spec: TokensSpec, facts: RequestFacts): number {
  const { counts, reserve } = spec;
  const { maxTokens } = facts;
  if (reserve === 'none') return 0;
  switch (counts) {
    case 'input':
      return inputCounted(spec, facts);
    case 'output':
      return maxTokens;
    case 'total': {
      const input = inputCounted(spec, facts);
      if (reserve === 'larger') return Math.max(input, maxTokens);
      return reserve === 'estimate' ? input : input + maxTokens;
    }
  }
}

function inputCounted({ cached }: TokensSpec, { inputTokens, cachedTokens = 0 }: RequestFacts | Usage): number {
  return cached === 'free' ? inputTokens - cachedTokens : inputTokens;
}

/** What an answer costs the quota. */
export function tokensUsed(spec: TokensSpec, usage: Usage): number {
  const { counts, outputWeight = 1 } = spec;
  const { outputTokens } = usage;
  switch (counts) {
    case 'input':
      return inputCounted(spec, usage);
    case 'output':
      return outputTokens;
    case 'total':
      return inputCounted(spec, usage) + outputWeight * outputTokens;
  }
}
