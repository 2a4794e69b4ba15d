/**
 * The engine against what is known exactly of queues: the truth lies inside the 99.9 % interval of the measured mean, and
 * the interval is narrow. Prints what it finds.
 */

import { describe, expect, it, vi } from 'vitest';
import { erlangB, mg1Wait, mmc } from './closed-forms.js';
import { type QueueSpec, runQueue } from './queue-run.js';
import type { Estimate } from './replications.js';

// Millions of requests: more than the time of an ordinary test where the machine is busy.
vi.setConfig({ testTimeout: 300_000 });

function holds(queue: string, figure: string, { mean, halfWidth }: Estimate, truth: number, within: number): void {
  const text = `${queue} ${figure}: ${mean.toPrecision(5)} ± ${halfWidth.toPrecision(2)}, exactly ${truth.toPrecision(5)}`;
  console.log(`${text} (± ${((100 * halfWidth) / truth).toFixed(2)} %)`);
  expect(Math.abs(mean - truth), text).toBeLessThanOrEqual(halfWidth);
  expect(halfWidth / truth, text).toBeLessThanOrEqual(within);
}

const exponential = { service: '{ exponential: { mean: 1s } }', serviceMean: 1 };

const MANY_SERVERS: readonly (Omit<QueueSpec, 'service' | 'serviceMean'> & { readonly within: number })[] = [
  { servers: 1, lambda: 0.5, t: 1, arrivals: 24_000, replications: 30, within: 0.02 },
  { servers: 3, lambda: 1.8, t: 0.5, arrivals: 67_000, replications: 30, within: 0.02 },
  { servers: 8, lambda: 5.6, t: 0.2, arrivals: 34_000, replications: 30, within: 0.05 },
  { servers: 30, lambda: 26, t: 0.1, arrivals: 100_000, replications: 30, within: 0.05 },
];

describe('M/M/c', () => {
  it.each(MANY_SERVERS)('with $servers servers at $lambda a second', async ({ within, ...spec }) => {
    const { servers = 1, lambda, t = 0 } = spec;
    const truth = mmc(servers, lambda, 1);
    const measured = await runQueue({ ...spec, ...exponential });
    const name = `M/M/${servers}`;
    holds(name, 'mean wait, s', measured.wait, truth.wait, within);
    holds(name, 'mean queue', measured.queue, truth.queue, within);
    holds(name, `P(wait > ${t} s)`, measured.waitsLonger, truth.waitsLonger(t), within);
  });
});

describe('M/M/c/c', () => {
  it.each([
    { quota: 5, lambda: 4 },
    { quota: 10, lambda: 9 },
  ])('with $quota places at $lambda a second: who finds them taken is refused', async ({ quota, lambda }) => {
    const spec = { quota, lambda, arrivals: 9000, replications: 20 };
    holds(
      `M/M/${quota}/${quota}`,
      'blocked',
      (await runQueue({ ...spec, ...exponential })).blocked,
      erlangB(quota, lambda),
      0.02,
    );
  });
});

describe('M/G/1', () => {
  const one = { servers: 1 };
  const meanWait = async (spec: QueueSpec): Promise<Estimate> => (await runQueue(spec)).wait;

  it('with constant service: M/D/1', async () => {
    const spec = { ...one, lambda: 0.6, service: '1s', serviceMean: 1, arrivals: 27_000, replications: 20 };
    holds('M/D/1', 'mean wait, s', await meanWait(spec), mg1Wait(0.6, 1, 1), 0.02);
  });

  it('with lognormal service', async () => {
    const [median, p95] = [0.6, 2];
    const sigma = Math.log(p95 / median) / 1.6448536269514722;
    const mean = median * Math.exp(sigma ** 2 / 2);
    const secondMoment = median ** 2 * Math.exp(2 * sigma ** 2);
    const service = `{ lognormal: { median: ${median * 1000}ms, p95: ${p95 * 1000}ms } }`;
    const lambda = 0.6;
    const spec = { ...one, lambda, service, serviceMean: mean, arrivals: 11_000, replications: 20 };
    holds('M/G/1', 'mean wait, s', await meanWait(spec), mg1Wait(lambda, mean, secondMoment), 0.05);
  });
});
