/**
 * What a careful client does that has read the provider's page on limits: a bucket of one that refills at 0.98 of each rate,
 * so that requests and tokens leave evenly spaced, and no more at once than a concurrency quota allows. It knows the quotas
 * and what a request will cost, not how the provider counts, nor who else uses the key.
 */

import type { QuotaSpec } from '@tidegate/providers-mock';
import type { ProviderSettings, Scenario, TargetSettings } from '../scenario/scenario.js';
import type { Lookout, Traveller } from '../workload/run-context.js';
import { type Knowledge, TICK_MS } from './knowing-controller.js';
import { ProviderCourse } from './provider-course.js';

/** Of the stated rate: what is left is for clocks that differ and windows that begin elsewhere. */
const SHARE = 0.98;

export class Pacer implements Lookout {
  readonly #courses: ReadonlyMap<string, ProviderCourse>;
  readonly #nowMs: () => number;
  /** Per quota, when its bucket has its next unit. */
  readonly #readyAt = new Map<string, number>();

  constructor(scenario: Pick<Scenario, 'providers' | 'timeline'>, nowMs: () => number) {
    const names = Object.keys(scenario.providers);
    this.#courses = new Map(names.map((name) => [name, new ProviderCourse(scenario, name)]));
    this.#nowMs = nowMs;
  }

  queued(): void {}

  withdrawn(): void {}

  /** Pays for what leaves. */
  admitted(attempt: Traveller): void {
    const nowMs = this.#nowMs();
    for (const { id, quota } of this.#quotasOf(attempt, nowMs)) {
      if (quota.kind === 'concurrency') continue;
      const readyAt = Math.max(nowMs, this.#readyAt.get(id) ?? 0);
      this.#readyAt.set(id, readyAt + (costOf(quota, attempt) * quota.perMs) / (SHARE * quota.limit));
    }
  }

  sent(): void {}

  /** What it knows of one key. */
  of(target: TargetSettings): Knowledge {
    const course = this.#courses.get(target.provider) as ProviderCourse;
    return {
      placesAt: (nowMs) => {
        const quotas = this.#quotasOf(target, nowMs);
        const limits = quotas.flatMap(({ quota }) => (quota.kind === 'concurrency' ? [quota.limit] : []));
        return Math.min(Infinity, ...limits);
      },
      nextChangeMs: (nowMs) => course.nextChangeMs(nowMs),
      waitMs: (nowMs) => {
        const quotas = this.#quotasOf(target, nowMs);
        if (quotas.some(({ quota }) => quota.limit === 0)) return course.nextChangeMs(nowMs) + TICK_MS - nowMs;
        return Math.max(0, ...quotas.map(({ id }) => (this.#readyAt.get(id) ?? 0) - nowMs));
      },
    };
  }

  #quotasOf({ provider, model }: TargetSettings, nowMs: number) {
    const settings = (this.#courses.get(provider) as ProviderCourse).at(nowMs);
    const { quotas } = settings.models[model] as ProviderSettings['models'][string];
    return [
      ...settings.quotas.map((quota) => ({ id: `${provider}: ${quota.name}`, quota })),
      ...quotas.map((quota) => ({ id: `${provider}/${model}: ${quota.name}`, quota })),
    ];
  }
}

/** In units of the quota: what the answer will have used, or where that is kept, what is reserved for it. */
function costOf(quota: Exclude<QuotaSpec, { kind: 'concurrency' }>, attempt: Traveller): number {
  const { inputTokens, outputTokens, maxTokens } = attempt;
  if (quota.kind === 'requests' || quota.counts === 'requests') return 1;
  const isKept = quota.kind === 'ramp' || (quota.settle === 'keep' && quota.reserve !== 'none');
  const output = isKept ? Math.max(outputTokens, maxTokens) : outputTokens;
  switch (quota.counts) {
    case 'input':
      return inputTokens;
    case 'output':
      return output;
    case 'total':
      return inputTokens + output * (quota.kind === 'tokens' ? (quota.outputWeight ?? 1) : 1);
  }
}
