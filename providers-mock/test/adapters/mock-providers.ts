/** Providers for the tests: quick models with few, plain quotas, and draws without chance. */

import type { RetryAfterSpec } from '../../src/models/hint-spec.js';
import type { QuotaSpec } from '../../src/models/quota-spec.js';
import type { ModelDraws, ModelManners } from '../../src/wire/generation.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';

export const IN_TOKENS = { inputTokens: 0, maxTokens: 0 };

export function concurrency(limit: number): QuotaSpec {
  return { kind: 'concurrency', name: 'concurrency', limit, refusedCount: false };
}

export function requestsPerMinute(limit: number): QuotaSpec {
  const shape = { perMs: 60_000, refill: 'token-bucket', burst: limit, refusedCount: false } as const;
  return { kind: 'requests', name: 'rpm', limit, ...shape };
}

export function tokensPerMinute(limit: number, counts: 'input' | 'output' | 'total' = 'total'): QuotaSpec {
  const shape = { perMs: 60_000, refill: 'token-bucket', burst: limit, refusedCount: false } as const;
  return { kind: 'tokens', name: `${counts}-tpm`, limit, ...shape, counts, reserve: 'max-tokens', settle: 'refund' };
}

export const EXACT_SECONDS: RetryAfterSpec = { kind: 'exact', as: 'seconds', rounding: 'up', error: 0 };

export interface Pacing {
  readonly outputTokens?: number;
  readonly firstTokenMs?: number;
  readonly perTokenMs?: number;
  readonly headMs?: number;
  readonly refusalMs?: number;
}

/** Always the same answer, at once unless the pace says otherwise. */
export function steady(pacing: Pacing = {}): ModelDraws {
  const { outputTokens = 5, firstTokenMs = 0, perTokenMs = 0, headMs, refusalMs = 0 } = pacing;
  return {
    outputTokens: () => outputTokens,
    times: (_, served) => ({
      firstTokenMs,
      totalMs: firstTokenMs + perTokenMs * served.outputTokens,
      ...(headMs === undefined ? {} : { headMs }),
    }),
    refusalMs: () => refusalMs,
    hint: () => 0.5,
    fault: () => 0,
  };
}

export function provider(
  quotas: readonly QuotaSpec[] = [],
  {
    wire = 'openai',
    manners = {},
    ...rest
  }: Partial<Omit<ApiProvider, 'models'>> & { readonly manners?: Partial<ModelManners> } = {},
): ApiProvider {
  const model = { quotas, retryAfter: EXACT_SECONDS, draws: steady(), ...manners };
  return { wire, quotas: [], ...rest, models: { large: model } };
}
