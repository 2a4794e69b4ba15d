import { describe, expect, it } from 'vitest';
import { type Invariant, InvariantBroken } from '../../src/results/checks/invariants.js';
import { Checks } from '../../src/results/checks.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { BROKEN as BROKEN_PIPELINES } from './broken-pipelines.js';
import {
  admitted,
  capChanged,
  KEY,
  nodeWaiting,
  queued,
  retryScheduled,
  runFinished,
  runStarted,
  SCENARIO,
  STORY,
  settled,
  traceFinished,
  traceStarted,
  withdrawn,
} from './hand-written-trace.js';

function firstBreach(trace: readonly TraceEvent[]): InvariantBroken | undefined {
  const checks = new Checks();
  try {
    for (const event of trace) checks.observe(event);
    return undefined;
  } catch (error) {
    if (error instanceof InvariantBroken) return error;
    throw error;
  }
}

/** The story with the event at `line` (from 1) replaced by others, and what came after it cut off. */
function upTo(line: number, ...events: readonly TraceEvent[]): readonly TraceEvent[] {
  return [...STORY.slice(0, line - 1), ...events];
}

/** The story with the event at `line` changed, and its end left as it was. */
function changed(line: number, change: object): readonly TraceEvent[] {
  return STORY.map((event, i) => (i === line - 1 ? ({ ...event, ...change } as TraceEvent) : event));
}

const two = (details: object): TraceEvent => runStarted(0, { run: 'other', ...details });
const other = { run: 'other' };
const lone = (id: number) => ({ id, attempt: 1, key: KEY });
/** The last line of the story, its ledger changed. */
const ledger = (details: object): readonly TraceEvent[] =>
  upTo(
    STORY.length,
    traceFinished(2350, {
      admitted: 4,
      refused: 2,
      abandoned: 1,
      peakInFlight: 2,
      refusedBy: { concurrency: 2 },
      ...details,
    }),
  );

const broken: readonly { invariant: Invariant; how: string; trace: readonly TraceEvent[]; line: number }[] = [
  {
    invariant: 'time-never-goes-back',
    how: 'an event is earlier than the last',
    trace: changed(13, { t: 99 }),
    line: 13,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a request is admitted and was never queued',
    trace: upTo(3, admitted(0, 1)),
    line: 3,
  },
  { invariant: 'attempts-in-order', how: 'a request is admitted twice', trace: upTo(5, admitted(0, 1)), line: 5 },
  { invariant: 'attempts-in-order', how: 'the first request has number 2', trace: upTo(3, queued(0, 2)), line: 3 },
  {
    invariant: 'attempts-in-order',
    how: 'a request begins with its second attempt',
    trace: upTo(3, queued(0, 1, { attempt: 2 })),
    line: 3,
  },
  {
    invariant: 'attempts-in-order',
    how: 'an attempt is skipped',
    trace: upTo(22, queued(1350, 3, { attempt: 3 })),
    line: 22,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a request is queued again without a retry',
    trace: upTo(18, queued(250, 3, { attempt: 2 })),
    line: 18,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a retry is scheduled for a request in flight',
    trace: upTo(16, retryScheduled(250, 3, 1)),
    line: 16,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a request in flight is withdrawn',
    trace: upTo(5, withdrawn(0, 1, 'queue')),
    line: 5,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a request that queues is withdrawn from a backoff',
    trace: upTo(11, withdrawn(0, 3, 'backoff')),
    line: 11,
  },
  {
    invariant: 'attempts-in-order',
    how: 'a request that was withdrawn is admitted',
    trace: [...upTo(11), withdrawn(0, 3, 'queue'), admitted(100, 3, { waitMs: 100 })],
    line: 12,
  },
  { invariant: 'one-settlement', how: 'a success settles again', trace: upTo(12, settled(100, 1)), line: 12 },
  {
    invariant: 'one-settlement',
    how: 'a refusal settles again',
    trace: upTo(19, settled(250, 3, { serviceMs: 150 })),
    line: 19,
  },
  {
    invariant: 'one-settlement',
    how: 'a queued request settles',
    trace: upTo(11, settled(0, 3, { serviceMs: 0 })),
    line: 11,
  },
  {
    invariant: 'one-settlement',
    how: 'a ticket comes back with another epoch',
    trace: upTo(11, settled(100, 1, { epoch: 1 })),
    line: 11,
  },
  { invariant: 'one-settlement', how: 'a success is lost', trace: upTo(11, settled(100, 1, { lost: true })), line: 11 },
  {
    invariant: 'in-flight-balance',
    how: 'a request settles on a key that has nothing in flight',
    trace: upTo(11, settled(100, 1, { key: 'acme/small' })),
    line: 11,
  },
  {
    invariant: 'room-under-cap',
    how: 'a third is admitted under a cap of two',
    trace: upTo(8, admitted(0, 3)),
    line: 8,
  },
  {
    invariant: 'no-admission-in-cooldown',
    how: 'a retry passes 10 ms before the cooldown ends',
    trace: upTo(
      18,
      retryScheduled(250, 3, 990),
      settled(300, 4, { outcome: 'throttled', lost: true }),
      queued(1240, 3, { attempt: 2 }),
      admitted(1240, 3, { attempt: 2, epoch: 1 }),
    ),
    line: 21,
  },
  {
    invariant: 'no-admission-in-cooldown',
    how: 'a later refusal shortens the cooldown',
    trace: upTo(
      20,
      settled(300, 4, { outcome: 'throttled', lost: true, cooldownUntil: 1000 }),
      queued(1100, 5),
      admitted(1100, 5, { epoch: 1 }),
    ),
    line: 22,
  },
  {
    invariant: 'littles-law',
    how: 'every wait is measured a microsecond too long, which passes for rounding in each alone',
    trace: STORY.map((event) =>
      event.type === 'request-admitted' ? { ...event, waitMs: event.waitMs + 0.001 } : event,
    ),
    line: STORY.length,
  },
  {
    invariant: 'observers-never-queue',
    how: 'an observer asks and time goes on',
    trace: upTo(8, queued(0, 4, { run: undefined, observer: true }), admitted(10, 4, { observer: true })),
    line: 9,
  },
  { invariant: 'cap-in-bounds', how: 'the cap falls below the floor', trace: changed(17, { next: 0 }), line: 17 },
  {
    invariant: 'cap-in-bounds',
    how: 'a change starts from a cap that is not',
    trace: changed(14, { previous: 4 }),
    line: 14,
  },
  {
    invariant: 'cap-in-bounds',
    how: 'the cap rises over the bound of every run',
    trace: changed(14, { next: 5 }),
    line: 14,
  },
  {
    invariant: 'one-cut-per-epoch',
    how: 'the second refusal of a wave cuts again',
    trace: upTo(21, capChanged(300, 2, 1, 'rate_limited')),
    line: 21,
  },
  {
    invariant: 'one-cut-per-epoch',
    how: 'one refusal cuts twice',
    trace: upTo(18, capChanged(250, 2, 1, 'rate_limited')),
    line: 18,
  },
  { invariant: 'one-cut-per-epoch', how: 'a refusal raises the cap', trace: changed(17, { next: 4 }), line: 17 },
  {
    invariant: 'one-cut-per-epoch',
    how: 'a request is admitted in the epoch before a refusal',
    trace: changed(23, { epoch: 0 }),
    line: 23,
  },
  {
    invariant: 'one-cut-per-epoch',
    how: 'an epoch begins with requests in flight and no refusal',
    trace: changed(12, { epoch: 1 }),
    line: 12,
  },
  {
    invariant: 'one-cut-per-epoch',
    how: 'the cut is told behind a later success',
    trace: upTo(
      11,
      settled(100, 1, { outcome: 'throttled', lost: true }),
      settled(100, 2),
      capChanged(100, 2, 1, 'rate_limited'),
    ),
    line: 13,
  },
  {
    invariant: 'raise-on-proof',
    how: 'one success is enough',
    trace: upTo(12, capChanged(100, 2, 3, 'recovered')),
    line: 12,
  },
  {
    invariant: 'raise-on-proof',
    how: 'a success of an old epoch counts',
    trace: [
      ...upTo(11),
      capChanged(50, 2, 1, 'limit_lowered'),
      settled(100, 1),
      settled(100, 2),
      capChanged(100, 1, 2, 'recovered'),
    ],
    line: 14,
  },
  {
    invariant: 'raise-on-proof',
    how: 'a failure between the successes is forgotten',
    trace: [
      ...upTo(11),
      settled(100, 1),
      admitted(100, 3, { waitMs: 100 }),
      settled(150, 3, { outcome: 'failed', serviceMs: 50, lost: true }),
      settled(200, 2, { serviceMs: 200 }),
      capChanged(200, 2, 3, 'recovered'),
    ],
    line: 15,
  },
  {
    invariant: 'raise-on-proof',
    how: 'nobody waits',
    trace: [...upTo(7), settled(100, 1), settled(100, 2), capChanged(100, 2, 3, 'recovered')],
    line: 9,
  },
  {
    invariant: 'raise-on-proof',
    how: 'the raise comes later than the success',
    trace: upTo(14, capChanged(210, 2, 3, 'recovered')),
    line: 14,
  },
  {
    invariant: 'raise-on-proof',
    how: 'the same successes raise it twice',
    trace: upTo(15, capChanged(200, 3, 4, 'recovered')),
    line: 15,
  },
  {
    invariant: 'first-in-first-out',
    how: 'the fourth passes the third',
    trace: upTo(12, admitted(100, 4, { waitMs: 100 })),
    line: 12,
  },
  {
    invariant: 'turns-between-runs',
    how: 'a run is served twice while another waits',
    trace: [
      ...upTo(11),
      two({}),
      queued(0, 5, other),
      settled(100, 1),
      admitted(100, 3, { waitMs: 100 }),
      settled(100, 2),
      capChanged(100, 2, 3, 'recovered'),
      admitted(100, 4, { waitMs: 100 }),
    ],
    line: 17,
  },
  { invariant: 'wait-as-measured', how: 'the gate says 99 ms of 100', trace: changed(12, { waitMs: 99 }), line: 12 },
  {
    invariant: 'service-as-measured',
    how: 'the event says 101 ms of 100',
    trace: changed(11, { serviceMs: 101 }),
    line: 11,
  },
  {
    invariant: 'times-add-up',
    how: 'a retry comes later than its backoff',
    trace: changed(18, { delayMs: 1099 }),
    line: 22,
  },
  {
    invariant: 'times-add-up',
    how: 'what rounding would excuse in each part is too much in all',
    trace: [
      ...upTo(11),
      settled(100, 1),
      admitted(100, 3, { waitMs: 100.001 }),
      settled(200, 3, { serviceMs: 100.001 }),
    ],
    line: 13,
  },
  {
    invariant: 'every-request-ends',
    how: 'the run is done with one in flight',
    trace: [...upTo(27), traceFinished(2350)],
    line: 27,
  },
  {
    invariant: 'every-request-ends',
    how: 'the run is done with one in its backoff',
    trace: [...upTo(25), traceFinished(2350)],
    line: 25,
  },
  {
    invariant: 'ledger-agrees',
    how: 'the provider admitted one that was never sent',
    trace: ledger({ admitted: 5 }),
    line: 29,
  },
  {
    invariant: 'ledger-agrees',
    how: 'the provider never saw one that was sent',
    trace: ledger({ admitted: 3, abandoned: 0 }),
    line: 29,
  },
  {
    invariant: 'ledger-agrees',
    how: 'a refusal is not in the ledger',
    trace: ledger({ admitted: 5, refused: 1, refusedBy: { concurrency: 1 } }),
    line: 29,
  },
  { invariant: 'ledger-agrees', how: 'another quota refused', trace: ledger({ refusedBy: { rpm: 2 } }), line: 29 },
  {
    invariant: 'ledger-agrees',
    how: 'the quotas refused more than the provider',
    trace: ledger({ refusedBy: { concurrency: 2, rpm: 1 } }),
    line: 29,
  },
  { invariant: 'ledger-agrees', how: 'a success was never answered', trace: ledger({ abandoned: 2 }), line: 29 },
  {
    invariant: 'ledger-agrees',
    how: 'a key that nobody asked was',
    trace: upTo(29, {
      ...traceFinished(2350),
      ledger: { 'acme/small': { admitted: 1, refused: 0, abandoned: 0, peakInFlight: 1, inFlight: 0, refusedBy: {} } },
    }),
    line: 29,
  },
  {
    invariant: 'mock-in-flight',
    how: 'the provider had more at once than was sent',
    trace: ledger({ peakInFlight: 3 }),
    line: 29,
  },
  {
    invariant: 'mock-in-flight',
    how: 'the provider still has one in flight',
    trace: ledger({ inFlight: 1, abandoned: 0 }),
    line: 29,
  },
];

describe('checks', () => {
  it('pass the story', () => {
    expect(firstBreach(STORY)).toBeUndefined();
  });

  it.each(broken)('name $invariant when $how', ({ invariant, trace, line }) => {
    const found = firstBreach(trace);
    expect(found).toMatchObject({ name: 'InvariantBroken', invariant, line });
    expect(found?.message).toContain(JSON.stringify(trace[line - 1]));
  });

  it('are all broken by some trace of this table, or of that of pipelines', async () => {
    const { INVARIANTS } = await import('../../src/results/checks/invariants.js');
    const brokenHere = broken.map(({ invariant }) => invariant);
    expect(new Set([...brokenHere, ...BROKEN_PIPELINES.map(([invariant]) => invariant)])).toEqual(
      new Set(Object.keys(INVARIANTS)),
    );
  });
});

const good: readonly { what: string; trace: readonly TraceEvent[] }[] = [
  {
    what: 'two runs that take turns, whichever began to wait first',
    trace: [
      ...upTo(11),
      two({}),
      queued(0, 5, other),
      queued(0, 6, other),
      settled(100, 1),
      admitted(100, 3, { waitMs: 100 }),
      settled(100, 2),
      capChanged(100, 2, 3, 'recovered'),
      admitted(100, 5, { ...other, waitMs: 100 }),
      admitted(100, 4, { waitMs: 100 }),
      settled(200, 3),
      admitted(200, 6, { ...other, waitMs: 200 }),
    ],
  },
  {
    what: 'a first request of a run whose bound raises the cap, so that others pass before it comes to the gate',
    trace: [
      ...upTo(11),
      two({ bound: 5 }),
      queued(50, 5, other),
      capChanged(50, 2, 5, 'seeded'),
      admitted(50, 3, { epoch: 1, waitMs: 50 }),
      admitted(50, 4, { epoch: 1, waitMs: 50 }),
      admitted(50, 5, { ...other, epoch: 1 }),
    ],
  },
  {
    what: 'requests that leave the line before their turn: the first, the last, one between, the only one of its run',
    trace: [
      ...upTo(7),
      two({}),
      ...[queued(0, 3), queued(0, 4), queued(0, 5), queued(0, 6), queued(0, 7), queued(0, 8, other), queued(0, 9)],
      ...[withdrawn(50, 3, 'queue'), withdrawn(50, 9, 'queue'), withdrawn(50, 6, 'queue')],
      settled(100, 1),
      admitted(100, 4, { waitMs: 100 }),
      withdrawn(100, 8, 'queue', other),
      settled(100, 2),
      admitted(100, 5, { waitMs: 100 }),
      settled(150, 4, { serviceMs: 50 }),
      admitted(150, 7, { waitMs: 150 }),
    ],
  },
  {
    what: 'a request that is withdrawn from its backoff, and one that is parked from its line',
    trace: [
      ...upTo(20),
      withdrawn(260, 3, 'backoff'),
      queued(270, 5),
      nodeWaiting(270, 'a5', 'seat'),
      withdrawn(280, 5, 'queue'),
    ],
  },
  {
    what: 'a request that is parked and comes to the gate behind one that was queued after it',
    trace: [
      ...upTo(7),
      queued(0, 3),
      nodeWaiting(0, 'a3', 'seat'),
      queued(0, 4),
      nodeWaiting(0, 'a4', 'slot'),
      nodeWaiting(40, 'a3', 'slot'),
      settled(100, 1),
      admitted(100, 4, { waitMs: 100 }),
      settled(100, 2),
      admitted(100, 3, { waitMs: 100 }),
    ],
  },
  {
    what: 'requests that are queued without a word, and are let in when a cooldown is over',
    trace: [
      ...upTo(7),
      two({}),
      settled(50, 1, { outcome: 'throttled', serviceMs: 50, lost: true, cooldownUntil: 1000 }),
      capChanged(50, 2, 1, 'rate_limited', { cooldownMs: 950 }),
      settled(50, 2, { outcome: 'ended', serviceMs: 50, lost: true }),
      ...[queued(60, 3), queued(60, 4), queued(60, 5, other)],
      admitted(1000, 3, { epoch: 1, waitMs: 940 }),
      settled(1000, 3, { epoch: 1, serviceMs: 0 }),
      admitted(1000, 5, { ...other, epoch: 1, waitMs: 940 }),
      settled(1000, 5, { ...other, epoch: 1, serviceMs: 0 }),
      admitted(1000, 4, { epoch: 1, waitMs: 940 }),
    ],
  },
  {
    what: 'a request that is queued while another agent waits for a seat',
    trace: [
      ...upTo(7),
      queued(0, 3),
      nodeWaiting(0, 'a9', 'seat'),
      queued(0, 4),
      settled(100, 1),
      admitted(100, 3, { waitMs: 100 }),
    ],
  },
  {
    what: 'a cooldown whose end was rounded up by a microsecond',
    trace: [
      ...upTo(7),
      settled(50, 1, { outcome: 'throttled', serviceMs: 50, lost: true, cooldownUntil: 100.001 }),
      queued(100, 3),
      admitted(100, 3, { epoch: 1 }),
    ],
  },
  {
    what: 'a cap that falls and is still above the ceiling, for the run that lifted it is over',
    trace: [...upTo(7), capChanged(0, 2, 4, 'seeded'), runFinished(0), capChanged(0, 4, 3, 'limit_lowered')],
  },
  {
    what: 'a parked request that is admitted as soon as it has a seat',
    trace: [...upTo(7), queued(0, 3), nodeWaiting(0, 'a3', 'seat'), settled(100, 1), admitted(100, 3, { waitMs: 100 })],
  },
  {
    what: 'an epoch that an idle reset turned without a word',
    trace: [...upTo(5), settled(100, 1), queued(400_000, 2), admitted(400_000, 2, { epoch: 1 })],
  },
  {
    what: 'refusals at the floor, each of which turns the epoch without a change',
    trace: [
      traceStarted({ initial: 1 }),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(100, 1, { outcome: 'throttled', lost: true, refusedBy: 'concurrency' }),
      queued(100, 2),
      admitted(100, 2, { epoch: 1 }),
      settled(200, 2, { epoch: 1, outcome: 'throttled', lost: true, refusedBy: 'concurrency' }),
      queued(200, 3),
      admitted(200, 3, { epoch: 2 }),
    ],
  },
  {
    what: 'requests without a run, which are one lane',
    trace: [
      traceStarted({ initial: 1 }),
      { t: 0, type: 'request-queued', ...lone(1) },
      { t: 0, type: 'request-admitted', ...lone(1), epoch: 0, waitMs: 0 },
      { t: 0, type: 'request-queued', ...lone(2) },
      { t: 0, type: 'request-queued', ...lone(3) },
      { t: 9, type: 'request-settled', ...lone(1), outcome: 'succeeded', serviceMs: 9, epoch: 0 },
      { t: 9, type: 'request-admitted', ...lone(2), epoch: 0, waitMs: 9 },
    ],
  },
  {
    what: 'any number at once where nothing governs',
    trace: [
      traceStarted({ controller: 'none', initial: null }),
      runStarted(0),
      ...[1, 2, 3, 4, 5].flatMap((id) => [queued(0, id), admitted(0, id)]),
      ...[1, 2].map((id) => settled(100, id, { outcome: 'throttled', lost: true, refusedBy: 'concurrency' })),
    ],
  },
  {
    what: 'a run that time ended, with a refusal still on its way and one admitted in its last instant',
    trace: [
      ...upTo(15),
      admitted(200, 4, { waitMs: 200 }),
      traceFinished(200, { admitted: 2, refused: 1, peakInFlight: 2, refusedBy: { concurrency: 1 } }, { stop: 'time' }),
    ],
  },
  {
    what: 'a live run, whose provider shows no ledger and whose timers are late',
    trace: STORY.map((event) => {
      if (event.type === 'trace-started') return { ...event, mode: 'live' as const };
      if (event.type === 'retry-scheduled') return { ...event, delayMs: event.delayMs - 3 };
      return event.type === 'trace-finished' ? { ...event, ledger: {} } : event;
    }),
  },
];

describe('checks pass', () => {
  it.each(good)('$what', ({ trace }) => {
    expect(firstBreach(trace)?.message).toBeUndefined();
  });

  it('a cap that grows as far as the scenario lets it by itself', () => {
    const governor = { ...SCENARIO.governor, options: { initial: 2, growthFactor: 2 } };
    const raised = [runStarted(0, { bound: 1 }), capChanged(0, 2, 4, 'seeded')];
    const grows = traceStarted({ scenario: { ...SCENARIO, governor } });
    expect(firstBreach([grows, ...raised])).toBeUndefined();
    expect(firstBreach([traceStarted(), ...raised])).toMatchObject({ invariant: 'cap-in-bounds' });
  });

  it('a finished run, whose bound no longer raises the ceiling', () => {
    const trace = [...STORY.slice(0, -1), capChanged(2350, 2, 3, 'seeded')];
    expect(firstBreach(trace)).toMatchObject({ invariant: 'cap-in-bounds', event: { t: 2350 } });
    expect(firstBreach(trace.filter(({ type }) => type !== 'run-finished'))).toBeUndefined();
  });
});
