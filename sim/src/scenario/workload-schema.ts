/**
 * The workload as a scenario writes it: runs, each with its agents. Comes out as `RunSettings`, every default filled in
 * and every CSV read.
 */

import { z } from 'zod';
import { agents } from './agents-schema.js';
import type { CsvFiles } from './csv.js';
import type { Distributions } from './distribution-schema.js';
import { duration, expected, text } from './quantities.js';
import type { RunSettings } from './scenario.js';

export function workload(
  files: CsvFiles,
  distributions: Distributions,
): z.ZodType<{ readonly runs: readonly RunSettings[] }> {
  return z.strictObject(
    {
      runs: z
        .array(run(files, distributions), { error: expected('a list of runs') })
        .prefault([])
        .describe('Governed runs: each a fan-out of agents against one model. At least one.'),
    },
    { error: expected('a mapping with runs') },
  );
}

function run(files: CsvFiles, distributions: Distributions): z.ZodType<RunSettings> {
  return z
    .strictObject(
      {
        id: text('the name of the run').describe('The name of the run; each run has its own.'),
        target: z
          .string({ error: expected('provider/model') })
          .regex(targetPattern)
          .describe('The model that answers, as provider/model.'),
        start: duration().prefault(0).describe('When the run starts.'),
        maxConcurrency: z
          .exactOptional(bound())
          .describe('Agents working at once. Whole number ≥ 1; null, the default: the default bound.'),
        timeout: z
          .exactOptional(duration({ positive: true }))
          .describe('Per attempt, from dispatch. A duration above 0. Default: none.'),
        agents: agents(files, distributions).describe('The agents of the run, how many and what each asks.'),
      },
      { error: expected('a run: a mapping with id, target and agents') },
    )
    .transform(({ id, target, start, maxConcurrency, timeout, agents: settings }) => ({
      id,
      target: splitTarget(target),
      startMs: start,
      maxConcurrency: maxConcurrency ?? null,
      timeoutMs: timeout ?? null,
      agents: settings,
    }));
}

function bound(): z.ZodType<number | null> {
  const error = expected('a whole number ≥ 1 or null');
  return z.union([z.int({ error }).min(1), z.null({ error })], { error });
}

const targetPattern = /^[^/]+\/.+$/;

/** Only the first slash divides: a provider has none in its name, a model may. */
export function splitTarget(target: string): RunSettings['target'] {
  const slash = target.indexOf('/');
  return { provider: target.slice(0, slash), model: target.slice(slash + 1) };
}
