import { describe, expect, it } from 'vitest';
import { createGovernor } from '../../src/gate/governor.js';
import { KEY, stage } from './stage.js';

describe('what a refusal freezes', () => {
  it('is the whole key by default, whatever the refusing limit counts', () => {
    const { ask, ticket, read, clock } = stage({ initial: 4 });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 10_000, scope: 'concurrency' });
    ask('two');
    expect(read()).toEqual(['one']);
    clock.advance(10_000);
    expect(read()).toEqual(['two']);
  });

  it("is nothing for a concurrency limit with freezeOn: 'rate', while the cap falls all the same", () => {
    const { ask, ticket, read, look, clock } = stage({ initial: 4, freezeOn: 'rate' });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 10_000, scope: 'concurrency' });
    ask('two');
    expect(read()).toEqual(['one', 'two']);
    expect(look()).toMatchObject({ cap: 3, epoch: 1, inFlight: 1 });
    expect(look()).not.toHaveProperty('cooldownUntil');
    expect(clock.pending).toBe(0);
  });

  it.each(['requests', 'tokens', undefined] as const)("is the key for a limit of %s with freezeOn: 'rate'", (scope) => {
    const { ask, ticket, read, look } = stage({ initial: 4, freezeOn: 'rate' });
    ask('one');
    ticket('one').throttle({ retryAfterMs: 10_000, ...(scope === undefined ? {} : { scope }) });
    ask('two');
    expect(read()).toEqual(['one']);
    expect(look().cooldownUntil).toBe(10_000);
  });

  it('is told by the answer itself when a ticket is settled with one', () => {
    const { ask, ticket, look } = stage({ initial: 4, freezeOn: 'rate' });
    ask('one');
    const body = { error: { message: 'too many concurrent requests', type: 'concurrency_limit' } };
    const { scope } = ticket('one').settle({ status: 429, headers: { 'retry-after': '7' }, body });
    expect(scope).toBe('concurrency');
    expect(look()).toMatchObject({ cap: 3 });
    expect(look()).not.toHaveProperty('cooldownUntil');
  });

  it('is chosen between two words', () => {
    expect(() => createGovernor({ freezeOn: 'all' as never })).toThrow(
      new RangeError("freezeOn: expected 'any' or 'rate', got \"all\" (string)"),
    );
    expect(createGovernor({ freezeOn: 'any' }).snapshot(KEY)).toBeUndefined();
  });
});
