/** LiteLLM proxy: a key's requests a minute, and a Retry-After that is always the length of the window: a lie. */

import { cited, type Profile } from './profile.js';
import { constantWait, MINUTE, requests } from './quota-shapes.js';

const SOURCE = 'BerriAI/litellm:litellm/proxy/hooks/parallel_request_limiter_v3.py @000db7e';

export const LITELLM: Profile = {
  name: 'litellm',
  about: 'A key with a small limit; whoever runs the proxy sets the numbers.',
  wire: 'openai',
  refusal: {
    // Words where others have null, and a code that is text.
    body: { error: { message: '{message}', type: 'None', param: 'None', code: '{code}' } },
    errors: {
      concurrency: limited('max_parallel_requests'),
      requests: limited('requests'),
      tokens: limited('tokens'),
    },
    hints: ['retry-after'],
    rateLimits: { kind: 'none' },
    requestIdHeader: 'x-litellm-call-id',
  },
  quotas: [],
  models: {
    'gpt-4o': {
      quotas: [
        cited(
          requests('rpm', 10, MINUTE, { refill: 'sliding-window' }),
          'observed',
          `a limit of 10 in a public refusal; windows of 60 s: ${SOURCE}`,
        ),
      ],
      retryAfter: cited(constantWait(MINUTE), 'documented', `retry-after is the size of the window, 60 s: ${SOURCE}`),
    },
  },
};

function limited(what: string): {
  status: number;
  message: string;
  fields: { code: string };
  headers: Record<string, string>;
} {
  return {
    status: 429,
    message: `Rate limit exceeded for api_key: HASH. Limit type: ${what}. Current limit: {limit}, Remaining: {remaining}.[ Limit resets at: {resetUtc}]`,
    fields: { code: '429' },
    headers: { rate_limit_type: what, reset_at: '{resetUtc}' },
  };
}
