import fc from 'fast-check';
import { describe, it } from 'vitest';
import { FixedController } from '../../src/core/fixed.js';
import type { Ask } from '../../src/gate/ask.js';
import { createGovernor } from '../../src/gate/governor.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { checkProperty } from '../../src/testing/replay.js';
import { NaiveRun } from './naive-run.js';
import { type RunScenario, RunStory, runScenarios, type SeatedRun } from './run-script.js';
import { countSignalListeners } from './signal-listeners.js';

const file = 'governor/test/properties/runs.test.ts';
const DEFAULT_BOUND = 3;
const CAPS: Readonly<Record<string, number>> = { wide: 50, narrow: 2 };

/** Lives a scenario through on both runs side by side and compares who was started, let through and refused. */
function agree({ bound, script, ending }: RunScenario): void {
  const reported: unknown[] = [];
  const clock = new ManualClock();
  const governor = createGovernor({
    initial: DEFAULT_BOUND,
    clock,
    controller: (key) => new FixedController({ key, cap: CAPS[key.slice(2)] as number }),
    onError: (error) => reported.push(error),
  });
  const run = governor.openRun('r', { maxConcurrency: bound });
  const model = new NaiveRun(DEFAULT_BOUND, bound, CAPS);
  const listeners = countSignalListeners();
  try {
    const story = new RunStory(run as SeatedRun<Ask>, (controller) => controller.abort('fired'));
    const expected = new RunStory(model, (controller) => {
      controller.abort('fired');
      model.abort(controller.signal);
    });
    const compare = (seen: readonly string[], wanted: readonly string[], step: string): void => {
      same(seen, wanted, `what was seen ${step}`);
      same(story.waiting, expected.waiting, `who waits ${step}`);
      same(reported, [], `errors reported ${step}`);
      holds(model.longing === 0 || model.working > 0, `${step}: ${model.longing} wait for a seat and nobody works`);
    };
    for (const [i, command] of script.entries()) {
      compare(story.perform(command), expected.perform(command), `after command ${i} (${command.do})`);
    }
    if (ending === 'closed') compare(story.close(), expected.close(), 'after closing');
    for (let round = 0; !story.isDone && round < 200; round++) {
      compare(story.workOff(), expected.workOff(), `after round ${round} of working off`);
    }
    same(story.waiting, [], 'who waits at the end');
    same(
      governor
        .snapshots()
        .map(({ inFlight }) => inFlight)
        .filter((n) => n > 0),
      [],
      'what is in flight at the end',
    );
    for (const signal of story.signals) same(listeners.of(signal), 0, 'listeners left on a signal');
    same(clock.pending, 0, 'timers left');
  } finally {
    listeners.stop();
  }
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  holds(seen === wanted, `${what}:\n  expected ${wanted}\n  got      ${seen}`);
}

function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

describe('runs', () => {
  const name = 'runs seat their subagents as the naive model does, and someone is always working';
  it(name, () => checkProperty(fc.property(runScenarios(), agree), { name, file, runs: 600 }), 120_000);
});
