import { describe, expect, it } from 'vitest';
import { GovernorClosedError } from '../../src/gate/governor.js';
import { KEY, pass, stage } from './stage.js';

describe('closing a governor', () => {
  it('refuses whoever waits and drops every timer; what is in flight settles as it ends', () => {
    const { governor, ask, ticket, read, look, clock } = stage({ initial: 8, resumeStaggerMs: 10 });
    ask('a');
    ask('b');
    ticket('a').throttle({ retryAfterMs: 60_000 });
    ask('c');
    ask('d', { run: governor.openRun('r') });
    expect(clock.pending).toBe(1);
    governor.close();
    expect(read()).toEqual(['a', 'b', 'd: RunClosedError', 'c: GovernorClosedError']);
    expect([clock.pending, look().queue, look().inFlight]).toEqual([0, 0, 1]);
    ticket('b').succeed();
    expect(look().inFlight).toBe(0);
  });

  it('lets nobody in afterwards and opens no run', async () => {
    const { governor, ask, read } = stage();
    governor.close();
    governor.close();
    ask('a');
    expect(read()).toEqual(['a: GovernorClosedError']);
    expect(governor.tryAcquire(KEY)).toBeUndefined();
    await expect(governor.acquire(KEY)).rejects.toThrow(GovernorClosedError);
    expect(() => governor.openRun('r')).toThrow(GovernorClosedError);
  });

  it('wakes who sleeps until a retry, so that nothing holds the process', async () => {
    const { governor, clock } = stage();
    let sent = 0;
    const request = governor.request(KEY, async () => {
      sent++;
      throw Object.assign(new Error('busy'), { status: 503 });
    });
    const ended = expect(request).rejects.toThrow(GovernorClosedError);
    await pass(clock, 0);
    expect(clock.pending).toBe(1);
    governor.close();
    expect(clock.pending).toBe(0);
    await ended;
    expect(sent).toBe(1);
  });

  it('stops a request that was being sent: it does not go to sleep any more', async () => {
    const { governor, clock } = stage();
    let fail = (_: unknown): void => {};
    const request = governor.request(KEY, () => new Promise((_, reject) => (fail = reject)));
    const ended = expect(request).rejects.toThrow(GovernorClosedError);
    await pass(clock, 0);
    governor.close();
    fail(Object.assign(new Error('busy'), { status: 503 }));
    await ended;
    expect(clock.pending).toBe(0);
  });
});

describe('closing a run', () => {
  it('refuses those of its requests that wait, in every line, and no others', () => {
    const { governor, ask, read, look } = stage({ initial: 1 });
    const [a, b] = [governor.openRun('a'), governor.openRun('b')];
    const other = { provider: 'p', model: 'other' };
    ask('holder');
    ask('other holder', { key: other });
    ask('a1', { run: a });
    ask('b1', { run: b });
    ask('a2', { run: a, key: other });
    ask('a3', { run: a });
    a.close();
    expect(read().slice(2)).toEqual(['a1: RunClosedError', 'a3: RunClosedError', 'a2: RunClosedError']);
    expect([look().queue, look(other).queue]).toEqual([1, 0]);
  });

  it('takes nobody in afterwards: neither by the queue nor past it', () => {
    const { governor, ask, read } = stage();
    const run = governor.openRun('r');
    ask('a', { run });
    run.close();
    ask('b', { run });
    expect(governor.tryAcquire(KEY, { run })).toBeUndefined();
    expect(read()).toEqual(['a', 'b: RunClosedError']);
  });

  it('lets none of its own through while it refuses them', () => {
    const { governor, ask, ticket, log } = stage({ initial: 1 });
    const run = governor.openRun('r');
    ask('holder');
    governor.enqueue(KEY, { run }, { admitted() {}, refused: () => ticket('holder').end() });
    ask('same run', { run });
    ask('other');
    run.close();
    expect(log).toEqual(['holder', 'other', 'same run: RunClosedError']);
  });

  it('refuses the very request that was about to enter when a listener closed it', () => {
    const { governor, ask, read, look } = stage({ initial: 2 });
    const run = governor.openRun('r', { maxConcurrency: 9 });
    governor.onEvent(() => run.close());
    ask('a', { run });
    expect(read()).toEqual(['a: RunClosedError']);
    expect(look()).toMatchObject({ queue: 0, inFlight: 0 });
    expect(governor.tryAcquire(KEY, { run })).toBeUndefined();
  });

  it('makes its name free again', () => {
    const { governor } = stage();
    const run = governor.openRun('r');
    expect(() => governor.openRun('r')).toThrow(new RangeError('id: a run "r" is open already'));
    run.close();
    run.close();
    expect(governor.openRun('r').bound).toBe(8);
  });
});
