import { describe, expect, it } from 'vitest';
import { BoundEntry, BoundHeap } from '../src/core/bound-heap.js';

describe('the bounds of the runs on a key', () => {
  it('the largest is there at once, whatever joins, changes and leaves', () => {
    const heap = new BoundHeap();
    const [three, seven, five] = [new BoundEntry(3), new BoundEntry(7), new BoundEntry(5)];
    expect(heap.max).toBeUndefined();
    for (const entry of [three, seven, five]) heap.put(entry);
    expect(heap.max).toBe(7);
    seven.bound = 2;
    heap.put(seven);
    expect(heap.max).toBe(5);
    heap.remove(five);
    heap.remove(five);
    expect(heap.max).toBe(3);
    three.bound = 9;
    heap.put(three);
    expect(heap.max).toBe(9);
    heap.remove(three);
    expect(heap.max).toBe(2);
    heap.remove(seven);
    expect(heap.max).toBeUndefined();
    expect([three, seven, five].map(({ index }) => index)).toEqual([-1, -1, -1]);
  });

  it('is what a list that is searched would say, over ten thousand changes', () => {
    let state = 20;
    const below = (n: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % n;
    };
    const heap = new BoundHeap();
    const entries = Array.from({ length: 40 }, () => new BoundEntry(0));
    const present = new Set<BoundEntry>();
    for (let i = 0; i < 10_000; i++) {
      const entry = entries[below(40)] as BoundEntry;
      if (below(3) === 0) {
        heap.remove(entry);
        present.delete(entry);
      } else {
        entry.bound = below(1_000);
        heap.put(entry);
        present.add(entry);
      }
      const largest = present.size === 0 ? undefined : Math.max(...[...present].map(({ bound }) => bound));
      expect(heap.max, `after ${i + 1} changes`).toBe(largest);
    }
  });
});
