import { describe, expect, it } from 'vitest';
import { stage } from './stage.js';

describe('the status of a run', () => {
  it('is nothing at full width: as wide as its bound, or not in use yet', () => {
    const { governor, ask } = stage({ initial: 8 });
    const run = governor.openRun('r', { maxConcurrency: 8 });
    expect(run.status()).toBeUndefined();
    ask('a', { run });
    expect(run.status()).toBeUndefined();
  });

  it('says below it how wide, at which cap, why and since when', () => {
    const { governor, ask, ticket, clock } = stage({ initial: 8, increaseAfterSuccesses: 1 });
    const run = governor.openRun('r');
    for (let i = 0; i < 8; i++) ask(`${i}`, { run });
    ask('waiting', { run });
    clock.advance(70);
    ticket('0').throttle({ reason: 'provider_overloaded' });
    expect(run.status()).toEqual({ key: 'p/m', effective: 6, cap: 6, reason: 'provider_overloaded', since: 70 });
    clock.advance(30);
    for (const name of ['1', '2', '3']) ticket(name).end();
    ask('again', { run });
    ask('and again', { run });
    ticket('waiting').succeed();
    expect(run.status()).toEqual({ key: 'p/m', effective: 7, cap: 7, reason: 'recovered', since: 100 });
  });

  it('is of its own bound: a cap of eight is narrow for twenty and wide enough for two', () => {
    const { governor, ask, ticket } = stage({ initial: 8 });
    const [twenty, two] = [
      governor.openRun('twenty', { maxConcurrency: 20 }),
      governor.openRun('two', { maxConcurrency: 2 }),
    ];
    ask('a');
    ticket('a').throttle();
    ask('b', { run: twenty });
    ask('c', { run: two });
    expect(twenty.status()).toMatchObject({ effective: 6, cap: 6, reason: 'rate_limited' });
    expect(two.status()).toBeUndefined();
    twenty.amend({ maxConcurrency: 6 });
    expect(twenty.status()).toBeUndefined();
  });

  it('is of the narrowest of its keys, and says so where nothing has changed yet', () => {
    const { governor, ask, ticket, clock } = stage({ initial: 4, growthFactor: 8 });
    const other = { provider: 'p', model: 'other' };
    ask('x');
    clock.advance(5);
    ask('y', { key: other });
    ticket('x').throttle();
    const run = governor.openRun('r', { maxConcurrency: null });
    run.amend({ maxConcurrency: 4 });
    ask('a', { run });
    ask('b', { run, key: other });
    expect(run.status()).toEqual({ key: 'p/m', effective: 3, cap: 3, reason: 'rate_limited', since: 5 });
    ticket('y').throttle();
    ask('z', { key: other });
    ticket('z').throttle();
    expect(run.status()).toMatchObject({ key: 'p/other', cap: 2 });
  });
});
