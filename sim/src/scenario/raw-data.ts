/**
 * Reading of data that nobody has validated yet, and changing it without touching the original. Looks only at own
 * properties, so a provider named `constructor` is a provider and nothing else.
 */

import type { Path } from './path.js';

export type Mapping = Readonly<Record<string, unknown>>;

/** The value if it is a mapping. */
export function asMapping(value: unknown): Mapping | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : undefined;
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The names and values of a mapping; none if it is not one. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(asMapping(value) ?? {});
}

/** What lies at `path`; undefined where nothing does. */
export function valueAt(data: unknown, path: Path): unknown {
  let here = data;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}

/** A copy with `value` at `path`; mappings on the way are made where nothing is. */
export function withValue(data: unknown, path: Path, value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  const next = withValue(valueAt(data, [part]), rest, value);
  if (Array.isArray(data)) return data.map((item, i) => (i === Number(part) ? next : item));
  return { ...asMapping(data), [part]: next };
}
