/**
 * The waiting line of one key: first in, first out inside a lane, round-robin between lanes. Lanes with waiters form a
 * ring; a lane that gets its first waiter joins at the tail, and a lane that was served moves there. So a lane of thirty
 * never starves a lane of one. Every operation is O(1).
 */

import { Fifo, type FifoMember } from './fifo.js';

export class Lane<N extends FifoMember> extends Fifo<N> {
  /** Neighbours in the ring; undefined while the lane has no waiter. */
  before: Lane<N> | undefined = undefined;
  after: Lane<N> | undefined = undefined;
}

export class FairQueue<N extends FifoMember> {
  size = 0;
  /** The lane to be served next; the tail is the one before it. */
  #head: Lane<N> | undefined = undefined;

  push(lane: Lane<N>, node: N): void {
    lane.push(node);
    this.size++;
    if (lane.size === 1) this.#join(lane);
  }

  /** Who would be served next. */
  get next(): N | undefined {
    return this.#head?.head;
  }

  /** The oldest waiter of the lane whose turn it is. */
  shift(): N | undefined {
    const lane = this.#head;
    const node = lane?.shift();
    if (lane === undefined || node === undefined) return undefined;
    this.size--;
    if (lane.size === 0) this.#leave(lane);
    else this.#head = lane.after;
    return node;
  }

  /** All waiters, lane by lane from the one whose turn it is. */
  members(): N[] {
    const head = this.#head;
    if (head === undefined) return [];
    const lanes = [head];
    for (let lane = head.after as Lane<N>; lane !== head; lane = lane.after as Lane<N>) lanes.push(lane);
    return lanes.flatMap((lane) => lane.members());
  }

  remove(lane: Lane<N>, node: N): void {
    lane.remove(node);
    this.size--;
    if (lane.size === 0) this.#leave(lane);
  }

  #join(lane: Lane<N>): void {
    const head = this.#head;
    if (head === undefined) {
      lane.before = lane;
      lane.after = lane;
      this.#head = lane;
      return;
    }
    const tail = head.before as Lane<N>;
    lane.before = tail;
    lane.after = head;
    tail.after = lane;
    head.before = lane;
  }

  #leave(lane: Lane<N>): void {
    const { before, after } = lane as { before: Lane<N>; after: Lane<N> };
    before.after = after;
    after.before = before;
    if (this.#head === lane) this.#head = after === lane ? undefined : after;
    lane.before = undefined;
    lane.after = undefined;
  }
}
