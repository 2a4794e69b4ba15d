/** Refusals in the simulated world: that one of a kind is judged for all of them must never show. */

import {
  hintMs,
  type ProfileName,
  profileNames,
  profileOf,
  type QuotaSpec,
  type QuotaStanding,
  type Refusal,
  type RetryAfterSpec,
} from '@tidegate/providers-mock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderSettings } from '../../src/scenario/scenario.js';
import { RefusalReader, type RefusalSent } from '../../src/transport/refusal-reading.js';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;
const constant = (value: number) => ({ kind: 'constant', value }) as const;

function reader(from: ProfileName | 'openai wire' | 'anthropic wire' | 'gemini wire', retryAfter: RetryAfterSpec) {
  const [wire] = from.split(' ') as [ProviderSettings['wire']];
  const look = from.endsWith(' wire') ? { wire } : profileOf(from as ProfileName);
  const model: ProviderSettings['models'][string] = {
    quotas: [],
    retryAfter,
    latency: {
      service: { kind: 'tokens', firstTokenMs: constant(1), perOutputTokenMs: constant(1) },
      refusalMs: constant(1),
      load: { slope: 0, kneeStart: null, kneeBase: 1 },
    },
  };
  const { refusal } = look as ProviderSettings;
  return new RefusalReader('acme', 'm', {
    wire: look.wire,
    ...(refusal && { refusal }),
    quotas: [],
    models: { m: model },
  });
}

const EXACT: RetryAfterSpec = { kind: 'exact', as: 'seconds', rounding: 'none', error: 0 };

const window = { refill: 'sliding-window', refusedCount: false } as const;
const quota: fc.Arbitrary<QuotaSpec> = fc.oneof(
  fc
    .integer({ min: 0, max: 5 })
    .map((limit): QuotaSpec => ({ kind: 'concurrency', name: 'own', limit, refusedCount: false })),
  fc
    .record({ limit: fc.integer({ min: 1, max: 500 }), perMs: fc.constantFrom(1000, 10_000, MINUTE, DAY) })
    .map(({ limit, perMs }): QuotaSpec => ({ ...window, kind: 'requests', name: 'own', limit, burst: limit, perMs })),
  fc
    .record({
      limit: fc.integer({ min: 1, max: 500_000 }),
      perMs: fc.constantFrom(1000, MINUTE, DAY),
      counts: fc.constantFrom('input', 'output', 'total'),
    })
    .map(({ limit, perMs, counts }): QuotaSpec => {
      const terms = { counts, reserve: 'max-tokens', settle: 'refund' } as const;
      return { ...window, ...terms, kind: 'tokens', name: 'own', limit, burst: limit, perMs };
    }),
);

/** Of a request that is refused, and that the quota could take at another time. */
const standing = quota.chain((spec) =>
  fc
    .record({ left: fc.integer({ min: 0, max: 99 }), fullInMs: fc.integer({ min: 1, max: 3 * MINUTE }) })
    .map(({ left, fullInMs }): QuotaStanding => {
      const remaining = Math.floor((spec.limit * left) / 100);
      const requested = Math.max(1, Math.min(spec.limit, remaining + 1));
      return { spec, remaining, requested, fullInMs: spec.kind === 'concurrency' ? null : fullInMs };
    }),
);

const waitMs = fc.option(
  fc.oneof(
    fc.integer({ min: 0, max: 300_000_000 }).map((us) => us / 1000),
    fc.constantFrom(0, 1000, 2000, 600_000, 600_001, DAY),
  ),
  { freq: 3 },
);

const sending = fc.record({
  standings: fc.array(standing, { minLength: 1, maxLength: 3 }),
  waitMs,
  isBare: fc.boolean(),
});

const styles = fc.constantFrom(
  ...profileNames,
  'openai wire' as const,
  'anthropic wire' as const,
  'gemini wire' as const,
);
const stated = fc.constantFrom<RetryAfterSpec>(
  EXACT,
  { ...EXACT, as: 'ms' },
  { ...EXACT, rounding: 'up' },
  { kind: 'none' },
);

/** A quota keeps its name for good, and another one has another. */
function named({ spec, ...standing }: QuotaStanding, position: number): QuotaStanding {
  return { ...standing, spec: { ...spec, name: `${position} ${JSON.stringify(spec)}` } };
}

describe('the reading of a refusal', () => {
  it('is that of the very answer, whatever was read before it', () => {
    fc.assert(
      fc.property(styles, stated, fc.array(sending, { minLength: 2, maxLength: 8 }), (style, retryAfter, all) => {
        const reading = reader(style, retryAfter);
        for (const { standings, waitMs, isBare } of all) {
          const met = standings.map(named);
          const { spec } = met[0] as QuotaStanding;
          const refusal: Refusal = {
            ...{ kind: 'refused', quota: spec.name, scope: spec.kind, waitMs },
            ...{ tooLarge: false, lease: null },
          };
          const stated = hintMs(retryAfter, refusal, EPOCH_MS, 0.5);
          const sent: RefusalSent = { hintMs: stated, isBare, epochMs: EPOCH_MS, standings: () => met };
          expect(reading.read(refusal, sent)).toEqual(reading.judge(refusal, sent));
        }
      }),
      { numRuns: 300 },
    );
  });
});
