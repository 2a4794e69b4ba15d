/** Requests that ask in one instant, as one: what those that were let in, and have not been told yet, take together. */

import type { RequestFacts } from './verdict.js';

/** A request that comes before another in the same instant. */
export interface Ahead {
  readonly facts: RequestFacts;
  /** Of the same model; else of another model of the provider, so that it meets the provider-wide quotas alone. */
  readonly isOwn: boolean;
}

/** Requests as one: the sum of their facts, and how many they are. */
export interface Together {
  readonly facts: RequestFacts;
  readonly count: number;
}

/** A request together with those ahead of it. */
export function together(facts: RequestFacts, ahead: readonly Ahead[]): Together {
  let { inputTokens, cachedTokens = 0, maxTokens } = facts;
  for (const { facts: other } of ahead) {
    inputTokens += other.inputTokens;
    cachedTokens += other.cachedTokens ?? 0;
    maxTokens += other.maxTokens;
  }
  return { facts: { inputTokens, cachedTokens, maxTokens }, count: ahead.length + 1 };
}
