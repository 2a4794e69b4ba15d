/**
 * A first-in-first-out list whose members carry their own links: joining, leaving from the middle and taking the oldest
 * are O(1) and allocate nothing. A member is in at most one list at a time.
 */

import { invariant } from './invariant.js';

/** What a member carries: whether it is in a list, and its neighbours there. A list writes these, nobody else. */
export interface FifoMember {
  listed: boolean;
  previous: FifoMember | undefined;
  next: FifoMember | undefined;
}

export class Fifo<N extends FifoMember> {
  head: N | undefined = undefined;
  tail: N | undefined = undefined;
  size = 0;

  push(node: N): void {
    invariant(!node.listed, 'a member joined a second list');
    node.listed = true;
    node.previous = this.tail;
    if (this.tail === undefined) this.head = node;
    else this.tail.next = node;
    this.tail = node;
    this.size++;
  }

  /** All of them, the oldest first. */
  members(): N[] {
    const members: N[] = [];
    for (let node = this.head; node !== undefined; node = node.next as N | undefined) members.push(node);
    return members;
  }

  shift(): N | undefined {
    const oldest = this.head;
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }

  remove(node: N): void {
    invariant(node.listed, 'a member left a list it is not in');
    if (node.previous === undefined) this.head = node.next as N | undefined;
    else node.previous.next = node.next;
    if (node.next === undefined) this.tail = node.previous as N | undefined;
    else node.next.previous = node.previous;
    node.listed = false;
    node.previous = undefined;
    node.next = undefined;
    this.size--;
  }
}
