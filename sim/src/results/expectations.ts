/**
 * What the scenario expects, held against what came out: every expectation is judged, not the first that fails. A figure
 * that the run does not have, or has no samples for, fails every bound; only `equals: null` asks for it.
 */

import type { Expectation } from '../scenario/scenario.js';
import { readSummaryField } from '../scenario/summary-fields.js';
import type { ExpectationResult, Figures, Summary } from './summary.js';

/** The whole summary: the figures, the verdicts on them, and the hash of the trace's bytes (null: none was written). */
export function summarise(figures: Figures, expect: readonly Expectation[], traceSha256: string | null): Summary {
  return { ...figures, expectations: evaluate(expect, figures), traceSha256 };
}

/** In the order of the scenario. */
export function evaluate(expect: readonly Expectation[], figures: Figures): readonly ExpectationResult[] {
  return expect.map((expectation) => {
    const found = readSummaryField(figures, expectation.path);
    const actual = isPlain(found) ? found : null;
    return { ...expectation, actual, pass: found !== undefined && holds(expectation, actual) };
  });
}

type Plain = number | string | boolean | null;

function isPlain(value: unknown): value is Plain {
  return value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
}

function holds({ min, max, equals }: Expectation, actual: Plain): boolean {
  const isNumber = typeof actual === 'number';
  if (min !== undefined && !(isNumber && actual >= min)) return false;
  if (max !== undefined && !(isNumber && actual <= max)) return false;
  return equals === undefined || actual === equals;
}
