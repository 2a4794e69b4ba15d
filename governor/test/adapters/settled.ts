/** Looks at a governor from the outside: what is in flight, and what the settled requests came to. */

import { type Answer, createGovernor, type Governor, type GovernorOptions } from '../../src/index.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

export interface Watched {
  readonly governor: Governor;
  readonly clock: ManualClock;
  /** The outcome of each settled request, with the reason of a refusal, in order. */
  readonly outcomes: string[];
  /** The keys that were used. */
  readonly keys: string[];
  /** Settlements beyond the first. */
  readonly again: number;
  inFlight(): number;
  cap(): number | undefined;
  /** When nothing is in flight any more. */
  idle(): Promise<void>;
}

/** A governor on a manual clock. */
export function watched(options: GovernorOptions = {}): Watched {
  const clock = new ManualClock();
  const governor = createGovernor({ clock, ...options });
  const outcomes: string[] = [];
  const keys: string[] = [];
  let again = 0;
  let waiting: (() => void)[] = [];
  const inFlight = (): number => governor.snapshots().reduce((sum, bucket) => sum + bucket.inFlight, 0);
  governor.onRequest((event) => {
    if (event.type === 'request-admitted') keys.push(`${event.key.provider}/${event.key.model}`);
    if (event.type !== 'request-settled') return;
    outcomes.push(event.reason ?? event.outcome);
    if (inFlight() > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  });
  governor.onEvent((event) => {
    if (event.type === 'settled-twice') again++;
  });
  return {
    governor,
    clock,
    outcomes,
    keys,
    get again() {
      return again;
    },
    inFlight,
    cap: () => governor.snapshots()[0]?.cap,
    idle: () => new Promise((resolve) => (inFlight() === 0 ? resolve() : waiting.push(resolve))),
  };
}

/** What the tickets of this governor are told when they are settled by an answer, from now on. */
export function answersTo(governor: Governor): Answer[] {
  const answers: Answer[] = [];
  const { enqueue } = governor;
  governor.enqueue = (key, options, waiter) =>
    enqueue.call(governor, key, options, {
      refused: (reason) => waiter.refused(reason),
      admitted(ticket) {
        const { settle } = ticket;
        ticket.settle = (answer) => {
          answers.push(answer);
          return settle.call(ticket, answer);
        };
        waiter.admitted(ticket);
      },
    });
  return answers;
}
