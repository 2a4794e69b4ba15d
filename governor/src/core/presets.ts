/** Named sets of options. A preset says only what differs from the defaults; whatever is stated beside it wins. */

import { type AimdOptions, choiceOption } from './options.js';

/** What a preset may set. */
export interface PresetOptions extends Omit<AimdOptions, 'key'> {
  readonly growthFactor?: number;
  readonly freezeOn?: 'any' | 'rate';
  readonly pacing?: 'off' | 'headers';
}

/** Which options are set where none is stated; see PRESETS. */
export type Preset = 'reference' | 'auto-grow' | 'adaptive';

/** `reference`: the defaults. `auto-grow`: the cap may double by itself. `adaptive`: what was measured to be better. */
export const PRESETS: Readonly<Record<Preset, PresetOptions>> = {
  reference: {},
  'auto-grow': { growthFactor: 2 },
  adaptive: { growthFactor: 128, freezeOn: 'rate', pacing: 'headers', growth: 'window', probeBackoffMax: 24 },
};

/** `options` over those of the preset they name. @throws RangeError when there is none of that name. */
export function withPreset<O extends PresetOptions & { readonly preset?: Preset }>(options: O): O {
  const preset = PRESETS[choiceOption('preset', options.preset, ['reference', 'auto-grow', 'adaptive'])];
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  // A stated growth limit is a stated one: no factor of a preset goes beyond it.
  const { growthFactor, ...rest } = preset;
  return Object.assign(options.growthLimit === undefined ? { ...preset } : rest, Object.fromEntries(stated)) as O;
}
