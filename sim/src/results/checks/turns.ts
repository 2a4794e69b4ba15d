/**
 * Who is next at the gate of one key: first in, first out inside a run, and runs with waiters in turns. A run joins at
 * the tail with its first waiter and goes there again when it was served and has more. Requests without a run are one.
 */

import { breach } from './invariants.js';

/** What the gate needs to know of a request. */
export interface Waiter {
  readonly id: number;
  readonly run: string | undefined;
  /** The next of its lane. */
  behind: Waiter | undefined;
}

class Lane {
  readonly run: string | undefined;
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;
  /** The lane that is served after this one. */
  after: Lane | undefined = undefined;

  constructor(run: string | undefined) {
    this.run = run;
  }
}

export class Turns {
  /** Requests that wait at the gate. */
  waiting = 0;
  readonly #lanes = new Map<string | undefined, Lane>();
  #next: Lane | undefined;
  #tail: Lane | undefined;

  /** Whoever has asked for the key so far. */
  get runs(): Iterable<string | undefined> {
    return this.#lanes.keys();
  }

  /** The request comes to the gate. */
  enter(request: Waiter): void {
    const lane = this.#lane(request.run);
    this.waiting++;
    request.behind = undefined;
    if (lane.last === undefined) {
      lane.first = request;
      this.#toTail(lane);
    } else {
      lane.last.behind = request;
    }
    lane.last = request;
  }

  /** The request is admitted: it must be the one whose turn it is. */
  leave(request: Waiter): void {
    const lane = this.#next;
    if (lane?.first !== request) this.#refuse(request);
    this.waiting--;
    this.#next = lane.after;
    if (this.#next === undefined) this.#tail = undefined;
    lane.first = request.behind;
    if (lane.first === undefined) lane.last = undefined;
    else this.#toTail(lane);
  }

  #toTail(lane: Lane): void {
    lane.after = undefined;
    if (this.#tail === undefined) this.#next = lane;
    else this.#tail.after = lane;
    this.#tail = lane;
  }

  #lane(run: string | undefined): Lane {
    let lane = this.#lanes.get(run);
    if (lane === undefined) {
      lane = new Lane(run);
      this.#lanes.set(run, lane);
    }
    return lane;
  }

  #refuse({ id, run }: Waiter): never {
    const first = this.#lanes.get(run)?.first;
    if (first?.id !== id)
      breach('first-in-first-out', `request ${id} is admitted before ${first?.id} of ${nameOf(run)}`);
    const { run: nextRun, first: next } = this.#next as Lane;
    breach(
      'turns-between-runs',
      `request ${id} of ${nameOf(run)} is admitted on the turn of ${next?.id} of ${nameOf(nextRun)}`,
    );
  }
}

function nameOf(run: string | undefined): string {
  return run === undefined ? 'those without a run' : `run ${run}`;
}
