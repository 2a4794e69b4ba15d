/** Every rule of pipelines, with a trace by hand that breaks it and one that does not. */

import { describe, expect, it } from 'vitest';
import { type Invariant, InvariantBroken } from '../../src/results/checks/invariants.js';
import { Checks } from '../../src/results/checks.js';
import { Metrics } from '../../src/results/metrics.js';
import type { TraceEvent } from '../../src/trace/events.js';
import {
  BROKEN,
  dispatched,
  event,
  interrupted,
  refused,
  SCENARIO,
  settled,
  stopped,
  warned,
} from './broken-pipelines.js';
import { traceStarted } from './hand-written-trace.js';

/** The rule that breaks, and the number of the event that breaks it; undefined when all is well. */
function verdict(...events: readonly TraceEvent[]): readonly [Invariant, number] | undefined {
  const checks = new Checks();
  try {
    for (const each of [traceStarted({ scenario: SCENARIO }), ...events]) checks.observe(each);
    return undefined;
  } catch (error) {
    if (error instanceof InvariantBroken) return [error.invariant, error.line - 1];
    throw error;
  }
}

describe('the rules of pipelines', () => {
  it('hold in a story with everything in it', () => {
    const story = [
      dispatched('one a-1'),
      refused('one a-2', 'stage'),
      dispatched('two a-1'),
      dispatched('two b-1'),
      refused('one b-1', 'host'),
      warned('one a-1'),
      settled('one a-1', 'wound-up'),
      dispatched('one a-2'),
      interrupted('one a-2'),
      settled('one a-2', 'reported'),
      dispatched('one a-2', 'follow-up'),
      settled('two b-1'),
      // Wakes its stage beyond its bound: the host alone is asked.
      dispatched('one a-1', 'follow-up'),
      interrupted('one a-2'),
      stopped('one a-2'),
      settled('one a-2', 'stopped'),
      event('child-steered', 'one a-1', { requests: 1 }),
      settled('one a-1'),
      settled('two a-1'),
    ];
    expect(verdict(...story)).toBeUndefined();
    const metrics = new Metrics();
    for (const each of [traceStarted({ scenario: SCENARIO }), { ...RUN_STARTED }, ...story]) metrics.observe(each);
    expect(metrics.figures().runs.p?.stages).toEqual({
      a: {
        dispatches: 3,
        refusals: 1,
        rounds: 5,
        warnings: 1,
        interrupts: 2,
        reports: 1,
        hardStops: 1,
        cachedTokens: 0,
      },
      b: {
        dispatches: 1,
        refusals: 1,
        rounds: 1,
        warnings: 0,
        interrupts: 0,
        reports: 0,
        hardStops: 0,
        cachedTokens: 0,
      },
    });
  });

  it.each(BROKEN)('%s: %s', (invariant, _, events) => {
    expect(verdict(...events)).toEqual([invariant, events.length]);
  });
});

const RUN_STARTED: TraceEvent = { t: 0, type: 'run-started', run: 'p', bound: 8, agents: 16 };
