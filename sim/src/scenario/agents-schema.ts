/**
 * The agents of a run as a scenario writes them: how many there are and what each one does. Comes out as
 * `AgentsSettings`, every default filled in and every CSV read.
 */

import { USUAL_OUTPUT_TOKENS } from '@tidegate/providers-mock';
import { z } from 'zod';
import { agentRows } from './agent-rows.js';
import { withFaults } from './csv-issue.js';
import type { Distributions } from './distribution-schema.js';
import { type FieldRule, withRules } from './field-rule.js';
import { fileRows, type ScenarioFiles } from './found-files.js';
import { expected, readShare, text, whole } from './quantities.js';
import { asMapping } from './raw-data.js';
import type { AgentsSettings, TokensSettings } from './scenario.js';
import { context, limits } from './task-schema.js';
import { tools } from './tools-schema.js';

const defaultName = 'agent-{n}';

/** Each is held in memory for as long as its run. */
const MOST_AGENTS = 1_000_000;
/** Of one agent, one after the other. */
const MOST_REQUESTS = 1_000_000_000;

export function agents(files: ScenarioFiles, distributions: Distributions): z.ZodType<AgentsSettings> {
  const written = z.strictObject(
    {
      count: z
        .exactOptional(whole({ min: 1, max: MOST_AGENTS }))
        .describe('How many agents. Whole number from 1 to 1,000,000. Or else csv or files.'),
      csv: z
        .exactOptional(text('the name of a CSV file'))
        .describe(
          'A CSV file, relative to the scenario, with one agent per row: name, and bytes or input, and output.',
        ),
      files: z
        .exactOptional(text('a pattern of files'))
        .describe(
          'A pattern, relative to the scenario, as ../src/**/*.ts: one agent per file, named by its path, its input four bytes a token.',
        ),
      name: z.exactOptional(text('a name')).meta({
        description:
          'The name of an agent; {n} is its number, from 1, {random} another word in each run: a name that is not stable finds nothing in the cache.',
        default: defaultName,
      }),
      asks: whole({ min: 1, max: MOST_REQUESTS })
        .prefault(1)
        .describe('Asks of one agent, one after the other. Whole number ≥ 1.'),
      requests: whole({ min: 1, max: MOST_REQUESTS })
        .prefault(1)
        .describe('Model requests per ask, one after the other. Whole number ≥ 1.'),
      tokens: tokens(distributions).prefault({}).describe('What each request takes and gives.'),
      tools: z.exactOptional(tools(distributions)).describe('Tools called after each model request. Default: none.'),
      context: z.exactOptional(context()).describe('A context that grows with each turn. Default: none.'),
      limits: z.exactOptional(limits()).describe('What ends an ask before its work is done. Default: none.'),
    },
    { error: expected('a mapping with count, csv or files') },
  );
  return withRules(written, ...populationRules).transform(({ count, csv, files: pattern, name, ...life }, context) => {
    return { population: populationOf({ count, csv, files: pattern, name }, files, context), ...life };
  });
}

interface WrittenPopulation {
  readonly count: number | undefined;
  readonly csv: string | undefined;
  readonly files: string | undefined;
  readonly name: string | undefined;
}

function populationOf(
  { count, csv, files: pattern, name }: WrittenPopulation,
  files: ScenarioFiles,
  context: z.RefinementCtx,
): AgentsSettings['population'] {
  if (csv !== undefined) return { kind: 'rows', rows: withFaults(context, (report) => agentRows(files, csv, report)) };
  if (pattern !== undefined) return { kind: 'rows', rows: fileRows(files.find, pattern, context, MOST_AGENTS) };
  return { kind: 'count', count: count ?? 0, name: name ?? defaultName };
}

/** Of whatever has tools and limits. */
export const toolsThatEnd: FieldRule = {
  field: 'tools',
  message: 'with invalidArguments 100% never ends; give less, or limits.steps',
  holds: ({ tools: called, limits: bounds }) =>
    readShare(asMapping(called)?.invalidArguments) !== 1 || asMapping(bounds)?.steps !== undefined,
};

/** Exactly one of count, csv and files, names that differ, and tools that come to an end. */
const populationRules: readonly FieldRule[] = [
  {
    message: 'says nothing of how many there are; give count, csv with one agent per row, or files with one per file',
    holds: ({ count, csv, files }) => count !== undefined || csv !== undefined || files !== undefined,
  },
  {
    field: 'csv',
    message: 'stands beside count; give one or the other',
    holds: ({ count, csv }) => count === undefined || csv === undefined,
  },
  {
    field: 'files',
    message: 'stands beside count or csv; give one of the three',
    holds: ({ count, csv, files }) => files === undefined || (count === undefined && csv === undefined),
  },
  {
    field: 'name',
    message: 'belongs to count; the agents of a csv have the names of its rows, those of files their paths',
    holds: ({ csv, files, name }) => (csv === undefined && files === undefined) || name === undefined,
  },
  {
    field: 'name',
    message: "gives all agents one name; put {n}, the agent's number, into it",
    holds: ({ count, csv, files, name }) =>
      count === 1 ||
      csv !== undefined ||
      files !== undefined ||
      typeof name !== 'string' ||
      /\{(n|random)\}/.test(name),
  },
  toolsThatEnd,
];

export function tokens(distributions: Distributions): z.ZodType<TokensSettings> {
  return z
    .strictObject(
      {
        input: distributions.tokens.prefault(1000).describe('Input tokens of a request.'),
        output: distributions.tokens.prefault(USUAL_OUTPUT_TOKENS).describe('Output tokens of an answer.'),
        max: z
          .exactOptional(whole({ min: 1 }))
          .describe('The max_tokens sent with each request. Whole number ≥ 1. Default: the output of the request.'),
      },
      { error: expected('{ input, output, max }') },
    )
    .transform(({ max, ...distributions }) => ({ ...distributions, max: max ?? null }));
}
