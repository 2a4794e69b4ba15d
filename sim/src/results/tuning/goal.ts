/**
 * What a search is to reach: bounds, as `refused.share<0.02`, and what is to be as small as possible. A name is a metric of
 * the comparison, or any number of `summary.json`.
 */

import { readDuration } from '../../scenario/duration.js';
import { suggestion } from '../../scenario/nearest.js';
import { readShare } from '../../scenario/quantities.js';
import { METRICS, type MetricUnit, metricNamed, REGRET } from '../study/metric.js';

export interface Goal {
  /** As it was written. */
  readonly text: string;
  readonly name: string;
  readonly unit: MetricUnit;
  readonly operator: '<' | '<=' | '>' | '>=';
  /** In the unit of the summary: ms, a share of 1, a number. */
  readonly bound: number;
}

export type GoalReading =
  | { readonly kind: 'goal'; readonly goal: Goal }
  | { readonly kind: 'problem'; readonly message: string };

const notation = /^\s*(?<name>.+?)\s*(?<operator><=|>=|<|>)\s*(?<bound>.+?)\s*$/;

/** @param isField Whether a summary of every scenario has a number under this path. */
export function readGoal(text: string, isField: (path: string) => boolean): GoalReading {
  const groups = notation.exec(text)?.groups;
  if (groups === undefined) {
    return { kind: 'problem', message: `--goal  ${text}  expected a bound, as refused.share<0.02 or makespan<=3m` };
  }
  const { name, operator, bound } = groups as { name: string; operator: Goal['operator']; bound: string };
  const unknown = unknownName(name, isField);
  if (unknown !== undefined) return { kind: 'problem', message: `--goal  ${name}  ${unknown}` };
  const unit = unitOf(name);
  const value = boundOf(bound, unit);
  if (value === undefined) return { kind: 'problem', message: `--goal  ${text}  ${EXPECTED[unit]}, got ${bound}` };
  return { kind: 'goal', goal: { text: text.trim(), name, unit, operator, bound: value } };
}

/** What is wrong with a name; undefined for one that can be measured. */
export function unknownName(name: string, isField: (path: string) => boolean): string | undefined {
  if (metricNamed(name) !== undefined || isField(name)) return undefined;
  const names = [...METRICS, REGRET].map((metric) => metric.name);
  return `no such figure${suggestion(name, names, 'there are')}`;
}

export function unitOf(name: string): MetricUnit {
  const metric = metricNamed(name);
  if (metric !== undefined) return metric.unit;
  return /Ms$|^latencyMs\./.test(name) ? 'duration' : 'number';
}

const EXPECTED: Readonly<Record<MetricUnit, string>> = {
  duration: 'expected a duration with its unit, as 3m',
  share: 'expected a share, as 0.02 or 2%',
  number: 'expected a number',
};

function boundOf(text: string, unit: MetricUnit): number | undefined {
  if (unit === 'duration') {
    const reading = readDuration(text);
    return reading.kind === 'duration' ? reading.ms : undefined;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (unit === 'share') return readShare(Number.isNaN(value) ? text : value);
  return Number.isFinite(value) ? value : undefined;
}

/** By how much a value misses the bound, as a share of it; 0 where it holds. */
export function miss({ operator, bound }: Goal, value: number): number {
  const holds = { '<': value < bound, '<=': value <= bound, '>': value > bound, '>=': value >= bound }[operator];
  return holds ? 0 : Math.max(Math.abs(value - bound) / Math.max(Math.abs(bound), 1e-9), 1e-9);
}
