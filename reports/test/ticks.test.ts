import { describe, expect, it } from 'vitest';
import { durationTicks, formatDuration, formatNumber } from '../src/ticks.js';

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [0.25, '0.25ms'],
    [250, '250ms'],
    [999.4, '999.4ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [30_000, '30s'],
    [59_999.7, '1m'],
    [60_000, '1m'],
    [90_000, '1m 30s'],
    [3_600_000, '1h'],
    [5_400_000, '1h 30m'],
    [3_630_000, '1h 30s'],
    [86_400_000, '1d'],
    [90_061_001, '1d 1h 1m 1.001s'],
    [-90_000, '−1m 30s'],
  ])('of %d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('a number', () => {
  it.each([
    [0, '0'],
    [0.30000000000000004, '0.3'],
    [0.0345, '0.035'],
    [0.00071, '0.00071'],
    [-0.5, '−0.5'],
    [2.005, '2.01'],
    [12.5, '12.5'],
    [1410, '1,410'],
    [793_941.33, '793,941'],
    [999_999, '999,999'],
    [1_250_000, '1.25M'],
  ])('%d is written %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('the ticks of a duration axis', () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  it.each([
    // A fraction of a second: decimal steps.
    [0, 350, 4, ['0s', '100ms', '200ms', '300ms']],
    // Seconds and minutes: the steps of a clock, never 20 s or 25 s.
    [0, 90 * second, 6, ['0s', '15s', '30s', '45s', '1m', '1m 15s', '1m 30s']],
    [0, 10 * minute, 5, ['0s', '2m', '4m', '6m', '8m', '10m']],
    [0, 2 * hour, 4, ['0s', '30m', '1h', '1h 30m', '2h']],
    [0, 24 * hour, 8, ['0s', '3h', '6h', '9h', '12h', '15h', '18h', '21h', '1d']],
    // Days: decimal steps again.
    [0, 10 * 24 * hour, 5, ['0s', '2d', '4d', '6d', '8d', '10d']],
    // A span that does not start at zero has ticks on round values, not on its edges.
    [95 * second, 245 * second, 3, ['2m', '3m', '4m']],
  ])('from %d to %d ms in at most %d intervals are %j', (min, max, atMost, labels) => {
    expect(durationTicks(min, max, atMost).map(formatDuration)).toEqual(labels);
  });
});
