/**
 * Distributions as a scenario writes them: a constant, or a mapping with the kind as its one key. Comes out as the
 * kernel's `Distribution`, its numbers in milliseconds or tokens.
 */

import { z } from 'zod';
import type { Distribution } from '../kernel/distribution.js';
import { choice, type Pick, pickByKey } from './choice.js';
import { type CsvFiles, type ReportFault, requiredColumn } from './csv.js';
import { withFaults } from './csv-issue.js';
import { readDuration } from './duration.js';
import { echo } from './echo.js';
import { withRules } from './field-rule.js';
import { duration, expected, number, text, whole } from './quantities.js';
import { asMapping } from './raw-data.js';

type Unit = 'time' | 'tokens';

/** One schema per unit; both are made once, so that the published schema holds each once. */
export interface Distributions {
  readonly time: z.ZodType<Distribution>;
  readonly tokens: z.ZodType<Distribution>;
}

export function distributions(files: CsvFiles): Distributions {
  return {
    time: distribution('time', files).meta({ id: 'distributionOfTime' }),
    tokens: distribution('tokens', files).meta({ id: 'distributionOfTokens' }),
  };
}

const kinds = ['uniform', 'exponential', 'lognormal', 'normal', 'erlang', 'pareto', 'empirical'];

function distribution(unit: Unit, files: CsvFiles): z.ZodType<Distribution> {
  const quantity = (): z.ZodType<number> => (unit === 'time' ? duration() : number({ min: 0 }));
  const positive = (): z.ZodType<number> => (unit === 'time' ? duration({ positive: true }) : number({ above: 0 }));
  const constant = unit === 'time' ? duration() : whole({ min: 0 });
  return choice<Distribution>(
    [
      constant.transform((value) => ({ kind: 'constant' as const, value })),
      ofKind('uniform', inOrder('min', '≤', 'max', { min: quantity(), max: quantity() })),
      ofKind('exponential', z.strictObject({ mean: quantity() })),
      ofKind('lognormal', inOrder('median', '<', 'p95', { median: positive(), p95: positive() })),
      ofKind('normal', z.strictObject({ mean: quantity(), sd: quantity() })),
      ofKind('erlang', z.strictObject({ k: whole({ min: 1, max: 1000 }), mean: quantity() })),
      ofKind('pareto', z.strictObject({ min: positive(), alpha: number({ above: 0 }) })),
      ofKind('empirical', values(unit, quantity(), files)),
    ],
    pickKind,
  );
}

function ofKind<Kind extends string, Parameters extends object>(
  kind: Kind,
  parameters: z.ZodType<Parameters>,
): z.ZodType<{ readonly kind: Kind } & Parameters> {
  return z.strictObject({ [kind]: parameters }).transform((written) => ({ kind, ...(written[kind] as Parameters) }));
}

/** Two numbers of which one must not be below the other. */
function inOrder<Low extends string, High extends string>(
  low: Low,
  relation: '<' | '≤',
  high: High,
  shape: Record<Low | High, z.ZodType<number>>,
): z.ZodType<Record<Low | High, number>> {
  const pair = z.strictObject(shape) as unknown as z.ZodType<Record<Low | High, number>>;
  return withRules(pair, {
    field: high,
    message: `must be ${relation === '<' ? 'above' : 'at least'} ${low}`,
    holds: ({ [low]: a, [high]: b }) =>
      typeof a !== 'number' || typeof b !== 'number' || (relation === '<' ? a < b : a <= b),
  });
}

function pickKind(value: unknown): Pick {
  const names = Object.keys(asMapping(value) ?? {});
  const [name] = names;
  if (Array.isArray(value)) return { kind: 'none', message: 'a list is no distribution; write { empirical: [ … ] }' };
  if (name === undefined) return { kind: 'branch', index: 0 };
  const pick = pickByKey(kinds, 'a distribution', value, { first: 1 });
  if (pick.kind === 'branch' || names.length > 1 || pick.name !== undefined) return pick;
  return { kind: 'none', name, message: `unknown distribution; the kinds are a constant, ${kinds.join(', ')}` };
}

/** The values of an empirical distribution: a list, or a column of a CSV file. */
function values(
  unit: Unit,
  quantity: z.ZodType<number>,
  files: CsvFiles,
): z.ZodType<{ readonly values: readonly number[] }> {
  const column = z
    .strictObject({ csv: text('the name of a CSV file'), column: text('the name of a column') })
    .meta({
      description:
        'A column of a CSV file with a header row; the path is relative to the scenario.' +
        (unit === 'time' ? ' A number without a unit is in milliseconds.' : ''),
    })
    .transform((from, context) => ({
      values: withFaults(context, (report) => columnValues(unit, files, from, report)),
    }));
  const list = z
    .array(quantity, { error: expected('a list of values, or { csv, column }') })
    .min(1)
    .transform((given) => ({ values: given }));
  return choice<{ readonly values: readonly number[] }>([list, column], (value) => ({
    kind: 'branch',
    index: asMapping(value) === undefined ? 0 : 1,
  }));
}

function columnValues(
  unit: Unit,
  files: CsvFiles,
  from: { readonly csv: string; readonly column: string },
  report: ReportFault,
): readonly number[] | undefined {
  const table = files.table(from.csv, report);
  const position = table && requiredColumn(table, [from.column], report);
  if (table === undefined || position === undefined) return undefined;
  return table.rows.map(({ line, cells }) => {
    const cell = cells[position] ?? '';
    const value = unit === 'time' ? timeCell(cell) : numberCell(cell);
    if (value !== undefined) return value;
    const allowed = unit === 'time' ? 'milliseconds ≥ 0 or a duration with its unit' : 'a number ≥ 0';
    report({ file: table.file, line, message: `${from.column}: expected ${allowed}, got ${echo(cell)}` });
    return 0;
  });
}

function numberCell(cell: string): number | undefined {
  return /^\d{1,15}(\.\d{1,15})?$/.test(cell) ? Number(cell) : undefined;
}

/** A time in a cell of a CSV file, in milliseconds: a number of them, or a duration; undefined for anything else. */
export function timeCell(cell: string): number | undefined {
  const reading = readDuration(cell);
  return numberCell(cell) ?? (reading.kind === 'duration' ? reading.ms : undefined);
}
