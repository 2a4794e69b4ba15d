/**
 * The settings of a grid: one value of each knob. A setting is known by its number; nothing is written out before it is
 * asked for. The last knob turns fastest.
 */

import type { Knob } from './knob.js';

/** Per knob the index of its value. */
export type Place = readonly number[];

export class Grid {
  readonly knobs: readonly Knob[];
  /** How many settings there are. */
  readonly size: number;

  constructor(knobs: readonly Knob[]) {
    this.knobs = knobs;
    this.size = knobs.reduce((product, { values }) => product * values.count, 1);
  }

  /** @param number from 0, below `size`. */
  place(number: number): Place {
    let rest = number;
    return this.knobs
      .toReversed()
      .map(({ values: { count } }) => {
        const index = rest % count;
        rest = Math.floor(rest / count);
        return index;
      })
      .toReversed();
  }

  number(place: Place): number {
    return this.knobs.reduce((number, { values }, i) => number * values.count + place[i]!, 0);
  }

  /** By name of the knob, in the order of the knobs. */
  setting(place: Place): Readonly<Record<string, string>> {
    return Object.fromEntries(this.knobs.map(({ name, values }, i) => [name, values.at(place[i]!)]));
  }

  /** As `--set` takes them. */
  assignments(place: Place): readonly string[] {
    return this.knobs.map(({ path, values }, i) => `${path}=${values.at(place[i]!)}`);
  }

  /** `decreaseFactor 0.75, increaseAfterSuccesses 4`. */
  label(place: Place): string {
    return this.knobs.map(({ name, values }, i) => `${name} ${values.at(place[i]!)}`).join(', ');
  }

  /** The places one step away along one knob. */
  neighbours(place: Place): readonly Place[] {
    return this.knobs.flatMap(({ values }, knob) =>
      [-1, 1].flatMap((step) => {
        const index = place[knob]! + step;
        return index < 0 || index >= values.count ? [] : [place.with(knob, index)];
      }),
    );
  }
}
