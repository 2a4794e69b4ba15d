import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventHandle, EventQueue, type Phase } from '../../src/kernel/event-queue.js';

function nothing(): void {}

function drain(queue: EventQueue): unknown[] {
  const args: unknown[] = [];
  while (queue.size > 0) args.push(queue.pop().arg);
  return args;
}

type Step =
  | { readonly kind: 'push'; readonly timeUs: number; readonly phase: number }
  | { readonly kind: 'cancel'; readonly nth: number }
  | { readonly kind: 'pop' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      timeUs: fc.nat(12),
      phase: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(10_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pop' as const) }) },
);

/** The same queue as a list that is sorted again whenever somebody asks. */
class NaiveQueue {
  readonly #pending: { timeUs: number; phase: number; id: number }[] = [];

  push(timeUs: number, phase: number, id: number): void {
    this.#pending.push({ timeUs, phase, id });
    this.#pending.sort((a, b) => a.timeUs - b.timeUs || a.phase - b.phase || a.id - b.id);
  }

  cancel(id: number): boolean {
    const index = this.#pending.findIndex((event) => event.id === id);
    if (index >= 0) this.#pending.splice(index, 1);
    return index >= 0;
  }

  pop(): { timeUs: number; id: number } | undefined {
    return this.#pending.shift();
  }

  get size(): number {
    return this.#pending.length;
  }
}

describe('EventQueue', () => {
  it('does what a sorted list does, for any mix of pushes, pops and cancels of any handle ever given', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new EventQueue();
        const naive = new NaiveQueue();
        const handles: EventHandle[] = [];
        for (const action of steps) {
          if (action.kind === 'push') {
            naive.push(action.timeUs, action.phase, handles.length);
            handles.push(queue.push(action.timeUs, action.phase as Phase, 0, nothing, handles.length));
          } else if (action.kind === 'cancel' && handles.length > 0) {
            const id = action.nth % handles.length;
            expect(queue.cancel(handles[id]!)).toBe(naive.cancel(id));
          } else if (action.kind === 'pop' && queue.size > 0) {
            const timeUs = queue.nextTimeUs;
            expect({ timeUs, id: queue.pop().arg }).toMatchObject(pick(naive.pop()));
          }
          expect(queue.size).toBe(naive.size);
        }
        const rest: unknown[] = [];
        while (naive.size > 0) rest.push(naive.pop()!.id);
        expect(drain(queue)).toEqual(rest);
      }),
      { numRuns: 400 },
    );
  });

  it('grows beyond its first capacity without losing an event or a handle', () => {
    const queue = new EventQueue();
    const handles = Array.from({ length: 5000 }, (_, id) =>
      queue.push((id * 7919) % 5000, 1, 0, nothing, (id * 7919) % 5000),
    );
    expect(queue.capacity).toBe(8192);
    for (let id = 0; id < 5000; id += 2) expect(queue.cancel(handles[id]!)).toBe(true);
    const kept = handles.flatMap((_, id) => (id % 2 === 1 ? [(id * 7919) % 5000] : []));
    expect(drain(queue)).toEqual(kept.sort((a, b) => a - b));
  });

  it('keeps nothing of a cancelled event: a million timeouts set and cancelled leave the capacity as it was', () => {
    const queue = new EventQueue();
    const timeoutUs = 600_000_000;
    let open: EventHandle[] = [];
    for (let call = 0; call < 1_000_000; call += 1) {
      open.push(queue.push(call + timeoutUs, 2, 0, nothing, call));
      if (open.length === 8) {
        for (const handle of open) queue.cancel(handle);
        open = [];
      }
    }
    expect({ size: queue.size, capacity: queue.capacity }).toEqual({ size: 0, capacity: 256 });
  });

  it('refuses a late cancel: a handle fits no other event, although its slot is used again and again', () => {
    const queue = new EventQueue();
    const fired = queue.push(1, 1, 0, nothing, 'fired');
    queue.pop();
    const cancelled = queue.push(2, 1, 0, nothing, 'cancelled');
    expect(queue.cancel(cancelled)).toBe(true);
    for (let reuse = 0; reuse < 1000; reuse += 1) {
      const handle = queue.push(3, 1, 0, nothing, reuse);
      expect([queue.cancel(fired), queue.cancel(cancelled), queue.size]).toEqual([false, false, 1]);
      expect(queue.cancel(handle)).toBe(true);
      expect(queue.cancel(handle)).toBe(false);
    }
  });

  it('knows no handle that it did not give: 0, a slot beyond the capacity, and no number at all are refused', () => {
    const queue = new EventQueue();
    queue.push(1, 1, 0, nothing, undefined);
    const foreign = [0, 1, -1, 2 ** 24 + 5000, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY];
    expect(foreign.map((handle) => queue.cancel(handle as EventHandle))).toEqual(foreign.map(() => false));
    expect(queue.size).toBe(1);
  });
});

function pick(event: { timeUs: number; id: number } | undefined): { timeUs: number; id: number } {
  return { timeUs: event!.timeUs, id: event!.id };
}
