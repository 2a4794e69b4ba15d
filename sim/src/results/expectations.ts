/**
 * What the scenario expects, held against what came out: every expectation is judged, not the first that fails. A figure
 * that the run does not have, or has no samples for, fails every bound; only `equals: null` asks for it.
 */

import type { Expectation } from '../scenario/scenario.js';
import { readSummaryField } from '../scenario/summary-fields.js';
import type { ExpectationResult, Figures, Summary } from './summary.js';

/** The whole summary: the figures, the hash of the trace's bytes (null: none was written), and the verdicts on them. */
export function summarise(figures: Figures, expect: readonly Expectation[], traceSha256: string | null): Summary {
  return { ...figures, expectations: evaluate(expect, { ...figures, traceSha256 }), traceSha256 };
}

/** In the order of the scenario. */
export function evaluate(
  expect: readonly Expectation[],
  summary: Omit<Summary, 'expectations'>,
): readonly ExpectationResult[] {
  return expect.map((expectation) => {
    const found = readSummaryField(summary, expectation.path);
    return isFigure(found)
      ? { ...expectation, actual: found, pass: holds(expectation, found) }
      : { ...expectation, actual: null, pass: false };
  });
}

type Figure = number | string | boolean | null;

function isFigure(value: unknown): value is Figure {
  return value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
}

function holds({ min, max, equals }: Expectation, actual: Figure): boolean {
  const isNumber = typeof actual === 'number';
  if (min !== undefined && !(isNumber && actual >= min)) return false;
  if (max !== undefined && !(isNumber && actual <= max)) return false;
  return equals === undefined || actual === equals;
}
