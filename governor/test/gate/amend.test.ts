import { describe, expect, it } from 'vitest';
import type { AmendResult, Run } from '../../src/gate/run.js';
import { RunClosedError } from '../../src/gate/run.js';
import { KEY, stage } from './stage.js';

function successorOf(result: AmendResult): Run {
  if (result.kind !== 'successor') throw new Error(`expected a successor, got ${JSON.stringify(result)}`);
  return result.run;
}

describe('amending a run', () => {
  it('leaves a field that is omitted, resets one that is null, sets one that is stated', () => {
    const { governor } = stage({ initial: 8 });
    const run = governor.openRun('r', { maxConcurrency: 4 });
    expect(run.amend({ maxConcurrency: 12 })).toEqual({ kind: 'retuned', previous: 4, bound: 12 });
    expect(run.amend({ maxConcurrency: null })).toEqual({ kind: 'retuned', previous: 12, bound: 8 });
    expect(run.amend({ maxConcurrency: 2.9 })).toEqual({ kind: 'retuned', previous: 8, bound: 2 });
    expect(run.bound).toBe(2);
  });

  it.each([
    [{}],
    [{ maxConcurrency: 4 }],
    [{ maxConcurrency: 4.8 }],
    [{ settings: { model: 'm', tools: ['a', 'b'] } }],
    [{ settings: { tools: ['a', 'b'], model: 'm' }, maxConcurrency: 4 }],
  ])('to what is in force already (%j) touches nothing', (change) => {
    const { governor, ask, events } = stage();
    const run = governor.openRun('r', { maxConcurrency: 4, settings: { model: 'm', tools: ['a', 'b'] } });
    ask('a', { run });
    events.length = 0;
    expect(run.amend(change)).toEqual({ kind: 'refused', reason: 'unchanged' });
    expect(events).toEqual([]);
  });

  it('that is closed is refused', () => {
    const { governor } = stage();
    const run = governor.openRun('r');
    run.close();
    expect(run.amend({ maxConcurrency: 3 })).toEqual({ kind: 'refused', reason: 'closed' });
  });

  it('in its bound only happens in place: same run, nothing stopped, one event', () => {
    const { governor, ask, ticket, events, read } = stage({ initial: 2 });
    const run = governor.openRun('r');
    ask('a', { run });
    ask('b', { run });
    ask('c', { run });
    run.amend({ maxConcurrency: 1 });
    expect(events).toEqual([{ type: 'run-caps-changed', at: 0, run: 'r', previous: 2, bound: 1 }]);
    expect([ticket('a').settled, ticket('b').settled]).toEqual([false, false]);
    ticket('a').end();
    expect(read()).toEqual(['a', 'b', 'c']);
  });
});

describe('a successor', () => {
  it('takes the place of a run whose settings change; the old tickets settle as ended and its waiters are refused', () => {
    const { governor, ask, ticket, read, look } = stage({ initial: 2 });
    const run = governor.openRun('r', { maxConcurrency: 2, settings: { prompt: 1 } });
    ask('a', { run });
    ask('b', { run });
    ask('c', { run });
    ask('other');
    const next = successorOf(run.amend({ settings: { prompt: 2 } }));
    expect(read()).toEqual(['a', 'b', 'c: RunClosedError', 'other']);
    expect([ticket('a').settled, ticket('b').settled]).toEqual([true, true]);
    expect(look()).toMatchObject({ inFlight: 1, epoch: 0, successStreak: 0, cap: 2 });
    expect(next).toMatchObject({ id: 'r@2', bound: 2, settings: { prompt: 2 } });
    ask('d', { run });
    ask('e', { run: next });
    expect(read()).toEqual(['d: RunClosedError', 'e']);
  });

  it('keeps the bound, or takes the one stated with the settings, and counts on', () => {
    const { governor } = stage({ initial: 8 });
    const run = governor.openRun('r', { maxConcurrency: 3 });
    const second = successorOf(run.amend({ settings: 'b' }));
    const third = successorOf(second.amend({ settings: 'c', maxConcurrency: null }));
    const fourth = successorOf(third.amend({ settings: 'd', maxConcurrency: 5 }));
    expect([second, third, fourth].map(({ id, bound }) => [id, bound])).toEqual([
      ['r@2', 3],
      ['r@3', 8],
      ['r@4', 5],
    ]);
    expect(run.amend({ settings: 'e' })).toEqual({ kind: 'refused', reason: 'closed' });
  });

  it('inherits what is finished by name and number of the ask, and does the rest again', async () => {
    const { governor } = stage();
    const run = governor.openRun('r');
    (await run.start('planner')).end('plan 1');
    (await run.start('planner')).end('plan 2');
    (await run.start('coder')).abandon();
    (await run.start('coder')).end('code 2');
    (await run.start('silent')).end();
    (await run.start('not reached')).end('kept');
    await run.start('still working');
    const next = successorOf(run.amend({ settings: 'new' }));
    const inherited = async (name: string): Promise<unknown> => {
      const ask = await next.start(name);
      const found = ask.inherited;
      if (found === undefined) ask.end(`${name} done again`);
      return found?.result;
    };
    expect((await next.start('planner')).inherited).toEqual({ result: 'plan 1' });
    expect(await inherited('planner')).toBe('plan 2');
    expect(await inherited('planner')).toBeUndefined();
    expect(await inherited('coder')).toBeUndefined();
    expect(await inherited('coder')).toBe('code 2');
    expect((await next.start('silent')).inherited).toEqual({ result: undefined });
    expect(await inherited('still working')).toBeUndefined();

    // What the second run inherited without coming to it, and what it did itself, reaches the third.
    const third = successorOf(next.amend({ settings: 'newer' }));
    expect((await third.start('planner')).inherited).toEqual({ result: 'plan 1' });
    expect((await third.start('not reached')).inherited).toEqual({ result: 'kept' });
    expect((await third.start('still working')).inherited).toEqual({ result: 'still working done again' });
    expect((await third.start('coder')).inherited).toEqual({ result: 'coder done again' });
  });

  it('gives an inherited ask that holds no seat and has nothing to ask', async () => {
    const { governor } = stage();
    const run = governor.openRun('r', { maxConcurrency: 1 });
    (await run.start('a')).end(42);
    const next = successorOf(run.amend({ settings: 1 }));
    const ask = await next.start('a');
    const busy = await next.start('b');
    expect([ask.inherited, busy.inherited, ask.tryAcquire(KEY)]).toEqual([{ result: 42 }, undefined, undefined]);
    await expect(ask.acquire(KEY)).rejects.toThrow(/its result is inherited/);
    expect(() => ask.toolDeadline(5)).toThrow(/its result is inherited/);
    ask.end();
    ask.abandon();
  });

  it('refuses who waited to start in the old run', async () => {
    const { governor } = stage();
    const run = governor.openRun('r', { maxConcurrency: 1 });
    await run.start('a');
    const refused = expect(run.start('b')).rejects.toThrow(RunClosedError);
    run.amend({ settings: 1 });
    await refused;
  });

  it('does not count a start that was given up: its number is the next one’s', async () => {
    const { governor } = stage();
    const run = governor.openRun('r', { maxConcurrency: 1 });
    const controller = new AbortController();
    const first = await run.start('a');
    const givenUp = expect(run.start('b', { signal: controller.signal })).rejects.toBe('stop');
    controller.abort('stop');
    await givenUp;
    first.end();
    (await run.start('b')).end('b 1');
    const next = successorOf(run.amend({ settings: 1 }));
    expect((await next.start('b')).inherited).toEqual({ result: 'b 1' });
  });
});
