import { describe, expect, it } from 'vitest';
import { stage } from './stage.js';

describe('whose turn it is', () => {
  it('a run of thirty never starves a run of one: the single request waits for one grant, not for twenty-nine', () => {
    const { governor, ask, ticket, read } = stage({ initial: 2 });
    const wide = governor.openRun('wide');
    const narrow = governor.openRun('narrow');
    for (let i = 1; i <= 30; i++) ask(`w${i}`, { run: wide });
    ask('n1', { run: narrow });
    expect(read()).toEqual(['w1', 'w2']);
    ticket('w1').succeed();
    ticket('w2').succeed();
    expect(read()).toEqual(['w3', 'n1']);
    ticket('n1').succeed();
    ask('n2', { run: narrow });
    ticket('w3').succeed();
    ticket('w4').succeed();
    expect(read()).toEqual(['w4', 'w5', 'n2']);
  });

  it('runs take turns in the order in which they began to wait; requests without a run are one run', () => {
    const { governor, ask, ticket, read } = stage({ initial: 1 });
    const [a, b, c] = [governor.openRun('a'), governor.openRun('b'), governor.openRun('c')];
    ask('first');
    for (const name of ['a1', 'a2', 'a3']) ask(name, { run: a });
    for (const name of ['b1', 'b2']) ask(name, { run: b });
    ask('x1');
    ask('c1', { run: c });
    ask('x2');
    const order = read();
    for (let last = 'first'; order.length < 9; last = order.at(-1)!) {
      ticket(last).end();
      order.push(...read());
    }
    expect(order).toEqual(['first', 'a1', 'b1', 'x1', 'c1', 'a2', 'b2', 'x2', 'a3']);
  });

  it('a run that was served last and waits again goes to the tail', () => {
    const { governor, ask, ticket, read } = stage({ initial: 1 });
    const [a, b] = [governor.openRun('a'), governor.openRun('b')];
    ask('first');
    ask('a1', { run: a });
    ask('b1', { run: b });
    ask('b2', { run: b });
    ticket('first').end();
    ask('a2', { run: a });
    ticket('a1').end();
    ticket('b1').end();
    ticket('a2').end();
    expect(read()).toEqual(['first', 'a1', 'b1', 'a2', 'b2']);
  });

  it('whoever leaves the line moves nobody else: the turn of the run stays, and is lost with its last waiter', () => {
    const { governor, ask, ticket, read } = stage({ initial: 1 });
    const [a, b, c] = [governor.openRun('a'), governor.openRun('b'), governor.openRun('c')];
    ask('first');
    const a1 = ask('a1', { run: a });
    ask('a2', { run: a });
    const b1 = ask('b1', { run: b });
    ask('c1', { run: c });
    a1.cancel('gone');
    b1.cancel('gone');
    ask('b2', { run: b });
    ticket('first').end();
    ticket('a2').end();
    ticket('c1').end();
    expect(read()).toEqual(['first', 'a1: gone', 'b1: gone', 'a2', 'c1', 'b2']);
  });

  it('two models of a provider are two lines', () => {
    const { ask, read } = stage({ initial: 1 });
    ask('m');
    ask('n', { key: { provider: 'p', model: 'n' } });
    ask('m2');
    expect(read()).toEqual(['m', 'n']);
  });
});

describe('nobody overtakes the queue', () => {
  it('tryAcquire gives nothing while somebody waits, even where the gate is open', () => {
    const { governor, ask, ticket, log, clock } = stage({ initial: 4, increaseAfterSuccesses: 1 });
    const KEY = { provider: 'p', model: 'm' };
    ask('one');
    ticket('one').throttle({ retryAfterMs: 1_000 });
    const tried: unknown[] = [];
    // At the end of the cooldown there is room for three and two wait: the callback of the first meets the second waiting.
    governor.enqueue(KEY, {}, { admitted: () => tried.push(governor.tryAcquire(KEY)), refused() {} });
    ask('two');
    clock.advance(1_000);
    expect(tried).toEqual([undefined]);
    expect(log).toEqual(['one', 'two']);
    expect(governor.tryAcquire(KEY)).toBeDefined();
  });

  it('a request that finds somebody waiting queues behind, with room or without', () => {
    const { governor, ask, ticket, read, clock } = stage({ initial: 3 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 1_000 });
    governor.enqueue({ provider: 'p', model: 'm' }, {}, { admitted: () => void ask('later'), refused() {} });
    ask('two');
    clock.advance(1_000);
    expect(read()).toEqual(['one', 'two']);
    ticket('two').end();
    expect(read()).toEqual(['later']);
  });
});
