/**
 * Unions that say what is wrong. A plain union answers with the complaints of all its branches; a choice first decides
 * by a distinguishing feature which branch the author meant, and only that one's complaints count.
 */

import { z } from 'zod';
import { echo, shorten } from './echo.js';
import { didYouMean } from './nearest.js';
import { asMapping } from './raw-data.js';

/** The branch that is meant, or why none is; `name`: the field that is at fault, if one is. */
export type Pick =
  | { readonly kind: 'branch'; readonly index: number }
  | { readonly kind: 'none'; readonly message: string; readonly name?: string };

export type Picker = (value: unknown) => Pick;

const pickers = z.registry<{ readonly pick: Picker }>();

/** A union whose `pick` decides the branch of a value that fits none. */
export function choice<Output>(
  branches: readonly [z.ZodType<Output>, z.ZodType<Output>, ...z.ZodType<Output>[]],
  pick: Picker,
): z.ZodType<Output> {
  const union = z.union(branches);
  union.register(pickers, { pick });
  return union;
}

/** The picker of a union that `choice` made. */
export function pickerOf(union: z.ZodUnion): Picker | undefined {
  return pickers.get(union)?.pick;
}

/**
 * Decides by which of the `keys` a mapping has; branch i is the one of `keys[i]`, shifted by `first`.
 * @param noun What the mapping is: "a quota".
 * @param options.known A field that may stand beside the keys, and so is none of them misspelt.
 */
export function pickByKey(
  keys: readonly string[],
  noun: string,
  value: unknown,
  { first = 0, known }: { readonly first?: number; readonly known?: string } = {},
): Pick {
  const rule = `${noun} has exactly one of ${keys.join(', ')}`;
  const mapping = asMapping(value);
  if (mapping === undefined) return { kind: 'none', message: `${rule}; got ${echo(value)}` };
  const names = Object.keys(mapping);
  const found = keys.filter((key) => names.includes(key));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return { kind: 'branch', index: first + keys.indexOf(only) };
  if (only !== undefined) return { kind: 'none', message: `has ${found.join(' and ')}; ${rule}` };
  for (const name of names) {
    const hint = name === known ? '' : didYouMean(name, keys);
    if (hint !== '') return { kind: 'none', name, message: `unknown field${hint}` };
  }
  return {
    kind: 'none',
    message:
      names.length === 0
        ? `is empty; ${rule}`
        : `${rule}; it has ${names
            .slice(0, 5)
            .map((name) => shorten(name))
            .join(', ')}`,
  };
}
