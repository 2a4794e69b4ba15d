/**
 * Which names are valid at a place of the schema. Follows a path through mappings, lists and the branches of unions; a
 * union offers what any of its branches offers.
 */

import { z } from 'zod';
import type { Path } from './path.js';

export type Place =
  /** A mapping with these fields. */
  | { readonly kind: 'fields'; readonly names: readonly string[] }
  /** A mapping whose names the author chooses. */
  | { readonly kind: 'names' }
  | { readonly kind: 'list' }
  /** A single value, or anything at all. */
  | { readonly kind: 'value' };

/** The schema without what wraps it: defaults, optionality, transforms. */
function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodPrefault) return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.in) : schema;
}

/** The branches of a union and of the unions in it; of anything else itself. */
function branches(schema: unknown): readonly unknown[] {
  const inner = bare(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(branches) : [inner];
}

/** The schemas of what may lie one step down: several where branches of a union have a field of one name. */
function children(schema: unknown, part: string | number): readonly unknown[] {
  return branches(schema).flatMap((branch): readonly unknown[] => {
    if (branch instanceof z.ZodObject) return Object.hasOwn(branch.shape, part) ? [branch.shape[part]] : [];
    if (branch instanceof z.ZodRecord) return [branch.valueType];
    return branch instanceof z.ZodArray && typeof part === 'number' ? [branch.element] : [];
  });
}

function schemasAt(schema: unknown, path: Path): readonly unknown[] {
  return path.reduce<readonly unknown[]>((here, part) => here.flatMap((each) => children(each, part)), [schema]);
}

/** The union that stands at `path`, outermost first. */
export function unionAt(schema: unknown, path: Path): z.ZodUnion | undefined {
  return schemasAt(schema, path)
    .map(bare)
    .find((found) => found instanceof z.ZodUnion);
}

/** What can be written below `path`. */
export function placeAt(schema: unknown, path: Path): Place {
  const all = schemasAt(schema, path).flatMap(branches);
  if (all.some((branch) => branch instanceof z.ZodRecord)) return { kind: 'names' };
  const names = all.flatMap((branch) => (branch instanceof z.ZodObject ? Object.keys(branch.shape) : []));
  if (names.length > 0) return { kind: 'fields', names: [...new Set(names)] };
  return { kind: all.some((branch) => branch instanceof z.ZodArray) ? 'list' : 'value' };
}
