/** Other tenants of a quota: how much they take is known exactly, in the long run, and does not depend on who looks. */

import { describe, expect, it } from 'vitest';
import { createProvider } from '../src/models/provider.js';
import type { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import type { Lease } from '../src/models/verdict.js';
import { seededLuck } from './seeded-luck.js';

const FACTS = { inputTokens: 1, maxTokens: 0 };
const MINUTE = 60_000;

function modelOf(quota: QuotaSpec, seed: number = 3): ProviderModel {
  return createProvider({ quotas: [], models: { m: { quotas: [quota] } } }, seededLuck(seed)).model('m');
}

function places(limit: number, everyMs: number, holdMs: number): QuotaSpec {
  return { kind: 'concurrency', name: 'concurrency', limit, refusedCount: false, others: { everyMs, holdMs } };
}

/** What is left of the quota, looked at so often. */
function remaining(model: ProviderModel, stepMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => model.standings(FACTS, n * stepMs)[0]?.remaining ?? Number.NaN);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The share of arrivals that find all places taken (Erlang's B formula, by its recursion). */
function erlangB(offered: number, limit: number): number {
  let blocked = 1;
  for (let n = 1; n <= limit; n += 1) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked;
}

describe('other tenants of the places', () => {
  it('leave none to a newcomer as often as the Erlang loss system says: 5 places, 3 taken in the mean if there were room', () => {
    const left = remaining(modelOf(places(5, 1000, 3000)), 997, 200_000);
    const full = left.filter((places) => places === 0).length / left.length;
    console.log(`all places taken: ${(full * 100).toFixed(2)} %, Erlang B ${(erlangB(3, 5) * 100).toFixed(2)} %`);
    expect(Math.abs(full - erlangB(3, 5))).toBeLessThan(0.005); // 11.01 %
    // And so many in the mean as get in: 3 × (1 − B).
    expect(Math.abs(5 - mean(left) - 3 * (1 - erlangB(3, 5)))).toBeLessThan(0.03);
  });

  it('give way to nobody and take nobody a place away: own and others together never exceed the limit', () => {
    const model = modelOf(places(3, 50, 400));
    const own: Lease[] = [];
    let admitted = 0;
    let least = 3;
    for (let ms = 0; ms < 60_000; ms += 10) {
      // A place that is given back stays free for a moment, and then the quicker one has it.
      own.shift()?.answered({ inputTokens: 1, outputTokens: 1 }, ms);
      const verdict = model.decide(FACTS, ms + 5);
      if (verdict.kind === 'admitted') {
        admitted += 1;
        own.push(verdict.lease);
      }
      least = Math.min(least, model.standings(FACTS, ms + 5)[0]?.remaining ?? Number.NaN);
    }
    expect(least).toBe(0);
    expect(admitted).toBeGreaterThan(1000);
    expect(model.ledger().refused).toBeGreaterThan(1000);
  });
});

describe('other tenants of a window', () => {
  const bucket: QuotaSpec = {
    kind: 'tokens',
    name: 'tpm',
    limit: 6000,
    perMs: MINUTE,
    refill: 'token-bucket',
    burst: 6000,
    refusedCount: false,
    counts: 'total',
    reserve: 'estimate',
    settle: 'refund',
    others: { everyMs: 3000, amount: 150 },
  };

  it('leave a caller alone who is content with the rest, and starve one who wants more', () => {
    const others = { everyMs: 400, amount: 20 }; // 50 a second, of 100
    const refusals = (tokens: number): number => {
      const model = modelOf({ ...bucket, others });
      for (let ms = 0; ms < 1_000_000; ms += 1000) model.decide({ inputTokens: tokens, maxTokens: 0 }, ms);
      return model.ledger().refused;
    };
    expect(refusals(40)).toBe(0);
    expect(refusals(100)).toBeGreaterThan(200);
  });

  it('do without what is not there: they never overdraw', () => {
    const model = modelOf({ ...bucket, others: { everyMs: 100, amount: 150 } }); // fifteen times what refills
    const left = remaining(model, 500, 2000);
    expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...left.slice(100))).toBeLessThan(300);
  });

  it('of a fixed window take a Poisson number of it: 20 a minute, as many as their variance', () => {
    const window: QuotaSpec = {
      kind: 'requests',
      name: 'rpm',
      limit: 1000,
      perMs: MINUTE,
      refill: 'fixed-window',
      burst: 1000,
      refusedCount: false,
      others: { everyMs: 3000, amount: 1 },
    };
    const model = modelOf(window);
    const used = Array.from({ length: 5000 }, (_, n) => {
      return 1000 - (model.standings(FACTS, (n + 1) * MINUTE - 0.001)[0]?.remaining ?? 0);
    });
    const average = mean(used);
    const variance = mean(used.map((count) => (count - average) ** 2));
    console.log(`others in a minute: mean ${average.toFixed(2)}, variance ${variance.toFixed(2)}; both 20 in theory`);
    expect(Math.abs(average - 20)).toBeLessThan(0.25);
    expect(Math.abs(variance - 20)).toBeLessThan(1.6);
  });

  it('are the same, whoever asks in between and however often', () => {
    const atTheEnd = (stepMs: number): number => {
      const model = modelOf(bucket);
      for (let ms = 0; ms < 100_000; ms += stepMs) model.standings(FACTS, ms);
      return model.standings(FACTS, 100_000)[0]?.remaining ?? Number.NaN;
    };
    expect([atTheEnd(10), atTheEnd(777), atTheEnd(100_000)]).toEqual(Array(3).fill(atTheEnd(1000)));
  });

  it('stand in no ledger', () => {
    const model = modelOf(bucket);
    model.standings(FACTS, 600_000);
    expect(model.ledger()).toMatchObject({ requests: 0, admitted: 0, refused: 0, inFlight: 0 });
  });
});
