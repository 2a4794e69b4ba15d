/**
 * One limit of a provider while it lives: it is asked whether a request fits, and told what became of it. It never
 * decides for the others; the model composes the quotas. Times are whole microseconds.
 */

import type { QuotaSpec } from './quota-spec.js';
import type { RequestFacts, Usage } from './verdict.js';

/** Where one quota of a model stands at an instant; what a provider tells in its rate-limit headers. */
export interface QuotaStanding {
  readonly spec: QuotaSpec;
  /** What is left of it, in its units; whole, below 0 where more was used than reserved. */
  readonly remaining: number;
  /** What the request that is told takes of it at admission. */
  readonly requested: number;
  /** Until it is full again if nothing else comes; null where time alone does not fill it (concurrency). */
  readonly fullInMs: number | null;
}

export interface Quota {
  readonly spec: QuotaSpec;
  /**
   * 0 = the request fits; µs until it would; Infinity = it never does; null = it does not, and nobody can know when.
   * @param count the requests that the facts are the sum of, asking in one instant. Default 1.
   */
  waitUs(facts: RequestFacts, nowUs: number, count?: number): number | null;
  admitted(facts: RequestFacts, nowUs: number): void;
  /** An admitted request is answered; it was admitted at `takenUs`. */
  answered(facts: RequestFacts, usage: Usage, takenUs: number, nowUs: number): void;
  /** The caller of an admitted request went away. */
  abandoned(facts: RequestFacts, takenUs: number, nowUs: number): void;
  /** A request was refused, by this quota or another; told only where `refusedCount` is true. */
  refused(facts: RequestFacts, nowUs: number): void;
  /** The refusal told to `refused` has reached its caller. */
  refusalEnded(): void;
  /** Where it stands now; `facts` are those of the request that is told. */
  standing(facts: RequestFacts, nowUs: number): QuotaStanding;
  /** New numbers of a quota of the same shape; the caller has checked both. */
  reconfigured(spec: QuotaSpec, nowUs: number): void;
}
