import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefectError, Kernel, PHASE, type Phase, TimeStandsStillError } from '../../src/kernel/kernel.js';

function recorder(kernel: Kernel): { readonly log: string[]; readonly note: (name: string) => void } {
  const log: string[] = [];
  return { log, note: (name) => log.push(`${kernel.now()} ${name}`) };
}

function caught(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the order of events', () => {
  it('runs one instant phase by phase, whatever the order of scheduling, and each phase in that order', () => {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    const tenSeconds = 10_000_000;
    kernel.at(tenSeconds, PHASE.sampling, note, 'sampling');
    kernel.at(tenSeconds, PHASE.arrival, note, 'arrival 1');
    kernel.at(tenSeconds, PHASE.dispatch, note, 'dispatch');
    kernel.clock.schedule(() => note('cooldown ends'), 10_000);
    kernel.at(tenSeconds, PHASE.completion, note, 'completion 1');
    kernel.at(tenSeconds + 1, PHASE.completion, note, 'a microsecond later');
    kernel.at(tenSeconds, PHASE.arrival, note, 'arrival 2');
    kernel.at(tenSeconds, PHASE.completion, note, 'completion 2');
    expect(kernel.run()).toBe('drained');
    expect(log).toEqual([
      '10000 completion 1',
      '10000 completion 2',
      '10000 cooldown ends',
      '10000 arrival 1',
      '10000 arrival 2',
      '10000 dispatch',
      '10000 sampling',
      '10000.001 a microsecond later',
    ]);
  });

  it('runs an event of an earlier phase, scheduled for the present instant, before the rest of that instant', () => {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    kernel.at(
      5,
      PHASE.arrival,
      () => {
        note('arrival');
        kernel.after(0, PHASE.sampling, note, 'sampling caused by it');
        kernel.after(0, PHASE.completion, note, 'completion caused by it');
      },
      undefined,
    );
    kernel.at(5, PHASE.arrival, note, 'next arrival');
    kernel.at(5, PHASE.sampling, note, 'sampling');
    kernel.run();
    expect(log).toEqual([
      '0.005 arrival',
      '0.005 completion caused by it',
      '0.005 next arrival',
      '0.005 sampling',
      '0.005 sampling caused by it',
    ]);
  });

  interface Planned {
    readonly timeUs: number;
    readonly phase: Phase;
    /** Schedules another event this many microseconds later. */
    readonly spawnAfterUs: number | null;
    /** Cancels the planned event of this number, if it is still pending. */
    readonly cancels: number | null;
    readonly noise: boolean;
  }

  const planned: fc.Arbitrary<Planned> = fc.record({
    timeUs: fc.nat(15),
    phase: fc.constantFrom<Phase>(1, 2, 3, 4, 5),
    spawnAfterUs: fc.option(fc.nat(3)),
    cancels: fc.option(fc.nat(30)),
    noise: fc.boolean(),
  });

  function traceOf(plan: readonly Planned[], withNoise: boolean): string[] {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    const wanted = withNoise ? plan : plan.filter((event) => !event.noise);
    let number = 0;
    const cancellers: (() => boolean)[] = [];
    for (const event of wanted) {
      if (event.noise) {
        kernel.at(event.timeUs, event.phase, () => kernel.after(0.001, event.phase, () => {}, undefined), undefined);
        continue;
      }
      const id = number;
      number += 1;
      const run = (): void => {
        note(`event ${id}`);
        if (event.cancels !== null) note(`cancel ${event.cancels}: ${cancellers[event.cancels]?.()}`);
        if (event.spawnAfterUs !== null) kernel.after(event.spawnAfterUs / 1000, event.phase, note, `child of ${id}`);
      };
      const handle = kernel.at(event.timeUs, event.phase, run, undefined);
      cancellers.push(() => kernel.cancel(handle));
    }
    kernel.run();
    return log;
  }

  it('is the same for the same schedule, and events that do nothing do not change it', () => {
    fc.assert(
      fc.property(fc.array(planned, { maxLength: 60 }), (plan) => {
        const trace = traceOf(plan, true);
        expect(trace).toEqual(traceOf(plan, true));
        expect(trace).toEqual(traceOf(plan, false));
      }),
    );
  });

  it('is kept with 100 events that do nothing around and at the instants of the others', () => {
    const plan = Array.from(
      { length: 150 },
      (_, index): Planned => ({
        timeUs: (index * 37) % 11,
        phase: ((index % 5) + 1) as Phase,
        spawnAfterUs: index % 4,
        cancels: null,
        noise: index % 3 !== 0,
      }),
    );
    expect(traceOf(plan, false)).toHaveLength(100);
    expect(traceOf(plan, true)).toEqual(traceOf(plan, false));
  });
});

describe('delays', () => {
  // Start in µs, delay in ms, arrival in µs.
  const rows: readonly (readonly [string, number, number, number])[] = [
    ['no delay stays in the present', 7, 0, 7],
    ['a whole microsecond is exact', 0, 0.001, 1],
    ['2.007 × 1000 is 2007.0000000000002 in binary, and 2007', 0, 2.007, 2007],
    ['1.001 × 1000 is 1000.9999999999999 in binary, and 1001', 0, 1.001, 1001],
    ['a third of a millisecond rounds up', 0, 1 / 3, 334],
    ['a tenth of a nanosecond is still a microsecond', 0, 1e-7, 1],
    ['less than any rounding noise still advances the clock', 3_600_000_000, 1e-13, 3_600_000_001],
    ['0.1 + 0.2 is 0.30000000000000004 in binary, and 0.3', 0, 0.1 + 0.2, 300],
    ['the difference of two instants is exact: 1234567.891 - 1000.3', 1_000_300, 1234567.891 - 1000.3, 1_234_567_891],
    ['days later, too: 864000000.001 - 0.7', 700, 864000000.001 - 0.7, 864_000_000_001],
    ['beyond 2^31 ms', 0, 2 ** 31 + 0.5, 2_147_483_648_500],
    ['a Retry-After of 9999999999 s is the end of time', 0, 9_999_999_999_000, Number.MAX_SAFE_INTEGER],
    ['so is the largest double', 0, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER],
  ];

  it.each(rows)('%s', (_, startUs, delayMs, expectedUs) => {
    const kernel = new Kernel();
    let arrivedUs = -1;
    kernel.at(
      startUs,
      PHASE.arrival,
      () => {
        kernel.after(
          delayMs,
          PHASE.timer,
          () => {
            arrivedUs = kernel.nowUs;
          },
          undefined,
        );
      },
      undefined,
    );
    kernel.run();
    expect(arrivedUs).toBe(expectedUs);
  });

  it('reach any instant that is a whole number of microseconds exactly, by a difference of milliseconds', () => {
    const instantUs = fc.nat(2 ** 31 - 1).chain((high) => fc.nat(99).map((low) => high * 100 + low));
    fc.assert(
      fc.property(instantUs, instantUs, (a, b) => {
        const [startUs, endUs] = a < b ? [a, b] : [b, a];
        const kernel = new Kernel();
        const reached: number[] = [];
        kernel.at(
          startUs,
          PHASE.arrival,
          () => {
            kernel.clock.schedule(() => reached.push(kernel.now()), endUs / 1000 - kernel.now());
          },
          undefined,
        );
        kernel.run();
        expect(reached).toEqual([endUs / 1000]);
      }),
    );
  });

  it.each([Number.NaN, -1, -0.0001, Number.POSITIVE_INFINITY])('of %d are refused', (delayMs) => {
    const kernel = new Kernel();
    const message = `delayMs must be a finite number of milliseconds >= 0, got ${delayMs} for wake`;
    const wake = (): void => {};
    expect(caught(() => kernel.clock.schedule(wake, delayMs))).toEqual(new RangeError(message));
    expect(kernel.pending).toBe(0);
  });

  it.each([[4], [5.5], [Number.NaN], [2 ** 53]])('an absolute time of %d at 5 µs is a bug of the caller', (timeUs) => {
    const kernel = new Kernel();
    kernel.at(5, PHASE.arrival, () => kernel.at(timeUs, PHASE.timer, () => {}, undefined), undefined);
    const error = caught(() => kernel.run());
    expect(error).toBeInstanceOf(DefectError);
    expect((error as Error).message).toBe(
      `an event must be scheduled at a whole microsecond from now (5) to 9007199254740991, got ${timeUs} for an anonymous function`,
    );
  });
});

describe('the clock', () => {
  it('calls back in order of time, once, in the phase of timers', () => {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    kernel.at(1_000_000, PHASE.arrival, note, 'arrival');
    kernel.clock.schedule(() => note('a month'), 30 * 24 * 3_600_000);
    kernel.clock.schedule(() => note('a second'), 1000);
    kernel.clock.schedule(() => note('now'), 0);
    kernel.run();
    expect(log).toEqual(['0 now', '1000 a second', '1000 arrival', '2592000000 a month']);
    expect(kernel.clock.now()).toBe(2_592_000_000);
  });

  it('forgets a cancelled callback at once; cancelling twice or late changes nothing', () => {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    const cancelEarly = kernel.clock.schedule(() => note('never'), 5);
    const cancelLate = kernel.clock.schedule(() => note('five'), 5);
    cancelEarly();
    expect(kernel.pending).toBe(1);
    kernel.run();
    kernel.clock.schedule(() => note('ten'), 5);
    cancelEarly();
    cancelLate();
    kernel.run();
    expect(log).toEqual(['5 five', '10 ten']);
  });
});

describe('run', () => {
  function ticking(periodMs: number): { readonly kernel: Kernel; readonly ticks: number[] } {
    const kernel = new Kernel();
    const ticks: number[] = [];
    const tick = (): void => {
      ticks.push(kernel.now());
      kernel.after(periodMs, PHASE.arrival, tick, undefined);
    };
    kernel.at(0, PHASE.arrival, tick, undefined);
    return { kernel, ticks };
  }

  it('executes what is due at the bound, stands at the bound, and goes on from there', () => {
    const { kernel, ticks } = ticking(10);
    expect(kernel.run(20)).toBe('until');
    expect([ticks, kernel.now(), kernel.executed]).toEqual([[0, 10, 20], 20, 3]);
    expect(kernel.run(25.0019)).toBe('until');
    expect([ticks, kernel.now()]).toEqual([[0, 10, 20], 25.001]);
    expect(kernel.run(30)).toBe('until');
    expect([ticks, kernel.now(), kernel.pending]).toEqual([[0, 10, 20, 30], 30, 1]);
  });

  it('executes what is due at a bound whose microseconds come out too low in binary: 1.001 × 1000', () => {
    const { kernel, ticks } = ticking(1.001);
    expect(kernel.run(1.001)).toBe('until');
    expect([ticks, kernel.nowUs]).toEqual([[0, 1.001], 1001]);
  });

  it('stays at the last event when nothing is left before the bound', () => {
    const kernel = new Kernel();
    kernel.at(3000, PHASE.arrival, () => {}, undefined);
    expect(kernel.run(1000)).toBe('drained');
    expect(kernel.now()).toBe(3);
    expect(kernel.run()).toBe('drained');
  });

  it('stops after the event that asks for it and keeps the rest', () => {
    const { kernel, ticks } = ticking(10);
    kernel.at(10_000, PHASE.timer, () => kernel.stop(), undefined);
    expect(kernel.run()).toBe('stopped');
    expect([ticks, kernel.now(), kernel.pending]).toEqual([[0], 10, 1]);
    kernel.stop();
    expect(kernel.run(10)).toBe('until');
    expect(ticks).toEqual([0, 10]);
  });

  it('refuses a bound in the past', () => {
    const { kernel } = ticking(10);
    kernel.run(20);
    expect(caught(() => kernel.run(19.9))).toEqual(
      new RangeError('untilMs must not be before the present (20 ms), got 19.9'),
    );
    expect(caught(() => kernel.run(Number.NaN))).toBeInstanceOf(RangeError);
  });

  it('refuses to be called by one of its events', () => {
    const kernel = new Kernel();
    kernel.at(0, PHASE.arrival, () => kernel.run(), undefined);
    expect(caught(() => kernel.run())).toBeInstanceOf(DefectError);
  });

  it('lets the exception of an event through and can go on after it', () => {
    const { kernel, ticks } = ticking(10);
    const failure = new Error('of an event');
    kernel.at(
      5000,
      PHASE.arrival,
      () => {
        throw failure;
      },
      undefined,
    );
    expect(caught(() => kernel.run(20))).toBe(failure);
    expect(kernel.now()).toBe(5);
    expect(kernel.run(20)).toBe('until');
    expect(ticks).toEqual([0, 10, 20]);
  });
});

describe('a pause', () => {
  it('comes after the given number of events, changes no order and goes on where it was', () => {
    const kernel = new Kernel();
    const { log, note } = recorder(kernel);
    for (const timeUs of [3000, 1000, 2000]) kernel.at(timeUs, PHASE.arrival, note, `${timeUs} us`);
    expect(kernel.run(undefined, 2)).toBe('paused');
    expect(log).toEqual(['1 1000 us', '2 2000 us']);
    expect(kernel.run(undefined, 1)).toBe('drained');
    expect(log).toEqual(['1 1000 us', '2 2000 us', '3 3000 us']);
  });
});

describe('the guard against standing time', () => {
  it('ends a client and a server that answer each other without delay, and names both', () => {
    const kernel = new Kernel();
    const refuse = (): void => {
      kernel.after(0, PHASE.dispatch, sendRequest, undefined);
    };
    const sendRequest = (): void => {
      kernel.after(0, PHASE.completion, refuse, undefined);
    };
    kernel.at(10_000_000, PHASE.arrival, sendRequest, undefined);
    const error = caught(() => kernel.run()) as TimeStandsStillError;
    expect(error).toBeInstanceOf(TimeStandsStillError);
    expect({ ...error }).toEqual({
      name: 'TimeStandsStillError',
      atMs: 10_000,
      chainLength: 100_001,
      functionNames: ['sendRequest', 'refuse'],
      circle:
        'virtual time stands still at 10000 ms: events keep causing events at the same instant (a chain of 100001 so ' +
        'far, through sendRequest, refuse)',
    });
    expect(error.message).toBe(
      'virtual time stands still at 10000 ms: events keep causing events at the same instant (a chain of 100001 so far, ' +
        'through sendRequest, refuse). Give at least one step of this circle a duration above 0 ms; if the chain is meant ' +
        'and ends, raise maxChainPerInstant (now 100000).',
    );
    expect([kernel.now(), kernel.executed]).toEqual([10_000, 100_001]);
  });

  /** Every event causes `width` more at its instant, to the given depth. */
  function cascade(options: { maxChain: number; width: number; depth: number; roots: number }): Kernel {
    const kernel = new Kernel({ maxChainPerInstant: options.maxChain });
    const burst = (depth: number): void => {
      if (depth === options.depth) return;
      for (let child = 0; child < options.width; child += 1) kernel.after(0, PHASE.timer, burst, depth + 1);
    };
    for (let root = 0; root < options.roots; root += 1) kernel.at(1000, PHASE.timer, burst, 0);
    return kernel;
  }

  it.each([
    ['a chain of exactly the allowed length', { maxChain: 1000, width: 1, depth: 1000, roots: 1 }, 1001],
    ['many chains beside each other', { maxChain: 1000, width: 1, depth: 1000, roots: 50 }, 50_050],
    ['any number of events that one event causes', { maxChain: 10, width: 200_000, depth: 1, roots: 1 }, 200_001],
    ['any number of events scheduled in advance', { maxChain: 1, width: 1, depth: 0, roots: 200_000 }, 200_000],
  ])('allows %s', (_, options, executed) => {
    const kernel = cascade(options);
    expect(kernel.run()).toBe('drained');
    expect(kernel.executed).toBe(executed);
  });

  it('ends a chain that is one longer than allowed', () => {
    const kernel = cascade({ maxChain: 1000, width: 1, depth: 1001, roots: 1 });
    expect(caught(() => kernel.run())).toMatchObject({ atMs: 1, chainLength: 1001, functionNames: ['burst'] });
    expect(kernel.executed).toBe(1001);
  });

  it('ends events that each cause two, while their number still fits in memory and every chain is short', () => {
    const kernel = cascade({ maxChain: 1000, width: 2, depth: Number.POSITIVE_INFINITY, roots: 1 });
    expect(caught(() => kernel.run())).toMatchObject({ atMs: 1, chainLength: 11, functionNames: ['burst'] });
    // The root and its two children may cause a thousand each.
    expect(kernel.executed).toBe(3003);
  });

  it('counts each instant anew', () => {
    const kernel = new Kernel({ maxChainPerInstant: 10 });
    const hop = (left: number): void => {
      if (left > 0) kernel.after(left % 10 === 0 ? 0.001 : 0, PHASE.timer, hop, left - 1);
    };
    kernel.at(0, PHASE.timer, hop, 1000);
    expect(kernel.run()).toBe('drained');
    expect([kernel.nowUs, kernel.executed]).toEqual([100, 1001]);
  });

  it('judges an instant by its own events: a long chain before it changes neither the verdict nor the message', () => {
    const kernel = cascade({ maxChain: 1000, width: 2, depth: Number.POSITIVE_INFINITY, roots: 1 });
    const prelude = (left: number): void => {
      if (left > 0) kernel.after(0, PHASE.timer, prelude, left - 1);
    };
    kernel.at(500, PHASE.timer, prelude, 1000);
    expect(caught(() => kernel.run())).toMatchObject({ atMs: 1, chainLength: 11, functionNames: ['burst'] });
    expect(kernel.executed).toBe(1001 + 3003);
  });

  it('shows the last eight names, anonymous functions among them', () => {
    const kernel = new Kernel({ maxChainPerInstant: 100 });
    const steps = Array.from({ length: 12 }, (_, index) => {
      const step = (): void => {
        kernel.after(0, PHASE.timer, steps[(index + 1) % 12]!, undefined);
      };
      Object.defineProperty(step, 'name', { value: index === 3 ? '' : `step${index}` });
      return step;
    });
    kernel.at(0, PHASE.timer, steps[0]!, undefined);
    // Event 101 of the circle of twelve is step 5.
    expect(caught(() => kernel.run())).toMatchObject({
      functionNames: ['step10', 'step11', 'step0', 'step1', 'step2', '(anonymous)', 'step4', 'step5'],
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 1e10])('refuses maxChainPerInstant %d', (maxChainPerInstant) => {
    expect(caught(() => new Kernel({ maxChainPerInstant }))).toEqual(
      new RangeError(`maxChainPerInstant must be a whole number from 1 to 1e9, got ${maxChainPerInstant}`),
    );
  });
});
