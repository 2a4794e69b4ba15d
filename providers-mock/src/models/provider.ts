/**
 * A provider: models by name, and the quotas that all of them share. Hands out models; decides nothing itself.
 */

import { createQuota } from './create-quota.js';
import type { LedgerEntry } from './ledger.js';
import { below, type Luck, noLuck } from './luck.js';
import type { OverloadSpec } from './overload.js';
import { createOverload, type ModelExtras, ProviderModel, type ProviderWide } from './provider-model.js';
import { checkReconfiguration, type QuotaSpec } from './quota-spec.js';
import { ToldTime } from './told-time.js';

export interface ProviderSpec {
  /** Shared by all models, and asked before a model's own. */
  readonly quotas: readonly QuotaSpec[];
  /** Of all models at once. Default: never. */
  readonly overload?: OverloadSpec;
  /** The time of day, in ms after midnight UTC, at which the told time is 0; for what follows the day. Default 0. */
  readonly startsAtMs?: number;
  readonly models: Readonly<Record<string, ModelExtras & { readonly quotas: readonly QuotaSpec[] }>>;
}

/**
 * @param luck the random numbers of what happens by itself: other tenants, episodes; asked for by labels such as
 *   `models/large/overload/share`, once each. Default: none, which a spec that needs some refuses.
 * @throws RangeError naming the quota, the option, its value and what is allowed.
 */
export function createProvider(spec: ProviderSpec, luck: Luck = noLuck): Provider {
  return new Provider(spec, luck);
}

export class Provider {
  readonly #wide: ProviderWide;
  readonly #models: ReadonlyMap<string, ProviderModel>;
  /** As built: its shape stays, whatever the numbers are now. */
  readonly #spec: ProviderSpec;

  constructor(spec: ProviderSpec, luck: Luck) {
    this.#spec = spec;
    const setting = { startsAtMs: spec.startsAtMs ?? 0, luck };
    this.#wide = {
      quotas: spec.quotas.map((quota) => createQuota(quota, setting)),
      overload: createOverload(spec.overload, setting),
      time: new ToldTime(),
      setting,
    };
    this.#models = new Map(
      Object.entries(spec.models).map(([name, { quotas, ...extras }]) => {
        const wide = { ...this.#wide, setting: { ...setting, luck: below(luck, `models/${name}`) } };
        return [name, new ProviderModel(quotas, extras, wide)];
      }),
    );
  }

  /** @throws RangeError when the provider has no model of that name. */
  model(name: string): ProviderModel {
    const model = this.#models.get(name);
    if (model !== undefined) return model;
    throw new RangeError(`model must be one of ${[...this.#models.keys()].join(', ')}, got ${name}`);
  }

  /**
   * Other numbers for the quotas of the provider, and for the quotas and servers of all its models, from now on; what is in
   * flight and what is spent stays, as `ProviderModel.reconfigure` says.
   *
   * @throws RangeError, with nothing changed, when a number is out of range, the models are not the same, or more than
   *   name, limit, perMs and burst of a quota differs.
   */
  reconfigure(spec: ProviderSpec, nowMs: number): void {
    this.#check(spec);
    const nowUs = this.#wide.time.toUs(nowMs);
    this.#wide.quotas.forEach((quota, position) => {
      quota.reconfigured(spec.quotas[position]!, nowUs);
    });
    for (const [name, model] of this.#models) {
      const { quotas, server } = spec.models[name]!;
      model.reconfigure(quotas, nowMs, server);
    }
  }

  /** By model, in the order of the spec. */
  ledger(): Readonly<Record<string, LedgerEntry>> {
    return Object.fromEntries([...this.#models].map(([name, model]) => [name, model.ledger()]));
  }

  #check(spec: ProviderSpec): void {
    checkReconfiguration(this.#spec.quotas, spec.quotas);
    const [current, next] = [Object.keys(this.#spec.models), Object.keys(spec.models)];
    if (next.length !== current.length || !current.every((name) => Object.hasOwn(spec.models, name))) {
      throw new RangeError(`a running provider keeps its models ${current.join(', ')}, got ${next.join(', ')}`);
    }
    for (const name of current) {
      checkReconfiguration(this.#spec.models[name]!.quotas, spec.models[name]!.quotas);
    }
  }
}
