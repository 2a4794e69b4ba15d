/** Anthropic: continuous buckets of requests, input tokens and output tokens, each told in headers on every answer. */

import { ANTHROPIC_STYLE } from '../wire/refusal-styles.js';
import { cited, type ModelProfile, type Profile } from './profile.js';
import { exactWait, MINUTE, requests, tokens } from './quota-shapes.js';

const DOCS = 'platform.claude.com/docs/en/api/rate-limits';

/** Tier 1 of one model class. */
function tier1({ rpm, itpm, otpm }: Record<'rpm' | 'itpm' | 'otpm', number>): ModelProfile {
  return {
    quotas: [
      cited(requests('rpm', rpm, MINUTE), 'documented', `tier 1, ${rpm} RPM, continuously replenished: ${DOCS} (2025)`),
      cited(
        tokens('itpm', itpm, MINUTE, { counts: 'input', reserve: 'estimate' }),
        'documented',
        `tier 1, ${itpm} input tokens a minute: ${DOCS} (2025)`,
      ),
      cited(
        tokens('otpm', otpm, MINUTE, { counts: 'output' }),
        'documented',
        `tier 1, ${otpm} output tokens a minute, estimated from max_tokens at the start and adjusted at the end: ${DOCS} (2025)`,
      ),
    ],
    retryAfter: cited(
      exactWait(),
      'documented',
      `retry-after in seconds, earlier retries fail: ${DOCS}; a 529 carries one only sometimes`,
    ),
    latency: cited(
      { firstToken: { medianMs: 500, p95Ms: 900 }, perOutputTokenMs: 11.1 },
      'uncertain',
      'tokenmix.ai, April 2026, Claude Sonnet 4.6: first token p50 500 ms, p95 900 ms, 90 tokens a second',
    ),
  };
}

export const ANTHROPIC: Profile = {
  name: 'anthropic',
  about: 'Tier 1. Acceleration limits and overload (529) are documented without numbers; add them to a scenario.',
  wire: 'anthropic',
  refusal: {
    body: ANTHROPIC_STYLE.body,
    errors: {},
    hints: ['retry-after'],
    rateLimits: ANTHROPIC_STYLE.rateLimits,
    requestIdHeader: 'request-id',
  },
  quotas: [],
  models: {
    'claude-sonnet-4': tier1({ rpm: 50, itpm: 30_000, otpm: 8000 }),
    'claude-haiku-4-5': tier1({ rpm: 50, itpm: 50_000, otpm: 10_000 }),
  },
};
