import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, readDuration } from '../../src/scenario/duration.js';

describe('readDuration', () => {
  it.each([
    ['250ms', 250],
    ['20s', 20_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1.5s', 1500],
    // 1.1 × 1000 is 1100.0000000000002 or not, by the engine's luck; the decimal exponent is exact.
    ['1.1s', 1100],
    ['0.3m', 18_000],
    ['0.001ms', 0.001],
    ['6m 30s', 390_000],
    ['1h2m3s4ms', 3_723_004],
    ['0ms', 0],
    [0, 0],
    ['0', 0],
  ])('reads %j as %d ms', (written, ms) => {
    expect(readDuration(written)).toEqual({ kind: 'duration', ms });
  });

  it.each([
    [20, '20 has no unit; write 20ms, 20s, 20m or 20h'],
    ['1.5', '1.5 has no unit; write 1.5ms, 1.5s, 1.5m or 1.5h'],
    [-5, '-5 is negative; a duration is 0 or more'],
    ['-5s', '"-5s" is negative; a duration is 0 or more'],
    ['2d', '"2d": "d" is no unit; the units are ms, s, m and h'],
    ['10 sec', '"10 sec": "sec" is no unit; the units are ms, s, m and h'],
    ['5us', '"5us": "us" is no unit; the units are ms, s, m and h'],
    ['0.0001ms', '"0.0001ms" is less than a microsecond, the finest step of the clock'],
    ['2000000h', '"2000000h" is too long; a duration is at most 1000000h'],
    // Units go from large to small, each once.
    ['30s 6m', 'expected a duration with its unit (250ms, 20s, 5m, 1h), got "30s 6m"'],
    ['1s 1s', 'expected a duration with its unit (250ms, 20s, 5m, 1h), got "1s 1s"'],
    ['5 s', 'expected a duration with its unit (250ms, 20s, 5m, 1h), got "5 s"'],
    ['soon', 'expected a duration with its unit (250ms, 20s, 5m, 1h), got "soon"'],
    ['', 'expected a duration with its unit (250ms, 20s, 5m, 1h), got ""'],
    [true, 'expected a duration with its unit (250ms, 20s, 5m, 1h), got true'],
    [null, 'expected a duration with its unit (250ms, 20s, 5m, 1h), got nothing'],
    [[], 'expected a duration with its unit (250ms, 20s, 5m, 1h), got a list'],
  ])('refuses %j and says what is allowed', (written, message) => {
    expect(readDuration(written)).toEqual({ kind: 'problem', message });
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [0.001, '0.001ms'],
    [250, '250ms'],
    [999.999, '999.999ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [60_000, '1m'],
    [390_000, '6m 30s'],
    [3_605_250, '1h 5.25s'],
    [7_200_000, '2h'],
    [59_999.999, '59.999999s'],
  ])('writes %d ms as %s', (ms, written) => {
    expect(formatDuration(ms)).toBe(written);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (ms) => {
    expect(() => formatDuration(ms)).toThrow(new RangeError(`ms: expected a finite number ≥ 0, got ${ms}`));
  });

  it('writes what readDuration reads back, to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_600_000_000_000 }), (us) => {
        const reading = readDuration(formatDuration(us / 1000));
        expect(reading.kind === 'duration' && Math.round(reading.ms * 1000)).toBe(us);
      }),
    );
  });
});
