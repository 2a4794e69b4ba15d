/** The controllers to compare with, each by its published numbers, and what all of them share. */

import { describe, expect, it } from 'vitest';
import {
  ArcController,
  Gradient2Controller,
  type LimitController,
  type LimitOptions,
  NetflixAimdController,
  TrueAimdController,
  VegasController,
} from '../src/controllers.js';
import type { CapChange } from '../src/core/controller.js';

const key = 'p/m';

/** One request that succeeded after `latencyMs`, admitted as the `inFlight`-th at once. */
function succeed(controller: LimitController, latencyMs: number, inFlight: number, now = 0): readonly CapChange[] {
  const epoch = controller.admitted(now);
  return controller.succeeded(now, epoch, { latencyMs, inFlightAtAdmission: inFlight });
}

function refuse(controller: LimitController, now = 0): readonly CapChange[] {
  return controller.throttled(now, controller.admitted(now), 'rate_limited');
}

const capOf = (controller: LimitController): number => controller.snapshot().cap;

describe('Gradient2', () => {
  it('grows by smoothing × queueSize = 0.8 per answer while latencies stay the same', () => {
    const controller = new Gradient2Controller({ key });
    const caps = Array.from({ length: 6 }, () => {
      succeed(controller, 100, 20);
      return capOf(controller);
    });
    // 20.8, 21.6, 22.4, 23.2, 24, 24.8
    expect([20, ...caps]).toEqual([20, 20, 21, 22, 23, 24, 24]);
  });

  it('shrinks by half of the limit × smoothing at most, however slow the answer, to its floor', () => {
    const controller = new Gradient2Controller({ key, initial: 100, floor: 1 });
    for (let i = 0; i < 10; i++) succeed(controller, 100, 100);
    expect(capOf(controller)).toBe(108);
    // 108 × 0.8 + (108 × 0.5 + 4) × 0.2 = 98
    expect(succeed(controller, 100_000, 108)).toEqual([
      { key, previous: 108, next: 98, reason: 'provider_overloaded' },
    ]);
  });

  it.each([
    ['half as slow again is still no queue', 150, 8],
    ['the gradient is 1.5 × average / latency', 400, 7],
  ])('%s', (_, latencyMs, cap) => {
    const controller = new Gradient2Controller({ key, initial: 8, floor: 1, queueSize: 0, longWindow: 1_000_000 });
    for (let i = 0; i < 10; i++) succeed(controller, 100, 8);
    // 8 × 0.8 + 8 × (1.5 × 100 / 400) × 0.2 = 7
    succeed(controller, latencyMs, 8);
    expect(capOf(controller)).toBe(cap);
  });

  it('learns nothing from an answer that used less than half of the limit, and nothing from what is no measured answer', () => {
    const controller = new Gradient2Controller({ key });
    for (let i = 0; i < 20; i++) succeed(controller, 100, 9);
    for (let i = 0; i < 20; i++) refuse(controller);
    controller.admitted(0);
    controller.failed(0);
    succeed(controller, 0, 20);
    expect(capOf(controller)).toBe(20);
    // 20.8 and 21.6
    succeed(controller, 100, 10);
    succeed(controller, 100, 11);
    expect(capOf(controller)).toBe(21);
  });

  /** Of a limit of a million, which the gradient alone moves: no fraction of interest is lost. */
  const gradients = (latencies: readonly number[]): readonly number[] => {
    const exact = { smoothing: 1, queueSize: 0, rttTolerance: 1, longWindow: 3 };
    const controller = new Gradient2Controller({ key, initial: 1_000_000, growthLimit: 1_000_000, floor: 1, ...exact });
    return latencies.map((latencyMs) => {
      succeed(controller, latencyMs, 1_000_000);
      return capOf(controller);
    });
  };

  it.each<[string, readonly number[], readonly number[]]>([
    // Averages 100, 150, 133.3, 200, and 200 to the tenth; then each counts half: 250, 150 less a twentieth, 166.25.
    [
      'the first ten are averaged evenly, then each counts 2 / (window + 1)',
      [100, 200, 100, 400, 200, 200, 200, 200, 200, 200, 300, 50, 190],
      [
        ...[1_000_000, 750_000, 750_000, 375_000, 375_000, 375_000, 375_000, 375_000, 375_000, 375_000],
        ...[312_500, 312_500, 273_437],
      ],
    ],
    // The average of 200 is twice the 100, that of 205 more than twice the 10.
    ['an average decays from beyond twice a latency on', [300, 100, 200], [1_000_000, 1_000_000, 1_000_000]],
    // 400 → 205 → 194.75; with the third 194.75 + 5.25 / 3 = 196.5
    ['which the next answer is held against', [400, 10, 200], [1_000_000, 1_000_000, 982_500]],
  ])('%s', (_, latencies, expected) => {
    expect(gradients(latencies)).toEqual(expected);
  });

  it('measures anew after an idle reset', () => {
    const controller = new Gradient2Controller({ key, initial: 100, floor: 1, queueSize: 0 });
    for (let i = 0; i < 12; i++) succeed(controller, 100, 100);
    controller.observed(300_000);
    for (let i = 0; i < 12; i++) succeed(controller, 1_000, 100, 300_000);
    expect(capOf(controller)).toBe(100);
  });
});

describe('Vegas', () => {
  // As the original's own tests have them.
  it.each([
    ['no queue: +6', 10, 16],
    ['a queue of 3 to 6 is what it wants', 14, 10],
    ['a longer one: −1', 50, 9],
  ])('from 10 at a best of 10 ms, %s', (_, latencyMs, cap) => {
    const controller = new VegasController({ key, initial: 10, growthLimit: 20 });
    succeed(controller, 10, 10);
    expect(capOf(controller)).toBe(10);
    succeed(controller, latencyMs, 11);
    expect(capOf(controller)).toBe(cap);
  });

  it('takes larger steps at larger limits', () => {
    const controller = new VegasController({ key, initial: 10_000, growthLimit: 20_000 });
    succeed(controller, 10_000, 5_000);
    succeed(controller, 10_000, 6_000);
    expect(capOf(controller)).toBe(10_024);
  });

  // The step is 2 from a limit of 100 on; at a best of 10 ms, 100 × (1 − 10 / latency) are in the queue.
  it.each([
    [10, 0, 112],
    [10.2, 2, 112],
    [10.3, 3, 102],
    [10.52, 5, 102],
    [10.63, 6, 100],
    [11.36, 12, 100],
    [11.49, 13, 98],
  ])('from 100, an answer in %d ms tells of a queue of %d: to %d', (latencyMs, _, cap) => {
    const controller = new VegasController({ key, initial: 100 });
    succeed(controller, 10, 100);
    succeed(controller, latencyMs, 100);
    expect(capOf(controller)).toBe(cap);
  });

  it.each([
    [99, 98],
    [100, 98],
    [999, 997],
    [1_000, 997],
  ])('a refusal at %d: to %d', (initial, cap) => {
    const controller = new VegasController({ key, initial, growthLimit: 1_000 });
    refuse(controller);
    expect(capOf(controller)).toBe(cap);
  });

  it('learns only from measured answers that used half of the limit, or were the best', () => {
    const controller = new VegasController({ key, initial: 10 });
    const after = (latencyMs: number, inFlight: number): number => {
      succeed(controller, latencyMs, inFlight);
      return capOf(controller);
    };
    expect([after(20, 10), after(10, 1), after(10, 4), after(0, 10)]).toEqual([10, 10, 10, 10]);
    controller.admitted(0);
    expect(controller.failed(0)).toEqual([]);
    expect([after(50, 5), after(10, 4), after(10, 5)]).toEqual([9, 9, 15]);
  });

  it('measures anew after an idle reset', () => {
    const controller = new VegasController({ key, initial: 10 });
    for (let i = 0; i < 224; i++) succeed(controller, 10, 1);
    controller.observed(300_000);
    succeed(controller, 20, 10, 300_000);
    expect(capOf(controller)).toBe(10);
    expect(succeed(controller, 20, 10, 300_000)).toMatchObject([{ previous: 10, next: 16 }]);
  });

  it('steps down once per refusal, to 1', () => {
    const controller = new VegasController({ key, initial: 3 });
    const changes = [refuse(controller), refuse(controller), refuse(controller)].flat();
    expect(changes).toEqual([
      { key, previous: 3, next: 2, reason: 'rate_limited' },
      { key, previous: 2, next: 1, reason: 'rate_limited' },
    ]);
  });

  it('measures the best latency anew after 15 to 30 answers per place, so that a slower server is no queue for ever', () => {
    const answersUntilRaise = (controller: VegasController): number => {
      succeed(controller, 10, 10);
      for (let answers = 2; ; answers++) if (succeed(controller, 14, 10).length > 0) return answers;
    };
    // At the middle, 0.75 × 30 × 10, the best becomes 14 ms; the answer after it meets no queue.
    expect(answersUntilRaise(new VegasController({ key, initial: 10 }))).toBe(226);
    expect(answersUntilRaise(new VegasController({ key, initial: 10, random: () => 0 }))).toBe(151);
  });
});

describe("Netflix's AIMD", () => {
  // As the original's own tests have them.
  it('adds 1 where half of the limit was in use', () => {
    const controller = new NetflixAimdController({ key, initial: 20 });
    succeed(controller, 1, 10);
    expect(capOf(controller)).toBe(21);
    succeed(controller, 1, 10);
    expect(capOf(controller)).toBe(21);
  });

  it('cuts by a tenth, once for each refusal of a wave, and never below 20', () => {
    const controller = new NetflixAimdController({ key, initial: 30, floor: 20 });
    const wave = Array.from({ length: 5 }, () => controller.admitted(0));
    const caps = wave.map((epoch) => {
      controller.throttled(0, epoch, 'rate_limited');
      return capOf(controller);
    });
    expect(caps).toEqual([27, 24, 21, 20, 20]);
  });

  it('takes an answer slower than 5 s for a loss', () => {
    const controller = new NetflixAimdController({ key, initial: 30 });
    succeed(controller, 5_000, 30);
    expect(capOf(controller)).toBe(31);
    expect(succeed(controller, 5_001, 30)).toEqual([{ key, previous: 31, next: 27, reason: 'provider_overloaded' }]);
  });

  it('moves only by answers and refusals, and takes an answer that nobody measured for a quick one', () => {
    const controller = new NetflixAimdController({ key, initial: 30, timeoutMs: 10, backoffRatio: 0.5, floor: 1 });
    controller.admitted(0);
    controller.admitted(0);
    expect([controller.failed(0), controller.ended(0)]).toEqual([[], []]);
    expect(succeed(controller, 0, 15)).toMatchObject([{ next: 31 }]);
    expect(succeed(controller, 5_000, 1)).toMatchObject([{ next: 15 }]);
  });

  it('does not pass its growth limit', () => {
    const controller = new NetflixAimdController({ key, initial: 21, growthLimit: 21 });
    expect(succeed(controller, 1, 21)).toEqual([]);
  });
});

describe('the textbook AIMD', () => {
  it('adds 1 per window of answers, and halves once per wave', () => {
    const controller = new TrueAimdController({ key, initial: 4 });
    const answersUntilRaise = (): number => {
      for (let answers = 1; ; answers++) if (succeed(controller, 10, capOf(controller)).length > 0) return answers;
    };
    expect([answersUntilRaise(), answersUntilRaise(), answersUntilRaise()]).toEqual([4, 5, 6]);
    const wave = Array.from({ length: 7 }, () => controller.admitted(0));
    const changes = wave.flatMap((epoch) => controller.throttled(0, epoch, 'rate_limited'));
    expect(changes).toEqual([{ key, previous: 7, next: 3, reason: 'rate_limited' }]);
    expect(answersUntilRaise()).toBe(3);
  });

  it('begins a window anew with a wave and with an idle reset, and counts only answers of its epoch', () => {
    const controller = new TrueAimdController({ key, initial: 4, increaseStep: 3, decreaseFactor: 0.9 });
    const stale = [0, 0, 0, 0].map((now) => controller.admitted(now));
    for (let i = 0; i < 3; i++) succeed(controller, 10, 4);
    expect(refuse(controller)).toMatchObject([{ previous: 4, next: 3 }]);
    for (const epoch of stale) controller.succeeded(0, epoch, { latencyMs: 10, inFlightAtAdmission: 4 });
    controller.admitted(0);
    controller.failed(0);
    succeed(controller, 10, 2);
    expect(succeed(controller, 10, 2)).toEqual([]);
    expect(succeed(controller, 10, 2)).toMatchObject([{ previous: 3, next: 6 }]);
    for (let i = 0; i < 5; i++) succeed(controller, 10, 3);
    controller.observed(300_000);
    const answers = [1, 2, 3, 4].map(() => succeed(controller, 10, 2, 300_000).length);
    expect(answers).toEqual([0, 0, 0, 1]);
  });

  it('takes a window that was less than half in use for no proof', () => {
    const controller = new TrueAimdController({ key, initial: 4 });
    for (let i = 0; i < 100; i++) succeed(controller, 10, 1);
    expect(capOf(controller)).toBe(4);
  });
});

describe('ARC', () => {
  /** A round trip: `inFlight` requests sent together at `now`, answered together after `latencyMs`. */
  function roundTrip(controller: ArcController, now: number, latencyMs: number, inFlight = capOf(controller)): number {
    const sent = Array.from({ length: inFlight }, () => controller.admitted(now));
    sent.forEach((epoch, i) => {
      controller.succeeded(now + latencyMs, epoch, { latencyMs, inFlightAtAdmission: i + 1 });
    });
    return now + latencyMs;
  }

  function caps(controller: ArcController, latencies: readonly number[]): readonly number[] {
    let now = 0;
    return latencies.map((latencyMs) => {
      now = roundTrip(controller, now, latencyMs);
      return capOf(controller);
    });
  }

  it('adds 1 per round trip on a steady link; the first sets the measure', () => {
    expect(caps(new ArcController({ key }), [100, 100, 100, 100, 100])).toEqual([1, 2, 3, 4, 5]);
  });

  it('cuts by a tenth where latency leaves the usual deviation', () => {
    // A decision comes with the first answer of a trip; the others count for the next. 125 ms against 100 ± 0: 5 × 0.9; 200
    // against 110 + 2.5 × 12: 4 × 0.9; 175 against 146 + 2.5 × 45: it stays.
    expect(caps(new ArcController({ key, initial: 4 }), [100, 100, 200, 200, 100])).toEqual([4, 5, 4, 3, 3]);
  });

  it('judges a wave of refusals once, at the end of the round trip, for the reason that they gave', () => {
    const controller = new ArcController({ key, initial: 10 });
    roundTrip(controller, 0, 100);
    const sent = Array.from({ length: 10 }, () => controller.admitted(100));
    const early = sent.slice(0, 5).flatMap((epoch) => controller.throttled(150, epoch, 'rate_limited'));
    const late = sent
      .slice(5)
      .flatMap((epoch) => controller.succeeded(250, epoch, { latencyMs: 150, inFlightAtAdmission: 5 }));
    expect(early).toEqual([]);
    expect(late).toEqual([{ key, previous: 10, next: 9, reason: 'rate_limited' }]);
  });

  it('takes a failure for pressure, and does not raise a cap that nobody reached', () => {
    const controller = new ArcController({ key, initial: 10 });
    roundTrip(controller, 0, 100);
    controller.admitted(100);
    expect(controller.failed(200)).toEqual([{ key, previous: 10, next: 9, reason: 'provider_overloaded' }]);
    roundTrip(controller, 200, 90, 3);
    roundTrip(controller, 290, 80, 3);
    expect(capOf(controller)).toBe(9);
  });

  /** One request at a time: each is a round trip, and none reaches the cap. */
  function trips(controller: ArcController, latencies: readonly number[], from = 0): readonly number[] {
    let now = from;
    return latencies.map((latencyMs) => {
      now = roundTrip(controller, now, latencyMs, 1);
      return capOf(controller);
    });
  }

  it('takes for usual what is within 2.5 deviations of the moving average', () => {
    // The first sets the measure, and counts for the second trip too: 105. Then 102 and a variance of 6: up to 108.1. After
    // 108 they are 104.4 and 12.24: up to 113.1.
    expect(trips(new ArcController({ key, initial: 100 }), [100, 110, 108, 114])).toEqual([100, 90, 90, 81]);
    expect(trips(new ArcController({ key, initial: 100 }), [100, 110, 109])).toEqual([100, 90, 81]);
  });

  it('cuts, as the original, also where a cap that nobody reached is as slow as ever, to the millisecond', () => {
    expect(trips(new ArcController({ key, initial: 10 }), [100, 100])).toEqual([10, 9]);
    expect(trips(new ArcController({ key, initial: 10 }), [100, 99.9])).toEqual([10, 10]);
  });

  it('is pressed by refusals alone', () => {
    const controller = new ArcController({ key, initial: 10 });
    trips(controller, [100]);
    expect(controller.throttled(150, controller.admitted(100), 'offpeak_queued')).toEqual([]);
    expect(succeed(controller, 90, 1, 200)).toEqual([{ key, previous: 10, next: 9, reason: 'offpeak_queued' }]);
    expect(succeed(controller, 90, 1, 300)).toEqual([]);
  });

  it('decides nothing before it has measured anything', () => {
    const controller = new ArcController({ key, initial: 10 });
    for (const now of [0, 10, 20]) {
      controller.admitted(now);
      expect(controller.failed(now)).toEqual([]);
    }
  });

  it('measures only answers: what ended otherwise moves neither mean nor cap', () => {
    const controller = new ArcController({ key, initial: 2 });
    roundTrip(controller, 0, 100, 1);
    expect(succeed(controller, 101, 1, 200)).toMatchObject([{ next: 1 }]);
    // The measure is 100.2 now; a trip without an answer decides nothing, although it reaches the cap.
    controller.admitted(200);
    expect(controller.ended(301)).toEqual([]);
    expect(succeed(controller, 0, 1, 350)).toEqual([]);
    expect(succeed(controller, 100, 1, 402)).toMatchObject([{ previous: 1, next: 2 }]);
    controller.admitted(402);
    controller.admitted(402);
    expect(controller.failed(600)).toMatchObject([{ previous: 2, next: 1 }]);
    expect(controller.succeeded(701, 0, { latencyMs: 95, inFlightAtAdmission: 2 })).toEqual([]);
    expect(succeed(controller, 95, 1, 801)).toMatchObject([{ previous: 1, next: 2 }]);
  });

  it('measures anew after an idle reset', () => {
    const controller = new ArcController({ key, initial: 10 });
    trips(controller, [100, 80]);
    controller.observed(400_000);
    expect(trips(controller, [1_000, 999], 400_000)).toEqual([10, 10]);
  });
});

describe('what they share', () => {
  const make: readonly [string, number, (options: LimitOptions) => LimitController][] = [
    ['Gradient2Controller', 20, (options) => new Gradient2Controller(options)],
    ['VegasController', 20, (options) => new VegasController(options)],
    ['NetflixAimdController', 20, (options) => new NetflixAimdController(options)],
    ['TrueAimdController', 8, (options) => new TrueAimdController(options)],
    ['ArcController', 1, (options) => new ArcController(options)],
  ];

  it.each(make)('%s starts at its own default, %d', (_, initial, of) => {
    expect(of({ key }).snapshot()).toMatchObject({ key, initial, cap: initial, epoch: 0, inFlight: 0 });
  });

  it.each(make)('%s keeps the longest wait, whatever the epoch', (_, __, of) => {
    const controller = of({ key, initial: 20 });
    const epochs = [controller.admitted(0), controller.admitted(0), controller.admitted(0)];
    controller.throttled(0, epochs[0] as number, 'rate_limited', 5_000);
    const [change] = controller.throttled(10, epochs[1] as number, 'rate_limited', 1_000);
    expect(change).toMatchObject({ reason: 'rate_limited', cooldownMs: 1_000 });
    expect([controller.canAdmit(4_999), controller.canAdmit(5_000)]).toEqual([false, true]);
  });

  it.each(make)('%s forgets what it learned after five idle minutes', (_, initial, of) => {
    const controller = of({ key, floor: 1, growthLimit: 200 });
    controller.seed(0, 100);
    succeed(controller, 100, 1);
    expect(controller.observed(299_999)).toEqual([]);
    expect(controller.observed(300_000)).toEqual([{ key, previous: 100, next: initial, reason: 'idle_reset' }]);
    expect(controller.observed(900_000)).toEqual([]);
  });

  it.each(make)('%s is seeded and lowered as the reference is', (_, __, of) => {
    const controller = of({ key, initial: 4, growthLimit: 10 });
    expect(controller.seed(0, 32)).toEqual([{ key, previous: 4, next: 10, reason: 'seeded' }]);
    expect(controller.setGrowthLimit(0, 6)).toEqual([{ key, previous: 10, next: 6, reason: 'limit_lowered' }]);
    expect(controller.setGrowthLimit(0, 1)).toEqual([{ key, previous: 6, next: 4, reason: 'limit_lowered' }]);
    refuse(controller, 1);
    expect(controller.seed(300_000, 4)).toEqual([]);
  });
});
