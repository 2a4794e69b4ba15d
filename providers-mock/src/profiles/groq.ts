/** Groq: continuous buckets of requests a day and a minute and of tokens a minute; the first header's limit is the day's. */

import { OPENAI_STYLE } from '../wire/refusal-styles.js';
import { cited, type Profile } from './profile.js';
import { DAY, exactWait, MINUTE, requests, tokens } from './quota-shapes.js';

const DOCS = 'console.groq.com/docs/rate-limits';
const REFILL = 'waits fit the continuous law: Aider-AI/aider issue 3265';

export const GROQ: Profile = {
  name: 'groq',
  about: 'The free tier, per organization and model.',
  wire: 'openai',
  refusal: {
    body: { error: { message: '{message}', type: '{type}', code: '{code}' } },
    errors: {},
    hints: ['retry-after-decimal', 'body'],
    rateLimits: {
      kind: 'headers',
      on: 'every-answer',
      dimensions: [
        {
          of: { quota: 'rpd' },
          limit: 'x-ratelimit-limit-requests',
          remaining: 'x-ratelimit-remaining-requests',
          reset: 'x-ratelimit-reset-requests',
        },
        {
          of: { quota: 'tpm' },
          limit: 'x-ratelimit-limit-tokens',
          remaining: 'x-ratelimit-remaining-tokens',
          reset: 'x-ratelimit-reset-tokens',
        },
      ],
    },
    requestIdHeader: OPENAI_STYLE.requestIdHeader,
  },
  quotas: [],
  models: {
    'llama-3.3-70b-versatile': {
      quotas: [
        cited(requests('rpm', 30, MINUTE), 'documented', `free, 30 RPM: ${DOCS}; ${REFILL}`),
        cited(requests('rpd', 1000, DAY), 'documented', `free, 1,000 to 14,400 a day: ${DOCS}`),
        cited(tokens('tpm', 6000, MINUTE), 'documented', `free, 6k to 30k TPM: ${DOCS}; ${REFILL}`),
      ],
      retryAfter: cited(
        exactWait({ rounding: 'none' }),
        'observed',
        'retry-after in seconds, 7.66 seen; only on 429: a public fixture',
      ),
      latency: cited(
        { firstToken: { medianMs: 120, p95Ms: 280 }, perOutputTokenMs: 3 },
        'uncertain',
        'tokenmix.ai, April 2026, Llama-70B: first token p50 120 ms, p95 280 ms, 330 tokens a second',
      ),
    },
  },
};
