import { describe, expect, it } from 'vitest';
import { RandomStreams } from '../../src/kernel/random.js';

function take(streams: RandomStreams, label: string, count: number): number[] {
  const stream = streams.stream(label);
  return Array.from({ length: count }, () => stream.next());
}

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const n = xs.length;
  const meanX = xs.reduce((sum, x) => sum + x, 0) / n;
  const meanY = ys.reduce((sum, y) => sum + y, 0) / n;
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (let i = 0; i < n; i += 1) {
    xy += (xs[i]! - meanX) * (ys[i]! - meanY);
    xx += (xs[i]! - meanX) ** 2;
    yy += (ys[i]! - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Pearson's statistic for 100 equal cells: 99 on average, above 148 once in a thousand. */
function chiSquare(values: readonly number[]): number {
  const cells = new Array<number>(100).fill(0);
  for (const value of values) cells[Math.floor(value * 100)]! += 1;
  const expected = values.length / 100;
  return cells.reduce((sum, observed) => sum + (observed - expected) ** 2 / expected, 0);
}

const LABELS = 20_000;

describe('RandomStreams', () => {
  it.each([
    [1, 'arrivals', [0.08228425391138094, 0.3595836273520995, 0.3538873434964307]],
    [1, 'arrivals/web', [0.3021802752084617, 0.8334971099705372, 0.9742114062840755]],
    [1, '', [0.09288853442433309, 0.36312972764995666, 0.1604222813016538]],
    [2, 'arrivals', [0.44259488836194416, 0.7759416721280699, 0.5184978989655871]],
    [-1, 'arrivals', [0.9177761334398798, 0.925366121094696, 0.755528963819223]],
    [2 ** 40 + 1, 'arrivals', [0.9467581097286035, 0.7814566210383901, 0.8851640143587547]],
    [1, 'Läufer №1', [0.32095222643723254, 0.9371272605351291, 0.11079919557918827]],
  ])('seed %d, label "%s" gives the numbers it has always given', (seed, label, numbers) => {
    expect(take(new RandomStreams(seed), label, 3)).toEqual(numbers);
  });

  it('gives a stream the same numbers whoever else asks, before or in between', () => {
    const alone = take(new RandomStreams(7), 'latency/acme', 5);
    const streams = new RandomStreams(7);
    const other = streams.stream('latency/other');
    const latency = streams.stream('latency/acme');
    const mixed = Array.from({ length: 5 }, (_, index) => {
      other.next();
      take(streams, `new ${index}`, index);
      return latency.next();
    });
    expect(mixed).toEqual(alone);
    expect(take(streams, 'latency/acme', 5)).toEqual(alone);
  });

  it('gives numbers in [0, 1) that fill all 53 bits evenly', () => {
    const values = take(new RandomStreams(1), 'uniform', 200_000);
    expect(values.every((value) => value >= 0 && value < 1 && Number.isInteger(value * 2 ** 53))).toBe(true);
    // Four standard errors, 1 / √(12 × 200 000) each.
    expect(Math.abs(values.reduce((sum, value) => sum + value, 0) / values.length - 0.5)).toBeLessThan(0.0026);
    expect(chiSquare(values)).toBeLessThan(148);
    expect(chiSquare(values.map((value) => (value * 2 ** 33) % 1))).toBeLessThan(148);
    expect(Math.abs(correlation(values.slice(1), values.slice(0, -1)))).toBeLessThan(0.007);
  });

  it.each([
    ['labels that differ in their last digits', (n: number) => new RandomStreams(1).stream(`agent-${n}`)],
    [
      'labels that differ in their first digits',
      (n: number) => new RandomStreams(1).stream(`${n}/tokens of one agent`),
    ],
    ['seeds that follow each other', (n: number) => new RandomStreams(n).stream('arrivals')],
    ['seeds that differ above their lower 32 bits', (n: number) => new RandomStreams(n * 2 ** 33).stream('arrivals')],
  ])('gives unrelated streams for %s', (_, streamOf) => {
    const streams = Array.from({ length: LABELS }, (_, n) => streamOf(n));
    const first = streams.map((stream) => stream.next());
    const second = streams.map((stream) => stream.next());
    expect(new Set(first).size).toBe(LABELS);
    expect(chiSquare(first)).toBeLessThan(148);
    expect(chiSquare(second)).toBeLessThan(148);
    // Four standard deviations of the correlation of independent numbers, 1 / √20 000.
    expect(Math.abs(correlation(first.slice(1), first.slice(0, -1)))).toBeLessThan(0.028);
    expect(Math.abs(correlation(first, second))).toBeLessThan(0.028);
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the seed %d', (seed) => {
    expect(() => new RandomStreams(seed)).toThrow(
      new RangeError(`seed must be a whole number from -(2^53 - 1) to 2^53 - 1, got ${seed}`),
    );
  });
});
