/**
 * A first-in-first-out list whose members carry their own links, in a ring: joining, leaving from the middle and taking the
 * oldest are O(1) and allocate nothing. A member is in at most one list at a time.
 */

import { invariant } from './invariant.js';

/** What a member carries: its neighbours in the ring, undefined while it is in none. A list writes these, nobody else. */
export interface FifoMember {
  previous: FifoMember | undefined;
  next: FifoMember | undefined;
}

export class Fifo<N extends FifoMember> {
  /** The oldest; the newest is the one before it. */
  head: N | undefined = undefined;
  size = 0;

  push(node: N): void {
    invariant(node.next === undefined, 'a member joined a second list');
    const { head } = this;
    if (head === undefined) {
      this.head = node;
      node.previous = node;
      node.next = node;
    } else {
      const newest = head.previous as N;
      node.previous = newest;
      node.next = head;
      newest.next = node;
      head.previous = node;
    }
    this.size++;
  }

  /** All of them, the oldest first. */
  members(): N[] {
    const members: N[] = [];
    for (let node = this.head; members.length < this.size; node = node?.next as N) members.push(node as N);
    return members;
  }

  shift(): N | undefined {
    const oldest = this.head;
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }

  remove(node: N): void {
    const { next } = node;
    invariant(next !== undefined, 'a member left a list it is not in');
    const previous = node.previous as N;
    if (this.head === node) this.head = next === node ? undefined : (next as N);
    previous.next = next;
    next.previous = previous;
    node.previous = undefined;
    node.next = undefined;
    this.size--;
  }

  /** The oldest becomes the newest. */
  rotate(): void {
    this.head = this.head?.next as N | undefined;
  }
}
