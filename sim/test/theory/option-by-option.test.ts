/**
 * What each option beyond the reference does alone and with the others, at one hard limit and after a step of it: the
 * evidence that the decision pages cite. Printed; what is asserted is the order of the figures.
 */

import { describe, expect, it } from 'vitest';
import { measure } from './saturated.js';

interface Row {
  readonly refused: number;
  readonly used: number;
  /** From a limit that quadruples to a cap near it, in service times. */
  readonly riseS: number;
}

async function row(options: string, limit: number): Promise<Row> {
  const model = `{ quotas: [{ concurrency: ${limit} }], retryAfter: 10s, latency: { service: { exponential: { mean: 10s } }, refusal: 50ms } }`;
  const governor = `${options}, growthLimit: ${4 * limit}`;
  const steady = await measure({ governor, initial: limit, runs: 5, model, dropS: 400, lengthS: 4000 });
  let rose = Number.POSITIVE_INFINITY;
  const timeline = `[
    { at: 600s, set: { 'providers.acme.models.large.quotas[0].concurrency': ${limit / 4} } },
    { at: 1200s, set: { 'providers.acme.models.large.quotas[0].concurrency': ${limit} } }]`;
  await measure({ governor, initial: limit, runs: 5, model, timeline, dropS: 0, lengthS: 2400 }, (event) => {
    if (event.type !== 'concurrency-changed' || event.t < 1_200_000 || event.next < 0.95 * limit) return;
    rose = Math.min(rose, (event.t - 1_200_000) / 10_000);
  });
  return { refused: steady.refusedShare as number, used: steady.utilisation as number, riseS: rose };
}

describe.each([20, 80])('at a limit of %i, hints of one service time', (limit) => {
  it('freezing on rates, windows and backoff each do their part, and together refuse little without growing slow', async () => {
    const options = {
      reference: 'freezeOn: any',
      rate: 'freezeOn: rate',
      backoff: 'freezeOn: rate, probeBackoffMax: 24',
      window: 'freezeOn: rate, growth: window',
      both: 'freezeOn: rate, probeBackoffMax: 24, growth: window',
      slowStart: 'freezeOn: rate, probeBackoffMax: 24, growth: window, recovery: slow-start',
    };
    const rows = {} as Record<keyof typeof options, Row>;
    for (const [name, governor] of Object.entries(options)) {
      const figures = await row(governor, limit);
      rows[name as keyof typeof options] = figures;
      console.log(
        `C=${limit} | ${governor} | ${figures.used.toFixed(3)} | ${(100 * figures.refused).toFixed(2)} % | ${figures.riseS.toFixed(1)}`,
      );
    }
    expect(rows.reference.used).toBeLessThan(0.8);
    expect(rows.rate.used).toBeGreaterThan(0.97);
    expect(rows.backoff.refused).toBeLessThan(rows.rate.refused / 5);
    expect(rows.both.refused).toBeLessThan(Math.min(rows.backoff.refused, rows.window.refused));
    expect(rows.both.riseS).toBeLessThanOrEqual(40);
  });
});
