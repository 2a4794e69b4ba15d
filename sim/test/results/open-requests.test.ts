import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenRequests } from '../../src/results/open-requests.js';

/** Ids that often want the same place: all last bits are alike, or few. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: 40 }).map((n) => n * 64),
  fc.integer({ min: 1, max: 2 ** 40 }),
);
const step = fc.record({ kind: fc.constantFrom('set', 'set', 'delete'), id, value: fc.nat() });

describe('open requests', () => {
  it('remember what a Map remembers, whatever is added and removed in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const open = new OpenRequests<number>();
        const map = new Map<number, number>();
        for (const { kind, id, value } of steps) {
          if (kind === 'set') {
            open.set(id, value);
            map.set(id, value);
          } else {
            open.delete(id);
            map.delete(id);
          }
          expect(open.size).toBe(map.size);
          expect(open.get(id)).toBe(map.get(id));
        }
        const inOrder = [...map].sort(([a], [b]) => a - b);
        expect(open.values()).toEqual(inOrder.map(([, value]) => value));
        for (const [id, value] of map) expect(open.get(id)).toBe(value);
      }),
    );
  });

  it('keep one that stays open through a million others', () => {
    const open = new OpenRequests<string>();
    open.set(1, 'first');
    for (let n = 2; n <= 1_000_000; n++) {
      open.set(n, 'passing');
      open.delete(n);
    }
    expect(open.values()).toEqual(['first']);
    expect(open.get(1)).toBe('first');
  });
});
