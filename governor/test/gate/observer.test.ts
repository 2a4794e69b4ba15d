import { describe, expect, it } from 'vitest';
import { KEY, stage } from './stage.js';

describe('an observer', () => {
  it('is let through above the cap, past the queue and in a cooldown, and is counted in flight', () => {
    const { governor, ask, ticket, look } = stage({ initial: 2 });
    const observer = governor.observer();
    ask('a');
    ask('b');
    ask('c');
    expect(observer.acquire(KEY).settled).toBe(false);
    expect(look()).toMatchObject({ cap: 2, inFlight: 3, queue: 1 });
    ticket('a').throttle({ retryAfterMs: 60_000 });
    observer.acquire(KEY);
    expect(look()).toMatchObject({ cap: 1, inFlight: 3, queue: 1 });
  });

  it('takes the place of others while it is in flight', () => {
    const { governor, ask, read } = stage({ initial: 1 });
    const ticket = governor.observer().acquire(KEY);
    ask('a');
    expect(read()).toEqual([]);
    ticket.succeed();
    expect(read()).toEqual(['a']);
  });

  it('counts as a signal when it is refused, wherever it was let in', () => {
    const { governor, ask, look } = stage({ initial: 4 });
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    const above = governor.observer().acquire(KEY);
    above.throttle({ retryAfterMs: 1_000 });
    expect(look()).toMatchObject({ cap: 3, epoch: 1, cooldownUntil: 1_000 });
    const cooling = governor.observer().acquire(KEY);
    cooling.throttle();
    expect(look()).toMatchObject({ cap: 2, epoch: 2 });
  });

  it('proves the cap with its success only if it would have been let in anyway', () => {
    const { governor, ask, ticket, look, clock } = stage({ initial: 2 });
    const observer = governor.observer();
    observer.acquire(KEY).succeed();
    expect(look().successStreak).toBe(1);

    ask('a');
    ask('b');
    observer.acquire(KEY).succeed();
    expect(look()).toMatchObject({ successStreak: 1, inFlight: 2 });

    ticket('a').throttle({ retryAfterMs: 1_000 });
    ticket('b').end();
    observer.acquire(KEY).succeed();
    expect(look()).toMatchObject({ successStreak: 0, inFlight: 0, cap: 1 });

    clock.advance(1_000);
    observer.acquire(KEY).succeed();
    expect(look()).toMatchObject({ successStreak: 1, cap: 1 });
  });

  it('is judged by where it was let in, not by where it comes back', () => {
    const { governor, ask, ticket, look } = stage({ initial: 1 });
    ask('a');
    const ticketAbove = governor.observer().acquire(KEY);
    ticket('a').end();
    ticketAbove.succeed();
    expect(look().successStreak).toBe(0);
  });

  it('keeps its failure too: it breaks the row of successes', () => {
    const { governor, look } = stage({ initial: 1 });
    const observer = governor.observer();
    observer.acquire(KEY).succeed();
    observer.acquire(KEY).fail();
    expect(look().successStreak).toBe(0);
  });

  it('belongs to no run', () => {
    const { governor } = stage();
    expect(governor.observer().acquire(KEY).run).toBeUndefined();
  });
});
