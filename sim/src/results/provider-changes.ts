/**
 * The providers as they are after each change that a trace tells of. A trace states the value as written; what the
 * provider becomes is in the scenario's timeline, at the same place in order.
 */

import type { ProviderChange, ProviderSettings, Scenario } from '../scenario/scenario.js';
import type { ProviderChanged } from '../trace/events.js';

export class ProviderChanges {
  readonly #changes: readonly ProviderChange[];
  #next = 0;
  #providers: Readonly<Record<string, ProviderSettings>>;

  constructor({ providers, timeline }: Pick<Scenario, 'providers' | 'timeline'>) {
    this.#providers = providers;
    this.#changes = timeline.filter((entry) => entry.kind === 'set');
  }

  get providers(): Readonly<Record<string, ProviderSettings>> {
    return this.#providers;
  }

  /** @throws RangeError for a change that the timeline does not have at this place. */
  apply({ path }: ProviderChanged): void {
    const entry = this.#changes[this.#next++];
    if (entry === undefined || entry.path !== path) {
      throw new RangeError(`provider-changed: expected change ${this.#next} of the scenario's timeline, got ${path}`);
    }
    this.#providers = { ...this.#providers, [entry.provider]: entry.becomes };
  }
}
