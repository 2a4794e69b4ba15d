/**
 * The agents of a run as a scenario writes them: how many there are and what each one does. Comes out as
 * `AgentsSettings`, every default filled in and every CSV read.
 */

import { z } from 'zod';
import { agentRows } from './agent-rows.js';
import type { CsvFiles } from './csv.js';
import { withFaults } from './csv-issue.js';
import type { Distributions } from './distribution-schema.js';
import { type FieldRule, withRules } from './field-rule.js';
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

export function agents(files: CsvFiles, distributions: Distributions): z.ZodType<AgentsSettings> {
  const written = z.strictObject(
    {
      count: z
        .exactOptional(whole({ min: 1, max: MOST_AGENTS }))
        .describe('How many agents. Whole number from 1 to 1,000,000. Or else csv.'),
      csv: z
        .exactOptional(text('the name of a CSV file'))
        .describe(
          'A CSV file, relative to the scenario, with one agent per row: name, and bytes or input, and output.',
        ),
      name: z
        .exactOptional(text('a name'))
        .meta({ description: 'The name of an agent; {n} is its number, from 1.', default: defaultName }),
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
    { error: expected('a mapping with count or csv') },
  );
  return withRules(written, ...populationRules).transform(
    ({ count, csv, name, asks, requests, tokens: used, ...life }, context) => {
      const population: AgentsSettings['population'] =
        csv === undefined
          ? { kind: 'count', count: count ?? 0, name: name ?? defaultName }
          : { kind: 'rows', rows: withFaults(context, (report) => agentRows(files, csv, report)) };
      return { population, asks, requests, tokens: used, ...life };
    },
  );
}

/** Exactly one of count and csv, names that differ, and tools that come to an end. */
const populationRules: readonly FieldRule[] = [
  {
    message: 'says nothing of how many there are; give count, or csv with one agent per row',
    isMissing: true,
    holds: ({ count, csv }) => count !== undefined || csv !== undefined,
  },
  {
    field: 'csv',
    message: 'stands beside count; give one or the other',
    holds: ({ count, csv }) => count === undefined || csv === undefined,
  },
  {
    field: 'name',
    message: 'belongs to count; the agents of a csv have the names of its rows',
    holds: ({ csv, name }) => csv === undefined || name === undefined,
  },
  {
    field: 'name',
    message: "gives all agents one name; put {n}, the agent's number, into it",
    holds: ({ count, csv, name }) =>
      count === 1 || csv !== undefined || typeof name !== 'string' || name.includes('{n}'),
  },
  {
    field: 'tools',
    message: 'with invalidArguments 100% never ends; give less, or limits.steps',
    holds: ({ tools: called, limits: bounds }) =>
      readShare(asMapping(called)?.invalidArguments) !== 1 || asMapping(bounds)?.steps !== undefined,
  },
];

export function tokens(distributions: Distributions): z.ZodType<TokensSettings> {
  return z
    .strictObject(
      {
        input: distributions.tokens.prefault(1000).describe('Input tokens of a request.'),
        output: distributions.tokens.prefault(200).describe('Output tokens of an answer.'),
        max: z
          .exactOptional(whole({ min: 1 }))
          .describe('The max_tokens sent with each request. Whole number ≥ 1. Default: the output of the request.'),
      },
      { error: expected('{ input, output, max }') },
    )
    .transform(({ max, ...distributions }) => ({ ...distributions, max: max ?? null }));
}
