import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../src/gate/ticket.js';
import { KEY, stage } from './stage.js';

describe('a callback that calls back in', () => {
  it('is a loop, not a recursion: fifty thousand waiters that settle at once leave the stack as it was', () => {
    const { governor, look } = stage({ initial: 1 });
    const holder = governor.tryAcquire(KEY)!;
    let admitted = 0;
    let depth = 0;
    let deepest = 0;
    const waiter = {
      admitted(ticket: Ticket): void {
        depth++;
        deepest = Math.max(deepest, depth);
        admitted++;
        ticket.succeed();
        depth--;
      },
      refused() {},
    };
    for (let i = 0; i < 50_000; i++) governor.enqueue(KEY, {}, waiter);
    holder.succeed();
    expect({ admitted, deepest }).toEqual({ admitted: 50_000, deepest: 1 });
    expect(look()).toMatchObject({ queue: 0, inFlight: 0 });
  });

  it('may ask again and again: each asks for its successor, and all are served', () => {
    const { governor, look } = stage({ initial: 1 });
    let left = 50_000;
    const waiter = {
      admitted(ticket: Ticket): void {
        if (--left > 0) governor.enqueue(KEY, {}, waiter);
        ticket.succeed();
      },
      refused() {},
    };
    governor.enqueue(KEY, {}, waiter);
    expect([left, look().queue, look().inFlight]).toEqual([0, 0, 0]);
  });

  it('may settle another, abort another and cancel another while it is being let through', () => {
    const { governor, ask, ticket, read } = stage({ initial: 2 });
    const controller = new AbortController();
    ask('a');
    ask('b');
    governor.enqueue(
      KEY,
      {},
      {
        admitted() {
          controller.abort('aborted');
          cancelled.cancel('cancelled');
          ticket('b').end();
        },
        refused() {},
      },
    );
    ask('c', { signal: controller.signal });
    const cancelled = ask('d');
    ask('e');
    ask('f');
    ticket('a').end();
    expect(read()).toEqual(['a', 'b', 'c: aborted', 'd: cancelled', 'e']);
  });
});

describe('a callback that throws', () => {
  it('gives its ticket back, is reported, and the next is let through', () => {
    const { governor, ask, ticket, errors, read, look } = stage({ initial: 1 });
    ask('a');
    governor.enqueue(
      KEY,
      {},
      {
        admitted() {
          throw new Error('admitted');
        },
        refused() {},
      },
    );
    ask('b');
    ticket('a').end();
    expect([errors, read(), look().inFlight]).toEqual([[new Error('admitted')], ['a', 'b'], 1]);
  });

  it('also where it was let through at once, and where it had settled already', () => {
    const { governor, errors, look } = stage({ initial: 1 });
    const throwing = (act: (ticket: Ticket) => void) => ({
      admitted(ticket: Ticket): void {
        act(ticket);
        throw new Error('admitted');
      },
      refused() {},
    });
    governor.enqueue(
      KEY,
      {},
      throwing(() => {}),
    );
    governor.enqueue(
      KEY,
      {},
      throwing((ticket) => ticket.succeed()),
    );
    expect([errors.length, look().inFlight, look().successStreak]).toEqual([2, 0, 1]);
  });

  it('about its refusal is reported and hurts nobody', () => {
    const { governor, ask, ticket, errors, read } = stage({ initial: 1 });
    const controller = new AbortController();
    ask('a');
    governor.enqueue(
      KEY,
      { signal: controller.signal },
      {
        admitted() {},
        refused() {
          throw new Error('refused');
        },
      },
    );
    ask('b', { signal: controller.signal });
    ask('c');
    controller.abort('stop');
    ticket('a').end();
    expect([errors, read()]).toEqual([[new Error('refused')], ['a', 'b: stop', 'c']]);
  });

  it('is swallowed where even the reporter throws', () => {
    const { governor, look } = stage({
      onError() {
        throw new Error('reporter');
      },
    });
    const waiter = {
      admitted() {
        throw new Error('admitted');
      },
      refused() {},
    };
    expect(() => governor.enqueue(KEY, {}, waiter)).not.toThrow();
    expect(look().inFlight).toBe(0);
  });
});
