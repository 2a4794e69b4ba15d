/**
 * The timeline as a scenario writes it: at a time, one change. What happens to runs comes out as `RunChange`; what a `set`
 * makes of a provider takes all the changes before it, and is `timeline.ts`'s to find out.
 */

import { z } from 'zod';
import { type FieldRule, withRules } from './field-rule.js';
import { check } from './issues.js';
import { duration, expected, text } from './quantities.js';
import { asList, asMapping } from './raw-data.js';
import type { RunChange, TargetSettings } from './scenario.js';
import { splitTarget, target } from './target.js';
import { bound } from './workload-schema.js';

const actions = ['set', 'retune', 'amend', 'pause', 'crash'];

export function timeline(): z.ZodType<unknown> {
  return z.array(anyEntry, { error: expected('a list of changes') });
}

const set = z
  .record(z.string(), z.unknown(), { error: expected('a mapping from paths to values') })
  .refine((paths) => Object.keys(paths).length > 0, { error: 'is empty; give it at least one path and value' })
  .meta({
    description:
      'New values of existing numbers, latencies, hints, and bounds of pipelines, by path: providers.acme.models.large.quotas[0].concurrency',
    minProperties: 1,
  });

const run = (): z.ZodType<string> => text('the id of a run').describe('The run, by its id.');

const retune = z.strictObject(
  { run: run(), maxConcurrency: bound().describe('Agents working at once from now on; null: the default bound.') },
  { error: expected('{ run, maxConcurrency }') },
);

const settings = z
  .union(
    [
      z.strictObject({
        model: z
          .union([target(), z.null()], { error: expected('provider/model or null') })
          .describe('The model that answers from now on; null: the target of the run.'),
      }),
      z.null(),
    ],
    { error: expected('{ model: provider/model }, or null to go back to the target of the run') },
  )
  .transform((written): TargetSettings | null => (written?.model ? splitTarget(written.model) : null));

const amend = withRules(
  z.strictObject(
    {
      run: run(),
      maxConcurrency: z
        .exactOptional(bound())
        .describe('Agents working at once. Left out: as it is; null: the default bound.'),
      settings: z
        .exactOptional(settings)
        .describe(
          'Left out: as they are; null: the target of the run. Another model makes a successor, which inherits finished asks by the names of its agents.',
        ),
    },
    { error: expected('{ run, maxConcurrency, settings }') },
  ),
  {
    message: 'changes nothing; give maxConcurrency or settings',
    holds: ({ maxConcurrency, settings: changed }) => maxConcurrency !== undefined || changed !== undefined,
  },
);

const pause = z.strictObject(
  { run: run(), for: duration({ positive: true }).describe('For how long it makes no new request.') },
  { error: expected('{ run, for }') },
);

const crash = z.strictObject(
  {
    run: run(),
    downFor: duration({ positive: true }).describe('How much later it is back, from its last snapshot.'),
  },
  { error: expected('{ run, downFor }') },
);

/** Exactly one thing happens at a time; two are two entries. */
const oneAction: FieldRule = {
  message: `has exactly one of ${actions.join(', ')}`,
  holds: (fields) => actions.filter((action) => fields[action] !== undefined).length === 1,
};

const entry = z.strictObject(
  {
    at: duration().describe('When.'),
    set: z.exactOptional(set),
    retune: z.exactOptional(retune).describe('Another bound of a run, in place: { run, maxConcurrency }.'),
    amend: z.exactOptional(amend).describe('Other settings of a run: { run, maxConcurrency, settings }.'),
    crash: z.exactOptional(crash).describe('The process of a run dies and comes back: { run, downFor }.'),
    pause: z.exactOptional(pause).describe('A run makes no new request for a while: { run, for }.'),
  },
  { error: expected(`a change: { at, ${actions.join(' | ')} }`) },
);

const anyEntry = withRules(entry, oneAction);

/** What happens to runs, with the place of each entry; entries that are wrong are the schema's to refuse. */
export function readRunChanges(written: unknown): { readonly index: number; readonly entry: RunChange }[] {
  return [...asList(written).entries()].flatMap(([index, one]) => {
    const checked = asMapping(one)?.set === undefined ? check(anyEntry, one) : undefined;
    return checked?.kind === 'fits' ? toChange(checked.value).map((change) => ({ index, entry: change })) : [];
  });
}

function toChange({
  at: atMs,
  retune: retuned,
  amend: amended,
  pause: paused,
  crash: crashed,
}: z.infer<typeof entry>): RunChange[] {
  if (retuned !== undefined) return [{ kind: 'retune', atMs, ...retuned }];
  if (paused !== undefined) return [{ kind: 'pause', atMs, run: paused.run, forMs: paused.for }];
  if (crashed !== undefined) return [{ kind: 'crash', atMs, run: crashed.run, downForMs: crashed.downFor }];
  if (amended === undefined) return [];
  const { settings: changed, ...rest } = amended;
  return [{ kind: 'amend', atMs, ...rest, ...(changed !== undefined && { target: changed }) }];
}
