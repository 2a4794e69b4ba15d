import { describe, expect, it } from 'vitest';
import type { Ask } from '../../src/gate/ask.js';
import type { Clock } from '../../src/gate/clock.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { type Stage, stage } from './stage.js';

/** A subagent of a run of five, on a key whose cap follows that bound. */
async function inTool(): Promise<Stage & { readonly subagent: Ask }> {
  const set = stage({ initial: 1 });
  const run = set.governor.openRun('r', { maxConcurrency: 5 });
  return { ...set, subagent: await run.start('a') };
}

describe('the deadline of a tool', () => {
  it('fires when the time has passed, with a TimeoutError', async () => {
    const { subagent, clock } = await inTool();
    const { signal } = subagent.toolDeadline(1_000);
    clock.advance(999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect([signal.aborted, signal.reason.name, clock.pending]).toEqual([true, 'TimeoutError', 0]);
  });

  it('never fires once the tool is done', async () => {
    const { subagent, clock } = await inTool();
    const deadline = subagent.toolDeadline(1_000);
    deadline.done();
    deadline.done();
    expect(clock.pending).toBe(0);
    clock.advance(5_000);
    expect(deadline.signal.aborted).toBe(false);
  });

  it('stands still while a request of the tool is queued at the gate, and keeps what is left', async () => {
    const { governor, subagent, ask, clock } = await inTool();
    for (let i = 0; i < 5; i++) governor.observer().acquire({ provider: 'p', model: 'm' });
    const { signal } = subagent.toolDeadline(1_000);
    clock.advance(400);
    const waiting = ask('queued', { ask: subagent, insideTool: true });
    clock.advance(60_000);
    expect([signal.aborted, clock.pending]).toEqual([false, 0]);
    waiting.cancel('gone');
    clock.advance(599);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('goes on when the request is admitted, and only when the last of several is', async () => {
    const { subagent, ask, ticket, clock } = await inTool();
    ask('holder');
    // A bound of five lets five through at once: one more than that waits.
    for (let i = 0; i < 4; i++) ask(`h${i}`, { ask: subagent, insideTool: true });
    const { signal } = subagent.toolDeadline(1_000);
    ask('one', { ask: subagent, insideTool: true });
    ask('two', { ask: subagent, insideTool: true });
    clock.advance(10_000);
    ticket('holder').end();
    clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    ticket('h0').end();
    clock.advance(999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('of several tools only the one stands still whose signal the request has', async () => {
    const { governor, subagent, ask, clock } = await inTool();
    for (let i = 0; i < 5; i++) governor.observer().acquire({ provider: 'p', model: 'm' });
    const [asking, other] = [subagent.toolDeadline(1_000).signal, subagent.toolDeadline(1_000).signal];
    ask('queued', { ask: subagent, insideTool: true, signal: asking });
    clock.advance(1_000);
    expect([asking.aborted, other.aborted]).toEqual([false, true]);
  });

  it('is not stopped by a request that need not wait, by one of the subagent itself, or by a backoff', async () => {
    const { subagent, ask, ticket, clock } = await inTool();
    const { signal } = subagent.toolDeadline(1_000);
    ask('at once', { ask: subagent, insideTool: true });
    clock.advance(300);
    ticket('at once').fail();
    subagent.backingOff();
    clock.advance(300);
    for (let i = 0; i < 6; i++) ask(`own ${i}`, { ask: subagent });
    clock.advance(400);
    expect(signal.aborted).toBe(true);
  });

  it('stands still for requests of subagents that were started inside the tool, at any depth', async () => {
    const { governor, ask, clock } = stage({ initial: 1 });
    const run = governor.openRun('r', { maxConcurrency: 1 });
    const parent = await run.start('parent');
    const { signal } = parent.toolDeadline(1_000);
    const child = await run.start('child', { parent });
    const grandchild = await run.start('grandchild', { parent: child });
    ask('holder');
    const waiting = ask('deep', { ask: grandchild });
    clock.advance(60_000);
    expect(signal.aborted).toBe(false);
    waiting.cancel('gone');
    clock.advance(1_000);
    expect(signal.aborted).toBe(true);
  });

  it('asks the clock again when its timer fires early', async () => {
    const clock = new ManualClock();
    const hasty: Clock = {
      now: () => clock.now(),
      schedule: (fn, delayMs) => clock.schedule(fn, delayMs > 1 ? delayMs - 1 : delayMs),
    };
    const { governor } = stage({ clock: hasty });
    const { signal } = (await governor.openRun('r').start('a')).toolDeadline(1_000);
    clock.advance(999);
    expect([signal.aborted, clock.pending]).toEqual([false, 1]);
    clock.advance(1);
    expect([signal.aborted, clock.pending]).toEqual([true, 0]);
  });

  it('ends with its subagent and with the run, without firing', async () => {
    const { governor, clock } = stage();
    const run = governor.openRun('r');
    const [a, b] = [await run.start('a'), await run.start('b')];
    const signals = [a, b, b].map((ask) => ask.toolDeadline(1_000).signal);
    expect(clock.pending).toBe(3);
    a.end();
    expect(clock.pending).toBe(2);
    run.close();
    expect(clock.pending).toBe(0);
    clock.advance(5_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  });

  it('of no time at all fires at once; of nonsense there is none', async () => {
    const { subagent, clock } = await inTool();
    const { signal } = subagent.toolDeadline(0);
    clock.advance(0);
    expect(signal.aborted).toBe(true);
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => subagent.toolDeadline(ms)).toThrow(/^toolDeadline: expected finite milliseconds ≥ 0/);
    }
  });
});
