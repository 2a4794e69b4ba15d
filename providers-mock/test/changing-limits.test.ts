/**
 * Limits that move by themselves: windows that follow the day, peak hours, pressure, and limits that are earned. Whole
 * days, with the numbers written out.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../src/models/provider.js';
import type { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import type { Verdict } from '../src/models/verdict.js';
import { seededLuck } from './seeded-luck.js';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FACTS = { inputTokens: 1, maxTokens: 0 };
const USED = { inputTokens: 1, outputTokens: 0 };

type Concurrency = Extract<QuotaSpec, { kind: 'concurrency' }>;
type Requests = Extract<QuotaSpec, { kind: 'requests' }>;

function concurrency(limit: number, more: Partial<Concurrency> = {}): Concurrency {
  return { kind: 'concurrency', name: 'concurrency', limit, refusedCount: false, ...more };
}

function requests(limit: number, perMs: number, more: Partial<Requests> = {}): Requests {
  const refill = 'fixed-window';
  return { kind: 'requests', name: 'requests', limit, perMs, refill, burst: limit, refusedCount: false, ...more };
}

/** A model with this one quota; the run begins at a time of day, in ms after midnight UTC. */
function modelOf(quota: QuotaSpec, startsAtMs: number = 0, seed: number = 1): ProviderModel {
  return createProvider({ quotas: [], startsAtMs, models: { m: { quotas: [quota] } } }, seededLuck(seed)).model('m');
}

/** How many of `count` requests at one instant are admitted. */
function admittedAt(model: ProviderModel, nowMs: number, count: number): number {
  const verdicts = Array.from({ length: count }, () => model.decide(FACTS, nowMs));
  for (const verdict of verdicts) if (verdict.kind === 'admitted') verdict.lease.answered(USED, nowMs);
  return verdicts.filter(({ kind }) => kind === 'admitted').length;
}

function waitOf(verdict: Verdict): number | null {
  return verdict.kind === 'refused' ? verdict.waitMs : 0;
}

describe('a daily quota that resets at midnight Pacific', () => {
  // 00:00 at UTC-8 is 08:00 UTC.
  const daily = requests(2, DAY, { resetAtMs: 8 * HOUR });

  it('is whole again at that time of the day, whenever the run began', () => {
    const model = modelOf(daily, 22 * HOUR); // begins at 22:00 UTC, ten hours before
    expect(admittedAt(model, 0, 3)).toBe(2);
    expect(waitOf(model.decide(FACTS, HOUR))).toBe(9 * HOUR);
    expect(admittedAt(model, 10 * HOUR - 0.001, 1)).toBe(0);
    expect(admittedAt(model, 10 * HOUR, 3)).toBe(2);
    expect(waitOf(model.decide(FACTS, 10 * HOUR))).toBe(DAY);
  });

  it('tells in its standing when it is full again', () => {
    const model = modelOf(daily, 22 * HOUR);
    admittedAt(model, HOUR, 1);
    expect(model.standings(FACTS, 2 * HOUR)).toMatchObject([{ remaining: 1, fullInMs: 8 * HOUR }]);
  });

  it('gives a reservation back only within its day', () => {
    const tokens: QuotaSpec = {
      ...daily,
      kind: 'tokens',
      limit: 10,
      counts: 'total',
      reserve: 'max-tokens',
      settle: 'refund',
    };
    const ask = { inputTokens: 5, maxTokens: 5 };
    const roomAfter = (answeredMs: number): number => {
      const model = modelOf(tokens, 22 * HOUR);
      model.decide(ask, 9 * HOUR).lease?.answered({ inputTokens: 5, outputTokens: 0 }, answeredMs);
      return model.standings(ask, answeredMs)[0]?.remaining ?? Number.NaN;
    };
    expect([roomAfter(9.5 * HOUR), roomAfter(10.5 * HOUR)]).toEqual([5, 10]);
  });

  it('for any reset, start and hour of asking waits until the next such time of the day, and not a microsecond more', () => {
    const minute = fc.nat({ max: 24 * 60 - 1 }).map((minutes) => minutes * MINUTE);
    fc.assert(
      fc.property(
        minute,
        minute,
        fc.nat({ max: 3 * 24 * 3600 }),
        fc.constantFrom(1, 6, 24),
        (reset, starts, s, hours) => {
          const quota = requests(1, hours * HOUR, { resetAtMs: reset });
          const model = modelOf(quota, starts);
          model.decide(FACTS, s * SECOND);
          const waitMs = waitOf(model.decide(FACTS, s * SECOND)) ?? Number.NaN;
          expect(waitMs).toBeGreaterThan(0);
          expect(waitMs).toBeLessThanOrEqual(hours * HOUR);
          expect((DAY + starts + s * SECOND + waitMs - reset) % (hours * HOUR)).toBe(0);
        },
      ),
    );
  });
});

describe('a limit with peak hours', () => {
  /** 15:00 to 18:00 at UTC+8. */
  const peak = [{ fromMs: 7 * HOUR, toMs: 10 * HOUR, limit: 1 }];

  it('is the other one exactly at those times of every day', () => {
    const model = modelOf(concurrency(3, { schedule: peak }), 6 * HOUR);
    const heldAt = (ms: number): number => {
      const verdicts = Array.from({ length: 5 }, () => model.decide(FACTS, ms));
      for (const { lease } of verdicts) lease?.abandoned(ms);
      return verdicts.filter(({ kind }) => kind === 'admitted').length;
    };
    const story = [0, HOUR - 0.001, HOUR, 4 * HOUR - 0.001, 4 * HOUR, DAY + HOUR, DAY + 4 * HOUR];
    expect(story.map(heldAt)).toEqual([3, 3, 1, 1, 3, 1, 3]);
  });

  it('leaves those in flight where they are when it falls', () => {
    const model = modelOf(concurrency(3, { schedule: peak }), 6 * HOUR);
    const leases = [0, 1, 2].map(() => model.decide(FACTS, 0).lease);
    expect([model.inFlight, model.decide(FACTS, HOUR).kind]).toEqual([3, 'refused']);
    leases[0]?.answered(USED, HOUR);
    leases[1]?.answered(USED, HOUR);
    expect(model.decide(FACTS, HOUR).kind).toBe('refused'); // one is in flight, and one is the limit
    leases[2]?.answered(USED, HOUR);
    expect(model.decide(FACTS, HOUR).kind).toBe('admitted');
  });

  it('may go over midnight, and its first entry holds where two overlap', () => {
    const schedule = [
      { fromMs: 22 * HOUR, toMs: 2 * HOUR, limit: 1 },
      { fromMs: 0, toMs: 6 * HOUR, limit: 2 },
    ];
    const model = modelOf(requests(5, HOUR, { schedule }));
    expect([1, 3, 7, 22, 25].map((hour) => admittedAt(model, hour * HOUR, 9))).toEqual([1, 2, 5, 1, 1]);
  });

  it('moves the capacity of a bucket along, by its share', () => {
    const bucket = requests(60, MINUTE, {
      refill: 'token-bucket',
      burst: 30,
      schedule: [{ fromMs: HOUR, toMs: 2 * HOUR, limit: 20 }],
    });
    const model = modelOf(bucket);
    expect(admittedAt(model, 0, 99)).toBe(30);
    expect(admittedAt(model, HOUR, 99)).toBe(10);
    expect(waitOf(model.decide(FACTS, HOUR))).toBe(3 * SECOND); // 20 a minute
    expect(admittedAt(model, 2 * HOUR + 40 * SECOND, 99)).toBe(30);
  });

  it('of 0 refuses until it is over, and says so; nothing is too large that fits at another time', () => {
    const model = modelOf(requests(5, HOUR, { schedule: [{ fromMs: HOUR, toMs: 3 * HOUR, limit: 0 }] }));
    expect(model.decide(FACTS, 1.5 * HOUR)).toMatchObject({ tooLarge: false, waitMs: 1.5 * HOUR });
    const closed = modelOf(requests(0, HOUR, { schedule: [{ fromMs: HOUR, toMs: 3 * HOUR, limit: 0 }] }));
    expect(closed.decide(FACTS, 0)).toMatchObject({ tooLarge: true, waitMs: null });
  });

  it('shows the limit in force, and takes new numbers of the stated one', () => {
    const model = modelOf(requests(5, HOUR, { schedule: [{ fromMs: HOUR, toMs: 2 * HOUR, limit: 2 }] }));
    const limits = (ms: number): unknown => model.standings(FACTS, ms)[0]?.spec.limit;
    expect([limits(0), limits(HOUR)]).toEqual([5, 2]);
    model.reconfigure([requests(9, HOUR, { schedule: [{ fromMs: HOUR, toMs: 2 * HOUR, limit: 2 }] })], HOUR);
    expect([limits(HOUR), limits(2 * HOUR)]).toEqual([2, 9]);
  });
});

describe('a limit under pressure', () => {
  const squeezed = concurrency(10, { squeeze: { everyMs: 10 * MINUTE, forMs: 5 * MINUTE, limit: 4 } });

  it('is the lower one for a third of the time, in the end, whatever is asked of it', () => {
    const shareLow = (askEveryMs: number): number => {
      const model = modelOf(squeezed, 0, 7);
      const asked = Array.from({ length: Math.floor((20 * DAY) / askEveryMs) }, (_, n) => n * askEveryMs);
      return asked.filter((ms) => model.standings(FACTS, ms)[0]?.spec.limit === 4).length / asked.length;
    };
    const share = shareLow(10 * SECOND);
    expect(share).toBeGreaterThan(0.31);
    expect(share).toBeLessThan(0.36);
    // The same episodes, looked at less often.
    expect(Math.abs(shareLow(MINUTE) - share)).toBeLessThan(0.002);
  });

  it('never rises', () => {
    const model = modelOf({ ...squeezed, squeeze: { everyMs: 1, forMs: 1_000_000, limit: 99 } });
    expect([1, 100, 1000].map((ms) => model.standings(FACTS, ms)[0]?.spec.limit)).toEqual([10, 10, 10]);
  });
});

describe('a limit that is earned', () => {
  const growing = { max: 25, growth: 0.5, everyMs: MINUTE, use: 0.5 };

  /** The limit in each minute, when in each of them so many requests succeed. */
  function limitsBy(successes: readonly number[], quota: QuotaSpec = requests(10, MINUTE, { growing })): number[] {
    const model = modelOf(quota);
    return successes.map((count, minute) => {
      const limit = model.standings(FACTS, minute * MINUTE)[0]?.spec.limit ?? Number.NaN;
      admittedAt(model, minute * MINUTE, count);
      return limit;
    });
  }

  it('rises by half after each minute in which half of it was used, to its most, and falls back in idle ones', () => {
    expect(limitsBy([10, 15, 23, 25, 12, 13, 0, 0, 0, 0])).toEqual([10, 15, 23, 25, 25, 17, 25, 17, 11, 10]);
    //                          12 of 25 are not half: down.  13 of 17 are: up.
  });

  it('counts what succeeded, not what was asked or failed', () => {
    const model = modelOf(requests(10, MINUTE, { growing }));
    for (let n = 0; n < 10; n += 1) {
      const { lease } = model.decide(FACTS, 0);
      if (n % 2 === 0) lease?.abandoned(0);
      else lease?.answered({ inputTokens: 0, outputTokens: 0 }, 0);
    }
    expect(model.standings(FACTS, MINUTE)[0]?.spec.limit).toBe(10);
  });

  it('in tokens counts tokens, and compares them with its own window', () => {
    const hourly: QuotaSpec = {
      ...requests(6000, HOUR, { growing: { max: 9000, growth: 0.1, everyMs: MINUTE, use: 1 } }),
      kind: 'tokens',
      counts: 'input',
      reserve: 'estimate',
      settle: 'refund',
    };
    const model = modelOf(hourly);
    const use = (tokens: number, ms: number): void =>
      model
        .decide({ inputTokens: tokens, maxTokens: 0 }, ms)
        .lease?.answered({ inputTokens: tokens, outputTokens: 9 }, ms);
    use(99, 0); // an hour's 6,000 are 100 a minute
    expect(model.standings(FACTS, MINUTE)[0]?.spec.limit).toBe(6000);
    use(100, MINUTE);
    expect(model.standings(FACTS, 2 * MINUTE)[0]?.spec.limit).toBe(6600);
  });
});

describe('sub-windows', () => {
  it('refuse the eleventh request of a second under a limit of 600 a minute', () => {
    const model = modelOf(requests(600, MINUTE, { subWindowMs: SECOND }));
    expect(admittedAt(model, 0, 20)).toBe(10);
    expect(waitOf(model.decide(FACTS, 300))).toBe(700);
    expect(model.standings(FACTS, 300)).toMatchObject([{ remaining: 590 }]);
    expect(admittedAt(model, 1000, 20)).toBe(10);
  });

  it('let a request in that is larger than a part, when a part is whole, and not into the next part with it', () => {
    const tokens: QuotaSpec = {
      ...requests(600, MINUTE, { subWindowMs: SECOND, refill: 'sliding-window' }),
      kind: 'tokens',
      counts: 'total',
      reserve: 'estimate',
      settle: 'refund',
    };
    const model = modelOf(tokens);
    expect(model.decide({ inputTokens: 300, maxTokens: 0 }, 0).kind).toBe('admitted');
    expect(waitOf(model.decide({ inputTokens: 1, maxTokens: 0 }, 400))).toBe(600);
    expect(model.decide({ inputTokens: 601, maxTokens: 0 }, 400)).toMatchObject({ tooLarge: true });
  });

  it('follow new numbers', () => {
    const model = modelOf(requests(600, MINUTE, { subWindowMs: SECOND }));
    model.reconfigure([requests(60, MINUTE, { subWindowMs: SECOND })], 0);
    expect(admittedAt(model, 0, 20)).toBe(1);
  });
});

describe('what makes no sense', () => {
  it.each([
    [
      'a reset of a bucket',
      requests(1, HOUR, { refill: 'token-bucket', resetAtMs: 0 }),
      'resetAtMs must be of a fixed window of which a day has a whole number, got 0',
    ],
    [
      'a reset of five hours',
      requests(1, 5 * HOUR, { resetAtMs: 0 }),
      'resetAtMs must be of a fixed window of which a day has a whole number, got 0',
    ],
    [
      'a time after midnight',
      requests(1, HOUR, { resetAtMs: DAY }),
      'resetAtMs must be a whole number below 86400000, got 86400000',
    ],
    [
      'a part of a bucket',
      requests(1, HOUR, { refill: 'token-bucket', subWindowMs: 1 }),
      'subWindowMs must be below perMs, and of a fixed or sliding window, got 1',
    ],
    [
      'a part as long as the whole',
      requests(1, HOUR, { subWindowMs: HOUR }),
      'subWindowMs must be below perMs, and of a fixed or sliding window, got 3600000',
    ],
    [
      'growth by nothing',
      requests(1, HOUR, { growing: { max: 2, growth: 0, everyMs: 1, use: 1 } }),
      'growing.growth must be a finite number above 0, got 0',
    ],
    [
      'a peak below zero',
      concurrency(1, { schedule: [{ fromMs: 0, toMs: 1, limit: -1 }] }),
      'schedule.limit must be a whole number of at least 0, got -1',
    ],
    [
      'a squeeze that never ends',
      concurrency(1, { squeeze: { everyMs: 1, forMs: Infinity, limit: 1 } }),
      'squeeze.forMs must be at least 1 and finite, got Infinity',
    ],
  ])('is refused: %s', (_, quota, message) => {
    expect(() => modelOf(quota)).toThrow(new RangeError(`quota "${quota.name}": ${message}`));
  });

  it('is refused: another shape while the provider runs', () => {
    const model = modelOf(requests(1, HOUR, { resetAtMs: 0 }));
    expect(() => model.reconfigure([requests(1, HOUR, { resetAtMs: HOUR })], 0)).toThrow(
      'quota "requests": resetAtMs cannot change while the provider runs, from 0 to 3600000; only name, limit, perMs and burst can',
    );
    const peak = modelOf(concurrency(1, { schedule: [{ fromMs: 0, toMs: 1, limit: 1 }] }));
    expect(() => peak.reconfigure([concurrency(1)], 0)).toThrow('schedule cannot change while the provider runs');
  });

  it('is refused: luck without a source of it', () => {
    const squeeze = { everyMs: 1, forMs: 1, limit: 1 };
    expect(() => createProvider({ quotas: [concurrency(1, { squeeze })], models: {} })).toThrow(
      'quotas/concurrency/squeeze is random: give createProvider the random numbers for it',
    );
  });
});
