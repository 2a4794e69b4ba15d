/** An expectation and what came of it, in words: what a person reads in a report and on the terminal. */

import { parsePath } from '../scenario/path.js';
import { type Fields, type FieldUnit, fieldName, summaryFields } from '../scenario/summary-fields.js';
import { duration, number, percent } from './human-numbers.js';
import type { ExpectationResult, Summary } from './summary.js';

/** `makespan is 1m 52s, expected at most 3m`. */
export function verdictWords(result: ExpectationResult, summary: Summary): string {
  const unit = unitOf(result.path, summary);
  const write = (value: ExpectationResult['actual']): string => writeFigure(value, unit);
  return `${result.path} is ${write(result.actual)}, expected ${bounds(result, write)}`;
}

function bounds(
  { min, max, equals }: ExpectationResult,
  write: (value: ExpectationResult['actual']) => string,
): string {
  const parts: string[] = [];
  if (equals !== undefined) parts.push(write(equals));
  if (min !== undefined && max !== undefined) parts.push(`${write(min)} to ${write(max)}`);
  else if (min !== undefined) parts.push(`at least ${write(min)}`);
  else if (max !== undefined) parts.push(`at most ${write(max)}`);
  return parts.join(' and ');
}

function writeFigure(value: ExpectationResult['actual'], unit: FieldUnit): string {
  if (value === null) return 'none';
  if (typeof value !== 'number') return String(value);
  if (unit === 'ms') return duration(value);
  return unit === 'share' ? percent(value) : number(value);
}

function unitOf(path: string, summary: Summary): FieldUnit {
  const reading = parsePath(path);
  const fields = summaryFields({
    gates: Object.keys(summary.keys),
    keys: Object.keys(summary.providers),
    runs: Object.keys(summary.runs),
    gated: Object.keys(summary.runs),
    stagesOf: (run) => Object.keys(summary.runs[run]?.stages ?? {}),
    quotasOf: (key) => Object.keys(summary.providers[key]?.refusedBy ?? {}),
    tasks: summary.tasks !== undefined,
    tools: summary.tools !== undefined,
    context: summary.context !== undefined,
    executors: summary.executors !== undefined,
    crashes: summary.crashes !== undefined,
    isGoverned: summary.controller !== 'none',
  });
  const steps = reading.kind === 'path' ? reading.path : [];
  const found = steps.reduce<Fields | FieldUnit | undefined>((here, step) => below(here, String(step)), fields);
  return typeof found === 'string' ? found : 'number';
}

function below(fields: Fields | FieldUnit | undefined, step: string): Fields | FieldUnit | undefined {
  if (typeof fields !== 'object') return undefined;
  const field = fieldName(fields, step);
  return field && fields[field.name];
}
