/**
 * The faults of a CSV file as issues of the schema that names it: the issue carries the file and the line along, for
 * the problem to point there and not at the scenario.
 */

import { z } from 'zod';
import type { CsvFault, ReportFault } from './csv.js';

/** Runs `read` inside the transform of a mapping; its faults become issues of the field `csv`, and there is no value. */
export function withFaults<T>(context: z.RefinementCtx, read: (report: ReportFault) => T | undefined): T {
  let faulty = false;
  const value = read(({ file, line, message }) => {
    faulty = true;
    context.addIssue({
      code: 'custom',
      path: ['csv'],
      message,
      params: { where: { file, line, column: line === 0 ? 0 : 1 } },
    });
  });
  return faulty || value === undefined ? z.NEVER : value;
}

/** Where the fault of an issue lies, if it lies in a CSV file. */
export function placeOfFault(
  params: unknown,
): (Pick<CsvFault, 'file' | 'line'> & { readonly column: number }) | undefined {
  return (params as { readonly where?: { file: string; line: number; column: number } } | undefined)?.where;
}
