/**
 * The names of the scenario language that are not built yet. A scenario that uses one is refused by that name, never
 * run without it; an empty list or mapping asks for nothing and is let through.
 */

import { shorten } from './echo.js';
import type { Path } from './path.js';
import type { Finding } from './problems.js';
import { entriesOf, valueAt, withoutField } from './raw-data.js';

/** `*` stands for any one name or index. */
const fields: readonly { readonly under: readonly string[]; readonly names: readonly string[] }[] = [];

const values: readonly { readonly at: Path; readonly isNotYet: (value: string) => boolean }[] = [
  { at: ['governor', 'controller'], isNotYet: isModulePath },
];

function isModulePath(value: string): boolean {
  return value.includes('/') || /\.[cm]?[jt]s$/.test(value);
}

export interface WithoutNotYet {
  /** The scenario without what is not built. */
  readonly data: unknown;
  readonly findings: readonly Finding[];
}

/** Takes out what is not built yet, so that the rest can be checked against the schema. */
export function takeOutNotYet(data: unknown): WithoutNotYet {
  const findings: Finding[] = [];
  let rest = data;
  for (const { path, name } of occurrences(data)) {
    if (!asksForNothing(valueAt(data, [...path, name]))) {
      findings.push({ path: [...path, name], at: 'name', message: 'not supported yet' });
    }
    rest = withoutField(rest, [...path, name]);
  }
  for (const { at, isNotYet } of values) {
    const value = valueAt(data, at);
    if (typeof value !== 'string' || !isNotYet(value)) continue;
    findings.push({ path: at, at: 'value', message: `${shorten(value)} is not supported yet` });
    rest = withoutField(rest, at);
  }
  return { data: rest, findings };
}

/** Whether the language knows `name` below `path` although it is not built. */
export function isNotYet(path: Path, name: string): boolean {
  return fields.some(
    ({ under, names }) =>
      names.includes(name) &&
      under.length === path.length &&
      under.every((part, i) => part === '*' || part === path[i]),
  );
}

function occurrences(data: unknown): readonly { readonly path: Path; readonly name: string }[] {
  return fields.flatMap(({ under, names }) =>
    expand(data, under).flatMap((path) =>
      entriesOf(valueAt(data, path)).flatMap(([name]) => (names.includes(name) ? [{ path, name }] : [])),
    ),
  );
}

/** The paths in `data` that fit the pattern. */
function expand(data: unknown, pattern: readonly string[]): readonly Path[] {
  return pattern.reduce<readonly Path[]>(
    (paths, part) =>
      paths.flatMap((path) => {
        if (part !== '*') return [[...path, part]];
        const here = valueAt(data, path);
        const parts = Array.isArray(here) ? [...here.keys()] : entriesOf(here).map(([name]) => name);
        return parts.map((step) => [...path, step]);
      }),
    [[]],
  );
}

function asksForNothing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
