/** The pacer by itself: what it is told, and when the next request may go. */

import { describe, expect, it } from 'vitest';
import type { RateLimit, Usage } from '../src/core/announced-limits.js';
import type { Scope } from '../src/core/answer.js';
import { type Paced, Pacer, type StatedTokens } from '../src/core/pacing.js';

const MINUTE = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

function rate(counts: RateLimit['counts'], limit: number, more: Partial<RateLimit> = {}): RateLimit {
  return { name: counts, counts, limit, perMs: MINUTE, ...more };
}

function pacer(...limits: readonly RateLimit[]) {
  const one = new Pacer();
  if (limits.length > 0) one.learned(limits, 0);
  const admit = (now: number, tokens?: StatedTokens, inFlightAtAdmission = 1): Paced => {
    const request: Paced = { admittedAt: now, inFlightAtAdmission, expected: undefined };
    one.admitted(request, now, tokens);
    return request;
  };
  return {
    one,
    admit,
    /** Let in at `at` and answered at `now`. */
    answer(at: number, now: number, usage?: Usage, tokens?: StatedTokens, inFlight = 1) {
      one.succeeded(admit(at, tokens, inFlight), now, usage);
    },
    /** Let in at `at` and refused at `now`: whether that was a rate's. */
    refuse: (at: number, now: number, scope?: Scope, inFlight = 1) =>
      one.refused(admit(at, undefined, inFlight), now, scope),
    /** Requests let in at `now`, before the next has to wait; at most a thousand. */
    atOnce(now: number, tokens?: StatedTokens) {
      let count = 0;
      for (; count < 1_000 && one.nextAt(tokens, now) <= now; count++) admit(now, tokens);
      return count;
    },
    wait: (now: number, tokens?: StatedTokens) => Math.max(0, Math.round(one.nextAt(tokens, now) - now)),
  };
}

describe('what one request costs', () => {
  const usage = { inputTokens: 30, outputTokens: 10 };

  it('is never a wait where no rate is known', () => {
    const { one, atOnce } = pacer();
    expect(one.nextAt(undefined, 5)).toBe(NEVER);
    expect(atOnce(5)).toBe(1_000);
    expect(one.nextAt(undefined, 5)).toBe(NEVER);
    one.learned([], 5);
    expect(one.nextAt(undefined, 5)).toBe(NEVER);
  });

  it.each<[RateLimit['counts'], StatedTokens | undefined, number]>([
    ['requests', undefined, 1],
    ['requests', 500, 1],
    ['input', undefined, 30],
    ['output', undefined, 10],
    ['tokens', undefined, 40],
    // 100 stated of which 40 came: what is stated for the output is seven times what comes.
    ['input', 100, 30],
    ['output', 100, 10],
    ['tokens', 100, 40],
    ['tokens', 130, 70],
    ['output', 60, 10],
    ['input', 60, 0],
    ['tokens', { prompt: 50, output: 70 }, 60],
    ['output', { prompt: 50, output: 90 }, 30],
    ['output', { prompt: 50, output: 20 }, 0],
    ['input', { prompt: 50, output: 20 }, 50],
  ])('in %s, stated %j: %d', (counts, tokens, cost) => {
    const { one, answer, admit, wait } = pacer();
    for (let n = 0; n < 3; n++) answer(0, 0, usage, 100);
    one.learned([rate(counts, 1_000)], 0);
    admit(0, tokens);
    // The first comes out of the slack of a twentieth of a minute; what is beyond it waits at 98 % of the rate.
    const due = (cost * MINUTE) / (0.98 * 1_000) - 0.05 * MINUTE;
    expect(wait(0, tokens)).toBe(Math.max(0, Math.round(due)));
    const dueAfterTen = (10 * cost * MINUTE) / (0.98 * 1_000) - 0.05 * MINUTE;
    for (let n = 1; n < 10; n++) admit(0, tokens);
    expect(wait(0, { prompt: 0, output: 0 })).toBe(Math.max(0, Math.round(dueAfterTen)));
  });
});

describe('how many at once the rates feed', () => {
  it('is the scarcest rate times the mean latency, and a quarter more', () => {
    const { one, answer } = pacer(rate('requests', 600), rate('tokens', 6_000));
    answer(0, 20_000, { inputTokens: 10, outputTokens: 10 });
    answer(0, 40_000, { inputTokens: 15, outputTokens: 5 });
    // 600 requests a minute, or 300 of 20 tokens: 5 a second, for 30 s.
    expect(one.places()).toBe(188);
    one.learned([rate('tokens', 24_000)], 0);
    expect(one.places()).toBe(375);
  });

  it('is unknown without a rate, and of one that was learned', () => {
    const { one, answer, refuse } = pacer();
    answer(0, 30_000);
    expect(one.places()).toBe(0);
    expect(refuse(30_000, 30_000, 'requests')).toBe(true);
    expect(one.places()).toBe(0);
    one.learned([], 30_000);
    expect(one.places()).toBe(0);
    one.learned([rate('requests', 60)], 30_000);
    expect(one.places()).toBe(38);
  });

  it('is unknown where requests cost nothing of it', () => {
    const { one, answer } = pacer(rate('tokens', 60));
    answer(0, 30_000);
    expect(one.places()).toBe(0);
  });
});

describe('a refusal', () => {
  it.each<[Scope, boolean]>([
    ['concurrency', false],
    ['utilization', false],
    ['requests', true],
    ['tokens_day', true],
    ['ramp', true],
  ])('for %s is one of a rate: %s', (scope, expected) => {
    expect(pacer().refuse(0, 0, scope)).toBe(expected);
  });

  it.each<[number | undefined, boolean]>([
    [undefined, false],
    [0, true],
    [19, true],
    [20, false],
  ])(
    'that says nothing, where %s tokens are left and a request takes 20, is one of a rate: %s',
    (remaining, expected) => {
      const { one, answer, refuse } = pacer();
      answer(0, 0, { inputTokens: 15, outputTokens: 5 });
      one.learned([rate('tokens', 1_000, remaining === undefined ? {} : { remaining })], 0);
      expect(refuse(0, 0)).toBe(expected);
    },
  );

  it('with nothing left for a whole request is one of a rate, however little the mean', () => {
    const { one, refuse } = pacer();
    one.learned([rate('tokens', 1_000, { remaining: 0.5 })], 0);
    expect(refuse(0, 0)).toBe(true);
    one.learned([rate('tokens', 1_000, { remaining: 1 })], 0);
    expect(refuse(0, 0)).toBe(false);
  });
});

describe('the share of an announced rate', () => {
  /** Milliseconds between two requests, once the slack is used up. */
  const gap = ({ one, admit }: ReturnType<typeof pacer>, from: number): number => {
    let now = from;
    let last = from;
    for (let n = 0; n < 6; n++) {
      last = now;
      now = Math.max(now, one.nextAt(undefined, now));
      admit(now);
    }
    return Math.round(now - last);
  };

  it('is less after a refusal, once for a wave, and grows back with time', () => {
    const paced = pacer(rate('requests', 60));
    expect(gap(paced, 0)).toBe(1020);
    const wave = [paced.admit(100_000), paced.admit(100_000), paced.admit(100_000)];
    expect(wave.map((request) => paced.one.refused(request, 100_001, 'requests'))).toEqual([true, true, true]);
    // 0.85, and a tenth of the whole for each minute since.
    expect([100_001, 130_000, 200_000].map((at) => gap(paced, at))).toEqual([1189, 1131, 1020]);
    // What was admitted at the time of the cut or later is new evidence.
    paced.refuse(300_000, 300_000, 'requests');
    paced.refuse(300_000, 300_000, 'requests');
    expect(gap(paced, 330_000)).toBe(1314);
  });

  it('is hardly less where nearly all was spent here', () => {
    const gaps = [53, 54].map((spent) => {
      const paced = pacer(rate('requests', 60), rate('tokens', 1_000_000));
      for (let n = 0; n < spent - 1; n++) paced.admit(1_000 + n * 1_000);
      paced.refuse(60_000, 60_000, 'requests');
      return gap(paced, 120_000);
    });
    // 0.85 and 0.95, and a tenth for the minute.
    expect(gaps).toEqual([1072, 1020]);
  });
});

describe('a rate that nobody announces', () => {
  it('is what was let in in the minute before a refusal that names one', () => {
    const { one, answer, refuse, wait, admit } = pacer();
    for (let n = 0; n < 30; n++) answer(n * 1_000, n * 1_000 + 500);
    expect(refuse(30_000, 30_000, 'requests')).toBe(true);
    expect(wait(30_000)).toBe(0);
    admit(91_000);
    expect([wait(91_000), wait(100_000)]).toEqual([0, 0]);
    one.learned([rate('requests', 600)], 100_000);
    expect(wait(100_000)).toBe(0);
  });

  it('is measured anew after a minute, and only then', () => {
    const results = [59_999, 60_000].map((later) => {
      const { answer, refuse, wait, admit } = pacer();
      for (let n = 0; n < 30; n++) answer(0, 0);
      refuse(0, 0, 'requests');
      for (let n = 0; n < 5; n++) answer(later, later);
      refuse(later, later, 'requests');
      admit(later + 61_000);
      admit(later + 61_000);
      return wait(later + 61_000);
    });
    expect(results).toEqual([0, 0]);
  });

  /** Each minute `count` requests, `level` at once at most, and a refusal at its end that says nothing. */
  const refusals = (
    ...minutes: readonly (readonly [count: number, level: number, refusedAt?: number])[]
  ): boolean[] => {
    const { answer, refuse } = pacer();
    return minutes.map(([count, level, refusedAt = level], minute) => {
      const from = minute * MINUTE;
      for (let n = 0; n < count; n++) answer(from + 30_000 + n, from + 30_100, undefined, undefined, level);
      return refuse(from + 59_000, from + 59_000, undefined, refusedAt);
    });
  };

  it.each<[string, readonly (readonly [number, number, number?])[], readonly boolean[]]>([
    ['once: nobody knows', [[40, 20]], [false]],
    [
      'as many with half as many in flight: a rate',
      [
        [40, 20],
        [40, 10],
      ],
      [false, true],
    ],
    [
      'as many with more than half in flight: places',
      [
        [40, 20],
        [40, 11],
      ],
      [false, false],
    ],
    [
      'a tenth more: a rate',
      [
        [40, 20],
        [44, 10],
      ],
      [false, true],
    ],
    [
      'a tenth less: a rate',
      [
        [40, 20],
        [36, 10],
      ],
      [false, true],
    ],
    [
      'more than that: places',
      [
        [40, 20],
        [45, 10],
      ],
      [false, false],
    ],
    [
      'less than that: places',
      [
        [40, 20],
        [35, 10],
      ],
      [false, false],
    ],
    [
      'as many in flight as ever: places',
      [
        [40, 20],
        [40, 20],
      ],
      [false, false],
    ],
    [
      'with a peak that is two minutes ago',
      [
        [40, 20],
        [40, 10],
        [40, 10],
      ],
      [false, true, false],
    ],
  ])('unnamed refusals show it by their shape: %s', (_, minutes, expected) => {
    expect(refusals(...minutes)).toEqual(expected);
  });

  it('a second refusal within a minute belongs to the wave', () => {
    const { answer, refuse } = pacer();
    const first = (at: number) => {
      for (let n = 0; n < 40; n++) answer(at, at, undefined, undefined, 20);
    };
    first(0);
    expect(refuse(30_000, 30_000, undefined, 5)).toBe(false);
    expect(refuse(30_001, 30_001, undefined, 5)).toBe(false);
    expect(refuse(89_999, 89_999, undefined, 5)).toBe(false);
    for (let n = 0; n < 40; n++) answer(89_999, 89_999, undefined, undefined, 10);
    expect(refuse(90_000, 90_000, undefined, 5)).toBe(true);
  });
});
