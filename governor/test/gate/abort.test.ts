import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/gate/clock.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { KEY, stage, turn } from './stage.js';

/** A signal that counts its listeners. */
function counted(): { controller: AbortController; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given: unknown[]) => {
    count++;
    Reflect.apply(addEventListener, signal, given);
  };
  signal.removeEventListener = (...given: unknown[]) => {
    count--;
    Reflect.apply(removeEventListener, signal, given);
  };
  return { controller, listeners: () => count };
}

describe('an aborted waiter', () => {
  it('leaves at once and is refused with the reason of the signal, whatever that is', async () => {
    const { governor, ask, look } = stage({ initial: 1 });
    ask('holder');
    const controller = new AbortController();
    const reason = { why: 'the user changed her mind' };
    const waiting = governor.acquire(KEY, { signal: controller.signal });
    expect(look().queue).toBe(1);
    controller.abort(reason);
    expect(look()).toMatchObject({ queue: 0, waiters: 0, inFlight: 1 });
    await expect(waiting).rejects.toBe(reason);
  });

  it('costs its signal one listener however many wait on it, and none after the last', () => {
    const { ask, ticket, clock } = stage({ initial: 1 });
    const { controller, listeners } = counted();
    const { signal } = controller;
    ask('holder', { signal });
    expect(listeners()).toBe(0);
    const waiting = Array.from({ length: 50 }, (_, i) => ask(`w${i}`, { signal }));
    ask('elsewhere', { signal, key: { provider: 'p', model: 'other' } });
    expect(listeners()).toBe(1);
    for (const one of waiting.slice(2)) one.cancel();
    ticket('holder').end();
    expect(listeners()).toBe(1);
    ticket('w0').end();
    expect([listeners(), clock.pending]).toEqual([0, 0]);
  });

  it('has its listener taken away when the signal fires', () => {
    const { ask, read } = stage({ initial: 1 });
    const { controller, listeners } = counted();
    ask('holder');
    ask('a', { signal: controller.signal });
    ask('b', { signal: controller.signal });
    controller.abort('stop');
    expect([read(), listeners()]).toEqual([['holder', 'a: stop', 'b: stop'], 0]);
  });

  it('never was one if the signal had fired before: it does not enter, room or not', async () => {
    const { governor, ask, look } = stage({ initial: 2 });
    ask('holder');
    const { controller, listeners } = counted();
    controller.abort('too late');
    await expect(governor.acquire(KEY, { signal: controller.signal })).rejects.toBe('too late');
    expect([look().inFlight, listeners()]).toEqual([1, 0]);
  });

  it('frees what it would have taken: of eleven that are aborted with the one running, nothing stays', () => {
    const { ask, ticket, read, look } = stage({ initial: 1 });
    const controller = new AbortController();
    ask('running', { signal: controller.signal });
    for (let i = 1; i <= 10; i++) ask(`w${i}`, { signal: controller.signal });
    controller.abort('all of it');
    ticket('running').release();
    expect(look()).toMatchObject({ inFlight: 0, queue: 0 });
    read();
    ask('next');
    expect(read()).toEqual(['next']);
  });
});

describe('abort and release in one tick', () => {
  const steps = ['release', 'abort a', 'abort b', 'ask d'] as const;
  const orders = permutations(steps).map((order) => [order.join(', '), order] as const);

  it.each(orders)('%s: no waiter is left while the slot is free', async (_, order) => {
    const { governor, ask, ticket, look } = stage({ initial: 1 });
    ask('holder');
    const [a, b] = [new AbortController(), new AbortController()];
    const ended: string[] = [];
    const acquire = (name: string, signal?: AbortSignal): void => {
      governor.acquire(KEY, signal === undefined ? {} : { signal }).then(
        (granted) => {
          ended.push(name);
          granted.end();
        },
        () => ended.push(`${name} aborted`),
      );
    };
    acquire('a', a.signal);
    acquire('b', b.signal);
    acquire('c');
    const acts = {
      release: () => ticket('holder').release(),
      'abort a': () => a.abort(),
      'abort b': () => b.abort(),
      'ask d': () => acquire('d'),
    };
    for (const step of order) acts[step]();
    const { queue, inFlight } = look();
    expect(queue === 0 || inFlight === 1).toBe(true);
    await turn();
    await turn();
    expect(look()).toMatchObject({ queue: 0, inFlight: 0 });
    expect(ended.map((name) => name[0]).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(ended).toContain('c');
    expect(ended).toContain('d');
  });
});

describe('several who wait on one signal', () => {
  it('are all gone before the first is told: what it is told lets none of them through', () => {
    const { governor, ask, ticket, log, look } = stage({ initial: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    ask('holder');
    const seen: unknown[] = [];
    governor.enqueue(
      KEY,
      { signal },
      {
        admitted() {},
        refused() {
          seen.push([look().queue, look().waiters]);
          ticket('holder').succeed();
        },
      },
    );
    ask('same signal', { signal });
    ask('other');
    controller.abort('stop');
    expect(seen).toEqual([[1, 1]]);
    expect(log).toEqual(['holder', 'other', 'same signal: stop']);
  });

  it('are all refused where a late timer would have let them through just then', () => {
    const manual = new ManualClock();
    let lateMs = 0;
    // Real timers run late when the process is busy: the time has come, the timer has not fired.
    const busy: Clock = { now: () => manual.now() + lateMs, schedule: (fn, ms) => manual.schedule(fn, ms) };
    const { ask, ticket, read } = stage({ clock: busy, initial: 8 });
    const controller = new AbortController();
    ask('one');
    ticket('one').throttle({ retryAfterMs: 1_000 });
    ask('a', { signal: controller.signal });
    ask('b', { signal: controller.signal });
    ask('c');
    read();
    lateMs = 1_001;
    controller.abort('stop');
    expect(read().sort()).toEqual(['a: stop', 'b: stop', 'c']);
  });
});

describe('cancel', () => {
  it('refuses with the reason given, or with an AbortError', () => {
    const { ask, read } = stage({ initial: 1 });
    ask('holder');
    const [a, b] = [ask('a'), ask('b')];
    a.cancel('not needed');
    b.cancel();
    expect(read()).toEqual(['holder', 'a: not needed', 'b: AbortError']);
  });

  it('does nothing to who was let through, refused or cancelled before', () => {
    const { ask, ticket, read, look } = stage({ initial: 1 });
    const holder = ask('holder');
    const [a, b] = [ask('a'), ask('b')];
    a.cancel('once');
    a.cancel('twice');
    holder.cancel('too late');
    ticket('holder').end();
    b.cancel('too late');
    expect(read()).toEqual(['holder', 'a: once', 'b']);
    expect(look().inFlight).toBe(1);
  });
});

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, i) => permutations(all.filter((_, j) => j !== i)).map((rest) => [one, ...rest]));
}
