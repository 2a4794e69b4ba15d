/** Episodes of overload: they come and go by themselves, refuse whoever comes, and are nobody's quota. */

import { describe, expect, it } from 'vitest';
import type { OverloadSpec } from '../src/models/overload.js';
import { createProvider } from '../src/models/provider.js';
import type { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import { seededLuck } from './seeded-luck.js';

const MINUTE = 60_000;
const FACTS = { inputTokens: 1, maxTokens: 0 };

const episodes: OverloadSpec = { everyMs: 9 * MINUTE, forMs: MINUTE, share: 1, status: 529 };

function modelOf(overload: OverloadSpec, quotas: readonly QuotaSpec[] = [], seed: number = 5): ProviderModel {
  return createProvider({ quotas: [], models: { m: { quotas, overload } } }, seededLuck(seed)).model('m');
}

/** Which of the requests, one every `stepMs`, are refused. */
function refusedBy(model: ProviderModel, stepMs: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, n) => model.decide(FACTS, n * stepMs).kind === 'refused');
}

/** The lengths of the runs of `true`, in requests. */
function lengthsOf(refused: readonly boolean[]): number[] {
  const lengths: number[] = [];
  refused.forEach((is, n) => {
    if (!is) return;
    if (n > 0 && refused[n - 1]) lengths[lengths.length - 1]! += 1;
    else lengths.push(1);
  });
  return lengths;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('an overload', () => {
  it('lasts as long and comes as often as it says, and has no memory', () => {
    const refused = refusedBy(modelOf(episodes), 1000, 600 * 2000);
    const seconds = lengthsOf(refused);
    const average = mean(seconds);
    const deviation = Math.sqrt(mean(seconds.map((s) => (s - average) ** 2)));
    console.log(
      `${seconds.length} episodes in 20,000 minutes, ${average.toFixed(1)} s long, deviation ${deviation.toFixed(1)}`,
    );
    // An episode every ten minutes, of a minute; an exponential's deviation is its mean.
    expect(Math.abs(seconds.length - 2000)).toBeLessThan(100);
    expect(Math.abs(average - 60)).toBeLessThan(4);
    expect(Math.abs(deviation - 60)).toBeLessThan(6);
  });

  it('does not depend on the load: who asks seldom finds it at the same times', () => {
    const often = refusedBy(modelOf(episodes), 1000, 36_000);
    const seldom = refusedBy(modelOf(episodes), 10_000, 3600);
    expect(often.filter((_, n) => n % 10 === 0)).toEqual(seldom);
    expect(seldom.filter(Boolean).length).toBeGreaterThan(100);
  });

  it('begins with quiet, and another seed has other times', () => {
    expect(modelOf(episodes).decide(FACTS, 0).kind).toBe('admitted');
    expect(refusedBy(modelOf(episodes), 1000, 3600)).not.toEqual(refusedBy(modelOf(episodes, [], 6), 1000, 3600));
  });

  it('refuses by its own name and scope, with its status and no wait, and takes nothing from the quotas', () => {
    const bucket: QuotaSpec = {
      kind: 'requests',
      name: 'rpm',
      limit: 1,
      perMs: MINUTE,
      refill: 'fixed-window',
      burst: 1,
      refusedCount: false,
    };
    const model = modelOf({ ...episodes, everyMs: 1, forMs: 1e9, status: 503 }, [bucket]);
    expect(model.decide(FACTS, 1000)).toEqual({
      kind: 'refused',
      quota: 'overload',
      scope: 'overload',
      status: 503,
      waitMs: null,
      tooLarge: false,
      lease: null,
    });
    expect(model.ledger()).toMatchObject({ admitted: 0, refused: 1, refusedBy: { rpm: 0, overload: 1 } });
    expect(model.standings(FACTS, 2000)).toMatchObject([{ remaining: 1 }]);
  });

  it('goes before a quota that would refuse as well, and counts where refused requests do', () => {
    const counting: QuotaSpec = { kind: 'concurrency', name: 'concurrency', limit: 2, refusedCount: true };
    const model = modelOf({ ...episodes, everyMs: 1, forMs: 1e9 }, [counting]);
    const held = [1001, 1002, 1003].map((ms) => model.decide(FACTS, ms));
    expect(held.map((verdict) => verdict.kind === 'refused' && verdict.quota)).toEqual(Array(3).fill('overload'));
    expect(model.standings(FACTS, 1004)).toMatchObject([{ remaining: -1 }]);
    for (const { lease } of held) lease?.abandoned(1005);
    expect(model.standings(FACTS, 1006)).toMatchObject([{ remaining: 2 }]);
  });

  it('of a share lets the others through', () => {
    const model = modelOf({ everyMs: 1, forMs: 1e9, share: 0.25, status: 529 });
    const refused = refusedBy(model, 1, 20_000).filter(Boolean).length;
    expect(Math.abs(refused / 20_000 - 0.25)).toBeLessThan(0.01);
  });

  it('of a provider is that of all its models at once; each model may have its own besides', () => {
    const models = { a: { quotas: [] }, b: { quotas: [] }, c: { quotas: [], overload: episodes } };
    const provider = createProvider({ quotas: [], overload: episodes, models }, seededLuck(9));
    const [a, b, c] = ['a', 'b', 'c'].map((name) => provider.model(name)) as [
      ProviderModel,
      ProviderModel,
      ProviderModel,
    ];
    const seen = { together: 0, apart: 0, own: 0 };
    for (let ms = 0; ms < 600 * MINUTE; ms += 10_000) {
      const [ofA, ofB, ofC] = [a, b, c].map((model) => model.decide(FACTS, ms).kind === 'refused');
      if (ofA !== ofB) seen.apart += 1;
      else if (ofA) seen.together += 1;
      else if (ofC) seen.own += 1;
    }
    expect(seen.apart).toBe(0);
    expect(seen.together).toBeGreaterThan(200);
    expect(seen.own).toBeGreaterThan(200);
  });

  it.each([
    ['everyMs', 0.9, 'at least 1 and finite'],
    ['forMs', Infinity, 'at least 1 and finite'],
    ['share', 0, 'above 0 and at most 1'],
    ['status', 500, '503 or 529'],
  ])('with %s %f is refused', (option, value, allowed) => {
    expect(() => modelOf({ ...episodes, [option]: value } as OverloadSpec)).toThrow(
      new RangeError(`overload: ${option} must be ${allowed}, got ${value}`),
    );
  });
});
