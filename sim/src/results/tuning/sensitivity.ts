/** How much each knob moves the outcome when it alone is turned away from a setting. */

import type { Grid, Place } from './grid.js';
import type { SettingLosses } from './losses.js';

export interface Sensitivity {
  readonly knob: string;
  /** The outcomes over the values of the knob that were tried, in their order. */
  readonly values: readonly {
    readonly value: string;
    readonly time: number;
    readonly refused: number;
  }[];
  /** The index in `values` of the setting's own. */
  readonly at: number;
}

/** @param from The position of the setting that the others are compared with. */
export function sensitivities(
  grid: Grid,
  places: readonly Place[],
  losses: readonly (SettingLosses | null)[],
  from: number,
): readonly Sensitivity[] {
  const base = places[from]!;
  return grid.knobs.flatMap(({ name, values }, knob) => {
    const line = places
      .map((place, i) => ({ place, losses: losses[i]! }))
      .filter(({ place, losses: own }) => own !== null && place.every((index, k) => k === knob || index === base[k]))
      .sort((a, b) => a.place[knob]! - b.place[knob]!);
    if (line.length < 2) return [];
    return [
      {
        knob: name,
        values: line.map(({ place, losses: { mean, refused } }) => ({
          value: values.at(place[knob]!),
          time: mean,
          refused,
        })),
        at: line.findIndex(({ place }) => place[knob] === base[knob]),
      },
    ];
  });
}
