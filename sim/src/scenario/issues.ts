/**
 * The schema's complaints as findings: unknown fields with the nearest valid name, and of a union only the complaints of
 * the branch that its author meant.
 */

import type { z } from 'zod';
import { pickerOf } from './choice.js';
import { placeOfFault } from './csv-issue.js';
import { suggestion } from './nearest.js';
import type { Path } from './path.js';
import type { Finding } from './problems.js';
import { expected } from './quantities.js';
import { valueAt } from './raw-data.js';
import { placeAt, unionAt } from './schema-walk.js';

export type Checked<T> =
  | { readonly kind: 'fits'; readonly value: T }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] };

/** Checks `data` against `schema`; `base` is where in the scenario the data stands. */
export function check<T>(schema: z.ZodType<T>, data: unknown, base: Path = []): Checked<T> {
  // A schema is used a few times only: compiling it costs more than it saves.
  const result = schema.safeParse(data, { error: expected('another value'), jitless: true });
  if (result.success) return { kind: 'fits', value: result.data };
  const findings = toFindings(result.error.issues, schema, data);
  return { kind: 'findings', findings: findings.map((finding) => below(base, finding)) };
}

/** A finding whose paths began at `base`. */
function below(base: Path, { path, ...rest }: Finding): Finding {
  return { ...rest, path: [...base, ...path] };
}

type Issue = z.core.$ZodIssue;

/** Paths are relative to `data`. */
function toFindings(issues: readonly Issue[], schema: unknown, data: unknown): readonly Finding[] {
  return issues.flatMap((issue): readonly Finding[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    switch (issue.code) {
      case 'unrecognized_keys':
        return unknownFields(issue.keys, path, schema, data);
      case 'invalid_union':
        return ofUnion(issue, path, schema, data);
      case 'custom':
        return [ofRule(issue, path)];
      default:
        return [{ path, at: 'value', message: issue.message }];
    }
  });
}

function ofRule(issue: Issue & { readonly code: 'custom' }, path: Path): Finding {
  const where = placeOfFault(issue.params);
  return { path, at: 'value', message: issue.message, ...(where !== undefined && { where }) };
}

type Meant =
  | { readonly kind: 'schema'; readonly index: number; readonly schema: unknown }
  | { readonly kind: 'finding'; readonly finding: Finding };

/** Which branch of the choice at `path` is meant; undefined where there is no choice. */
function meantBranch(path: Path, schema: unknown, data: unknown): Meant | undefined {
  const union = unionAt(schema, path);
  const pick = union && pickerOf(union)?.(valueAt(data, path));
  if (union === undefined || pick === undefined) return undefined;
  if (pick.kind === 'branch') return { kind: 'schema', index: pick.index, schema: union.options[pick.index] };
  const { name, message } = pick;
  const finding: Finding =
    name === undefined ? { path, at: 'value', message } : { path: [...path, name], at: 'name', message };
  return { kind: 'finding', finding };
}

function unknownFields(keys: readonly string[], path: Path, schema: unknown, data: unknown): readonly Finding[] {
  const meant = meantBranch(path, schema, data);
  if (meant?.kind === 'finding') return [meant.finding];
  const place = meant === undefined ? placeAt(schema, path) : placeAt(meant.schema, []);
  const names = place.kind === 'fields' ? place.names.filter((name) => name !== '$schema') : [];
  return keys.map((key) => ({
    path: [...path, key],
    at: 'name',
    message: `unknown field${suggestion(key, names, 'the fields here are')}`,
  }));
}

function ofUnion(
  issue: Issue & { readonly code: 'invalid_union' },
  path: Path,
  schema: unknown,
  data: unknown,
): readonly Finding[] {
  const value = valueAt(data, path);
  const meant = value === undefined ? undefined : meantBranch(path, schema, data);
  if (meant === undefined) return [{ path, at: 'value', message: issue.message }];
  if (meant.kind === 'finding') return [meant.finding];
  const inner = toFindings(issue.errors[meant.index] ?? [], meant.schema, value);
  return inner.map((finding) => below(path, finding));
}
