/**
 * A knob and its values, as `--grid` writes them: `decreaseFactor=0.5..0.9:0.05`, `increaseAfterSuccesses=1,2,4,8`,
 * `idleReset=1m..10m:3m`. Values stay texts until a scenario is loaded with them; a range is counted, not written out, so
 * that a typing error costs no memory.
 */

import { formatDuration, readDuration } from '../../scenario/duration.js';
import { suggestion } from '../../scenario/nearest.js';
import { splitAssignment } from '../../scenario/overrides.js';
import { parsePath } from '../../scenario/path.js';
import { placeAt } from '../../scenario/schema-walk.js';

export interface Knob {
  /** As it was written; names the knob in reports. */
  readonly name: string;
  /** In the notation of `--set`. */
  readonly path: string;
  readonly values: Values;
}

export interface Values {
  readonly count: number;
  /** @param i from 0, below `count`. */
  at(i: number): string;
}

export type KnobReading =
  | { readonly kind: 'knob'; readonly knob: Knob }
  | { readonly kind: 'problem'; readonly message: string };

/** @param schema Of the scenario language: it knows the names. */
export function readKnob(text: string, schema: unknown): KnobReading {
  const assignment = splitAssignment(text);
  if (assignment === undefined || assignment.value.trim() === '') {
    return problem(text, `expected name=values, as ${EXAMPLE}`);
  }
  const name = assignment.path;
  const path = pathOf(name, schema);
  if (path.kind === 'problem') return problem(name, path.message);
  const values = readValues(assignment.value);
  if (typeof values === 'string') return problem(name, values);
  return { kind: 'knob', knob: { name, path: path.path, values } };
}

const EXAMPLE = 'decreaseFactor=0.5..0.9:0.05 or increaseAfterSuccesses=1,2,4,8';

function problem(place: string, message: string): KnobReading {
  return { kind: 'problem', message: `--grid  ${place}  ${message}` };
}

type PathOf = { readonly kind: 'path'; readonly path: string } | { readonly kind: 'problem'; readonly message: string };

/** A bare name is an option of the governor; whether a longer path leads anywhere, each scenario says itself. */
function pathOf(name: string, schema: unknown): PathOf {
  const reading = parsePath(name);
  if (reading.kind === 'problem') return reading;
  const [first] = reading.path;
  const options = namesAt(schema, ['governor']);
  const fields = namesAt(schema, []);
  if (options.includes(String(first))) return { kind: 'path', path: `governor.${name}` };
  if (fields.includes(String(first))) return { kind: 'path', path: name };
  const known = [...options, ...fields];
  return { kind: 'problem', message: `no such knob${suggestion(String(first), known, 'there are')}` };
}

function namesAt(schema: unknown, path: readonly string[]): readonly string[] {
  const place = placeAt(schema, path);
  return place.kind === 'fields' ? place.names : [];
}

/** Parts between commas; or why they are none. */
function readValues(text: string): Values | string {
  const parts: Values[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const values = isRange(part) ? readRange(part) : part === '' ? 'has an empty value' : single(part);
    if (typeof values === 'string') return values;
    parts.push(values);
  }
  return joined(parts);
}

function single(text: string): Values {
  return { count: 1, at: () => text };
}

function joined(parts: readonly Values[]): Values {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    at(i) {
      let rest = i;
      for (const part of parts) {
        if (rest < part.count) return part.at(rest);
        rest -= part.count;
      }
      throw new RangeError(`value: expected an index below ${this.count}, got ${i}`);
    },
  };
}

/** A relative path begins with dots, a range with a digit. */
function isRange(text: string): boolean {
  return /^-?\d.*\.\./.test(text);
}

const range = /^(?<from>.+?)\.\.(?<to>[^:]+)(?::(?<step>.+))?$/;

function readRange(text: string): Values | string {
  const groups = range.exec(text)?.groups;
  if (groups === undefined) return `${text}: expected from..to:step, as 0.5..0.9:0.05`;
  const { from, to, step } = groups;
  if (step === undefined) return `${text}: needs a step, as ${text}:0.1`;
  const ends = [from, to, step].map((each) => amountOf(each!));
  const [start, end, by] = ends.map((amount) => amount?.value);
  if (start === undefined || end === undefined || by === undefined) {
    return `${text}: expected three numbers or three durations, as 0.5..0.9:0.05 or 1m..10m:3m`;
  }
  // A bare 0 is a duration as well as a number.
  const kinds = new Set(ends.flatMap((amount) => (amount!.value === 0 ? [] : [amount!.isDuration])));
  if (kinds.size > 1) return `${text}: mixes numbers and durations; give all three a unit, or none`;
  if (by <= 0) return `${text}: the step must be above 0`;
  if (end < start) return `${text}: is empty, for it ends before it starts; write ${to}..${from}:${step}`;
  // A step of a tenth is not exact in binary: the end is reached within a millionth of a step.
  const count = Math.floor((end - start) / by + 1e-6) + 1;
  if (!Number.isSafeInteger(count)) return `${text}: has too many values`;
  const isDuration = ends.some((amount) => amount!.isDuration);
  const digits = Math.max(...[start, by].map(decimalsOf));
  const write = (value: number): string => (isDuration ? formatDuration(value) : String(Number(value.toFixed(digits))));
  return { count, at: (i) => write(start + i * by) };
}

function amountOf(text: string): { readonly value: number; readonly isDuration: boolean } | undefined {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return { value, isDuration: false };
  const reading = readDuration(text.trim());
  return reading.kind === 'duration' ? { value: reading.ms, isDuration: true } : undefined;
}

function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.min(20, Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent)));
}
