/** How long until a request would be admitted: what a verdict then says, and nothing is taken by asking. */

import { describe, expect, it } from 'vitest';
import { createProvider } from '../src/models/provider.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import type { RequestFacts } from '../src/models/verdict.js';
import { seededLuck } from './seeded-luck.js';

const facts = (inputTokens: number, maxTokens = 0): RequestFacts => ({ inputTokens, maxTokens });

const places: QuotaSpec = { kind: 'concurrency', name: 'places', limit: 2, refusedCount: false };
const perSecond: QuotaSpec = {
  ...{ kind: 'requests', name: 'rps', limit: 2, perMs: 1_000, refill: 'token-bucket', burst: 3, refusedCount: false },
};
const tokens: QuotaSpec = {
  ...{ kind: 'tokens', name: 'tpm', limit: 100, perMs: 1_000, refill: 'fixed-window', burst: 100, refusedCount: false },
  ...{ counts: 'total', reserve: 'max-tokens', settle: 'refund' },
};

describe('waitMs', () => {
  it.each<[string, QuotaSpec, RequestFacts, number, number | null]>([
    ['room for a third', perSecond, facts(1), 2, 0],
    ['the fourth waits for half a second', perSecond, facts(1), 3, 500],
    ['so does whoever asks after a refusal, which took nothing', perSecond, facts(1), 4, 500],
    ['places come free, nobody knows when', places, facts(1), 2, null],
    ['a place is left', places, facts(1), 1, 0],
    ['tokens of this window', tokens, facts(10, 30), 1, 0],
    ['and of the next', tokens, facts(10, 40), 1, 1_000],
    ['never', tokens, facts(60, 41), 1, Number.POSITIVE_INFINITY],
  ])('%s', (_, quota, asked, taken, wait) => {
    const model = createProvider({ quotas: [], models: { m: { quotas: [quota] } } }).model('m');
    for (let i = 0; i < taken; i++) model.decide(facts(20, 40), 0);
    expect([model.waitMs(asked, 0), model.waitMs(asked, 0)]).toEqual([wait, wait]);
    if (wait !== null && wait < Number.POSITIVE_INFINITY) {
      if (wait > 0) expect(model.decide(asked, wait - 0.001).kind).toBe('refused');
      expect(model.decide(asked, wait).kind).toBe('admitted');
    }
  });

  it('counts those that are ahead in the same instant, each against what it meets', () => {
    const spec = { quotas: [tokens], models: { m: { quotas: [places] }, other: { quotas: [] } } };
    const model = createProvider(spec).model('m');
    const own = { facts: facts(20), isOwn: true };
    const other = { facts: facts(20), isOwn: false };
    expect(model.waitMs(facts(20), 0, [own])).toBe(0);
    expect(model.waitMs(facts(20), 0, [own, own])).toBe(null);
    expect(model.waitMs(facts(20), 0, [own, other, other])).toBe(0);
    // 120 of 100: more than the whole quota together, and each alone fits. It is told when those before it are.
    expect(model.waitMs(facts(20), 0, [own, other, other, other, other])).toBe(0.001);
  });

  it('knows of no end to an overload', () => {
    const overload = { everyMs: 1_000, forMs: 1_000, share: 0.5, status: 503 } as const;
    const model = createProvider({ quotas: [], overload, models: { m: { quotas: [] } } }, seededLuck(1)).model('m');
    const waits = Array.from({ length: 100 }, (_, second) => model.waitMs(facts(1), second * 1_000));
    expect(new Set(waits)).toEqual(new Set([0, null]));
  });
});
