/**
 * The hint as the client reads it: who gives one, and what its form does to it.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HintForm, RetryAfterSpec } from '../src/models/hint-spec.js';
import { hintMs } from '../src/models/retry-after.js';

const waiting = { waitMs: 1234.567, scope: 'requests', tooLarge: false } as const;
const full = { waitMs: null, scope: 'concurrency', tooLarge: false } as const;
const tooLarge = { waitMs: null, scope: 'tokens', tooLarge: true } as const;

type StatedHint = Exclude<RetryAfterSpec, { kind: 'none' }>;

function exact(as: HintForm, rounding: 'up' | 'none', error = 0): StatedHint {
  return { kind: 'exact', as, rounding, error };
}

function constant(ms: number, as: HintForm, rounding: 'up' | 'none', error = 0): StatedHint {
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

describe('a hint that lies', () => {
  const wait = { waitMs: 20_000, scope: 'tokens', tooLarge: false } as const;

  it.each([
    // factor, read
    [0, 0],
    [0.1, 2000],
    [1, 20_000],
    [3, 60_000],
  ])('says %f times what it means: %i ms', (factor, read) => {
    expect(hintMs({ ...exact('ms', 'none'), factor }, wait, 0, 0)).toBe(read);
    expect(hintMs({ ...constant(20_000, 'ms', 'none'), factor }, full, 0, 0)).toBe(read);
  });

  it('out of an old state is too long by its age, and never by more than its life', () => {
    const stale: RetryAfterSpec = { ...exact('ms', 'none'), staleMs: 10_000 };
    // The same end is told all along: what is computed at 30 s is repeated until 40 s.
    const read = [30_000, 31_000, 39_999, 40_000].map((nowMs) => {
      return hintMs(stale, { ...wait, waitMs: 50_000 - nowMs }, nowMs, 0);
    });
    expect(read).toEqual([20_000, 20_000, 20_000, 10_000]);
  });

  it.each([
    // the clock of the date is ahead by, read
    [0, 20_000],
    [7000, 27_000],
    [-7000, 13_000],
    [-30_000, 0], // a date in the past
  ])('by a clock that is %i ms ahead is read as %i ms', (skewMs, read) => {
    expect(hintMs({ ...exact('http-date', 'up'), skewMs }, wait, 5000, 0)).toBe(read);
  });

  it('may be given by some refusals alone', () => {
    const some: RetryAfterSpec = { ...constant(1000, 'seconds', 'up'), scopes: ['concurrency', 'requests'] };
    expect([waiting, full, wait].map((refusal) => hintMs(some, refusal, 0, 0))).toEqual([1000, 1000, null]);
  });

  it('is not known of an overload, but a constant is said all the same', () => {
    const overloaded = { waitMs: null, scope: 'overload', tooLarge: false } as const;
    expect(hintMs(exact('seconds', 'up'), overloaded, 0, 0)).toBe(null);
    expect(hintMs(constant(4000, 'seconds', 'up'), overloaded, 0, 0)).toBe(4000);
  });

  it.each([
    [{ factor: -1 }, 'factor must be a finite number of at least 0, got -1'],
    [{ staleMs: Infinity }, 'staleMs must be a finite number of at least 0, got Infinity'],
    [{ skewMs: Number.NaN }, 'skewMs must be a finite number, got NaN'],
  ])('with %o is refused', (more, message) => {
    expect(() => hintMs({ ...exact('http-date', 'up'), ...more } as RetryAfterSpec, wait, 0, 0)).toThrow(
      new RangeError(`retryAfter: ${message}`),
    );
  });
});
