/** Limits on growth: a load that rises too fast is refused at any level, and one that rises slowly is not. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../src/models/provider-model.js';
import type { RampSpec } from '../src/models/quota-spec.js';
import type { Verdict } from '../src/models/verdict.js';

const MINUTE = 60_000;

function ramp(more: Partial<RampSpec> = {}): RampSpec {
  return {
    kind: 'ramp',
    name: 'slow_down',
    counts: 'requests',
    limit: 100,
    perMs: MINUTE,
    growth: 0.5,
    overMs: 15 * MINUTE,
    refusedCount: false,
    ...more,
  };
}

const CALL = { inputTokens: 30, maxTokens: 70 };

/** How many requests are admitted in each minute of one that asks for ever more. */
function admittedPerMinute(spec: RampSpec, wanted: readonly number[]): number[] {
  const model = new ProviderModel([spec]);
  return wanted.map((count, minute) => {
    const verdicts = Array.from({ length: count }, (_, n) => model.decide(CALL, (minute + n / count) * MINUTE));
    return verdicts.filter(({ kind }) => kind === 'admitted').length;
  });
}

function refusal(verdict: Verdict): Extract<Verdict, { kind: 'refused' }> {
  if (verdict.kind === 'refused') return verdict;
  throw new Error('expected a refusal');
}

describe('a limit on growth', () => {
  it('lets as much through as is always free, and half as much more per quarter of an hour', () => {
    const got = admittedPerMinute(ramp(), Array(61).fill(1000));
    expect([0, 14, 15, 29, 30, 45, 60].map((minute) => got[minute])).toEqual([100, 100, 150, 150, 225, 337, 505]);
  });

  it('lets a slow rise alone', () => {
    const wanted = Array.from({ length: 121 }, (_, minute) => Math.round(50 * 1.02 ** minute)); // 35 % in 15 minutes
    expect(admittedPerMinute(ramp(), wanted)).toEqual(wanted);
  });

  it('bears with a lull shorter than its span, and forgets after twice the span', () => {
    const steady = Array(31).fill(1000) as number[];
    const after = (idle: number): number | undefined =>
      admittedPerMinute(ramp(), [...steady, ...(Array(idle).fill(0) as number[]), 1000]).at(-1);
    expect([0, 5, 14, 29, 30].map(after)).toEqual([225, 225, 337, 337, 100]);
  });

  it('names itself, and says when the very request would fit', () => {
    const model = new ProviderModel([ramp({ limit: 2 })]);
    for (let n = 0; n < 2; n += 1) model.decide(CALL, 0);
    expect(model.decide(CALL, 20_000)).toMatchObject({
      quota: 'slow_down',
      scope: 'ramp',
      waitMs: 40_000,
      tooLarge: false,
    });
    expect(model.decide(CALL, 60_000).kind).toBe('admitted');
  });

  it.each([
    ['input', 30],
    ['output', 70],
    ['total', 100],
  ] as const)('on %s counts what is asked for: %i a request', (counts, each) => {
    const model = new ProviderModel([ramp({ counts, limit: 3 * each })]);
    const verdicts = [0, 1, 2, 3].map((ms) => model.decide(CALL, ms));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted', 'refused']);
    expect(model.standings(CALL, 4)).toMatchObject([{ remaining: 0, requested: each, fullInMs: 59_996 }]);
  });

  it('finds a request too large that no growth so far allows, and lets it wait where growth does', () => {
    const spec = ramp({ counts: 'input', limit: 100 });
    const model = new ProviderModel([spec]);
    expect(refusal(model.decide({ inputTokens: 101, maxTokens: 0 }, 0))).toMatchObject({
      tooLarge: true,
      waitMs: null,
    });
    model.decide({ inputTokens: 100, maxTokens: 0 }, 0);
    expect(refusal(model.decide({ inputTokens: 150, maxTokens: 0 }, MINUTE))).toMatchObject({
      tooLarge: false,
      waitMs: 14 * MINUTE,
    });
    expect(model.decide({ inputTokens: 150, maxTokens: 0 }, 15 * MINUTE).kind).toBe('admitted');
  });

  it('finds it too large again when what it grew from is about to be forgotten', () => {
    const model = new ProviderModel([ramp({ counts: 'input', limit: 100 })]);
    model.decide({ inputTokens: 100, maxTokens: 0 }, 0);
    model.decide({ inputTokens: 1, maxTokens: 0 }, 30 * MINUTE); // 149 are left of this minute, the last of 150
    expect(refusal(model.decide({ inputTokens: 150, maxTokens: 0 }, 30 * MINUTE))).toMatchObject({ tooLarge: true });
  });

  it('never admits more in a window than the rule says, and states exact waits, for any arrivals', () => {
    const arrivals = fc.array(fc.record({ stepMs: fc.nat({ max: 2500 }), cost: fc.integer({ min: 1, max: 9 }) }), {
      maxLength: 120,
      size: 'max',
    });
    let waits = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 0.5, 1.3), arrivals, (back, growth, script) => {
        const spec = ramp({ counts: 'input', limit: 12, perMs: 1000, growth, overMs: back * 1000 });
        const model = new ProviderModel([spec]);
        const used: number[] = [];
        const allowed = (window: number): number => {
          const past = used.slice(Math.max(0, window - 2 * back), Math.max(0, window - back + 1)).map((n) => n ?? 0);
          return Math.max(12, Math.floor(Math.max(0, ...past) * (1 + growth)));
        };
        const [got, wanted]: [unknown[], unknown[]] = [[], []];
        let nowMs = 0;
        for (const { stepMs, cost } of script) {
          nowMs += stepMs;
          const window = Math.floor(nowMs / 1000);
          while (used.length <= window) used.push(0);
          const verdict = model.decide({ inputTokens: cost, maxTokens: 0 }, nowMs);
          got.push(verdict.kind === 'refused' ? verdict.waitMs : 'admitted');
          const fits = used[window]! + cost <= allowed(window);
          // 9 at most are asked for and 12 are always free, so that the next window has room.
          wanted.push(fits ? 'admitted' : (window + 1) * 1000 - nowMs);
          if (fits) used[window]! += cost;
          else waits += 1;
        }
        expect(got).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
    expect(waits).toBeGreaterThan(200);
  });

  it('counts refused requests where it is told to', () => {
    const model = new ProviderModel([ramp({ limit: 2, refusedCount: true, perMs: 1000, overMs: 1000, growth: 0 })]);
    for (let n = 0; n < 5; n += 1) model.decide(CALL, 0);
    // The refused three count as use, so that the next window may have five.
    expect([1000, 1000, 1000, 1000, 1000, 1000].map((ms) => model.decide(CALL, ms).kind)).toEqual([
      ...Array(5).fill('admitted'),
      'refused',
    ]);
  });

  it.each([
    [{ overMs: 90_000 }, 'overMs must be a whole number of windows of 60000 ms, 1 to 10000, got 90000'],
    [{ growth: -0.1 }, 'growth must be a finite number of at least 0, got -0.1'],
  ])('with %o is refused', (more, message) => {
    expect(() => new ProviderModel([ramp(more)])).toThrow(new RangeError(`quota "slow_down": ${message}`));
  });

  it('keeps its windows while the provider runs; its limit may change', () => {
    const model = new ProviderModel([ramp({ limit: 2 })]);
    model.reconfigure([ramp({ limit: 1 })], 0);
    expect([0, 1].map((ms) => model.decide(CALL, ms).kind)).toEqual(['admitted', 'refused']);
    expect(() => model.reconfigure([ramp({ limit: 1, perMs: 1000 })], 1)).toThrow(/perMs cannot change/);
  });
});
