import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { BucketSnapshot } from '../../src/gate/bucket-settings.js';
import { createGovernor, type Governor } from '../../src/gate/governor.js';
import type { RequestEvent } from '../../src/gate/request-events.js';
import type { Run } from '../../src/gate/run.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { checkAsyncProperty } from '../../src/testing/replay.js';
import { Invariants } from './governor-invariants.js';
import { type Entry, KEYS, type Scenario, Story, scenarios, type World } from './governor-script.js';
import { NaiveGovernor, type NaiveRun } from './naive-governor.js';
import { countSignalListeners } from './signal-listeners.js';

const file = 'governor/test/properties/governor.test.ts';

interface RealWorld extends World<Run> {
  readonly governor: Governor & World<Run>['governor'];
  readonly clock: ManualClock;
}

function realWorld(options: Scenario['options']): RealWorld {
  const clock = new ManualClock();
  const reported: unknown[] = [];
  const governor: Governor = createGovernor({ ...options, clock, onError: (error) => reported.push(error) });
  return {
    governor: governor as RealWorld['governor'],
    clock,
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    jump: (ms) => clock.jump(ms),
    abort: (controller, reason) => controller.abort(reason),
    reported,
  };
}

function naiveWorld(options: Scenario['options']): World<NaiveRun> & { readonly naive: NaiveGovernor } {
  const reported: unknown[] = [];
  const naive = new NaiveGovernor(options, (error) => reported.push(error));
  return {
    governor: naive,
    naive,
    now: () => naive.now,
    pass: (ms) => naive.pass(ms),
    jump: (ms) => naive.jump(ms),
    abort: (controller, reason) => {
      controller.abort(reason);
      naive.abort(controller.signal);
    },
    reported,
  };
}

/** Lives a scenario through on both governors side by side and compares all there is to see after every step. */
async function agree({ options, listening, script, isWatched, ending }: Scenario): Promise<void> {
  const real = realWorld(options);
  const model = naiveWorld(options);
  const listeners = countSignalListeners();
  try {
    const story = new Story(real, listening);
    const expected = new Story(model, listening);
    const requests: RequestEvent[] = [];
    if (isWatched) real.governor.onRequest((event) => requests.push(event));
    const invariants = new Invariants(options, listeners.of, isWatched ? requests : undefined);
    const compare = (seen: readonly Entry[], wanted: readonly Entry[], step: string): void => {
      for (const key of KEYS) if (real.governor.snapshot(key) === undefined) model.naive.forgetIfIdle(key);
      same(byKey(seen), byKey(wanted), `what was seen ${step}`);
      same(snapshots(real), snapshots(model), `the snapshots ${step}`);
      same(story.bounds, expected.bounds, `the bounds ${step}`);
      same(real.clock.pending, model.naive.timers, `the timers ${step}`);
      invariants.check(seen, story, (key) => real.governor.snapshot(key));
    };
    for (const [i, command] of script.entries()) {
      const step = `after command ${i} (${command.do})`;
      compare(await story.perform(command), await expected.perform(command), step);
    }
    if (ending === 'closed') compare(await story.close(), await expected.close(), 'after closing');
    for (let round = 0; story.waiting.length + story.tickets.length > 0 && round < 200; round++) {
      compare(await story.workOff(), await expected.workOff(), `after round ${round} of working off`);
    }
    invariants.finish(story, (key) => real.governor.snapshot(key));
    same(real.clock.pending, 0, 'timers left');
  } finally {
    listeners.stop();
  }
}

function snapshots({
  governor,
}: {
  readonly governor: { snapshot(key: (typeof KEYS)[0]): BucketSnapshot | undefined };
}) {
  return KEYS.map((key) => governor.snapshot(key));
}

/** Entries of one key are in order; between keys no order is promised. */
function byKey(entries: readonly Entry[]): Record<string, readonly Entry[]> {
  const groups: Record<string, Entry[]> = {};
  for (const entry of entries) {
    const group = groups[entry.key] ?? [];
    groups[entry.key] = group;
    group.push(entry);
  }
  return groups;
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [inOrder(actual), inOrder(expected)];
  if (seen !== wanted) throw new Error(`${what}:\n  expected ${wanted}\n  got      ${seen}`);
}

/** Fields in one order; runs that hear of a change in one order too, as none is promised. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) => {
    if (name === 'runs') return [...(field as readonly string[])].sort();
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

describe('the governor', () => {
  const name = 'the governor does what its naive model does, whatever is asked of it in whatever order';
  it(name, () => checkAsyncProperty(fc.asyncProperty(scenarios(), agree), { name, file, runs: 300 }), 120_000);
});
