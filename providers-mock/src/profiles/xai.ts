/** xAI: requests a second and tokens a minute per model; an error body of two strings, and no hint. */

import { cited, type Profile } from './profile.js';
import { MINUTE, NO_HINT, requests, SECOND, tokens } from './quota-shapes.js';

const TEAM = 'for team 00000000-0000-0000-0000-000000000000 and model {model}';
const FIELDS = { code: 'resource-exhausted' };

export const XAI: Profile = {
  name: 'xai',
  about: 'grok-4 at spend tier 0.',
  wire: 'openai',
  refusal: {
    body: { code: '{code}', error: '{message}' },
    errors: {
      requests: {
        status: 429,
        message: `Too many requests ${TEAM}. Requests per Second (actual/limit): {used}/{limit}.`,
        fields: FIELDS,
      },
      tokens: {
        status: 429,
        message: `Too many requests ${TEAM}. Tokens per Minute (actual/limit): {used}/{limit}.`,
        fields: FIELDS,
      },
      'too-large': {
        status: 429,
        message: `Too many requests ${TEAM}. Tokens per Minute (actual/limit): {requested}/{limit}.`,
        fields: FIELDS,
      },
    },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: 'x-request-id',
  },
  quotas: [],
  models: {
    'grok-4': {
      quotas: [
        cited(
          requests('rps', 150, SECOND, { refill: 'fixed-window' }),
          'uncertain',
          'tier 0, 150 RPS: docs.x.ai/developers/rate-limits through secondary pages; the shape of the window is not documented',
        ),
        cited(
          tokens('tpm', 50_000_000, MINUTE, { reserve: 'estimate' }),
          'uncertain',
          'tier 0, 50M TPM: docs.x.ai/developers/rate-limits through secondary pages; cached and reasoning tokens count',
        ),
      ],
      retryAfter: cited(NO_HINT, 'observed', 'no Retry-After seen'),
    },
  },
};
