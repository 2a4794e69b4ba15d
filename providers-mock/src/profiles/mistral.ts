/** Mistral: requests a second, tokens a minute and a month; a flat error body and, as a rule, no hint. */

import { cited, type Profile } from './profile.js';
import { DAY, MINUTE, NO_HINT, requests, SECOND, tokens } from './quota-shapes.js';

const FREE = 'free tier: secondary pages on docs.mistral.ai limits';
const CAPACITY = {
  status: 429,
  message: 'Service tier capacity exceeded for this model.',
  fields: { type: 'service_tier_capacity_exceeded', code: '3505' },
};

export const MISTRAL: Profile = {
  name: 'mistral',
  about: 'The free tier, per organization and model.',
  wire: 'openai',
  refusal: {
    body: { object: 'error', message: '{message}', type: '{type}', param: null, code: '{code}' },
    errors: {
      requests: { status: 429, message: 'Rate limit exceeded', fields: { type: 'rate_limited', code: '1300' } },
      tokens: { status: 429, message: 'Rate limit exceeded', fields: { type: 'rate_limited', code: '1300' } },
      unauthorized: { status: 401, message: 'Unauthorized', body: { detail: '{message}' } },
      'status-503': CAPACITY,
      'status-529': CAPACITY,
    },
    hints: 'as-stated',
    rateLimits: {
      kind: 'headers',
      on: 'every-answer',
      dimensions: [
        {
          of: { quota: 'tpm' },
          limit: 'x-ratelimit-limit-tokens-minute',
          remaining: 'x-ratelimit-remaining-tokens-minute',
        },
      ],
    },
    requestIdHeader: null,
  },
  quotas: [],
  models: {
    'mistral-small': {
      quotas: [
        cited(requests('rps', 1, SECOND), 'secondary', `1 RPS; ${FREE}`),
        cited(tokens('tpm', 500_000, MINUTE, { reserve: 'estimate' }), 'secondary', `500k TPM; ${FREE}`),
        cited(
          tokens('tokens-month', 1_000_000_000, 30 * DAY, { refill: 'fixed-window', reserve: 'estimate' }),
          'secondary',
          `1B a month, here of 30 days; ${FREE}`,
        ),
      ],
      retryAfter: cited(NO_HINT, 'observed', 'Retry-After normally absent: public projects'),
    },
  },
};
