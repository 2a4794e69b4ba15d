import { describe, expect, it } from 'vitest';
import { QueueFullError } from '../../src/gate/bucket-settings.js';
import { KEY, stage } from './stage.js';

describe('maxQueue', () => {
  it('refuses who would be one too many, by name and number, and leaves the others alone', async () => {
    const { governor, ask, ticket, read, look } = stage({ initial: 1, maxQueue: 2 });
    ask('holder');
    ask('a');
    ask('b');
    await expect(governor.acquire(KEY)).rejects.toEqual(
      new QueueFullError('p/m: maxQueue 2 requests are already queued'),
    );
    expect(look()).toMatchObject({ queue: 2, inFlight: 1 });
    ticket('holder').end();
    ask('c');
    expect(read()).toEqual(['holder', 'a']);
    expect(look().queue).toBe(2);
  });

  it('counts who waits, not who is in flight: a place is free as soon as somebody leaves', () => {
    const { ask, read } = stage({ initial: 1, maxQueue: 1 });
    ask('holder');
    const a = ask('a');
    ask('b');
    a.cancel('gone');
    ask('c');
    expect(read()).toEqual(['holder', 'b: QueueFullError', 'a: gone']);
  });

  it('is each key’s own, and no limit where it is not stated', () => {
    const full = stage({ initial: 1, maxQueue: 1 });
    for (const name of ['a', 'b']) full.ask(name);
    for (const name of ['c', 'd']) full.ask(name, { key: { provider: 'p', model: 'other' } });
    expect(full.read()).toEqual(['a', 'c']);
    const open = stage({ initial: 1 });
    for (let i = 0; i < 1_000; i++) open.ask(`${i}`);
    expect(open.look().queue).toBe(999);
  });
});
