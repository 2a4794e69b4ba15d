/** OpenRouter, free models: requests a minute and a day for the whole account, and failed ones count. */

import { cited, type Profile } from './profile.js';
import { DAY, exactWait, MINUTE, requests } from './quota-shapes.js';

const DOCS = 'openrouter.ai/docs/api_reference/limits';
const COUNTED = { refill: 'fixed-window', refusedCount: true } as const;

const HEADERS = {
  'X-RateLimit-Limit': '{limitText}',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '{resetEpochMs}',
};

function limited(what: string): { status: number; message: string; body: typeof BODY } {
  return { status: 429, message: `Rate limit exceeded: free-models-per-${what}.`, body: BODY };
}

const BODY = { error: { message: '{message}', code: 429, metadata: { headers: HEADERS } } };
const OVERLOADED = {
  status: 503,
  message: 'Provider returned error',
  body: { error: { code: 503, message: '{message}', metadata: { error_type: 'provider_overloaded' } } },
};

export const OPENROUTER: Profile = {
  name: 'openrouter',
  about: 'Free models with less than ten credits bought; paid models have the limits of their providers.',
  wire: 'openai',
  refusal: {
    body: { error: { code: '{status}', message: '{message}', metadata: {} } },
    errors: { requests: limited('min'), 'status-503': OVERLOADED, 'status-529': OVERLOADED },
    quotas: { rpd: limited('day') },
    hints: [],
    rateLimits: {
      kind: 'headers',
      on: 'refusals',
      dimensions: [
        {
          of: 'requests',
          limit: 'x-ratelimit-limit',
          remaining: 'x-ratelimit-remaining',
          reset: 'x-ratelimit-reset',
          resetAs: 'epoch-ms',
        },
      ],
    },
    requestIdHeader: null,
  },
  quotas: [
    cited(
      requests('rpm', 20, MINUTE, COUNTED),
      'documented',
      `20 RPM for :free models, failed requests count: ${DOCS}`,
    ),
    cited(
      requests('rpd', 50, DAY, { ...COUNTED, resetAtMs: 0 }),
      'documented',
      `50 a day for :free models, failed requests count: ${DOCS}; the time of the reset is not documented`,
    ),
  ],
  models: {
    'deepseek/deepseek-r1:free': {
      quotas: [],
      // The end of the window is all that is told, and clients read their wait off it.
      retryAfter: cited(
        exactWait({ as: 'ms', scopes: ['requests'] }),
        'observed',
        'X-RateLimit-Reset in epoch ms and no Retry-After: Gitlawb/openclaude issue 936',
      ),
    },
  },
};
