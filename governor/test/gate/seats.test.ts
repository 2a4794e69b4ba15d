import { describe, expect, it } from 'vitest';
import type { Ask } from '../../src/gate/ask.js';
import type { Run, StartOptions } from '../../src/gate/run.js';
import { KEY, type Stage, stage, turn } from './stage.js';

interface Seated extends Stage {
  readonly run: Run;
  /** Starts a subagent and notes when it has its seat. */
  start(name: string, options?: StartOptions): { cancel(reason?: unknown): void };
  subagent(name: string): Ask;
}

function seated(maxConcurrency: number | null, initial = 8): Seated {
  const set = stage({ initial });
  const run = set.governor.openRun('r', { maxConcurrency });
  const asks = new Map<string, Ask>();
  return {
    ...set,
    run,
    start: (name, options = {}) =>
      run.enqueue(name, options, {
        started(ask) {
          set.log.push(`+${name}`);
          asks.set(name, ask);
        },
        refused: (reason) => void set.log.push(`+${name}: ${reason instanceof Error ? reason.name : reason}`),
      }),
    subagent(name) {
      const ask = asks.get(name);
      if (ask === undefined) throw new Error(`${name} has not started; so far: ${set.log.join(', ')}`);
      return ask;
    },
  };
}

describe('the bound of a run', () => {
  it.each([
    [undefined, 8],
    [null, 8],
    [1, 1],
    [2.7, 2],
    [0, 1],
    [-5, 1],
    [1_000_000, 1_000_000],
  ])('stated as %s is %s', (maxConcurrency, bound) => {
    const { governor } = stage({ initial: 8 });
    expect(governor.openRun('r', maxConcurrency === undefined ? {} : { maxConcurrency }).bound).toBe(bound);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is never %s', (maxConcurrency) => {
    const { governor } = stage();
    expect(() => governor.openRun('r', { maxConcurrency })).toThrow(
      new RangeError(`maxConcurrency: expected a finite number or null, got ${maxConcurrency} (number)`),
    );
    const run = governor.openRun('r');
    expect(() => run.amend({ maxConcurrency })).toThrow(RangeError);
    expect(run.bound).toBe(8);
  });
});

describe('starting', () => {
  it('waits until fewer than the bound are active, first come, first served', () => {
    const { start, subagent, read } = seated(2);
    for (const name of ['a', 'b', 'c', 'd']) start(name);
    expect(read()).toEqual(['+a', '+b']);
    subagent('b').end();
    subagent('a').abandon();
    start('e');
    expect(read()).toEqual(['+c', '+d']);
    subagent('c').end();
    expect(read()).toEqual(['+e']);
  });

  it('of a name that is live is refused, of one that has ended is not', async () => {
    const { run, start, subagent, read } = seated(1);
    start('a');
    start('waiting');
    await expect(run.start('a')).rejects.toEqual(new RangeError('name: a subagent "a" of run r is live already'));
    await expect(run.start('waiting')).rejects.toThrow(RangeError);
    subagent('a').end();
    start('a');
    subagent('waiting').end();
    expect(read()).toEqual(['+a', '+waiting', '+a']);
  });

  it('can be given up: the place in the line and the name are free again', () => {
    const { start, subagent, read } = seated(1);
    const controller = new AbortController();
    start('a');
    start('b', { signal: controller.signal });
    start('c').cancel('not needed');
    start('d');
    controller.abort('stop');
    start('b');
    subagent('a').end();
    subagent('d').end();
    expect(read()).toEqual(['+a', '+c: not needed', '+b: stop', '+d', '+b']);
  });

  it('ends twice without harm: one seat was held, one is free', () => {
    const { start, subagent, read } = seated(1);
    for (const name of ['a', 'b', 'c']) start(name);
    const a = subagent('a');
    a.end();
    a.end();
    a.abandon();
    expect(read()).toEqual(['+a', '+b']);
  });

  it('may happen in the callback of another that ends itself, without end', () => {
    const { run, read, errors } = seated(1);
    const log: string[] = [];
    const chain = (n: number): void => {
      run.enqueue(
        `s${n}`,
        {},
        {
          started(ask) {
            log.push(ask.name);
            if (n < 5_000) chain(n + 1);
            ask.end();
            ask.end();
          },
          refused() {},
        },
      );
    };
    chain(1);
    expect([log.length, read(), errors]).toEqual([5_000, [], []]);
  });

  it('tells that it waits for a seat', () => {
    const { start, events } = seated(1);
    start('a');
    start('b');
    expect(events).toEqual([{ type: 'node-waiting', at: 0, run: 'r', node: 'b', reason: 'seat' }]);
  });
});

describe('a bound lowered under working subagents', () => {
  it('stops nothing in flight: the next request of each waits for a seat, until a seat is free', () => {
    const { run, start, subagent, ask, ticket, read } = seated(3);
    for (const name of ['a', 'b', 'c']) start(name);
    ask('a1', { ask: subagent('a') });
    expect(run.amend({ maxConcurrency: 1 })).toEqual({ kind: 'retuned', previous: 3, bound: 1 });
    expect(ticket('a1').settled).toBe(false);
    ask('a2', { ask: subagent('a') });
    ask('b1', { ask: subagent('b') });
    // Two are parked, one works: within the bound, the third goes on.
    ask('c1', { ask: subagent('c') });
    expect(read()).toEqual(['+a', '+b', '+c', 'a1', 'c1']);
    subagent('c').end();
    expect(read()).toEqual(['a2']);
    subagent('a').end();
    expect(read()).toEqual(['b1']);
  });

  it('and raised again seats the parked first, then those who wait to start', () => {
    const { run, start, subagent, ask, read } = seated(2);
    for (const name of ['a', 'b']) start(name);
    run.amend({ maxConcurrency: 1 });
    ask('a1', { ask: subagent('a') });
    for (const name of ['c', 'd']) start(name);
    read();
    run.amend({ maxConcurrency: 2 });
    expect(read()).toEqual(['a1']);
    run.amend({ maxConcurrency: 4 });
    expect(read()).toEqual(['+c', '+d']);
  });

  it('starts nobody while parked and working together are as many as the bound', () => {
    const { run, start, subagent, ask, read } = seated(3);
    for (const name of ['a', 'b', 'c']) start(name);
    run.amend({ maxConcurrency: 2 });
    ask('a1', { ask: subagent('a') });
    start('d');
    read();
    subagent('b').end();
    expect(read()).toEqual(['a1']);
    subagent('c').end();
    expect(read()).toEqual(['+d']);
  });

  it('has nothing for tryAcquire of one too many, who is not parked by asking', () => {
    const { run, start, subagent, ask, read } = seated(2);
    for (const name of ['a', 'b']) start(name);
    run.amend({ maxConcurrency: 1 });
    expect(subagent('a').tryAcquire(KEY)).toBeUndefined();
    ask('b1', { ask: subagent('b') });
    expect(subagent('a').tryAcquire(KEY)).toBeDefined();
    expect(read()).toEqual(['+a', '+b']);
  });

  it('tells of the wait and of its end, and counts the wait for the seat as queued', () => {
    const { run, start, subagent, ask, ticket, events, clock } = seated(2);
    for (const name of ['a', 'b']) start(name);
    run.amend({ maxConcurrency: 1 });
    ask('a1', { ask: subagent('a') });
    clock.advance(40);
    subagent('b').end();
    expect(ticket('a1').queuedMs).toBe(40);
    expect(events).toEqual([
      { type: 'run-caps-changed', at: 0, run: 'r', previous: 2, bound: 1 },
      { type: 'node-waiting', at: 0, run: 'r', node: 'a', reason: 'seat' },
      { type: 'node-executing', at: 40, run: 'r', node: 'a' },
    ]);
  });
});

describe('a parked subagent', () => {
  function parked(): Seated {
    const set = seated(2);
    for (const name of ['a', 'b']) set.start(name);
    set.run.amend({ maxConcurrency: 1 });
    return set;
  }

  it('works again when its request is aborted, without a seat and above the bound', () => {
    const { start, subagent, ask, read } = parked();
    const controller = new AbortController();
    ask('a1', { ask: subagent('a'), signal: controller.signal });
    controller.abort('stop');
    // Two work again where one may: now the other is one too many.
    ask('b1', { ask: subagent('b') });
    start('c');
    subagent('a').end();
    expect(read()).toEqual(['+a', '+b', 'a1: stop', 'b1']);
    subagent('b').end();
    expect(read()).toEqual(['+c']);
  });

  it('frees no seat when it ends, and its requests are refused', () => {
    const { start, subagent, ask, read } = parked();
    ask('a1', { ask: subagent('a') });
    start('c');
    subagent('a').end();
    expect(read()).toEqual(['+a', '+b', 'a1: Error']);
    subagent('b').end();
    expect(read()).toEqual(['+c']);
  });

  it('sends all its requests to the gate once it has a seat, in order, and each can be given up before and after', () => {
    const { subagent, ask, read, ticket, governor } = (() => {
      const set = seated(2, 2);
      for (const name of ['a', 'b']) set.start(name);
      set.run.amend({ maxConcurrency: 1 });
      return set;
    })();
    ask('a1', { ask: subagent('a') });
    const a2 = ask('a2', { ask: subagent('a') });
    ask('a3', { ask: subagent('a') });
    const a4 = ask('a4', { ask: subagent('a') });
    const a5 = ask('a5', { ask: subagent('a') });
    a2.cancel('parked');
    subagent('b').end();
    a4.cancel('at the gate');
    expect(read()).toEqual(['+a', '+b', 'a2: parked', 'a1', 'a3', 'a4: at the gate']);
    expect(governor.snapshot(KEY)).toMatchObject({ inFlight: 2, queue: 1 });
    ticket('a1').end();
    a5.cancel('too late');
    expect(read()).toEqual(['a5']);
  });

  it('that asks again when it is refused at its end is refused once more, not for ever', () => {
    const { subagent, read, log } = parked();
    const a = subagent('a');
    let asked = 0;
    const again = (): void => {
      asked++;
      if (asked < 10) a.enqueue(KEY, {}, { admitted() {}, refused: again });
    };
    again();
    a.end();
    expect([asked, read(), log]).toEqual([10, ['+a', '+b'], []]);
  });
});

describe('a request made inside a tool', () => {
  it('never parks: its subagent holds a seat already', () => {
    const { run, start, subagent, ask, read } = seated(2);
    for (const name of ['a', 'b']) start(name);
    run.amend({ maxConcurrency: 1 });
    ask('tool', { ask: subagent('a'), insideTool: true });
    ask('a1', { ask: subagent('a') });
    ask('tool again', { ask: subagent('a'), insideTool: true });
    expect(read()).toEqual(['+a', '+b', 'tool', 'tool again']);
  });
});

describe('a subagent started inside the tool of another', () => {
  it('shares its seat: it starts at once, and the seat is free when the last of them has ended', () => {
    const { start, subagent, read } = seated(1);
    start('parent');
    start('child', { parent: subagent('parent') });
    start('grandchild', { parent: subagent('child') });
    start('next');
    expect(read()).toEqual(['+parent', '+child', '+grandchild']);
    subagent('parent').end();
    subagent('grandchild').end();
    expect(read()).toEqual([]);
    subagent('child').end();
    expect(read()).toEqual(['+next']);
  });

  it('never parks', () => {
    const { run, start, subagent, ask, read } = seated(2);
    start('parent');
    start('other');
    start('child', { parent: subagent('parent') });
    run.amend({ maxConcurrency: 1 });
    ask('c1', { ask: subagent('child') });
    ask('p1', { ask: subagent('parent') });
    ask('c2', { ask: subagent('child') });
    expect(read().slice(3)).toEqual(['c1', 'c2']);
  });

  it('needs a parent that is live in this run', async () => {
    const { run, governor, start, subagent, read } = seated(1);
    start('parent');
    const parent = subagent('parent');
    const other = governor.openRun('other');
    await expect(other.start('child', { parent })).rejects.toThrow(
      new RangeError('parent: "parent" is no live subagent of run other'),
    );
    parent.end();
    await expect(run.start('child', { parent })).rejects.toThrow(RangeError);
    start('a');
    start('b');
    expect(read()).toEqual(['+parent', '+a']);
  });

  it('keeps the seat that its parked parent gave up by ending', () => {
    const { run, start, subagent, ask, read } = seated(2);
    start('parent');
    start('child', { parent: subagent('parent') });
    start('other');
    run.amend({ maxConcurrency: 1 });
    ask('p1', { ask: subagent('parent') });
    const parent = subagent('parent');
    parent.end();
    start('next');
    subagent('other').end();
    parent.end();
    expect(read()).toEqual(['+parent', '+child', '+other', 'p1: Error']);
    subagent('child').end();
    expect(read()).toEqual(['+next']);
  });

  it('needs no slot of its parent: five parents with two children each complete at a cap of three', async () => {
    const { governor, look } = stage({ initial: 3 });
    const run = governor.openRun('r', { maxConcurrency: 5 });
    const finished: string[] = [];
    const call = async (ask: Ask): Promise<void> => {
      const ticket = await ask.acquire(KEY);
      await turn();
      ticket.succeed();
    };
    const child = async (parent: Ask, name: string): Promise<void> => {
      const ask = await run.start(name, { parent });
      await call(ask);
      ask.end();
      finished.push(name);
    };
    await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => {
        const ask = await run.start(`parent ${n}`);
        await call(ask);
        await Promise.all([child(ask, `${n} left`), child(ask, `${n} right`)]);
        await call(ask);
        ask.end();
      }),
    );
    expect(finished).toHaveLength(10);
    expect(look()).toMatchObject({ inFlight: 0, queue: 0 });
  });
});

describe('an ended subagent', () => {
  it('can ask for nothing more', async () => {
    const { start, subagent } = seated(1);
    start('a');
    const a = subagent('a');
    a.end();
    expect(a.tryAcquire(KEY)).toBeUndefined();
    await expect(a.acquire(KEY)).rejects.toThrow('ask a: it has ended');
  });
});
