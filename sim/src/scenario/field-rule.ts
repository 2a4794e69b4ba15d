/**
 * Rules over several fields of one mapping. Unlike a plain refinement, a rule is also checked where another field is
 * wrong, so that all problems come out at once; it therefore must bear with any value of any field.
 */

import type { z } from 'zod';
import { asMapping, type Mapping } from './raw-data.js';

export interface FieldRule {
  /** Whether the fields go together. Those that are missing or wrong are as written. */
  holds(fields: Mapping): boolean;
  readonly message: string;
  /** The field at fault; without, the mapping is. */
  readonly field?: string;
}

export function withRules<Output>(schema: z.ZodType<Output>, ...rules: readonly FieldRule[]): z.ZodType<Output> {
  return rules.reduce(
    (ruled, { holds, message, field }) =>
      ruled.refine((value) => asMapping(value) === undefined || holds(value as Mapping), {
        error: message,
        path: field === undefined ? [] : [field],
        when: () => true,
      }),
    schema,
  );
}
