/**
 * Open-loop requests as a scenario writes them: arrivals and observers, by a rate or as they were recorded. Comes out as
 * `ArrivalsSettings`, every default filled in and every CSV read.
 */

import { z } from 'zod';
import { tokens } from './agents-schema.js';
import { arrivalRows } from './arrival-rows.js';
import type { CsvFiles } from './csv.js';
import { withFaults } from './csv-issue.js';
import type { Distributions } from './distribution-schema.js';
import { type FieldRule, withRules } from './field-rule.js';
import { duration, expected, oneOf, type Rate, rate, text, whole } from './quantities.js';
import type { ArrivalsSettings, ArrivalTimes } from './scenario.js';
import { splitTarget, target } from './target.js';

/** Nothing of them is held in memory but those that are not over. */
const MOST_ARRIVALS = 1_000_000_000;
/** One a microsecond, the resolution of the clock. */
const MOST_PER_MS = 1000;

/** @param noun what messages call one: "an arrival", "an observer". */
export function arrivals(
  noun: string,
  files: CsvFiles,
  distributions: Distributions,
): z.ZodType<readonly ArrivalsSettings[]> {
  return z
    .array(oneProcess(noun, files, distributions), { error: expected(`a list, each { id, target, rate, process }`) })
    .prefault([]);
}

function oneProcess(noun: string, files: CsvFiles, distributions: Distributions): z.ZodType<ArrivalsSettings> {
  const written = z.strictObject(
    {
      id: text('a name').describe('Its name, as no run and no other has it.'),
      target: target().describe('The model that answers, as provider/model.'),
      rate: z
        .exactOptional(
          rate().refine(({ amount, perMs }) => amount / perMs <= MOST_PER_MS, { error: 'must be at most 1000000/s' }),
        )
        .describe('How many come on average: 2/s, 30/m, 0.5/h. Not of process: trace.'),
      process: oneOf(['poisson', 'uniform', 'trace'])
        .prefault('poisson')
        .describe('poisson: at random; uniform: at equal distances; trace: as the csv has it.'),
      csv: z
        .exactOptional(text('the name of a CSV file'))
        .describe(
          'Of process: trace. A CSV file, relative to the scenario: at (milliseconds, or a duration with its unit), and input or bytes, and output, if known.',
        ),
      count: z
        .exactOptional(whole({ min: 1, max: MOST_ARRIVALS }))
        .describe('How many come. Whole number from 1 to 1,000,000,000. Or else for.'),
      for: z.exactOptional(duration({ positive: true })).describe('For how long they come. A duration above 0.'),
      start: duration().prefault(0).describe('When they begin to come.'),
      timeout: z
        .exactOptional(duration({ positive: true }))
        .describe('Per attempt, from dispatch. A duration above 0. Default: none.'),
      inProcess: z
        .exactOptional(text('the name of a process'))
        .describe('The process whose governor they go through, as a run names it. Default: one for all.'),
      tokens: tokens(distributions).prefault({}).describe('What each request takes and gives.'),
    },
    { error: expected(`${noun}: a mapping with id, target, rate and count or for`) },
  );
  return withRules(written, ...timesRules).transform(
    (
      { id, target: written, process, rate: perTime, csv, count, for: forMs, start, timeout, inProcess, tokens: used },
      context,
    ) => {
      const limits = { count: count ?? null, forMs: forMs ?? null };
      const times: ArrivalTimes =
        process === 'trace'
          ? { kind: 'trace', rows: withFaults(context, (report) => arrivalRows(files, csv ?? '', limits, report)) }
          : { kind: process, meanGapMs: gapOf(perTime), ...limits };
      return {
        id,
        target: splitTarget(written),
        startMs: start,
        timeoutMs: timeout ?? null,
        times,
        tokens: used,
        ...(inProcess !== undefined && { process: inProcess }),
      };
    },
  );
}

/** The rules below see to it that there is a rate wherever this is asked. */
function gapOf(perTime: Rate | undefined): number {
  return perTime === undefined ? 0 : perTime.perMs / perTime.amount;
}

const timesRules: readonly FieldRule[] = [
  {
    field: 'rate',
    message: 'is missing; say how many come: 2/s, 30/m or 0.5/h',
    holds: ({ process, rate: perTime }) => process === 'trace' || perTime !== undefined,
  },
  {
    message: 'says nothing of its end; give count, for how many, or for, for how long',
    holds: ({ process, count, for: forMs }) => process === 'trace' || count !== undefined || forMs !== undefined,
  },
  {
    field: 'csv',
    message: 'is missing; process: trace replays the times of a CSV file',
    holds: ({ process, csv }) => process !== 'trace' || csv !== undefined,
  },
  {
    field: 'csv',
    message: 'belongs to process: trace; poisson and uniform have a rate',
    holds: ({ process, csv }) => process === 'trace' || csv === undefined,
  },
  {
    field: 'rate',
    message: 'belongs to poisson and uniform; a trace has the times of its csv',
    holds: ({ process, rate: perTime }) => process !== 'trace' || perTime === undefined,
  },
];
