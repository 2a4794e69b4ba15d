/**
 * The waiting line of one key: first in, first out inside a lane, round-robin between lanes. Lanes with waiters form a
 * ring; a lane that gets its first waiter joins at the tail, and a lane that was served moves there. So a lane of thirty
 * never starves a lane of one. Every operation is O(1).
 */

import { Fifo, type FifoMember } from './fifo.js';

export class Lane<N extends FifoMember> extends Fifo<N> implements FifoMember {
  /** Neighbours in the ring. */
  previous: FifoMember | undefined = undefined;
  next: FifoMember | undefined = undefined;
}

export class FairQueue<N extends FifoMember> {
  size = 0;
  /** Lanes with waiters; the head is served next. */
  readonly #lanes = new Fifo<Lane<N>>();

  push(lane: Lane<N>, node: N): void {
    lane.push(node);
    this.size++;
    if (lane.size === 1) this.#lanes.push(lane);
  }

  /** Who would be served next. */
  get next(): N | undefined {
    return this.#lanes.head?.head;
  }

  /** The oldest waiter of the lane whose turn it is. */
  shift(): N | undefined {
    const lane = this.#lanes.head;
    if (lane === undefined) return undefined;
    const node = lane.head as N;
    this.#lanes.rotate();
    this.remove(lane, node);
    return node;
  }

  /** All waiters, lane by lane from the one whose turn it is. */
  members(): N[] {
    return this.#lanes.members().flatMap((lane) => lane.members());
  }

  remove(lane: Lane<N>, node: N): void {
    lane.remove(node);
    this.size--;
    if (lane.size === 0) this.#lanes.remove(lane);
  }
}
