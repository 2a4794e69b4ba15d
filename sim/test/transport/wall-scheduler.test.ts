/** The scheduler on real time, on a clock that the test moves: instants, their order, their speed and their end. */

import { getEventListeners } from 'node:events';
import { ManualClock } from '@tidegate/governor/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefectError, Kernel, PHASE, type Phase } from '../../src/kernel/kernel.js';
import type { Scheduler } from '../../src/kernel/scheduler.js';
import { type WallRun, WallScheduler } from '../../src/transport/wall-scheduler.js';
import { WallTime } from '../../src/transport/wall-time.js';

const { completion, timer, arrival, dispatch } = PHASE;

/** A process whose clock and whose event loop are moved by hand. */
class Bench {
  readonly clock: ManualClock = new ManualClock(5_000);
  readonly scheduler: WallScheduler;
  readonly errors: unknown[] = [];
  readonly #turns: (() => void)[] = [];

  constructor(speed = 1) {
    const soon = (run: () => void): void => void this.#turns.push(run);
    this.scheduler = new WallScheduler(new WallTime({ speed, clock: this.clock, soon }));
  }

  run(options: Partial<WallRun> = {}): Promise<string> {
    return this.scheduler.run({ onError: (error) => this.errors.push(error), isAwaited: () => true, ...options });
  }

  turn(): void {
    for (const run of this.#turns.splice(0)) run();
  }

  /** Real milliseconds pass. */
  pass(ms: number): void {
    this.turn();
    this.clock.advance(ms);
    this.turn();
  }

  /** To the end of all timers. */
  async drain(): Promise<void> {
    const end = this.run({ isAwaited: () => false });
    for (let at: number | undefined = 0; at !== undefined; at = this.clock.nextAt) {
      this.pass(Math.max(0, at - this.clock.now()));
    }
    expect(await end).toBe('drained');
  }
}

/** Its timers fire when the test says so. */
class EarlyClock {
  #now = 0;
  readonly #timers: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  schedule(fn: () => void): () => void {
    this.#timers.push(fn);
    return () => {};
  }

  fireAt(now: number): void {
    this.#now = now;
    for (const fire of this.#timers.splice(0)) fire();
  }
}

it('a delay of wall time is never cut short by a timer that fires early, at any speed', () => {
  const early = new EarlyClock();
  const time = new WallTime({ clock: early, speed: 10 });
  const seen: number[] = [];
  time.start();
  time.after(25, () => seen.push(time.nowMs()));
  early.fireAt(2);
  early.fireAt(2.49);
  expect(seen).toEqual([]);
  early.fireAt(2.5);
  expect(seen).toEqual([25]);
});

describe('an instant', () => {
  it('has one time, however long it takes, and what it causes at once is part of it', () => {
    const bench = new Bench();
    const { scheduler, clock } = bench;
    const seen: [string, number][] = [];
    const see = (what: string): void => void seen.push([what, scheduler.now()]);
    scheduler.after(
      10,
      timer,
      () => {
        clock.jump(3);
        see('cause');
        scheduler.after(0, dispatch, see, 'effect');
        scheduler.after(5, timer, see, 'later');
      },
      undefined,
    );
    void bench.run();
    bench.pass(10);
    expect(seen).toEqual([
      ['cause', 10],
      ['effect', 10],
    ]);
    bench.pass(5);
    expect(seen.at(-1)).toEqual(['later', 15]);
  });

  it('that begins late says so, and has its events in the order of time, phase and call', () => {
    const bench = new Bench();
    const { scheduler, clock } = bench;
    const seen: string[] = [];
    const see = (what: string): void => void seen.push(`${what} at ${scheduler.now()}`);
    scheduler.after(10, arrival, see, 'arrival');
    scheduler.after(10, completion, see, 'completion');
    scheduler.after(10, completion, see, 'second completion');
    scheduler.after(4, dispatch, see, 'earlier dispatch');
    scheduler.after(11, completion, see, 'not yet');
    void bench.run();
    clock.jump(10.5);
    bench.pass(0);
    expect(seen).toEqual([
      'earlier dispatch at 10.5',
      'completion at 10.5',
      'second completion at 10.5',
      'arrival at 10.5',
    ]);
  });

  it('begins in a turn of its own for what comes from outside', () => {
    const bench = new Bench();
    const { scheduler, clock } = bench;
    const seen: number[] = [];
    void bench.run();
    bench.pass(7);
    scheduler.after(0, completion, () => seen.push(scheduler.now()), undefined);
    clock.jump(2);
    scheduler.after(0, completion, () => seen.push(scheduler.now()), undefined);
    expect(seen).toEqual([]);
    bench.turn();
    expect(seen).toEqual([9, 9]);
    expect(clock.pending).toBe(0);
  });

  it('is never before its time, though a timer may be', () => {
    const seen: number[] = [];
    const early = new EarlyClock();
    const scheduler = new WallScheduler(new WallTime({ clock: early, soon: (run) => run() }));
    scheduler.after(2, timer, () => seen.push(scheduler.now()), undefined);
    void scheduler.run({ onError: () => {}, isAwaited: () => true });
    early.fireAt(1.4);
    expect(seen).toEqual([]);
    early.fireAt(2.0004);
    expect(seen).toEqual([2]);
  });

  it.each([0.5, 1, 60])('at %d times the speed comes after so much less of real time', (speed) => {
    const bench = new Bench(speed);
    const { scheduler, clock } = bench;
    const seen: number[] = [];
    scheduler.after(60_000, timer, () => seen.push(scheduler.now()), undefined);
    void bench.run();
    bench.pass(60_000 / speed - 1);
    expect(seen).toEqual([]);
    bench.pass(1);
    expect(seen).toEqual([60_000]);
    expect(clock.now()).toBe(5_000 + 60_000 / speed);
  });
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no speed', (speed) => {
  expect(() => new WallTime({ speed })).toThrow(RangeError);
});

it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no delay', (delayMs) => {
  expect(() => new Bench().scheduler.after(delayMs, timer, () => {}, undefined)).toThrow(RangeError);
});

it('what is cancelled does not happen', () => {
  const bench = new Bench();
  const { scheduler } = bench;
  const seen: string[] = [];
  const handle = scheduler.after(3, timer, () => seen.push('cancelled'), undefined);
  const cancel = scheduler.clock.schedule(() => seen.push('cancelled too'), 4);
  scheduler.after(5, timer, () => seen.push('kept'), undefined);
  void bench.run();
  expect(scheduler.cancel(handle)).toBe(true);
  expect(scheduler.cancel(handle)).toBe(false);
  cancel();
  bench.pass(5);
  expect(seen).toEqual(['kept']);
});

describe('the end', () => {
  it('comes after the event that asks for it; then time stands still and no timer is left', async () => {
    const bench = new Bench();
    const { scheduler, clock } = bench;
    const seen: string[] = [];
    scheduler.after(
      5,
      timer,
      () => {
        scheduler.stop();
        seen.push('last');
      },
      undefined,
    );
    scheduler.after(5, arrival, () => seen.push('too late'), undefined);
    scheduler.after(100, timer, () => seen.push('much too late'), undefined);
    const end = bench.run();
    bench.pass(50);
    expect(await end).toBe('stopped');
    expect(seen).toEqual(['last']);
    expect(clock.pending).toBe(0);
    expect(scheduler.now()).toBe(5);
  });

  it('comes at once by an interrupt, between instants and within one', async () => {
    const between = new AbortController();
    const bench = new Bench();
    bench.scheduler.after(100, timer, () => {}, undefined);
    const end = bench.run({ interrupt: between.signal });
    bench.pass(40);
    between.abort();
    bench.pass(40);
    expect(await end).toBe('interrupted');
    expect([bench.scheduler.now(), bench.clock.pending]).toEqual([40, 0]);

    const within = new AbortController();
    const second = new Bench();
    second.scheduler.after(7, timer, () => within.abort(), undefined);
    second.scheduler.after(7, dispatch, () => second.errors.push('ran'), undefined);
    const secondEnd = second.run({ interrupt: within.signal });
    second.pass(10);
    expect([await secondEnd, second.errors]).toEqual(['interrupted', []]);

    const third = new Bench();
    expect(await third.run({ interrupt: AbortSignal.abort() })).toBe('interrupted');
  });

  it('leaves nothing behind at the signal that might have interrupted it', async () => {
    const { signal } = new AbortController();
    const bench = new Bench();
    const end = bench.run({ interrupt: signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    bench.scheduler.stop();
    await end;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('comes when nothing is left to happen, and not while an answer is awaited', async () => {
    let isAwaited = true;
    const bench = new Bench();
    const { scheduler } = bench;
    scheduler.after(1, timer, () => {}, undefined);
    const ends: string[] = [];
    const end = bench.run({ isAwaited: () => isAwaited }).then((how) => ends.push(how));
    bench.pass(10);
    await Promise.resolve();
    expect(ends).toEqual([]);
    isAwaited = false;
    scheduler.after(0, completion, () => {}, undefined);
    bench.turn();
    await end;
    expect(ends).toEqual(['drained']);
  });

  it('comes with the error of an event, or of something outside of one', async () => {
    const bench = new Bench();
    bench.scheduler.after(
      0,
      timer,
      () => {
        throw new Error('inside');
      },
      undefined,
    );
    const end = bench.run();
    bench.pass(0);
    expect([await end, bench.errors]).toEqual(['stopped', [new Error('inside')]]);

    const second = new Bench();
    const secondEnd = second.run();
    second.scheduler.fail(new Error('outside'));
    expect([await secondEnd, second.errors]).toEqual(['stopped', [new Error('outside')]]);
  });

  it('comes once: the same scheduler does not run again', async () => {
    const bench = new Bench();
    bench.scheduler.stop();
    expect(await bench.run()).toBe('stopped');
    await expect(bench.run()).rejects.toThrow(DefectError);
  });
});

interface Step {
  readonly delayMs: number;
  readonly phase: Phase;
  readonly causes: readonly Step[];
}

const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.record({
    delayMs: fc.nat({ max: 3 }),
    phase: fc.constantFrom<Phase[]>(1, 2, 3, 4, 5),
    causes: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('step'), { maxLength: 4 }),
    ),
  }),
}));

function playOn(scheduler: Scheduler, steps: readonly Step[]): string[] {
  const log: string[] = [];
  const play = ([name, { causes }]: readonly [string, Step]): void => {
    log.push(`${name} at ${scheduler.now()}`);
    plan(causes, name);
  };
  const plan = (planned: readonly Step[], prefix: string): void => {
    for (const [i, one] of planned.entries()) {
      scheduler.after(one.delayMs, one.phase, play, [`${prefix}.${i}`, one] as const);
    }
  };
  plan(steps, 'step');
  return log;
}

it('where nothing is late, everything happens at the times and in the order of the kernel', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const kernel = new Kernel();
      const expected = playOn(kernel, steps);
      kernel.run();
      const bench = new Bench();
      const log = playOn(bench.scheduler, steps);
      await bench.drain();
      expect(log).toEqual(expected);
    }),
  );
});
