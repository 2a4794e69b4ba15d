/**
 * The scenario language as one schema: what the loader checks with, and what the published JSON Schema is made from. What
 * needs a look at two places at once (does the target exist?) is in `cross-checks.ts`.
 */

import { z } from 'zod';
import { csvFiles } from './csv.js';
import { distributions } from './distribution-schema.js';
import { withRules } from './field-rule.js';
import type { ScenarioFiles } from './found-files.js';
import { governor } from './governor-schema.js';
import { live } from './live-schema.js';
import { provider } from './provider-schema.js';
import { duration, expected, oneOf, text, whole } from './quantities.js';
import type { GovernorSettings, LiveHints, ProviderSettings, Scenario, StopRule } from './scenario.js';
import { timeline } from './timeline-schema.js';
import { workload } from './workload-schema.js';

/** A scenario that fits the schema; its timeline and expectations are still as written. */
export interface WrittenScenario {
  readonly name?: string;
  readonly question: string;
  readonly seed: number;
  readonly governor: GovernorSettings;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly workload: Scenario['workload'];
  readonly stop: StopRule;
  readonly live?: LiveHints;
}

/** A name becomes a directory that is replaced whole, so it must not lead anywhere else. */
const namePattern = /^[^./\\\s\p{Cc}][^/\\\p{Cc}]{0,99}$/u;

/** Whether results can be kept under this name. */
export function isScenarioName(name: string): boolean {
  return namePattern.test(name);
}

const nameWords = 'a name: up to 100 characters, no slash or line break, not starting with a dot or a space';

/** The fields that need no file are made once, for all scenarios. */
const headFields = {
  $schema: z.exactOptional(text('the address of the JSON Schema')).describe('For editors; not looked at.'),
  name: z
    .exactOptional(z.string({ error: expected(nameWords) }).regex(namePattern))
    .describe('Names the directory of the results. Default: the name of the file.'),
  question: z
    .string({ error: expected('text') })
    .prefault('')
    .describe('The one question that the scenario answers.'),
  seed: whole({ min: 0 }).prefault(1).describe('Where all random numbers come from. Whole number ≥ 0.'),
  governor: governor().prefault({}).describe('The governor under test. Default: the reference preset.'),
};

const tailFields = {
  timeline: timeline().prefault([]).describe('Changes of providers and runs while the scenario runs.'),
  stop: stop().prefault({}).describe('When the scenario ends.'),
  expect: expectations().prefault({}).describe('What must come out, by the path of a field of summary.json.'),
  live: z.exactOptional(live()).describe('Against a real endpoint, with --live: variables to use, and prices.'),
};

export interface LanguageSchemas {
  readonly scenario: z.ZodType<WrittenScenario>;
  /** One provider of it, for what a timeline makes of it. */
  readonly provider: z.ZodType<ProviderSettings>;
}

/** @param files Where the files come from that a scenario names. */
export function languageSchemas(files: ScenarioFiles): LanguageSchemas {
  const amounts = distributions(files);
  const oneProvider = provider(amounts);
  const scenario = z
    .strictObject(
      {
        ...headFields,
        providers: providers(oneProvider),
        workload: workload(files, amounts).describe('What is asked of the providers.'),
        ...tailFields,
      },
      { error: expected('a scenario: a mapping with providers and workload') },
    )
    .transform(({ $schema, timeline: _, expect, ...written }) => written);
  return { scenario, provider: oneProvider };
}

function providers(one: z.ZodType<ProviderSettings>): z.ZodType<Readonly<Record<string, ProviderSettings>>> {
  return z.record(z.string(), one, { error: expected('a mapping from provider names to providers') }).meta({
    description: 'The providers, by name. A name has no slash.',
    propertyNames: { pattern: '^[^/]+$' },
  });
}

function stop(): z.ZodType<StopRule> {
  const written = z.strictObject(
    {
      when: oneOf(['done', 'time']).prefault('done').describe('done: all requests have ended. time: at `after`.'),
      after: z.exactOptional(duration({ positive: true })).describe('The latest end. A duration above 0.'),
      maxRequests: z.exactOptional(whole({ min: 1 })).describe('The most requests. Whole number ≥ 1.'),
    },
    { error: expected('{ when, after, maxRequests }') },
  );
  return withRules(written, {
    message: 'when: time needs after, the time at which to stop',
    holds: ({ when, after }) => when !== 'time' || after !== undefined,
  }).transform(({ when, after, maxRequests }) => ({ when, afterMs: after ?? null, maxRequests: maxRequests ?? null }));
}

/** What a bound may be depends on its field, which `expectations.ts` knows. */
function expectations(): z.ZodType<unknown> {
  const bound = (): z.ZodType<unknown> =>
    z.union([z.number(), z.string()], { error: expected('a number, a duration or a share') });
  const bounds = z.strictObject(
    {
      min: z.exactOptional(bound()).describe('The least that passes.'),
      max: z.exactOptional(bound()).describe('The most that passes.'),
      equals: z
        .exactOptional(z.union([z.number(), z.string(), z.boolean(), z.null()], { error: expected('a single value') }))
        .describe('The only value that passes.'),
    },
    { error: expected('bounds, as { min, max } or { equals }') },
  );
  return z.record(z.string(), bounds, { error: expected('a mapping from fields of summary.json to bounds') });
}

function nothingToRead(): never {
  throw new Error('a schema reads no files');
}

const noFiles: ScenarioFiles = { ...csvFiles(nothingToRead, (path) => path), find: nothingToRead };

/** The JSON Schema of what an author may write, for editors. */
export function jsonSchema(): object {
  return z.toJSONSchema(languageSchemas(noFiles).scenario.meta({ title: 'Tidegate scenario' }), { io: 'input' });
}
