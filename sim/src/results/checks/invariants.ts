/** The rules that hold for every run in every mode, by name, and the error that says which of them a trace breaks. */

import type { TraceEvent } from '../../trace/events.js';

export type Invariant =
  | 'time-never-goes-back'
  | 'attempts-in-order'
  | 'one-settlement'
  | 'in-flight-balance'
  | 'room-under-cap'
  | 'no-admission-in-cooldown'
  | 'cap-in-bounds'
  | 'one-cut-per-epoch'
  | 'raise-on-proof'
  | 'observers-never-queue'
  | 'first-in-first-out'
  | 'turns-between-runs'
  | 'wait-as-measured'
  | 'service-as-measured'
  | 'times-add-up'
  | 'littles-law'
  | 'every-request-ends'
  | 'ledger-agrees'
  | 'mock-in-flight'
  | 'pools-have-room'
  | 'refused-for-want-of-room'
  | 'children-end'
  | 'budgets-in-order';

export const INVARIANTS: Readonly<Record<Invariant, string>> = {
  'time-never-goes-back': 'no event is earlier than the one before it',
  'attempts-in-order':
    'requests are numbered from 1; each attempt is queued, admitted and settled, and then comes the next',
  'one-settlement': 'a ticket settles exactly once, in the epoch it was admitted in',
  'in-flight-balance': 'in flight equals admitted minus settled, per key, and is never negative',
  'room-under-cap': 'nobody is admitted at or above the cap',
  'no-admission-in-cooldown': 'nobody is admitted while the key cools',
  'cap-in-bounds': 'a cap changes from what it was, stays at or above the floor, and rises no higher than the ceiling',
  'one-cut-per-epoch': 'one wave of refusals cuts at most once, and an epoch turns only for a cause',
  'raise-on-proof': 'the cap rises only after enough successes in a row under it, and only if somebody waits',
  'observers-never-queue': 'an observer is admitted the moment it asks',
  'first-in-first-out': 'first in, first out inside a run',
  'turns-between-runs': 'runs with waiters take turns',
  'wait-as-measured': 'the wait that the gate measured is the distance from queued to admitted',
  'service-as-measured': 'the service time is the distance from admitted to settled',
  'times-add-up': 'wait, service and backoff of a request add up to its total',
  'littles-law': 'what waits and what is in flight, over time, is the time that the attempts spent there',
  'every-request-ends': 'a run that is done has no request left',
  'ledger-agrees': "the governor's counts are those of the provider's own ledger",
  'mock-in-flight': 'the provider has nothing in flight that the governor has not',
  'pools-have-room': 'a child is dispatched only under the bounds of its stage, its host and its program',
  'refused-for-want-of-room': 'a dispatch is refused only by a bound that has no room',
  'children-end': 'a child runs once at a time, settles, and never runs again after a hard stop',
  'budgets-in-order': 'a turn is warned at most once, then interrupted at most once, and stopped only after that',
};

/** A defect of the governor, the provider model or the runner, found in the trace; never the fault of a scenario. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly invariant: Invariant;
  /** Of the event that broke it, from 1: its line in the trace. */
  readonly line: number;
  readonly event: TraceEvent;

  constructor(breach: Breach, line: number, event: TraceEvent) {
    const { invariant, message } = breach;
    super(`${invariant} (${INVARIANTS[invariant]}): ${message}; line ${line} of the trace: ${JSON.stringify(event)}`);
    this.invariant = invariant;
    this.line = line;
    this.event = event;
  }
}

/** What a single check throws; it does not know the event's place in the trace. */
export class Breach extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, detail: string) {
    super(detail);
    this.invariant = invariant;
  }
}

export function breach(invariant: Invariant, detail: string): never {
  throw new Breach(invariant, detail);
}
