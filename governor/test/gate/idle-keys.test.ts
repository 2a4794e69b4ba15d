import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/gate/ticket.js';
import { KEY, stage } from './stage.js';

const nth = (i: number): Key => ({ provider: 'p', model: `m${i}` });

describe('keys that nobody uses', () => {
  it('do not stay: of a hundred thousand, those of the last idle time are left', () => {
    const { governor, clock } = stage({ idleResetMs: 1_000 });
    for (let i = 0; i < 100_000; i++) {
      governor.tryAcquire(nth(i))!.succeed();
      clock.advance(1);
    }
    // Each new key looks at two old ones: what is past its time goes faster than new ones come.
    let left = 0;
    for (let i = 0; i < 100_000; i++) if (governor.snapshot(nth(i)) !== undefined) left++;
    expect(left).toBeGreaterThanOrEqual(1_000);
    expect(left).toBeLessThan(3_000);
    expect(governor.snapshots()).toHaveLength(999);
    clock.advance(1_000);
    expect(governor.snapshots()).toEqual([]);
  });

  it('are kept while they know something that is still worth it', () => {
    const { governor, clock } = stage();
    governor.tryAcquire(KEY)!.throttle({ retryAfterMs: 400_000 });
    clock.advance(399_999);
    expect(governor.snapshots()).toHaveLength(1);
    clock.advance(1);
    expect(governor.snapshots()).toEqual([]);
  });

  it('begin anew when they are met again', () => {
    const { governor, ask, ticket, look, clock } = stage();
    ask('a');
    ticket('a').throttle();
    clock.advance(300_000);
    governor.snapshots();
    expect(governor.snapshot(KEY)).toBeUndefined();
    ask('b');
    expect(look()).toMatchObject({ cap: 8, epoch: 0, inFlight: 1 });
  });

  it.each([
    ['something in flight', (set: ReturnType<typeof stage>) => void set.governor.tryAcquire(KEY)],
    ['an open run that has used them', (set: ReturnType<typeof stage>) => openRun(set)],
    [
      'somebody who waits',
      (set: ReturnType<typeof stage>) => {
        const holder = set.governor.observer().acquire(KEY);
        set.ask('waiting');
        holder.throttle({ retryAfterMs: 900_000 });
      },
    ],
  ])('stay with %s', (_, use) => {
    const set = stage({ initial: 1 });
    use(set);
    set.clock.advance(600_000);
    expect(set.governor.snapshots()).toHaveLength(1);
  });

  it('go when the last run that used them has closed', () => {
    const set = stage();
    const run = openRun(set);
    set.clock.advance(600_000);
    run.close();
    expect(set.governor.snapshots()).toEqual([]);
  });

  it('are not forgotten under a listener who looks at them while they are asked for', () => {
    const { governor, ask, ticket, read, look, clock } = stage({ initial: 2 });
    ask('a');
    ticket('a').throttle();
    // The reset is told in the middle of the call that admits the next request.
    governor.onEvent(() => void governor.snapshots());
    clock.advance(300_000);
    ask('b');
    expect(read()).toEqual(['a', 'b']);
    expect(look()).toMatchObject({ cap: 2, inFlight: 1 });
  });
});

describe('a key', () => {
  it.each([
    [{ provider: 'a/b', model: 'm' }, 'key.provider: expected a non-empty string without "/", got "a/b" (string)'],
    [{ provider: '', model: 'm' }, 'key.provider: expected a non-empty string without "/", got "" (string)'],
    [{ provider: 'p', model: '' }, 'key.model: expected a non-empty string, got "" (string)'],
    [{ provider: 'p' }, 'key.model: expected a non-empty string, got undefined (undefined)'],
  ])('%j is refused by name', (key, message) => {
    const { governor } = stage();
    expect(() => governor.tryAcquire(key as Key)).toThrow(new RangeError(message));
  });

  it('may have a slash in its model: p/a/b is the model a/b of p', () => {
    const { governor } = stage();
    governor.tryAcquire({ provider: 'p', model: 'a/b' });
    expect(governor.snapshots().map(({ key }) => key)).toEqual(['p/a/b']);
  });
});

function openRun({ governor }: ReturnType<typeof stage>) {
  const run = governor.openRun('r');
  governor.tryAcquire(KEY, { run })!.end();
  return run;
}
