/**
 * The control law against what is known of it exactly, and against an independent miniature of the reference rules. The
 * figures are printed beside their truth; seeds are fixed.
 */

import { describe, expect, it } from 'vitest';
import { measure, type Saturated } from './saturated.js';

const EXPONENTIAL = 'latency: { service: { exponential: { mean: 10s } }, refusal: 50ms }';

function hardLimit(limit: number, governor: string, hint = 'none', length = { dropS: 400, lengthS: 4000 }): Saturated {
  return {
    governor: `growthLimit: ${4 * limit}, ${governor}`,
    initial: limit,
    runs: 5,
    model: `{ quotas: [{ concurrency: ${limit} }], retryAfter: ${hint}, ${EXPONENTIAL} }`,
    ...length,
  };
}

describe('the reference at a hard limit with endless work', () => {
  it.each([
    [5, 'none', 1.0, 0.112],
    [20, 'none', 1.0, 0.067],
    [5, '10s', 0.82, null],
    [20, '10s', 0.72, null],
  ])('of %i with a hint of %s: utilisation %f, refused %s', async (limit, hint, truth, refused) => {
    const { utilisation, refusedShare } = await measure(hardLimit(limit, 'preset: reference', hint));
    console.log(
      `C=${limit} hint=${hint}: U ${utilisation?.toFixed(3)} (${truth}), refused ${refusedShare?.toFixed(4)} (${refused})`,
    );
    expect(Math.abs((utilisation as number) - truth)).toBeLessThanOrEqual(0.01);
    if (refused !== null) expect(Math.abs((refusedShare as number) - refused)).toBeLessThanOrEqual(0.005);
  });
});

const CUT = 0.75;
const K = 4;

describe('+1 per K successes, ×b per wave, no level remembered: the closed forms', () => {
  const utilisationTruth =
    (1 - CUT + K * (1 - (CUT * K) / (K + 1)) + CUT / (K + 1)) / (Math.log(1 / CUT) + K * Math.log((K + 1) / (K * CUT)));

  it.each([20, 100])('at a hard limit of %i', async (limit) => {
    const n = limit + 1 - Math.floor(CUT * (limit + 1));
    const refusedTruth = 1 / (K * n + limit + 1);
    const { utilisation, refusedShare } = await measure(hardLimit(limit, 'rememberGood: false'));
    console.log(
      `C=${limit}: U ${utilisation?.toFixed(3)} (${utilisationTruth.toFixed(3)}), refused ${refusedShare?.toFixed(4)} (${refusedTruth.toFixed(4)})`,
    );
    expect(Math.abs((utilisation as number) - utilisationTruth)).toBeLessThanOrEqual(0.03);
    expect(Math.abs((refusedShare as number) / refusedTruth - 1)).toBeLessThanOrEqual(0.15);
  });

  it.each([
    [100, 10, 10, 0.759, 0.02],
    [100, 10, 30, 0.47, 0.02],
    [100, 60, 60, 0.759, 0.02],
    [100, 2, 30, 0.124, 0.02],
    [20, 10, 10, 0.759, 0.03],
    [20, 10, 30, 0.47, 0.03],
    [20, 60, 60, 0.759, 0.03],
    [20, 2, 30, 0.124, 0.03],
  ])(
    'at %i with a service of %i s, frozen for %i s after each cut: %f',
    async (limit, serviceS, freezeS, stated, within) => {
      const truth =
        (serviceS * (1 - Math.exp(-freezeS / serviceS)) + K * serviceS * (1 - CUT)) /
        (freezeS + K * serviceS * Math.log(1 / CUT));
      expect(Math.abs(truth - stated)).toBeLessThan(0.001);
      const { utilisation } = await measure({
        ...hardLimit(limit, 'rememberGood: false', `${freezeS}s`),
        model: `{ quotas: [{ concurrency: ${limit} }], retryAfter: ${freezeS}s, latency: { service: { exponential: { mean: ${serviceS}s } }, refusal: 50ms } }`,
        dropS: 20 * serviceS + 10 * freezeS,
        lengthS: 220 * serviceS + 60 * freezeS,
      });
      console.log(`C=${limit} S=${serviceS} T=${freezeS}: U ${utilisation?.toFixed(3)} (${stated})`);
      expect(Math.abs((utilisation as number) - truth)).toBeLessThanOrEqual(within);
    },
  );
});

describe('true AIMD, +1 per window and half per wave: the closed forms for large limits', () => {
  it.each([20, 100])('at a hard limit of %i', async (limit) => {
    const half = 0.5;
    const utilisationTruth = (1 + half) / 2;
    const refusedTruth = 2 / ((1 - half ** 2) * limit ** 2);
    const { utilisation, refusedShare } = await measure(
      hardLimit(limit, 'controller: true-aimd', 'none', { dropS: 1000, lengthS: 6000 }),
    );
    console.log(
      `C=${limit}, true AIMD: U ${utilisation?.toFixed(3)} (${utilisationTruth}), refused ${refusedShare?.toFixed(5)} (${refusedTruth.toFixed(5)})`,
    );
    expect(Math.abs((utilisation as number) - utilisationTruth)).toBeLessThanOrEqual(0.03);
    expect(Math.abs((refusedShare as number) / refusedTruth - 1)).toBeLessThanOrEqual(0.25);
  });
});
