/**
 * What a provider enforces over time, as far as its scenario states it: the limits that hold at the start and those that
 * the timeline sets. A limit that moves by itself (a squeeze, growth, other tenants) is taken at its stated value, for no
 * event of a trace tells of it.
 */

import type { ProviderSettings, QuotaSettings, Scenario } from '../../scenario/scenario.js';
import type { ProviderChanged } from '../../trace/events.js';
import { ProviderChanges } from '../provider-changes.js';
import { concurrencyLimit } from '../scenario-facts.js';

/** A limit from one instant on, until that of the next step. */
export interface LimitStep {
  readonly fromMs: number;
  readonly limit: number;
}

/** A quota that is about use (a ramp is about growth and has none), with the keys that share it. */
export interface LimitedQuota {
  readonly spec: Exclude<QuotaSettings, { readonly kind: 'ramp' }>;
  readonly keys: readonly string[];
  readonly steps: readonly LimitStep[];
}

type Providers = Readonly<Record<string, ProviderSettings>>;

export class Limits {
  readonly #keys: readonly string[];
  readonly #changes: ProviderChanges;
  /** The providers as they are from an instant on. */
  readonly #states: { readonly fromMs: number; readonly providers: Providers }[];

  /** @param keys the `provider/model`s that are asked. */
  constructor(scenario: Scenario, keys: readonly string[]) {
    this.#keys = keys;
    this.#changes = new ProviderChanges(scenario);
    this.#states = [{ fromMs: 0, providers: scenario.providers }];
  }

  providerChanged(event: ProviderChanged): void {
    this.#changes.apply(event);
    this.#states.push({ fromMs: event.t, providers: this.#changes.providers });
  }

  /** The concurrency that the provider takes of `key`, over time; empty where it never limits any. */
  concurrencyOf(key: string): readonly LimitStep[] {
    return steps(
      this.#states.map(({ fromMs, providers }) => ({ fromMs, limit: concurrencyLimit(key, providers) ?? null })),
    );
  }

  /** Every quota of the providers that are asked; those of a provider are shared by all its keys. */
  quotas(): readonly LimitedQuota[] {
    const providers = [...new Set(this.#keys.map(providerOf))];
    const shared = providers.flatMap((provider) =>
      this.#quotasAt(
        this.#keys.filter((key) => providerOf(key) === provider),
        (state) => state[provider]?.quotas ?? [],
      ),
    );
    const own = this.#keys.flatMap((key) =>
      this.#quotasAt([key], (state) => state[providerOf(key)]?.models[key.slice(key.indexOf('/') + 1)]?.quotas ?? []),
    );
    return [...shared, ...own];
  }

  #quotasAt(
    keys: readonly string[],
    quotasOf: (providers: Providers) => readonly QuotaSettings[],
  ): readonly LimitedQuota[] {
    return quotasOf(this.#states[0]!.providers).flatMap((spec, i) => {
      if (spec.kind === 'ramp') return [];
      const limits = this.#states.map(({ fromMs, providers }) => {
        const now = quotasOf(providers)[i];
        return { fromMs, limit: now === undefined ? null : now.limit };
      });
      return [{ spec, keys, steps: steps(limits) }];
    });
  }
}

function providerOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

/** Without the steps that change nothing. No limit is none for ever: a timeline adds and removes no quota. */
function steps(limits: readonly { readonly fromMs: number; readonly limit: number | null }[]): readonly LimitStep[] {
  return limits.flatMap(({ fromMs, limit }, i) =>
    limit === null || (i > 0 && limits[i - 1]!.limit === limit) ? [] : [{ fromMs, limit }],
  );
}
