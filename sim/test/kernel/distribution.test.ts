import { describe, expect, it } from 'vitest';
import { type Distribution, mean, sampler } from '../../src/kernel/distribution.js';
import { type RandomStream, RandomStreams } from '../../src/kernel/random.js';

const SAMPLES = 200_000;

function samples(d: Distribution, count: number, stream: RandomStream = new RandomStreams(1).stream(d.kind)): number[] {
  const sample = sampler(d);
  return Array.from({ length: count }, () => sample(stream));
}

/** What the sampler makes of one number in [0, 1), given for every draw. */
function sampleAt(d: Distribution, u: number): number {
  return sampler(d)({ next: () => u });
}

const constant: Distribution = { kind: 'constant', value: 250 };
const uniform: Distribution = { kind: 'uniform', min: 100, max: 300 };
const exponential: Distribution = { kind: 'exponential', mean: 3000 };
const lognormal: Distribution = { kind: 'lognormal', median: 600, p95: 2000 };
const normal: Distribution = { kind: 'normal', mean: 100, sd: 80 };
const erlang: Distribution = { kind: 'erlang', k: 4, mean: 10 };
const pareto: Distribution = { kind: 'pareto', min: 100, alpha: 2.5 };
const empirical: Distribution = { kind: 'empirical', values: [5, 1, 9, 1] };
const all: readonly Distribution[] = [constant, uniform, exponential, lognormal, normal, erlang, pareto, empirical];

describe('the mean', () => {
  it.each<readonly [string, Distribution, number]>([
    ['of a constant is the constant', constant, 250],
    ['of a uniform is its middle', uniform, 200],
    ['of an exponential is stated', exponential, 3000],
    ['of an erlang is stated', erlang, 10],
    ['of a lognormal is above its median: 600 × exp(0.73196² / 2)', lognormal, 784.3182992505],
    ['of a normal is raised by the truncation', normal, 116.3380367119],
    ['of half a bell is sd × √(2/π)', { kind: 'normal', mean: 0, sd: 1 }, 0.7978845608],
    ['of a normal far from 0 is its mean', { kind: 'normal', mean: 1000, sd: 10 }, 1000],
    ['of a normal without spread is its mean', { kind: 'normal', mean: 0, sd: 0 }, 0],
    ['of a pareto is alpha × min / (alpha - 1)', pareto, 166.6666666667],
    ['of a pareto with alpha 1 is infinite', { kind: 'pareto', min: 1, alpha: 1 }, Number.POSITIVE_INFINITY],
    ['of a list is its average', empirical, 4],
  ])('%s', (_, d, expected) => {
    expect(mean(d)).toBeCloseTo(expected, 9);
  });
});

describe('200 000 samples', () => {
  // The expected numbers are those of the distribution; the last column allows four standard errors of the mean.
  it.each<readonly [Distribution, readonly [number, number, number, number], number]>([
    [uniform, [120, 200, 280, 290], 0.52],
    [exponential, [316.08, 2079.44, 6907.76, 8987.2], 26.9],
    [lognormal, [234.83, 600, 1532.99, 2000], 6],
    [normal, [31.26, 110.62, 207.54, 235.87], 0.63],
    [erlang, [4.3619, 9.1802, 16.702, 19.3841], 0.045],
    [pareto, [104.3, 131.95, 251.19, 331.45], 1.4],
  ])('of $kind have its mean and its 10th, 50th, 90th and 95th percentile', (d, percentiles, meanTolerance) => {
    const sorted = samples(d, SAMPLES).sort((a, b) => a - b);
    const average = sorted.reduce((sum, value) => sum + value, 0) / SAMPLES;
    expect(Math.abs(average - mean(d))).toBeLessThan(meanTolerance);
    const observed = [0.1, 0.5, 0.9, 0.95].map((share) => sorted[share * SAMPLES]!);
    observed.forEach((value, index) => {
      expect(Math.abs(value / percentiles[index]! - 1)).toBeLessThan(0.02);
    });
  });

  it('of a list take each entry equally often', () => {
    const counts = new Map<number, number>();
    for (const value of samples(empirical, SAMPLES)) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([1, 5, 9]);
    // Four standard deviations, √(200 000 × ¼ × ¾) each.
    expect(Math.abs(counts.get(1)! - 100_000)).toBeLessThan(895);
    expect(Math.abs(counts.get(5)! - 50_000)).toBeLessThan(775);
    expect(Math.abs(counts.get(9)! - 50_000)).toBeLessThan(775);
  });
});

describe('a sample', () => {
  it.each<readonly [string, Distribution, number, number]>([
    ['constant: the value, whatever is drawn', constant, 0.9, 250],
    ['uniform: a quarter of the way', uniform, 0.25, 150],
    ['uniform without width', { kind: 'uniform', min: 7, max: 7 }, 0.3, 7],
    ['exponential: the median is mean × ln 2', exponential, 0.5, 2079.44154],
    ['exponential of mean 0: always 0', { kind: 'exponential', mean: 0 }, 0.7, 0],
    ['lognormal: the median as stated', lognormal, 0.5, 600],
    ['lognormal: the 95th percentile as stated', lognormal, 0.95, 2000],
    ['lognormal without spread', { kind: 'lognormal', median: 600, p95: 600 }, 0.99, 600],
    ['normal: the median is raised by the truncation', normal, 0.5, 110.62413],
    ['normal: the 95th percentile of half a bell is 1.96 sd', { kind: 'normal', mean: 0, sd: 1 }, 0.95, 1.959964],
    ['normal without spread', { kind: 'normal', mean: 3, sd: 0 }, 0.99, 3],
    ['erlang: four equal draws', erlang, 0.5, 6.93147],
    ['pareto: a quarter is above min × 4^(1/alpha)', { kind: 'pareto', min: 100, alpha: 2 }, 0.75, 200],
    ['empirical: third of four', empirical, 0.74, 9],
  ])('%s', (_, d, u, expected) => {
    expect(Math.abs(sampleAt(d, u) - expected)).toBeLessThanOrEqual(expected * 2e-6);
  });

  it.each(all)(
    'of $kind is finite, positive or 0, and increases with the number drawn, from one end to the other',
    (d) => {
      const ends = [0, 2 ** -53, 0.001, 0.25, 0.5, 0.75, 0.999, 1 - 2 ** -53].map((u) => sampleAt(d, u));
      expect(ends.every((value) => Number.isFinite(value) && value >= 0 && !Object.is(value, -0))).toBe(true);
      if (d.kind !== 'empirical') expect(ends).toEqual([...ends].sort((a, b) => a - b));
    },
  );

  it('stays within the stated bounds at both ends', () => {
    const last = 1 - 2 ** -53;
    expect([sampleAt(uniform, 0), sampleAt(uniform, last)]).toEqual([100, 300]);
    expect([sampleAt({ kind: 'pareto', min: 0.7, alpha: 2 }, 0), sampleAt(normal, 0)]).toEqual([0.7, 0]);
    expect(sampleAt({ kind: 'normal', mean: 1, sd: 1 }, 0)).toBe(0);
    expect(sampleAt({ kind: 'normal', mean: 1000, sd: 10 }, 0)).toBeCloseTo(1000 - 8.2095 * 10, 2);
    expect([sampleAt(empirical, 0), sampleAt(empirical, last)]).toEqual([5, 1]);
  });

  it('of the heaviest tail is still finite', () => {
    const heavy: Distribution = { kind: 'pareto', min: 1, alpha: 0.01 };
    const wide: Distribution = { kind: 'lognormal', median: 1e-9, p95: 1e300 };
    expect([sampleAt(heavy, 0.99999), sampleAt(wide, 0.99999)]).toEqual([2 ** 53, 2 ** 53]);
  });

  it.each(all)('of $kind has at most 20 significant bits where it passes through a transcendental function', (d) => {
    if (d.kind === 'constant' || d.kind === 'uniform' || d.kind === 'empirical') return;
    for (const value of samples(d, 1000)) {
      const step = 2 ** (Math.floor(Math.log2(value)) - 19);
      expect(value % step).toBe(0);
    }
  });

  it.each<readonly [Distribution, readonly number[]]>([
    [constant, [250, 250, 250]],
    [uniform, [113.99419567221145, 244.83891473612434, 211.80942805231146]],
    [exponential, [217.618408203125, 3864.1796875, 2456.453125]],
    [lognormal, [203.67919921875, 927.6943359375, 668.9208984375]],
    [normal, [23.10479736328125, 154.80126953125, 121.4365234375]],
    [erlang, [9.697555541992188, 3.2397842407226562, 11.4796142578125]],
    [pareto, [102.944091796875, 167.4013671875, 138.753173828125]],
    [empirical, [5, 9, 9]],
  ])('of $kind is, for seed 1, what it has always been', (d, expected) => {
    expect(samples(d, 3, new RandomStreams(1).stream('pinned'))).toEqual(expected);
  });
});

describe('common random numbers', () => {
  it.each(all)('$kind takes one number a sample, erlang k', (d) => {
    let drawn = 0;
    const source = new RandomStreams(1).stream('counted');
    const counted: RandomStream = {
      next: () => {
        drawn += 1;
        return source.next();
      },
    };
    samples(d, 1000, counted);
    expect(drawn).toBe(d.kind === 'erlang' ? 4000 : 1000);
  });

  it('one sampler serves two streams, and neither notices the other', () => {
    const sample = sampler(erlang);
    const streams = new RandomStreams(3);
    const [a, b] = [streams.stream('a'), streams.stream('b')];
    const mixed = Array.from({ length: 100 }, () => [sample(a), sample(b)]);
    expect(mixed.map(([first]) => first)).toEqual(samples(erlang, 100, streams.stream('a')));
    expect(mixed.map(([, second]) => second)).toEqual(samples(erlang, 100, streams.stream('b')));
  });

  it('a slower provider is slower by the same factor in every single request', () => {
    const fast = samples(lognormal, 1000, new RandomStreams(3).stream('latency'));
    const slow = samples({ kind: 'lognormal', median: 1200, p95: 4000 }, 1000, new RandomStreams(3).stream('latency'));
    expect(slow).toEqual(fast.map((value) => 2 * value));
  });

  it('another kind of distribution keeps the order of luck', () => {
    const byLuck = (d: Distribution): number[] => {
      const values = samples(d, 1000, new RandomStreams(3).stream('latency'));
      return values.map((_, index) => index).sort((a, b) => values[a]! - values[b]!);
    };
    expect(byLuck(exponential)).toEqual(byLuck(uniform));
    expect(byLuck(lognormal)).toEqual(byLuck(uniform));
  });
});

describe('numbers that describe no distribution', () => {
  it.each<readonly [Distribution, string]>([
    [{ kind: 'constant', value: -1 }, 'constant: value must be a finite number >= 0, got -1'],
    [{ kind: 'constant', value: Number.NaN }, 'constant: value must be a finite number >= 0, got NaN'],
    [{ kind: 'uniform', min: -1, max: 2 }, 'uniform: min must be a finite number >= 0, got -1'],
    [{ kind: 'uniform', min: 3, max: 2 }, 'uniform: max must be a finite number >= min (3), got 2'],
    [
      { kind: 'exponential', mean: Number.POSITIVE_INFINITY },
      'exponential: mean must be a finite number >= 0, got Infinity',
    ],
    [{ kind: 'lognormal', median: 0, p95: 1 }, 'lognormal: median must be a finite number > 0, got 0'],
    [{ kind: 'lognormal', median: 2, p95: 1 }, 'lognormal: p95 must be a finite number >= median (2), got 1'],
    [{ kind: 'normal', mean: -1, sd: 1 }, 'normal: mean must be a finite number >= 0, got -1'],
    [{ kind: 'normal', mean: 1, sd: -1 }, 'normal: sd must be a finite number >= 0, got -1'],
    [{ kind: 'erlang', k: 1.5, mean: 1 }, 'erlang: k must be a finite number >= 1 without a fraction, got 1.5'],
    [{ kind: 'erlang', k: 0, mean: 1 }, 'erlang: k must be a finite number >= 1 without a fraction, got 0'],
    [{ kind: 'erlang', k: 2, mean: -1 }, 'erlang: mean must be a finite number >= 0, got -1'],
    [{ kind: 'pareto', min: 0, alpha: 1 }, 'pareto: min must be a finite number > 0, got 0'],
    [{ kind: 'pareto', min: 1, alpha: 0 }, 'pareto: alpha must be a finite number > 0, got 0'],
    [{ kind: 'empirical', values: [] }, 'empirical: the number of values must be a finite number > 0, got 0'],
    [{ kind: 'empirical', values: [1, -2] }, 'empirical: values[1] must be a finite number >= 0, got -2'],
  ])('%j are refused by the sampler and by the mean', (d, message) => {
    expect(() => sampler(d)).toThrow(new RangeError(message));
    expect(() => mean(d)).toThrow(new RangeError(message));
  });
});
