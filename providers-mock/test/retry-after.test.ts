/**
 * The hint as the client reads it: who gives one, and what its form does to it.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hintMs } from '../src/models/retry-after.js';
import type { HintForm, RetryAfterSpec } from '../src/models/verdict.js';

const waiting = { waitMs: 1234.567, scope: 'requests', tooLarge: false } as const;
const full = { waitMs: null, scope: 'concurrency', tooLarge: false } as const;
const tooLarge = { waitMs: null, scope: 'tokens', tooLarge: true } as const;

function exact(as: HintForm, rounding: 'up' | 'none', error = 0): RetryAfterSpec {
  return { kind: 'exact', as, rounding, error };
}

function constant(ms: number, as: HintForm, rounding: 'up' | 'none', error = 0): RetryAfterSpec {
  return { kind: 'constant', ms, as, rounding, error };
}

describe('a hint', () => {
  it.each([
    ['none', { kind: 'none' }, [null, null, null]],
    ['the exact wait', exact('ms', 'none'), [1234.567, null, null]],
    ['a constant', constant(60_000, 'ms', 'none'), [60_000, 60_000, 60_000]],
  ] as const)(
    'of kind %s is given by a window, a full concurrency quota, a too large request',
    (_title, spec, hints) => {
      expect([waiting, full, tooLarge].map((refusal) => hintMs(spec, refusal, 0, 0.5))).toEqual(hints);
    },
  );

  it.each([
    // as, rounding, now, read
    ['seconds', 'up', 0, 2000],
    ['seconds', 'none', 0, 1234.567],
    ['ms', 'up', 0, 1235],
    ['ms', 'none', 0, 1234.567],
    ['http-date', 'up', 0, 2000], // 1.234567 → 2, minus 0
    ['http-date', 'up', 900, 3000], // 2.134567 → 3, minus 0
    ['http-date', 'none', 0, 1000], // 1.234567 → 1, minus 0
    ['http-date', 'none', 5900, 2000], // 7.134567 → 7, minus 5
  ] as const)('said as %s, rounding %s, at %i ms is read as %f ms', (as, rounding, nowMs, read) => {
    expect(hintMs(exact(as, rounding), waiting, nowMs, 0.5)).toBe(read);
  });

  it('that is a whole number already is not rounded up to the next', () => {
    for (const as of ['seconds', 'ms', 'http-date'] as const) {
      expect(hintMs(constant(3000, as, 'up'), waiting, 7000, 0)).toBe(3000);
    }
  });

  it.each([
    [0, 900],
    [0.25, 950],
    [0.5, 1000],
    [0.75, 1050],
  ])('with an error of 10 %% is off by its share of it: %f → %i', (random, read) => {
    expect(hintMs(constant(1000, 'ms', 'none', 0.1), full, 0, random)).toBe(read);
  });

  it('rounded up never tells to come before the meant time, nor two seconds late', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<HintForm>('seconds', 'ms', 'http-date'),
        fc.nat({ max: 10_000_000 }),
        fc.nat({ max: 10_000_000 }),
        (as, waitUs, nowUs) => {
          const read = hintMs(exact(as, 'up'), { ...waiting, waitMs: waitUs / 1000 }, nowUs / 1000, 0) ?? Number.NaN;
          expect(read).toBeGreaterThanOrEqual(waitUs / 1000);
          expect(read).toBeLessThan(waitUs / 1000 + 2000);
        },
      ),
    );
  });

  it('out of range is refused', () => {
    const hintOf = (spec: RetryAfterSpec) => () => hintMs(spec, waiting, 0, 0);
    expect(hintOf(exact('ms', 'up', 1.5))).toThrow(
      new RangeError('retryAfter: error must be a share from 0 to 1, got 1.5'),
    );
    expect(hintOf(constant(Number.NaN, 'ms', 'up'))).toThrow(
      new RangeError('retryAfter: ms must be a finite number of at least 0, got NaN'),
    );
  });
});
