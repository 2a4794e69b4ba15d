import { describe, expect, it } from 'vitest';
import { KEY, type Stage, stage } from './stage.js';

/** Lets time pass in steps and notes who was let through when. */
function times({ clock, read }: Stage, ms: number, stepMs: number): string[] {
  const seen: string[] = [];
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    seen.push(...read().map((name) => `${clock.now()} ${name}`));
  }
  return seen;
}

/** Four in flight, one of them refused with a second to wait: the cap is three, six wait. */
function afterTheRefusal(): Stage {
  const set = stage({ initial: 4, resumeStaggerMs: 250 });
  for (const name of ['a', 'b', 'c', 'd']) set.ask(name);
  set.ticket('a').throttle({ retryAfterMs: 1_000 });
  for (const name of ['b', 'c', 'd']) set.ticket(name).end();
  for (let i = 1; i <= 6; i++) set.ask(`w${i}`);
  set.read();
  return set;
}

describe('a staggered resume', () => {
  it('lets as many through one by one as the cap is, the first at the deadline, by one timer', () => {
    const set = afterTheRefusal();
    expect(set.clock.pending).toBe(1);
    expect(times(set, 1_250, 50)).toEqual(['1000 w1', '1250 w2']);
    expect(set.clock.pending).toBe(1);
    expect(times(set, 2_000, 50)).toEqual(['1500 w3']);
    expect(set.clock.pending).toBe(0);
  });

  it('goes back to all at once afterwards', () => {
    const set = afterTheRefusal();
    times(set, 1_500, 250);
    for (const name of ['w1', 'w2', 'w3']) set.ticket(name).end();
    expect(set.read()).toEqual(['w4', 'w5', 'w6']);
  });

  it('spaces the grants that settlements make room for, too', () => {
    const set = afterTheRefusal();
    set.clock.advance(1_000);
    set.ticket('w1').end();
    set.read();
    expect(times(set, 1_000, 50)).toEqual(['1250 w2', '1500 w3', '1500 w4']);
  });

  it('has nothing for tryAcquire meanwhile, waiters or not, but everything for an observer', () => {
    const set = stage({ initial: 4, resumeStaggerMs: 250 });
    set.ask('a');
    set.ticket('a').throttle({ retryAfterMs: 1_000 });
    set.clock.advance(1_000);
    expect(set.governor.tryAcquire(KEY)).toBeDefined();
    set.clock.advance(249);
    expect(set.governor.tryAcquire(KEY)).toBeUndefined();
    expect(set.governor.observer().acquire(KEY)).toBeDefined();
    set.clock.advance(1);
    expect(set.governor.tryAcquire(KEY)).toBeDefined();
  });

  it('is no evidence for growth: until the last of them the controller hears that nobody waits', () => {
    const set = stage({ initial: 2, growthLimit: 8, increaseAfterSuccesses: 1, resumeStaggerMs: 250 });
    set.ask('a');
    set.ask('b');
    set.ticket('a').throttle({ retryAfterMs: 1_000 });
    set.ticket('b').throttle({ reason: 'rate_limited' });
    for (let i = 1; i <= 5; i++) set.ask(`w${i}`);
    expect(set.look()).toMatchObject({ cap: 1, queue: 5, waiters: 5 });
    set.read();
    set.clock.advance(1_000);
    // The cap is one: the first grant is the last of the resume.
    expect(set.look()).toMatchObject({ cap: 1, queue: 4, waiters: 4 });

    const wider = afterTheRefusal();
    wider.clock.advance(1_000);
    expect(wider.look()).toMatchObject({ cap: 3, queue: 5, waiters: 0 });
    wider.clock.advance(250);
    for (const name of ['w1', 'w2']) wider.ticket(name).succeed();
    wider.clock.advance(249);
    expect(wider.look()).toMatchObject({ cap: 3, queue: 4, waiters: 0 });
    wider.clock.advance(1);
    expect(wider.read()).toEqual(['w1', 'w2', 'w3', 'w4', 'w5']);
    expect(wider.look()).toMatchObject({ queue: 1, waiters: 1 });
  });

  it('begins anew when a refusal extends the wait in the middle of it', () => {
    const set = afterTheRefusal();
    set.clock.advance(1_250);
    set.ticket('w1').throttle({ retryAfterMs: 2_000 });
    set.ticket('w2').end();
    expect(set.look()).toMatchObject({ cap: 2, inFlight: 0 });
    set.read();
    expect(times(set, 3_000, 250)).toEqual(['3250 w3', '3500 w4']);
  });

  it('is off where nothing is said: everybody goes at the deadline', () => {
    const set = stage({ initial: 4 });
    set.ask('a');
    set.ticket('a').throttle({ retryAfterMs: 1_000 });
    for (let i = 1; i <= 3; i++) set.ask(`w${i}`);
    set.read();
    expect(times(set, 1_000, 250)).toEqual(['1000 w1', '1000 w2', '1000 w3']);
  });
});
