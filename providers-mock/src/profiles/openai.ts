/** OpenAI: continuous buckets of requests and tokens a minute, refused requests counted, a limit on growth at high rates. */

import { OPENAI_STYLE } from '../wire/refusal-styles.js';
import { cited, type ModelProfile, type Profile } from './profile.js';
import { exactWait, MINUTE, requests, tokens } from './quota-shapes.js';

/** So the tokens of a refused request do not count, or the wait would be longer. */
const REFILL = 'five public refusals fit wait = (Used + Requested − Limit) / (Limit / 60 s) to the millisecond';
const REFUSALS = 'refused requests count: help.openai.com/en/articles/5955604';
const ADMISSION = 'max(max_tokens, estimate) is counted: rate-limits guide; whether the rest is refunded is not stated';

const COMMON: Pick<ModelProfile, 'retryAfter' | 'latency'> = {
  retryAfter: cited(
    exactWait({ as: 'ms' }),
    'observed',
    'wrtnlabs/autobe issue 136: retry-after: 1 (rounded up) and retry-after-ms: 494',
  ),
  latency: cited(
    { firstToken: { medianMs: 450, p95Ms: 1200 }, perOutputTokenMs: 11.8 },
    'uncertain',
    'tokenmix.ai, April 2026, GPT-5.4: first token p50 450 ms, p95 1,200 ms, 85 tokens a second',
  ),
};

export const OPENAI: Profile = {
  name: 'openai',
  about: 'gpt-4o and gpt-5 at tier 1; gpt-4.1 at tier 5, where the limit on growth bites.',
  wire: 'openai',
  refusal: {
    body: OPENAI_STYLE.body,
    errors: {},
    hints: ['retry-after', 'retry-after-ms', 'body'],
    rateLimits: OPENAI_STYLE.rateLimits,
    requestIdHeader: 'x-request-id',
  },
  quotas: [],
  models: {
    'gpt-4o': {
      quotas: [
        cited(
          requests('rpm', 500, MINUTE, { refusedCount: true }),
          'observed',
          `tier 1, 500 RPM: autospec PR 16; ${REFUSALS}; ${REFILL}`,
        ),
        cited(
          tokens('tpm', 30_000, MINUTE, { reserve: 'larger' }),
          'observed',
          `tier 1, 30k TPM: autospec PR 16; ${ADMISSION}; ${REFILL}`,
        ),
      ],
      ...COMMON,
    },
    'gpt-5': {
      quotas: [
        cited(
          requests('rpm', 1000, MINUTE, { refusedCount: true }),
          'uncertain',
          `tier 1, 1,000 RPM: api-evangelist/openai:rate-limits/openai-rate-limits.yml @497f05f (generated); ${REFUSALS}`,
        ),
        cited(
          tokens('tpm', 500_000, MINUTE, { reserve: 'larger' }),
          'uncertain',
          `tier 1, 500k TPM: api-evangelist/openai:rate-limits/openai-rate-limits.yml @497f05f (generated); ${ADMISSION}`,
        ),
      ],
      ...COMMON,
    },
    'gpt-4.1': {
      quotas: [
        cited(
          requests('rpm', 10_000, MINUTE, { refusedCount: true }),
          'observed',
          `tier 5, 10,000 RPM: headers in wrtnlabs/autobe issue 136; ${REFUSALS}`,
        ),
        cited(
          tokens('tpm', 30_000_000, MINUTE, { reserve: 'larger' }),
          'observed',
          `tier 5, 30M TPM: headers in wrtnlabs/autobe issue 136; ${ADMISSION}`,
        ),
        cited(
          {
            kind: 'ramp',
            name: 'slow_down',
            counts: 'input',
            limit: 1_000_000,
            perMs: MINUTE,
            growth: 0.5,
            overMs: 15 * MINUTE,
            refusedCount: false,
          },
          'secondary',
          'above about 1M input TPM growth over 50 % in 15 min gives slow_down: OpenAI error codes, via developersdigest.tech/errors/api/openai-api/429-slow-down',
        ),
      ],
      ...COMMON,
    },
  },
};
