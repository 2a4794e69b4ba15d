/** The promise form of the synchronous one: a thin wrapper, so that there is only one way into the queue. */

import type { Waiter, Waiting } from './queued-request.js';
import type { Ticket } from './ticket.js';

class PromiseWaiter implements Waiter {
  readonly #resolve: (ticket: Ticket) => void;
  readonly #reject: (reason: unknown) => void;

  constructor(resolve: (ticket: Ticket) => void, reject: (reason: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  admitted(ticket: Ticket): void {
    this.#resolve(ticket);
  }

  refused(reason: unknown): void {
    this.#reject(reason);
  }
}

/** Rejects with what `enqueue` throws or the waiter is refused with. */
export function admission(enqueue: (waiter: Waiter) => Waiting): Promise<Ticket> {
  return new Promise((resolve, reject) => {
    enqueue(new PromiseWaiter(resolve, reject));
  });
}
