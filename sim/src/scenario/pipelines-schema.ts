/**
 * Pipelines as a scenario writes them: parent sessions that take their items through stages of children. Comes out as
 * `PipelineSettings`, every default filled in. Whether the stages that a stage comes after are there, and in no circle, is
 * looked at in `pipeline-checks.ts`.
 */

import { z } from 'zod';
import { tokens, toolsThatEnd } from './agents-schema.js';
import type { Distributions } from './distribution-schema.js';
import { type FieldRule, withRules } from './field-rule.js';
import type { BudgetSettings, PipelineSettings, StageSettings, SteerSettings } from './pipeline-settings.js';
import { duration, expected, share, text, whole } from './quantities.js';
import { asList, asMapping, type Mapping } from './raw-data.js';
import { splitTarget, target } from './target.js';
import { context, limits } from './task-schema.js';
import { tools } from './tools-schema.js';

/** Children of a pipeline: each is remembered for as long as its session. */
const MOST_CHILDREN = 1_000_000;
const MOST_ROUNDS = 1_000_000_000;

export function pipelines(distributions: Distributions): z.ZodType<readonly PipelineSettings[]> {
  return z
    .array(pipeline(distributions), { error: expected('a list of pipelines') })
    .prefault([])
    .describe('Governed runs of another kind: parent sessions that take their items through stages of children.');
}

function pipeline(distributions: Distributions): z.ZodType<PipelineSettings> {
  const written = z.strictObject(
    {
      id: text('the name of the pipeline').describe('Its name, as no run and no other has it.'),
      target: target().describe('The model that answers, as provider/model; a stage may have another.'),
      start: duration().prefault(0).describe('When the sessions begin.'),
      maxConcurrency: z
        .exactOptional(z.union([whole({ min: 1 }), z.null()], { error: expected('a whole number ≥ 1 or null') }))
        .describe(
          "The run's own bound, in children working at once. Whole number ≥ 1; null, the default: the default bound.",
        ),
      timeout: z
        .exactOptional(duration({ positive: true }))
        .describe('Per attempt, from dispatch. A duration above 0. Default: none.'),
      sessions: sessions().prefault({}).describe('The parents: each takes one item through all stages.'),
      host: z
        .strictObject(
          {
            maxActive: whole({ min: 0 })
              .prefault(8)
              .describe('Running children across stages and sessions. Whole number; 0 = no bound; default 8.'),
          },
          { error: expected('a mapping, as { maxActive: 8 }') },
        )
        .prefault({})
        .describe('The pool that all sessions share.'),
      maxParallelCalls: whole({ min: 0 })
        .prefault(10)
        .describe(
          "Calls of one parent's program that are open at once; more wait. Whole number; 0 = no bound; default 10.",
        ),
      step: duration({ positive: true })
        .prefault('5s')
        .describe(
          'What was refused is tried again this much later, at the next step of the parent. Above 0; default 5s.',
        ),
      stages: z
        .array(stage(distributions), { error: expected('a list of stages') })
        .min(1, { error: 'is empty; give it at least one stage' })
        .describe('The stages, each after those that it names; at least one.'),
    },
    { error: expected('a pipeline: a mapping with id, target and stages') },
  );
  return withRules(written, ...pipelineRules).transform(
    ({ id, target: main, start, maxConcurrency, timeout, step, stages, ...rest }) => ({
      id,
      target: splitTarget(main),
      startMs: start,
      maxConcurrency: maxConcurrency ?? null,
      timeoutMs: timeout ?? null,
      ...rest,
      stepMs: step,
      stages: stages.map(({ target: own, after, ...settings }) => ({
        ...settings,
        target: splitTarget(own ?? main),
        after: after.map((name) => stages.findIndex((each) => each.name === name)),
      })),
    }),
  );
}

const pipelineRules: readonly FieldRule[] = [
  {
    field: 'stages',
    message: `makes more than ${MOST_CHILDREN} children; have fewer sessions, or fewer children in a stage`,
    holds: ({ sessions: written, stages }) => childrenOf(asMapping(written)?.count, stages) <= MOST_CHILDREN,
  },
];

function childrenOf(sessionCount: unknown, stages: unknown): number {
  const count = (value: unknown): number => (typeof value === 'number' ? value : 1);
  return count(sessionCount) * asList(stages).reduce<number>((sum, each) => sum + count(asMapping(each)?.children), 0);
}

function sessions(): z.ZodType<PipelineSettings['sessions']> {
  const written = z.strictObject(
    {
      count: whole({ min: 1, max: MOST_CHILDREN }).prefault(1).describe('How many. Whole number ≥ 1; default 1.'),
      name: text('a name').prefault('session-{n}').describe('The name of a session; {n} is its number, from 1.'),
    },
    { error: expected('a mapping, as { count: 4, name: "session-{n}" }') },
  );
  return withRules(written, {
    field: 'name',
    message: "gives all sessions one name; put {n}, the session's number, into it",
    holds: ({ count = 1, name = '{n}' }) => count === 1 || typeof name !== 'string' || name.includes('{n}'),
  });
}

/** With names of stages in place of indices; without a target, that of the pipeline. */
type WrittenStage = Omit<StageSettings, 'target' | 'after'> & {
  readonly target?: string;
  readonly after: readonly string[];
};

function stage(distributions: Distributions): z.ZodType<WrittenStage> {
  const written = z.strictObject(
    {
      name: text('the name of the stage').describe('Its name, as no other stage of the pipeline has it.'),
      after: z
        .array(text('the name of a stage'), { error: expected('a list of names of stages') })
        .prefault([])
        .describe('The stages that must be done before, for the same session. Default: none.'),
      target: z.exactOptional(target()).describe('The model that answers. Default: that of the pipeline.'),
      children: whole({ min: 1, max: MOST_CHILDREN })
        .prefault(1)
        .describe('Children of each session. Whole number ≥ 1; default 1.'),
      maxConcurrency: whole({ min: 0 })
        .prefault(0)
        .describe(
          'Running children of a session; over it a dispatch is refused and tried again. 0, the default: no bound.',
        ),
      rounds: whole({ min: 1, max: MOST_ROUNDS })
        .prefault(1)
        .describe('Turns of each child: the first and its follow-ups. Whole number ≥ 1; default 1.'),
      requests: whole({ min: 1, max: MOST_ROUNDS })
        .prefault(1)
        .describe('Model requests of a turn, one after the other. Whole number ≥ 1; default 1.'),
      tokens: tokens(distributions).prefault({}).describe('What each request takes and gives.'),
      tools: z.exactOptional(tools(distributions)).describe('Tools called after each model request. Default: none.'),
      context: z
        .exactOptional(context())
        .describe('A context that grows with each turn, over all rounds. Default: none.'),
      limits: z.exactOptional(limits()).describe('What ends a turn before its work is done. Default: none.'),
      followUp: followUp().prefault({}).describe('How further rounds reach the same child.'),
      steer: z.exactOptional(steer()).describe('A message to each child on the way. Default: none.'),
      budget: z.exactOptional(budget(distributions)).describe('What the wall clock allows a turn. Default: no end.'),
    },
    { error: expected('a stage: a mapping with name') },
  );
  return withRules(written, toolsThatEnd);
}

function followUp(): z.ZodType<StageSettings['followUp']> {
  return z
    .strictObject(
      {
        cachedPrefix: share()
          .prefault('80%')
          .describe("Share of a follow-up's input that the provider has in its prompt cache. Default 80%."),
        after: duration().prefault(0).describe('From the end of a turn until the parent asks again. Default 0.'),
      },
      { error: expected('a mapping, as { cachedPrefix: 80%, after: 10s }') },
    )
    .transform(({ cachedPrefix, after }) => ({ cachedPrefix, afterMs: after }));
}

function steer(): z.ZodType<SteerSettings> {
  return z
    .strictObject(
      {
        after: duration().describe('When it is sent, from the dispatch of the child on.'),
        requests: whole({ min: 1, max: MOST_ROUNDS })
          .prefault(1)
          .describe(
            'Model requests that it adds to a turn, or wakes a settled child for. Whole number ≥ 1; default 1.',
          ),
      },
      { error: expected('a mapping, as { after: 30s, requests: 1 }') },
    )
    .transform(({ after, requests }) => ({ afterMs: after, requests }));
}

function budget(distributions: Distributions): z.ZodType<BudgetSettings> {
  return z
    .strictObject(
      {
        time: duration({ positive: true }).describe('Of a turn, from its dispatch; then it is interrupted. Above 0.'),
        warnAt: share({ positive: true })
          .prefault('80%')
          .describe('Share of the time after which the child is warned, once. Default 80%.'),
        finishAfterWarning: share()
          .prefault(0)
          .describe('Share of the warned that end their turn with the request that they are at. Default 0%.'),
        grace: duration().prefault('3m').describe('From the interrupt to the hard stop. Default 3m.'),
        sweep: duration({ positive: true })
          .prefault('15s')
          .describe('How often the host looks: each of the above comes up to this much late. Above 0; default 15s.'),
        closing: z
          .strictObject(
            { tokens: tokens(distributions).prefault({}).describe('What it takes and gives.') },
            { error: expected('a mapping, as { tokens: { input: 4000, output: 500 } }') },
          )
          .prefault({})
          .describe('The report of a child that was interrupted.'),
      },
      { error: expected('a mapping, as { time: 10m }') },
    )
    .transform(({ time, warnAt, finishAfterWarning, grace, sweep, closing }) => ({
      timeMs: time,
      warnAt,
      finishAfterWarning,
      graceMs: grace,
      sweepMs: sweep,
      closing: closing.tokens,
    }));
}

/** The names of the stages of a pipeline as written; undefined for one that has none. */
export function stageNames(written: Mapping): readonly (string | undefined)[] {
  return asList(written.stages).map((each) => {
    const name = asMapping(each)?.name;
    return typeof name === 'string' ? name : undefined;
  });
}
