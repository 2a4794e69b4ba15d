/** What a model says of where its quotas stand: as much is there as it lets in, and full when it says. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec, WindowSpec } from '../src/models/quota-spec.js';

const REFILLS = ['token-bucket', 'fixed-window', 'sliding-window'] as const;
const ONE = { inputTokens: 1, maxTokens: 0 };

function tokens(limit: number, perMs: number, refill: WindowSpec['refill']): QuotaSpec {
  const counted = { counts: 'input', reserve: 'estimate', settle: 'refund' } as const;
  return { kind: 'tokens', name: 'tpm', limit, perMs, refill, burst: limit, refusedCount: false, ...counted };
}

describe.each(REFILLS)('a %s', (refill) => {
  it('has exactly what it says: that much fits, and one more does not', () => {
    const spending = fc.array(
      fc.record({ input: fc.integer({ min: 1, max: 60 }), afterMs: fc.integer({ min: 0, max: 9_000 }) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 70_000 }),
        spending,
        (limit, perMs, spent) => {
          const build = (): { readonly model: ProviderModel; readonly nowMs: number } => {
            const model = new ProviderModel([tokens(limit, perMs, refill)]);
            let nowMs = 0;
            for (const { input, afterMs } of spent) {
              nowMs += afterMs;
              model.decide({ inputTokens: input, maxTokens: 0 }, nowMs);
            }
            return { model, nowMs };
          };
          const { model, nowMs } = build();
          const [standing] = model.standings(ONE, nowMs);
          const { remaining, fullInMs } = standing!;
          if (remaining > 0)
            expect(build().model.decide({ inputTokens: remaining, maxTokens: 0 }, nowMs).kind).toBe('admitted');
          expect(build().model.decide({ inputTokens: remaining + 1, maxTokens: 0 }, nowMs).kind).toBe('refused');
          // And full at the time it says, not a microsecond before.
          const fullMs = nowMs + fullInMs!;
          expect(build().model.standings(ONE, fullMs)[0]).toMatchObject({ remaining: limit, fullInMs: 0 });
          if (fullInMs! > 0) expect(build().model.standings(ONE, fullMs - 0.001)[0]?.fullInMs).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('standings', () => {
  it('of a concurrency quota are its free places, below 0 after a cut', () => {
    const quota = (limit: number): QuotaSpec => ({ kind: 'concurrency', name: 'c', limit, refusedCount: false });
    const model = new ProviderModel([quota(3)]);
    model.decide(ONE, 0);
    model.decide(ONE, 0);
    expect(model.standings(ONE, 0)).toMatchObject([{ remaining: 1, requested: 1, fullInMs: null }]);
    model.reconfigure([quota(1)], 0);
    expect(model.standings(ONE, 0)).toMatchObject([{ spec: { limit: 1 }, remaining: -1 }]);
  });

  it('of a bucket are exact, where the time of a unit is no whole number', () => {
    const left = (limit: number, perMs: number, taken: number): number | undefined => {
      const model = new ProviderModel([tokens(limit, perMs, 'token-bucket')]);
      model.decide({ inputTokens: taken, maxTokens: 0 }, 0);
      return model.standings(ONE, 0)[0]?.remaining;
    };
    // A division of doubles says 2 and a bit less than 3, 7 and 7.
    expect([left(7, 1_000, 4), left(11, 61_000, 4), left(13, 86_400_000, 6)]).toEqual([3, 7, 7]);
  });

  it('tell what the request would take, and a debt', () => {
    const quota = { ...tokens(100, 60_000, 'token-bucket'), counts: 'total', reserve: 'max-tokens' } as QuotaSpec;
    const model = new ProviderModel([quota]);
    const facts = { inputTokens: 10, maxTokens: 20 };
    const verdict = model.decide(facts, 0);
    if (verdict.kind === 'admitted') verdict.lease.answered({ inputTokens: 10, outputTokens: 140 }, 0);
    expect(model.standings(facts, 0)).toMatchObject([{ remaining: -50, requested: 30, fullInMs: 90_000 }]);
  });
});
