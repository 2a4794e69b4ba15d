/**
 * A provider: models by name, and the quotas that all of them share. Hands out models; decides nothing itself.
 */

import { createQuota } from './create-quota.js';
import type { LedgerEntry } from './ledger.js';
import { ProviderModel, type ProviderWide } from './provider-model.js';
import { checkReconfiguration } from './quota-spec.js';
import { ToldTime } from './told-time.js';
import type { QuotaSpec } from './verdict.js';

export interface ProviderSpec {
  /** Shared by all models, and asked before a model's own. */
  readonly quotas: readonly QuotaSpec[];
  readonly models: Readonly<Record<string, { readonly quotas: readonly QuotaSpec[] }>>;
}

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function createProvider(spec: ProviderSpec): Provider {
  return new Provider(spec);
}

export class Provider {
  readonly #wide: ProviderWide;
  readonly #models: ReadonlyMap<string, ProviderModel>;
  /** As built: its shape stays, whatever the numbers are now. */
  readonly #spec: ProviderSpec;

  constructor(spec: ProviderSpec) {
    this.#spec = spec;
    this.#wide = { quotas: spec.quotas.map(createQuota), time: new ToldTime() };
    this.#models = new Map(
      Object.entries(spec.models).map(([name, { quotas }]) => [name, new ProviderModel(quotas, this.#wide)]),
    );
  }

  /** @throws RangeError when the provider has no model of that name. */
  model(name: string): ProviderModel {
    const model = this.#models.get(name);
    if (model !== undefined) return model;
    throw new RangeError(`model must be one of ${[...this.#models.keys()].join(', ')}, got ${name}`);
  }

  /**
   * Other numbers for the quotas of the provider and of all its models from now on; what is in flight and what is spent
   * stays, as `ProviderModel.reconfigure` says.
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
    for (const [name, model] of this.#models) model.reconfigure(spec.models[name]!.quotas, nowMs);
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
