/** What the headers of each family say of the same quotas. */

import { describe, expect, it } from 'vitest';
import type { QuotaStanding } from '../../src/models/quota.js';
import type { QuotaSpec } from '../../src/models/quota-spec.js';
import type { RateLimitStyle } from '../../src/wire/answer.js';
import { addRateLimitHeaders } from '../../src/wire/rate-limit-headers.js';
import { ANTHROPIC_STYLE, OPENAI_STYLE } from '../../src/wire/refusal-styles.js';
import { NOON_MS } from '../adapters/manual-clock.js';
import { concurrency, requestsPerMinute, tokensPerMinute } from '../adapters/mock-providers.js';

const standing = (spec: QuotaSpec, remaining: number, fullInMs: number | null): QuotaStanding => {
  return { spec, remaining, requested: 1, fullInMs };
};

const STANDINGS = [
  standing(concurrency(8), 3, null),
  standing(requestsPerMinute(500), 499, 120),
  standing(tokensPerMinute(30_000, 'input'), 12_400, 35_200),
  // A debt.
  standing(tokensPerMinute(8_000, 'output'), -40, 60_300),
];

function told(style: RateLimitStyle, { isRefusal = false, standings = STANDINGS } = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  addRateLimitHeaders(headers, style, { standings, epochMs: NOON_MS, isRefusal });
  return headers;
}

describe('rate-limit headers', () => {
  it('OpenAI: durations until full; of several token quotas the scarcest; a debt is nothing left', () => {
    expect(told(OPENAI_STYLE.rateLimits)).toEqual({
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': '120ms',
      'x-ratelimit-limit-tokens': '8000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m0.3s',
    });
  });

  it('Anthropic: instants, tokens to the nearest thousand, each dimension and the scarcest', () => {
    expect(told(ANTHROPIC_STYLE.rateLimits)).toEqual({
      'anthropic-ratelimit-requests-limit': '500',
      'anthropic-ratelimit-requests-remaining': '499',
      'anthropic-ratelimit-requests-reset': '2026-11-30T12:00:01Z',
      'anthropic-ratelimit-tokens-limit': '8000',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-30T12:01:01Z',
      'anthropic-ratelimit-input-tokens-limit': '30000',
      'anthropic-ratelimit-input-tokens-remaining': '12000',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-30T12:00:36Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-30T12:01:01Z',
    });
  });

  it('IETF: an item per quota, seconds until full, none for a concurrency quota', () => {
    expect(told({ kind: 'ietf', on: 'every-answer' })).toEqual({
      ratelimit: '"concurrency";r=3, "rpm";r=499;t=1, "input-tpm";r=12400;t=36, "output-tpm";r=0;t=61',
      'ratelimit-policy':
        '"concurrency";q=8;qu="concurrent-requests", "rpm";q=500;w=60, "input-tpm";q=30000;qu="tokens";w=60, "output-tpm";q=8000;qu="tokens";w=60',
    });
  });

  it('a quota by its name, with its window, in each spelling of a reset', () => {
    const of = { quota: 'input-tpm' };
    const forms = ['seconds', 'decimal-seconds', 'epoch-seconds', 'epoch-ms'] as const;
    const dimensions = forms.map((resetAs) => ({ of, reset: `x-${resetAs}`, resetAs, period: 'x-period' }));
    expect(told({ kind: 'headers', on: 'every-answer', dimensions })).toEqual({
      'x-period': '60',
      'x-seconds': '36',
      'x-decimal-seconds': '35.2',
      'x-epoch-seconds': '1796040036',
      'x-epoch-ms': '1796040035200',
    });
  });

  it('what only refusals tell is not told by a success, and a quota that is not there by nobody', () => {
    const dimensions = [{ of: 'requests', limit: 'x-limit' } as const, { of: { quota: 'none' }, limit: 'x-none' }];
    const style = { kind: 'headers', on: 'refusals', dimensions } as const;
    expect(told(style)).toEqual({});
    expect(told(style, { isRefusal: true })).toEqual({ 'x-limit': '500' });
    expect(told({ kind: 'ietf', on: 'every-answer' }, { standings: [] })).toEqual({});
  });
});
