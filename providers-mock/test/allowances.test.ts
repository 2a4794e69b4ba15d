/**
 * Buckets and windows, one by one and together: what they never let through, and that a stated wait is exact to the
 * microsecond. The models are asked as a client asks them; nothing looks inside.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec, WindowSpec } from '../src/models/quota-spec.js';
import type { Lease, Verdict } from '../src/models/verdict.js';

type Refill = WindowSpec['refill'];
type Requests = Extract<QuotaSpec, { kind: 'requests' }>;
type Tokens = Extract<QuotaSpec, { kind: 'tokens' }>;

const REFILLS = ['token-bucket', 'fixed-window', 'sliding-window'] as const;

function requests(limit: number, perMs: number, refill: Refill, burst: number = limit): Requests {
  return { kind: 'requests', name: 'rpm', limit, perMs, refill, burst, refusedCount: false };
}

function tokens(limit: number, perMs: number, refill: Refill, burst: number = limit): Tokens {
  const settlement = { counts: 'total', reserve: 'max-tokens', settle: 'refund' } as const;
  return { ...requests(limit, perMs, refill, burst), kind: 'tokens', name: 'tpm', ...settlement };
}

/** A call that costs `cost` tokens. */
function call(cost: number): { inputTokens: number; maxTokens: number } {
  return { inputTokens: cost, maxTokens: 0 };
}

function waitMs(verdict: Verdict): number {
  if (verdict.kind === 'refused' && verdict.waitMs !== null) return verdict.waitMs;
  throw new Error(`expected a wait, got ${verdict.kind}`);
}

interface Spent {
  readonly atUs: number;
  readonly cost: number;
}

/** What a model admits of a script of arrivals. */
function admittedOf(spec: QuotaSpec, script: readonly { stepUs: number; cost: number }[]): Spent[] {
  const model = new ProviderModel([spec]);
  const admitted: Spent[] = [];
  let atUs = 0;
  for (const { stepUs, cost } of script) {
    atUs += stepUs;
    if (model.decide(call(cost), atUs / 1000).kind === 'admitted') {
      admitted.push({ atUs, cost: spec.kind === 'tokens' ? cost : 1 });
    }
  }
  return admitted;
}

const arrivals = fc.array(fc.record({ stepUs: fc.nat({ max: 4000 }), cost: fc.integer({ min: 1, max: 6 }) }), {
  maxLength: 150,
  size: 'max',
});
const windowNumbers = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  perMs: fc.integer({ min: 1, max: 30_000 }).map((us) => us / 1000),
  burst: fc.integer({ min: 1, max: 25 }),
  counted: fc.constantFrom('requests', 'tokens'),
});

function quotaOf(
  refill: Refill,
  { limit, perMs, burst, counted }: { limit: number; perMs: number; burst: number; counted: string },
): QuotaSpec {
  return (counted === 'tokens' ? tokens : requests)(limit, perMs, refill, burst);
}

describe('no script of arrivals gets more', () => {
  it('out of a token bucket than its burst plus what refills, over any span', () => {
    fc.assert(
      fc.property(windowNumbers, arrivals, (numbers, script) => {
        const admitted = admittedOf(quotaOf('token-bucket', numbers), script);
        const perUs = Math.round(numbers.perMs * 1000);
        // Times perUs, so that the comparison is one of integers.
        const excesses = admitted.flatMap((first, from) => {
          let sum = 0;
          return admitted.slice(from).map(({ atUs, cost }) => {
            sum += cost;
            return (sum - numbers.burst) * perUs - numbers.limit * (atUs - first.atUs);
          });
        });
        expect(Math.max(0, ...excesses)).toBe(0);
      }),
    );
  });

  it('out of a sliding window than its limit, in any span of its length', () => {
    fc.assert(
      fc.property(windowNumbers, arrivals, (numbers, script) => {
        const admitted = admittedOf(quotaOf('sliding-window', numbers), script);
        const perUs = Math.round(numbers.perMs * 1000);
        for (const { atUs: endUs } of admitted) {
          const inside = admitted.filter(({ atUs }) => atUs > endUs - perUs && atUs <= endUs);
          expect(inside.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(numbers.limit);
        }
      }),
    );
  });

  it('out of a fixed window than its limit, from one multiple of its length to the next', () => {
    fc.assert(
      fc.property(windowNumbers, arrivals, (numbers, script) => {
        const perUs = Math.round(numbers.perMs * 1000);
        const sums = new Map<number, number>();
        for (const { atUs, cost } of admittedOf(quotaOf('fixed-window', numbers), script)) {
          const window = Math.floor(atUs / perUs);
          sums.set(window, (sums.get(window) ?? 0) + cost);
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(numbers.limit);
      }),
    );
  });
});

/** A history that leaves quotas in every state: reservations, refunds, debts, counted refusals, changed numbers. */
interface Step {
  readonly stepUs: number;
  readonly does: 'decide' | 'answer' | 'abandon' | 'reconfigure';
  readonly inputTokens: number;
  readonly maxTokens: number;
  readonly outputTokens: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  stepUs: fc.nat({ max: 8000 }),
  does: fc.constantFrom('decide', 'decide', 'decide', 'answer', 'abandon', 'reconfigure'),
  inputTokens: fc.nat({ max: 8 }),
  maxTokens: fc.nat({ max: 8 }),
  outputTokens: fc.nat({ max: 30 }),
});
const anyQuota: fc.Arbitrary<QuotaSpec> = fc
  .record({
    numbers: windowNumbers,
    refill: fc.constantFrom(...REFILLS),
    refusedCount: fc.boolean(),
    counts: fc.constantFrom('input', 'output', 'total'),
    reserve: fc.constantFrom('none', 'estimate', 'max-tokens', 'larger'),
    settle: fc.constantFrom('refund', 'keep'),
  })
  .map(({ numbers, refill, refusedCount, counts, reserve, settle }) => {
    const spec = { ...quotaOf(refill, numbers), refusedCount };
    return spec.kind === 'tokens' ? { ...spec, counts, reserve, settle } : spec;
  });

/** The model after the history, and the time there. */
function lived(quotas: readonly QuotaSpec[], history: readonly Step[]) {
  const model = new ProviderModel(quotas);
  const leases: Lease[] = [];
  let nowUs = 0;
  for (const { stepUs, does, inputTokens, maxTokens, outputTokens } of history) {
    nowUs += stepUs;
    const nowMs = nowUs / 1000;
    if (does === 'decide') {
      const { lease } = model.decide({ inputTokens, maxTokens }, nowMs);
      if (lease !== null) leases.push(lease);
    } else if (does === 'reconfigure') {
      model.reconfigure(
        quotas.map((spec) =>
          spec.kind === 'concurrency' ? spec : { ...spec, limit: maxTokens, burst: maxTokens + 1 },
        ),
        nowMs,
      );
    } else if (does === 'answer') leases.shift()?.answered({ inputTokens, outputTokens }, nowMs);
    else leases.shift()?.abandoned(nowMs);
  }
  return { model, nowUs };
}

describe('a stated wait', () => {
  it('is exact to the microsecond, whatever came before, for any quotas together', () => {
    let waits = 0;
    fc.assert(
      fc.property(
        fc.array(anyQuota, { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.nat({ max: 8 }),
        fc.nat({ max: 8 }),
        (quotas, history, inputTokens, maxTokens) => {
          const facts = { inputTokens, maxTokens };
          // Time goes one way, so that each instant is asked of its own copy.
          const asked = () => {
            const { model, nowUs } = lived(quotas, history);
            return { model, nowUs, verdict: model.decide(facts, nowUs / 1000) };
          };
          const { model, nowUs, verdict } = asked();
          if (verdict.kind === 'admitted' || verdict.waitMs === null) return;
          waits += 1;
          const waitUs = Math.round(verdict.waitMs * 1000);
          expect(waitUs).toBeGreaterThan(0);
          expect(asked().model.decide(facts, (nowUs + waitUs - 1) / 1000).kind).toBe('refused');
          expect(model.decide(facts, nowUs / 1000 + verdict.waitMs).kind).toBe('admitted');
        },
      ),
      { numRuns: 2000 },
    );
    expect(waits).toBeGreaterThan(200);
  });

  it.each([
    // limit a minute, used, requested, wait: what real refusals of a provider with such a bucket said
    [10_000, 8554, 3082, 9.816],
    [30_000, 14_567, 24_754, 18.642],
    [200_000, 162_960, 42_288, 1.574],
    [30_000, 29_937, 385, 0.644],
  ])('of a bucket of %i with %i used is, for %i more, %f s', (limit, used, requested, seconds) => {
    const model = new ProviderModel([tokens(limit, 60_000, 'token-bucket')]);
    model.decide(call(used), 0);
    expect(Math.round(waitMs(model.decide(call(requested), 0))) / 1000).toBe(seconds);
  });

  it('stays exact where the rate is no round number and the products exceed 53 bits', () => {
    const limit = 999_999_937; // A prime: no common divisor with the day.
    const model = new ProviderModel([tokens(limit, 86_400_000, 'token-bucket')]);
    model.decide(call(limit), 0);
    // 68,599,349 · 86,400,000,000 / 999,999,937 is a whole number of microseconds and one part of 999,999,937 more.
    expect(waitMs(model.decide(call(68_599_349), 0))).toBe(5_926_984.128);
  });

  it('does not drift: a thousand waits in a row add up to the rate', () => {
    const model = new ProviderModel([requests(7, 1, 'token-bucket', 2)]);
    model.decide(call(0), 0);
    let nowUs = 0;
    for (let n = 0; n < 1000; n += 1) {
      model.decide(call(0), nowUs / 1000);
      nowUs += Math.round(waitMs(model.decide(call(0), nowUs / 1000)) * 1000);
    }
    // A thousand sevenths of a millisecond. Each arrival is late by a rounding, the bucket's schedule is not.
    expect(nowUs).toBe(142_858);
  });
});

describe('the shape of a refill', () => {
  /** When each of `count` requests gets in, in s, if each waits exactly as told. */
  function startsS(spec: QuotaSpec, count: number, fromMs = 0): number[] {
    const model = new ProviderModel([spec]);
    let nowMs = fromMs;
    return Array.from({ length: count }, () => {
      const verdict = model.decide(call(1), nowMs);
      if (verdict.kind === 'refused') {
        nowMs += waitMs(verdict);
        model.decide(call(1), nowMs);
      }
      return nowMs / 1000;
    });
  }

  it.each([
    ['token-bucket', 10, 840], // ten at once, then one per 6 s
    ['token-bucket', 1, 894], // one per 6 s from the start
    ['fixed-window', 10, 840], // ten a minute, fourteen minutes after the first
    ['sliding-window', 10, 840],
  ] as const)(
    'makes the last of 150 calls at 10 a minute start late: %s, burst %i, after %i s',
    (refill, burst, lastS) => {
      expect(startsS(requests(10, 60_000, refill, burst), 150).at(-1)).toBe(lastS);
    },
  );

  it('shows after a pause: five idle minutes save up no more than one limit', () => {
    const idleS = 330; // Half a minute off the grid of the minutes.
    const startsOf = (refill: Refill) => startsS(requests(15, 60_000, refill), 60, idleS * 1000);
    const within = (starts: readonly number[], toS: number) => starts.filter((s) => s - idleS < toS).length;
    const rows = REFILLS.map((refill) => [20, 59, 60.001, 119].map((toS) => within(startsOf(refill), toS)));
    expect(rows).toEqual([
      [19, 29, 30, 44], // the bucket refills at once: one per 4 s, on top of its fifteen
      [15, 30, 30, 45], // the fixed window starts anew at 360 s
      [15, 15, 30, 30], // never more than fifteen in any minute
    ]);
  });
});

describe('new numbers', () => {
  it('leave a bucket its units, up to the new capacity, and refill at the new rate', () => {
    const model = new ProviderModel([tokens(60, 60_000, 'token-bucket', 10)]);
    model.decide(call(4), 0); // 6 of 10 are left
    model.reconfigure([tokens(120, 60_000, 'token-bucket', 20)], 0);
    expect(waitMs(model.decide(call(7), 0))).toBe(500);
    model.reconfigure([tokens(120, 60_000, 'token-bucket', 3)], 0);
    expect(model.decide(call(3), 0).kind).toBe('admitted');
    expect(waitMs(model.decide(call(3), 0))).toBe(1500);
  });

  it('leave a debt a debt', () => {
    const overdrawn = { ...tokens(60, 60_000, 'token-bucket', 10), reserve: 'none' } as const;
    const model = new ProviderModel([overdrawn]);
    model.decide(call(0), 0).lease?.answered({ inputTokens: 30, outputTokens: 0 }, 0); // 20 too many
    model.reconfigure([{ ...overdrawn, limit: 120, burst: 5 }], 0);
    expect(waitMs(model.decide(call(0), 0))).toBe(10_500); // 21 at two a second
  });

  it('change nothing when they are the same, and close and reopen a bucket at a limit of 0', () => {
    const spec = requests(3, 1, 'token-bucket', 1);
    const model = new ProviderModel([spec]);
    model.decide(call(1), 0);
    model.reconfigure([spec], 0.1);
    expect(waitMs(model.decide(call(1), 0.1))).toBe(0.234); // a third of a millisecond, less a tenth, rounded up
    model.reconfigure([{ ...spec, limit: 0 }], 0.1);
    expect(model.decide(call(1), 0.2)).toMatchObject({ tooLarge: true });
    model.reconfigure([spec], 0.2);
    expect(waitMs(model.decide(call(1), 0.2))).toBe(0.134);
  });

  it('let a fixed window in progress keep its spending until the next boundary of the new grid', () => {
    const model = new ProviderModel([requests(2, 60_000, 'fixed-window')]);
    model.decide(call(1), 1000);
    model.decide(call(1), 2000);
    model.reconfigure([requests(3, 7000, 'fixed-window')], 10_000);
    expect(model.decide(call(1), 10_000).kind).toBe('admitted');
    expect(waitMs(model.decide(call(1), 10_000))).toBe(4000);
  });

  it('let a sliding window keep its log', () => {
    const model = new ProviderModel([requests(2, 60_000, 'sliding-window')]);
    model.decide(call(1), 0);
    model.decide(call(1), 2000);
    model.reconfigure([requests(1, 10_000, 'sliding-window')], 5000);
    expect(waitMs(model.decide(call(1), 5000))).toBe(7000);
  });
});

describe('a reservation that is settled late', () => {
  const used = { inputTokens: 10, outputTokens: 0 };

  it.each([
    // refill, settled at s, room right after it
    ['token-bucket', 30, 100], // 50 refilled, 90 came back: full, no more
    ['fixed-window', 59, 90],
    ['fixed-window', 60, 100], // its window is over, and the new one is whole
    ['sliding-window', 59, 90],
    ['sliding-window', 60, 100], // it has left the window
  ] as const)('gives back to a %s at %i s no more than is missing: %i fit', (refill, atS, room) => {
    const settled = () => {
      const model = new ProviderModel([tokens(100, 60_000, refill)]);
      model.decide(call(100), 0).lease?.answered(used, atS * 1000);
      return model;
    };
    expect(settled().decide(call(room), atS * 1000).kind).toBe('admitted');
    expect(settled().decide(call(room + 1), atS * 1000).kind).toBe('refused');
  });

  it('gives back fractions of a microsecond whole', () => {
    // 3 a millisecond: a token takes 333⅓ µs. Of 5, 3 are reserved and 2 used, so that exactly 3 are left.
    const settled = () => {
      const model = new ProviderModel([tokens(3, 1, 'token-bucket', 5)]);
      model.decide(call(3), 0).lease?.answered({ inputTokens: 2, outputTokens: 0 }, 0);
      return model;
    };
    expect(settled().decide(call(3), 0).kind).toBe('admitted');
    expect(waitMs(settled().decide(call(4), 0))).toBe(0.334);
  });
});
