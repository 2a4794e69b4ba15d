import { describe, expect, it } from 'vitest';
import { FairQueue, Lane } from '../src/core/fair-queue.js';
import { Fifo, type FifoMember } from '../src/core/fifo.js';
import { InvariantError } from '../src/core/invariant.js';
import { Seats } from '../src/core/seats.js';

function member(): FifoMember {
  return { previous: undefined, next: undefined };
}

describe('a line', () => {
  it('has a member once: joining again is a defect, and so is joining another line', () => {
    const line = new Fifo();
    const only = member();
    line.push(only);
    expect(() => line.push(only)).toThrow(new InvariantError('a member joined a second list'));
    expect(() => new Fifo().push(only)).toThrow(new InvariantError('a member joined a second list'));
    expect(line.members()).toEqual([only]);
  });

  it('lets nobody leave twice', () => {
    const line = new Fifo();
    const [first, second] = [member(), member()];
    line.push(first);
    line.push(second);
    line.remove(first);
    expect(() => line.remove(first)).toThrow(new InvariantError('a member left a list it is not in'));
    expect(line.size).toBe(1);
    expect(line.head).toBe(second);
  });

  it('is whole after its oldest, its newest and one in the middle left', () => {
    const line = new Fifo();
    const [a, b, c, d, e] = [member(), member(), member(), member(), member()] as const;
    for (const one of [a, b, c, d, e]) line.push(one);
    for (const one of [c, e, a]) line.remove(one);
    line.push(c);
    expect(line.members().map((one) => [a, b, c, d, e].indexOf(one))).toEqual([1, 3, 2]);
    expect([line.shift(), line.shift(), line.shift(), line.shift()]).toEqual([b, d, c, undefined]);
    expect(line.size).toBe(0);
  });
});

describe('lines in turn', () => {
  it('whoever is next is told without being served, and a served lane goes to the end', () => {
    const queue = new FairQueue();
    const [left, right] = [new Lane(), new Lane()];
    const [a, b, c] = [member(), member(), member()];
    expect([queue.next, queue.shift(), queue.members()]).toEqual([undefined, undefined, []]);
    queue.push(left, a);
    queue.push(left, b);
    queue.push(right, c);
    const order = [];
    while (queue.size > 0) {
      const { next } = queue;
      expect(queue.shift()).toBe(next);
      order.push([a, b, c].indexOf(next as FifoMember));
    }
    expect(order).toEqual([0, 2, 1]);
  });
});

describe('seats', () => {
  it('a seat that nobody holds cannot be left', () => {
    const seats = new Seats(1);
    expect(() => seats.leave()).toThrow(new InvariantError('a subagent left a seat that nobody holds'));
    seats.sit();
    seats.leave();
    expect(seats.working).toBe(0);
  });
});
