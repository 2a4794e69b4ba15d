/**
 * One value put into a scenario at a path, as `--set` and the timeline do. The path must lead to a place that the
 * language knows and, where the author chooses names or counts entries, to one that is there. What the value must be, the
 * schema decides afterwards.
 */

import { suggestion } from './nearest.js';
import type { Path } from './path.js';
import { shownPath } from './problems.js';
import { asList, entriesOf, valueAt, withValue } from './raw-data.js';
import { type Place, placeAt } from './schema-walk.js';

export type SetResult =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'problem'; readonly message: string };

export function setValue(schema: unknown, data: unknown, path: Path, value: unknown): SetResult {
  for (const [depth, part] of path.entries()) {
    const parent = path.slice(0, depth);
    const isLast = depth === path.length - 1;
    const message = stepFault(placeAt(schema, parent), data, parent, part, isLast);
    if (message !== undefined) return { kind: 'problem', message };
  }
  return { kind: 'data', data: withValue(data, path, value) };
}

function stepFault(
  place: Place,
  data: unknown,
  parent: Path,
  part: string | number,
  isLast: boolean,
): string | undefined {
  const here = shownPath(parent) || 'a scenario';
  switch (place.kind) {
    case 'value':
      return `${here} is a single value; nothing is below it`;
    case 'list': {
      const length = asList(valueAt(data, parent)).length;
      if (typeof part !== 'number') return `${here} is a list; write an index, as ${here}[0]`;
      return part < length ? undefined : `${here} has ${entries(length)}; there is no [${part}]`;
    }
    case 'fields':
      if (place.names.includes(String(part))) return undefined;
      return `no such field${suggestion(String(part), place.names, `the fields of ${here} are`)}`;
    case 'names': {
      const names = entriesOf(valueAt(data, parent)).map(([name]) => name);
      // The last step may bring a new entry; a step on the way must lead into one.
      if (isLast || names.includes(String(part))) return undefined;
      return `no such name in ${here}${suggestion(String(part), names, 'it has')}`;
    }
    default:
      return place satisfies never;
  }
}

function entries(length: number): string {
  if (length === 0) return 'no entries';
  return length === 1 ? 'one entry, [0]' : `${length} entries, [0] to [${length - 1}]`;
}
