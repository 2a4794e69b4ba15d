/**
 * A run's seats: how many subagents work at once. Pure counting with two first-in-first-out lines: those that wait to
 * start, and those that were working when the bound fell and wait ("parked") for a seat before their next request.
 *
 * A start needs fewer than `bound` active (working + parked) subagents; a parked one needs fewer than `bound` working.
 * The parked go first: they are half-done work. As the bound is at least one, someone is always working.
 */

import { Fifo, type FifoMember } from './fifo.js';
import { invariant } from './invariant.js';

export class Seats<S extends FifoMember, P extends FifoMember> {
  bound: number;
  working = 0;
  readonly starters: Fifo<S> = new Fifo();
  readonly parked: Fifo<P> = new Fifo();

  constructor(bound: number) {
    this.bound = bound;
  }

  get active(): number {
    return this.working + this.parked.size;
  }

  /** Whether a new subagent may start now; those already waiting to start go first. */
  get canStart(): boolean {
    return this.starters.size === 0 && this.active < this.bound;
  }

  /** Whether a working subagent has to give up its seat before its next request. */
  get mustPark(): boolean {
    return this.working > this.bound;
  }

  sit(): void {
    this.working++;
  }

  leave(): void {
    invariant(this.working > 0, 'a subagent left a seat that nobody holds');
    this.working--;
  }

  park(subagent: P): void {
    this.leave();
    this.parked.push(subagent);
  }

  /** The parked subagent works again, seat or no seat: the request it waited with is gone. */
  unpark(subagent: P): void {
    this.parked.remove(subagent);
    this.sit();
  }

  /** Gives a free seat away: the parked first, then those that wait to start. Undefined when nobody can move. */
  next():
    | { readonly kind: 'unparked'; readonly subagent: P }
    | { readonly kind: 'started'; readonly starter: S }
    | undefined {
    const subagent = this.parked.head;
    if (subagent !== undefined && this.working < this.bound) {
      this.unpark(subagent);
      return { kind: 'unparked', subagent };
    }
    const starter = this.starters.head;
    if (starter !== undefined && this.active < this.bound) {
      this.starters.remove(starter);
      this.sit();
      return { kind: 'started', starter };
    }
    return undefined;
  }
}
