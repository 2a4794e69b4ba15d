import * as fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { Latency } from '../../src/results/latency.js';

function figuresOf(values: readonly number[]) {
  const latency = new Latency();
  for (const ms of values) latency.record(ms);
  return latency.figures();
}

describe('latencies', () => {
  it('of 1 to 1000 ms have the percentiles of an HDR histogram with 3 digits, an exact mean and an exact maximum', () => {
    expect(figuresOf(Array.from({ length: 1000 }, (_, i) => i + 1))).toEqual({
      mean: 500.5,
      p50: 500.223,
      p90: 900.095,
      p95: 950.271,
      p99: 990.207,
      max: 1000,
      count: 1000,
    });
  });

  it('that are all alike have that value everywhere, for none lies above the maximum', () => {
    const all = { mean: 1234.567, p50: 1234.567, p90: 1234.567, p95: 1234.567, p99: 1234.567, max: 1234.567 };
    expect(figuresOf([1234.567, 1234.567, 1234.567])).toEqual({ ...all, count: 3 });
  });

  it('count to the microsecond, zero included, and over days', () => {
    expect(figuresOf([0, 0, 0, 0.001])).toMatchObject({ mean: 0.00025, p50: 0, p90: 0.001, max: 0.001 });
    const week = 7 * 24 * 3_600_000;
    expect(figuresOf([week, week + 0.001])).toMatchObject({ mean: week + 0.0005, max: week + 0.001 });
  });

  it('are what the histogram itself says, value by value', () => {
    const microseconds = fc.oneof(fc.nat(5000), fc.nat(10_000_000), fc.integer({ min: 0, max: 2 ** 45 }));
    fc.assert(
      fc.property(fc.array(microseconds, { minLength: 1, maxLength: 200 }), (values) => {
        const histogram = build({ bitBucketSize: 64, numberOfSignificantValueDigits: 3 });
        for (const us of values) histogram.recordValue(us);
        const max = Math.max(...values);
        const at = (percentile: number) => Math.min(histogram.getValueAtPercentile(percentile), max) / 1000;
        const figures = figuresOf(values.map((us) => us / 1000));
        expect(figures).toMatchObject({ p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: max / 1000 });
      }),
    );
  });

  it('never fall from one percentile to the next, and lie within a thousandth of the sample', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000_000), { minLength: 1, maxLength: 200 }), (values) => {
        const { p50, p90, p95, p99, max } = figuresOf(values.map((us) => us / 1000));
        const rising = [p50, p90, p95, p99, max].map(Number);
        expect(rising).toEqual([...rising].sort((a, b) => a - b));
        const median = [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1]! / 1000;
        expect(p50).toBeGreaterThanOrEqual(median);
        expect(p50).toBeLessThanOrEqual(median * 1.001);
      }),
    );
  });
});
