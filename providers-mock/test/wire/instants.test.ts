/** Durations and instants in the spellings of the providers. */

import { describe, expect, it } from 'vitest';
import {
  decimalMs,
  decimalSeconds,
  goDuration,
  httpDate,
  rfc3339,
  spokenUtc,
  wholeSeconds,
} from '../../src/wire/instants.js';
import { NOON_MS } from '../adapters/manual-clock.js';

describe('durations', () => {
  it.each([
    // The spellings that were collected from real answers.
    [0, '0s', '0', '0'],
    [6, '6ms', '1', '0.006'],
    [494, '494ms', '1', '0.494'],
    [644, '644ms', '1', '0.644'],
    [1_000, '1s', '1', '1'],
    [7_660, '7.66s', '8', '7.66'],
    [9_816, '9.816s', '10', '9.816'],
    [60_052, '1m0.052s', '61', '60.052'],
    [179_560, '2m59.56s', '180', '179.56'],
    [360_000, '6m0s', '360', '360'],
    [432_000, '7m12s', '432', '432'],
    [3_600_000, '1h0m0s', '3600', '3600'],
    [3_723_500, '1h2m3.5s', '3724', '3723.5'],
    // Rounded up to the millisecond, where a rounding may carry.
    [0.4, '1ms', '1', '0.0004'],
    [999.2, '1s', '1', '0.9992'],
    [59_999.5, '1m0s', '60', '59.9995'],
  ])('%d ms is %s, %s and %s', (ms, go, whole, decimal) => {
    expect([goDuration(ms), wholeSeconds(ms), decimalSeconds(ms)]).toEqual([go, whole, decimal]);
  });

  it('milliseconds keep their decimals and no zeros', () => {
    expect([0, 10, 9_816, 12.5, 0.001].map(decimalMs)).toEqual(['0', '10', '9816', '12.5', '0.001']);
  });
});

describe('instants', () => {
  it('are rounded up where a wait ends, and cut down where a date is stamped', () => {
    expect(rfc3339(NOON_MS + 41_001)).toBe('2026-11-30T12:00:42Z');
    expect(spokenUtc(NOON_MS + 40_001)).toBe('2026-11-30 12:00:41 UTC');
    expect(httpDate(NOON_MS + 45_999)).toBe('Mon, 30 Nov 2026 12:00:45 GMT');
  });
});
