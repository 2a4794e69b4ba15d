/** What a provider of the scenario is at each time of the run, its timeline applied; known from the start. */

import type { ProviderSettings, Scenario } from '../scenario/scenario.js';

export class ProviderCourse {
  readonly #stages: readonly { readonly fromMs: number; readonly settings: ProviderSettings }[];

  /** @param name of a provider of the scenario. */
  constructor({ providers, timeline }: Pick<Scenario, 'providers' | 'timeline'>, name: string) {
    const changes = timeline.flatMap((entry) => (entry.kind === 'set' && entry.provider === name ? [entry] : []));
    this.#stages = [
      { fromMs: Number.NEGATIVE_INFINITY, settings: providers[name] as ProviderSettings },
      ...changes.map(({ atMs, becomes }) => ({ fromMs: atMs, settings: becomes })),
    ];
  }

  at(nowMs: number): ProviderSettings {
    const stage = this.#stages.findLast(({ fromMs }) => fromMs <= nowMs);
    return (stage as { readonly settings: ProviderSettings }).settings;
  }

  /** The first change at `nowMs` or later; Infinity when there is none. */
  nextChangeMs(nowMs: number): number {
    return this.#stages.find(({ fromMs }) => fromMs >= nowMs)?.fromMs ?? Number.POSITIVE_INFINITY;
  }
}
