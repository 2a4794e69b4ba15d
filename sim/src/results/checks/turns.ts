/**
 * Who is next at the gate of one key: first in, first out inside a run, and runs with waiters in turns. A run joins at
 * the tail with its first waiter and goes there again when it was served and has more. Requests without a run are one.
 */

import { breach } from './invariants.js';

/** What the gate needs to know of a request. */
export interface Waiter {
  readonly id: number;
  readonly lane: Lane;
  /** The next of its lane. */
  behind: Waiter | undefined;
}

/** The requests of one run that wait; those without a run are one lane. */
export class Lane {
  readonly run: string | undefined;
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;
  /** The lane that is served after this one. */
  after: Lane | undefined = undefined;

  constructor(run: string | undefined) {
    this.run = run;
  }

  get name(): string {
    return this.run === undefined ? 'those without a run' : `run ${this.run}`;
  }
}

export class Turns {
  /** Requests that wait at the gate. */
  waiting = 0;
  readonly #lanes = new Map<string | undefined, Lane>();
  #next: Lane | undefined;
  #tail: Lane | undefined;

  /** Whether the run has asked for the key before. */
  has(run: string): boolean {
    return this.#lanes.has(run);
  }

  /** Of a run that asks for the key. */
  lane(run: string | undefined): Lane {
    let lane = this.#lanes.get(run);
    if (lane === undefined) {
      lane = new Lane(run);
      this.#lanes.set(run, lane);
    }
    return lane;
  }

  /** The request comes to the gate. */
  enter(request: Waiter): void {
    const { lane } = request;
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

  /** The request leaves the line before its turn; a lane that is empty then has no turn. */
  withdraw(request: Waiter): void {
    const { lane } = request;
    this.waiting--;
    let before: Waiter | undefined;
    for (let each = lane.first; each !== undefined && each !== request; each = each.behind) before = each;
    if (before === undefined) lane.first = request.behind;
    else before.behind = request.behind;
    if (lane.last === request) lane.last = before;
    if (lane.first === undefined) this.#dropOut(lane);
  }

  #dropOut(lane: Lane): void {
    let before: Lane | undefined;
    for (let each = this.#next; each !== undefined && each !== lane; each = each.after) before = each;
    if (before === undefined) this.#next = lane.after;
    else before.after = lane.after;
    if (this.#tail === lane) this.#tail = before;
  }

  #toTail(lane: Lane): void {
    lane.after = undefined;
    if (this.#tail === undefined) this.#next = lane;
    else this.#tail.after = lane;
    this.#tail = lane;
  }

  #refuse({ id, lane }: Waiter): never {
    const { first } = lane;
    if (first?.id !== id) breach('first-in-first-out', `request ${id} is admitted before ${first?.id} of ${lane.name}`);
    const next = this.#next as Lane;
    const turn = `the turn of ${next.first?.id} of ${next.name}`;
    breach('turns-between-runs', `request ${id} of ${lane.name} is admitted on ${turn}`);
  }
}
