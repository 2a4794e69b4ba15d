/**
 * A quota whose limit moves by itself: before anything is asked of it or told to it, its limit is what the courses make of
 * the stated one by then. A wait that it states rests on the limit in force.
 */

import type { LimitCourse } from './limit-course.js';
import type { Quota, QuotaStanding } from './quota.js';
import type { QuotaSpec } from './quota-spec.js';
import { tokensUsed } from './tokens-quota.js';
import type { RequestFacts, Usage } from './verdict.js';

export class VaryingQuota implements Quota {
  readonly #inner: Quota;
  readonly #courses: readonly LimitCourse[];
  readonly #create: (spec: QuotaSpec) => Quota;
  #stated: QuotaSpec;
  /** Nothing is ever taken from it, at the highest limit there will be: what does not fit there never fits. */
  #roomiest: Quota;
  #changesAtUs = 0;

  /** @param create makes a quota whose limit stays, and that nobody else uses. */
  constructor(inner: Quota, courses: readonly LimitCourse[], create: (spec: QuotaSpec) => Quota) {
    this.#inner = inner;
    this.#courses = courses;
    this.#create = create;
    this.#stated = inner.spec;
    this.#roomiest = this.#createRoomiest();
  }

  /** With the limit in force. */
  get spec(): QuotaSpec {
    return this.#inner.spec;
  }

  waitUs(facts: RequestFacts, nowUs: number, count?: number): number | null {
    this.#catchUp(nowUs);
    const waitUs = this.#inner.waitUs(facts, nowUs, count);
    if (waitUs !== Infinity || this.#roomiest.waitUs(facts, 0) === Infinity) return waitUs;
    return this.#changesAtUs - nowUs;
  }

  admitted(facts: RequestFacts, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.admitted(facts, nowUs);
  }

  answered(facts: RequestFacts, usage: Usage, takenUs: number, nowUs: number): void {
    this.#catchUp(nowUs);
    const used = usedUnits(this.#stated, usage);
    for (const course of this.#courses) course.used?.(used);
    this.#inner.answered(facts, usage, takenUs, nowUs);
  }

  abandoned(facts: RequestFacts, takenUs: number, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.abandoned(facts, takenUs, nowUs);
  }

  refused(facts: RequestFacts, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#inner.refused(facts, nowUs);
  }

  refusalEnded(): void {
    this.#inner.refusalEnded();
  }

  standing(facts: RequestFacts, nowUs: number): QuotaStanding {
    this.#catchUp(nowUs);
    return this.#inner.standing(facts, nowUs);
  }

  reconfigured(spec: QuotaSpec, nowUs: number): void {
    this.#catchUp(nowUs);
    this.#stated = spec;
    this.#roomiest = this.#createRoomiest();
    this.#moveTo(nowUs);
  }

  /** One change after the other, each at its own time: a bucket refills at the rate of the time. */
  #catchUp(nowUs: number): void {
    while (nowUs >= this.#changesAtUs) this.#moveTo(this.#changesAtUs);
  }

  #moveTo(us: number): void {
    const limit = this.#courses.reduce((given, course) => course.limitAt(us, given), this.#stated.limit);
    this.#inner.reconfigured(withLimit(this.#stated, limit), us);
    this.#changesAtUs = Math.min(...this.#courses.map(({ changesAtUs }) => changesAtUs));
  }

  #createRoomiest(): Quota {
    const highest = this.#courses.reduce((given, course) => course.highest(given), this.#stated.limit);
    return this.#create(withLimit(this.#stated, highest));
  }
}

/** The capacity of a bucket follows its limit, by the share that it is of it. */
function withLimit(spec: QuotaSpec, limit: number): QuotaSpec {
  if (spec.kind === 'concurrency' || spec.kind === 'ramp') return { ...spec, limit };
  const burst = spec.limit === 0 ? limit : Math.max(1, Math.round((spec.burst * limit) / spec.limit));
  return { ...spec, limit, burst };
}

/** An answer that used nothing was no success. */
function usedUnits(spec: QuotaSpec, usage: Usage): number {
  if (spec.kind === 'tokens') return tokensUsed(spec, usage);
  return usage.inputTokens + usage.outputTokens > 0 ? 1 : 0;
}
