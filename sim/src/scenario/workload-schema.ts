/**
 * The workload as a scenario writes it: runs, each with its agents, and what comes open loop. Comes out as
 * `WorkloadSettings`, every default filled in and every CSV read.
 */

import { z } from 'zod';
import { agents } from './agents-schema.js';
import { arrivals } from './arrivals-schema.js';
import type { Distributions } from './distribution-schema.js';
import { withRules } from './field-rule.js';
import type { ScenarioFiles } from './found-files.js';
import { retry } from './governor-schema.js';
import { pipelines } from './pipelines-schema.js';
import { duration, expected, share, text, whole } from './quantities.js';
import type { RunSettings, WorkloadSettings } from './scenario.js';
import { splitTarget, target } from './target.js';

export function workload(files: ScenarioFiles, distributions: Distributions): z.ZodType<WorkloadSettings> {
  return z
    .strictObject(
      {
        runs: z
          .array(run(files, distributions), { error: expected('a list of runs') })
          .prefault([])
          .describe(
            'Governed runs: each a fan-out of agents against one model. At least one, or arrivals, or pipelines.',
          ),
        arrivals: arrivals('an arrival', files, distributions).describe(
          'Open loop: requests that come by themselves, each of its own, without a run, a seat or a bound.',
        ),
        observers: arrivals('an observer', files, distributions).describe(
          'The same, of those who never queue and never cool, but count: the conversation of a user.',
        ),
        executors: z
          .exactOptional(executors())
          .describe('One pool in which the steps and tools of all runs are executed. Default: an executor per ask.'),
        pipelines: pipelines(distributions),
      },
      { error: expected('a mapping with runs, arrivals or pipelines') },
    )
    .transform(({ runs, arrivals: open, observers, pipelines: staged, executors: shared }) => ({
      runs,
      ...(staged.length > 0 && { pipelines: staged }),
      ...(open.length > 0 && { arrivals: open }),
      ...(observers.length > 0 && { observers }),
      ...(shared !== undefined && { executors: shared }),
    }));
}

function executors(): z.ZodType<{ readonly pool: number }> {
  return z.strictObject(
    { pool: whole({ min: 1 }).describe('Places. Whole number ≥ 1.') },
    { error: expected('{ pool }') },
  );
}

function run(files: ScenarioFiles, distributions: Distributions): z.ZodType<RunSettings> {
  const written = z.strictObject(
    {
      id: text('the name of the run').describe('The name of the run; each run has its own.'),
      target: target().describe('The model that answers, as provider/model.'),
      start: duration().prefault(0).describe('When the run starts; with `after`, how long after those.'),
      after: z
        .exactOptional(
          z
            .array(text('the id of a run'), { error: expected('a list of ids of runs') })
            .min(1, 'is empty; name at least one run'),
        )
        .describe('The run starts when all these runs are over.'),
      gate: z
        .exactOptional(share())
        .describe(
          'With `after`: the share of their asks that must have got all their answers; with fewer, the run is skipped.',
        ),
      maxConcurrency: z
        .exactOptional(bound())
        .describe('Agents working at once. Whole number ≥ 1; null, the default: the default bound.'),
      timeout: z
        .exactOptional(duration({ positive: true }))
        .describe('Per attempt, from dispatch. A duration above 0. Default: none.'),
      process: z
        .exactOptional(text('the name of a process'))
        .describe('A process of its own, with a governor of its own on the same quotas. Default: one for all.'),
      retry: z.exactOptional(retry()).describe("Retries of this run in place of the governor's."),
      agents: agents(files, distributions).describe('The agents of the run, how many and what each asks.'),
    },
    { error: expected('a run: a mapping with id, target and agents') },
  );
  return withRules(written, {
    field: 'gate',
    message: 'is about the runs before it; say which they are with after',
    holds: ({ after, gate }) => gate === undefined || after !== undefined,
  }).transform(
    ({ id, target: written, start, maxConcurrency, timeout, retry: own, process, after, gate, agents: settings }) => ({
      id,
      target: splitTarget(written),
      startMs: start,
      maxConcurrency: maxConcurrency ?? null,
      timeoutMs: timeout ?? null,
      ...(own !== undefined && { retry: own }),
      ...(process !== undefined && { process }),
      ...(after !== undefined && { after }),
      ...(gate !== undefined && { gate }),
      agents: settings,
    }),
  );
}

/** In agents working at once; null = the default bound. */
export function bound(): z.ZodType<number | null> {
  const error = expected('a whole number ≥ 1 or null');
  return z.union([z.int({ error }).min(1), z.null({ error })], { error });
}
