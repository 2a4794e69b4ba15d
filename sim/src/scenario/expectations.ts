/**
 * The expectations of a scenario: each must name a field that the run's summary can have, with bounds that fit its unit.
 * Comes out with the bounds in the unit of the summary; the path stays as written.
 */

import { readDuration } from './duration.js';
import { echo } from './echo.js';
import { suggestion } from './nearest.js';
import { formatPath, type Path, parsePath } from './path.js';
import { type Finding, shownPath } from './problems.js';
import { readShare } from './quantities.js';
import { asMapping, entriesOf, type Mapping } from './raw-data.js';
import type { Expectation } from './scenario.js';
import { type Fields, type FieldUnit, fieldName } from './summary-fields.js';

export interface ReadExpectations {
  /** Those that are sound. */
  readonly expectations: readonly Expectation[];
  readonly findings: readonly Finding[];
}

/** @param written The scenario's `expect`, not validated; what is no mapping of bounds is the schema's to refuse. */
export function readExpectations(written: unknown, fields: Fields): ReadExpectations {
  const findings: Finding[] = [];
  const expectations = entriesOf(written).flatMap(([path, bounds]): readonly Expectation[] => {
    const report = (message: string, ...within: string[]): void => {
      findings.push({ path: ['expect', path, ...within], at: within.length === 0 ? 'name' : 'value', message });
    };
    const field = findField(path, fields);
    if (field.kind === 'problem') report(field.message);
    const given = asMapping(bounds);
    if (given === undefined || field.kind === 'problem') return [];
    return [{ path, ...readBounds(given, field, report) }];
  });
  return { expectations, findings };
}

type Field =
  | { readonly kind: 'field'; readonly unit: FieldUnit; readonly isShort: boolean }
  | { readonly kind: 'problem'; readonly message: string };

function findField(text: string, fields: Fields): Field {
  const reading = parsePath(text);
  if (reading.kind === 'problem') return reading;
  let here: FieldUnit | Fields = fields;
  let isShort = false;
  for (const [depth, step] of reading.path.entries()) {
    const parent: Path = reading.path.slice(0, depth);
    if (typeof here === 'string') {
      return {
        kind: 'problem',
        message: `${shownPath(parent)} is ${here === 'list' ? 'a list' : 'a single value'}; nothing is expected below it`,
      };
    }
    const found = fieldName(here, String(step));
    if (found === undefined) return { kind: 'problem', message: noSuchField(here, parent, String(step)) };
    isShort ||= found.isShort;
    here = here[found.name] ?? {};
  }
  if (typeof here !== 'string') {
    return {
      kind: 'problem',
      message: `is a group of fields: ${Object.keys(here).join(', ') || 'none in this scenario'}`,
    };
  }
  if (here === 'list') return { kind: 'problem', message: 'is a list; expect one of the single values' };
  return { kind: 'field', unit: here, isShort };
}

function noSuchField(here: Fields, parent: Path, step: string): string {
  const names = Object.keys(here);
  const short = names.flatMap((name) => (name.endsWith('Ms') ? [name.slice(0, -2)] : []));
  const place = parent.length === 0 ? 'the summary' : formatPath(parent);
  return `this run has no such field${suggestion(step, [...names, ...short], `the fields of ${place} are`)}`;
}

type Bounds = Omit<Expectation, 'path'>;
type Report = (message: string, ...within: string[]) => void;

function readBounds(given: Mapping, field: Field & { readonly kind: 'field' }, report: Report): Bounds {
  if (given.min === undefined && given.max === undefined && given.equals === undefined) {
    report('expects nothing; give min, max or equals');
  }
  const bound = (name: 'min' | 'max'): number | undefined => {
    const reading = given[name] === undefined ? undefined : readBound(given[name], field);
    if (typeof reading === 'string') report(reading, name);
    return typeof reading === 'number' ? reading : undefined;
  };
  const [min, max] = [bound('min'), bound('max')];
  if (min !== undefined && max !== undefined && min > max) report('must be at least min', 'max');
  return {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(given.equals !== undefined && { equals: readEquals(given.equals, field, report) }),
  };
}

/** The bound in the unit of the field, or what is wrong with it. */
function readBound(value: unknown, { unit, isShort }: Field & { readonly kind: 'field' }): number | string {
  switch (unit) {
    case 'ms': {
      // `makespanMs: 5000` says its unit, `makespan: 5000` does not.
      if (typeof value === 'number' && !isShort) return value;
      const reading = readDuration(value);
      return reading.kind === 'duration' ? reading.ms : reading.message;
    }
    case 'share':
      return readShare(value) ?? `expected a share, as 10% or 0.1, got ${echo(value)}`;
    case 'number':
      return typeof value === 'number' ? value : `expected a number, got ${echo(value)}`;
    case 'absent':
      return 'controller: none has no cap, so no number can be expected of it';
    case 'text':
    case 'flag':
    case 'list':
      return 'has no order; give equals';
    default:
      return unit satisfies never;
  }
}

function readEquals(
  value: unknown,
  field: Field & { readonly kind: 'field' },
  report: Report,
): number | string | boolean | null {
  // Every number is null where there were no samples.
  if (value === null) return null;
  if (field.unit === 'text' || field.unit === 'flag') {
    if (typeof value === 'string' && field.unit === 'text') return value;
    if (typeof value === 'boolean' && field.unit === 'flag') return value;
    report(`expected ${field.unit === 'text' ? 'text' : 'true or false'}, got ${echo(value)}`, 'equals');
    return null;
  }
  const reading = readBound(value, field);
  if (typeof reading === 'number') return reading;
  report(reading, 'equals');
  return null;
}
