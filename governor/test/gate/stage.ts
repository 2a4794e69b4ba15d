/** A governor on a clock that moves when told, and a notebook of who was let through and who was turned away. */

import type { Ask } from '../../src/gate/ask.js';
import type { GovernorEvent } from '../../src/gate/events.js';
import { type AcquireOptions, createGovernor, type Governor, type GovernorOptions } from '../../src/gate/governor.js';
import type { Waiting } from '../../src/gate/queued-request.js';
import type { Key, Ticket } from '../../src/gate/ticket.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

export const KEY: Key = { provider: 'p', model: 'm' };

export interface Stage {
  readonly governor: Governor;
  readonly clock: ManualClock;
  readonly events: GovernorEvent[];
  /** What callbacks and listeners threw. */
  readonly errors: unknown[];
  /** `name` for each request let through, `name: reason` for each turned away, in order. */
  readonly log: string[];
  /** Asks for a request that is called `name`. */
  ask(
    name: string,
    options?: AcquireOptions & { readonly key?: Key; readonly ask?: Ask; readonly insideTool?: boolean },
  ): Waiting;
  /** The ticket of a request that was let through. */
  ticket(name: string): Ticket;
  /** Takes the log so far away. */
  read(): string[];
  /** Of the key, that is in use. */
  look(key?: Key): NonNullable<ReturnType<Governor['snapshot']>>;
}

export function stage(options: GovernorOptions = {}): Stage {
  const clock = new ManualClock();
  const events: GovernorEvent[] = [];
  const errors: unknown[] = [];
  const log: string[] = [];
  const tickets = new Map<string, Ticket>();
  const governor = createGovernor({ clock, onError: (error) => errors.push(error), ...options });
  governor.onEvent((event) => events.push(event));
  return {
    governor,
    clock,
    events,
    errors,
    log,
    ask(name, { key = KEY, ask, ...rest } = {}) {
      const waiter = {
        admitted(ticket: Ticket): void {
          log.push(name);
          tickets.set(name, ticket);
        },
        refused: (reason: unknown): void => void log.push(`${name}: ${reason instanceof Error ? reason.name : reason}`),
      };
      return ask === undefined ? governor.enqueue(key, rest, waiter) : ask.enqueue(key, rest, waiter);
    },
    ticket(name) {
      const ticket = tickets.get(name);
      if (ticket === undefined) throw new Error(`${name} was not let through; so far: ${log.join(', ')}`);
      return ticket;
    },
    read: () => log.splice(0),
    look(key = KEY) {
      const snapshot = governor.snapshot(key);
      if (snapshot === undefined) throw new Error(`${key.provider}/${key.model} is not in use`);
      return snapshot;
    },
  };
}

/** One turn of the event loop: every promise that is settled by now has been heard. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass in which promises are heard at each timer. */
export async function pass(clock: ManualClock, ms: number): Promise<void> {
  const end = clock.now() + ms;
  await turn();
  for (let { nextAt } = clock; nextAt !== undefined && nextAt <= end; { nextAt } = clock) {
    clock.advance(nextAt - clock.now());
    await turn();
  }
  clock.advance(end - clock.now());
}
