/** A controller that spaces admissions in time: whoever waits is let in when it says so, by one timer. */

import { describe, expect, it } from 'vitest';
import { FixedController } from '../../src/core/fixed.js';
import { stage } from './stage.js';

/** One admission every `stepMs`, and `cap` at once. */
class Spaced extends FixedController {
  readonly #stepMs: number;
  #nextAt = 0;

  constructor(cap: number, stepMs: number) {
    super({ key: 'p/m', cap });
    this.#stepMs = stepMs;
  }

  override canAdmit(now = 0): boolean {
    return now >= this.#nextAt && super.canAdmit();
  }

  notBefore(): number {
    return super.canAdmit() ? this.#nextAt : Number.NEGATIVE_INFINITY;
  }

  override admitted(now = 0): number {
    this.#nextAt = now + this.#stepMs;
    return super.admitted();
  }
}

describe('spaced admissions', () => {
  it('let whoever waits in one by one, with one timer at a time and none when nobody waits', () => {
    const { ask, read, clock } = stage({ controller: () => new Spaced(8, 1_000) });
    for (const name of ['one', 'two', 'three']) ask(name);
    expect([read(), clock.pending, clock.nextAt]).toEqual([['one'], 1, 1_000]);
    clock.advance(999);
    expect(read()).toEqual([]);
    clock.advance(1);
    expect([read(), clock.pending, clock.nextAt]).toEqual([['two'], 1, 2_000]);
    clock.advance(1_000);
    expect([read(), clock.pending]).toEqual([['three'], 0]);
  });

  it('wait for an end, not for a time, where the cap is reached', () => {
    const { ask, ticket, read, clock } = stage({ controller: () => new Spaced(1, 1_000) });
    ask('one');
    ask('two');
    expect(clock.pending).toBe(0);
    clock.advance(400);
    ticket('one').succeed();
    expect([read(), clock.nextAt]).toEqual([['one'], 1_000]);
    clock.advance(600);
    expect(read()).toEqual(['two']);
  });

  it('drop their timer with the last who waits', () => {
    const { ask, clock } = stage({ controller: () => new Spaced(8, 1_000) });
    ask('one');
    const waiting = ask('two');
    waiting.cancel();
    expect(clock.pending).toBe(0);
  });
});
