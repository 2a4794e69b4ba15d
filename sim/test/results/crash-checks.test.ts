/** What the checks hold of a run that crashes: whoever waits leaves its line, and comes back to it before it is admitted. */

import { describe, expect, it } from 'vitest';
import { InvariantBroken } from '../../src/results/checks/invariants.js';
import { Checks } from '../../src/results/checks.js';
import type { TraceEvent } from '../../src/trace/events.js';
import {
  admitted,
  KEY,
  nodeWaiting,
  queued,
  retryScheduled,
  runFinished,
  runStarted,
  settled,
  traceFinished,
  traceStarted,
} from './hand-written-trace.js';

const resumed = (t: number, id: number): TraceEvent => ({
  ...{ t, id, attempt: 1, key: KEY, run: 'review', agent: `a${id}` },
  type: 'request-resumed',
});

/** A cap of two: 1 and 2 are in flight when the run dies at 50, 3 and 4 wait, and it is back at 80. */
const STORY: readonly TraceEvent[] = [
  traceStarted(),
  runStarted(0),
  ...[queued(0, 1), admitted(0, 1), queued(0, 2), admitted(0, 2)],
  ...[queued(0, 3), nodeWaiting(0, 'a3', 'slot'), queued(0, 4), nodeWaiting(0, 'a4', 'slot')],
  { t: 50, type: 'run-crashed', run: 'review', downForMs: 30 },
  settled(50, 1, { outcome: 'ended', serviceMs: 50 }),
  retryScheduled(50, 1, 30),
  settled(50, 2, { outcome: 'ended', serviceMs: 50 }),
  retryScheduled(50, 2, 30),
  queued(80, 1, { attempt: 2, down: true }),
  queued(80, 2, { attempt: 2, down: true }),
  { t: 80, type: 'run-resumed', run: 'review', bound: 4 },
  ...[resumed(80, 3), admitted(80, 3, { waitMs: 80 }), resumed(80, 4), admitted(80, 4, { waitMs: 80 })],
];

const REST: readonly TraceEvent[] = [
  { ...resumed(80, 1), attempt: 2 } as TraceEvent,
  nodeWaiting(80, 'a1', 'slot'),
  { ...resumed(80, 2), attempt: 2 } as TraceEvent,
  nodeWaiting(80, 'a2', 'slot'),
  ...[settled(180, 3), admitted(180, 1, { attempt: 2, waitMs: 100 })],
  ...[settled(180, 4), admitted(180, 2, { attempt: 2, waitMs: 100 })],
  ...[settled(280, 1, { attempt: 2 }), settled(280, 2, { attempt: 2 })],
  runFinished(280),
  traceFinished(280, { admitted: 6, abandoned: 2, peakInFlight: 2 }),
];

function breachOf(trace: readonly TraceEvent[]): string {
  const checks = new Checks();
  try {
    for (const event of trace) checks.observe(event);
    return 'none';
  } catch (error) {
    if (error instanceof InvariantBroken) return error.message;
    throw error;
  }
}

describe('a crash', () => {
  it('keeps every rule', () => {
    expect(breachOf([...STORY, ...REST])).toBe('none');
  });

  it.each<[string, readonly TraceEvent[], string]>([
    [
      'an attempt is admitted that has not come back to its line',
      [...STORY.slice(0, -4), admitted(80, 3, { waitMs: 80 })],
      'attempt 1 of request 3 is admitted on acme/large, attempt 1 on acme/large is down',
    ],
    [
      'an attempt comes back that is in flight',
      [...STORY, resumed(80, 3)],
      'attempt 1 of request 3 is resumed on acme/large, and the request is at attempt 1, in-flight',
    ],
    [
      'an attempt comes back that nobody made',
      [...STORY, resumed(80, 9)],
      'attempt 1 of request 9 is resumed on acme/large, and the request is over or unknown',
    ],
    [
      'an attempt overtakes one that was back before it',
      [...STORY, ...REST.slice(0, 5), admitted(180, 2, { attempt: 2, waitMs: 100 })],
      'request 2 is admitted before 1 of run review',
    ],
    [
      'the wait is counted from the return',
      [...STORY.slice(0, -4), resumed(80, 3), admitted(80, 3, { waitMs: 0 })],
      'request 3 waited 0 ms by the gate, 80 ms by the trace',
    ],
  ])('%s', (_, trace, message) => {
    expect(breachOf(trace)).toContain(message);
  });
});
