/** Alibaba DashScope / Model Studio: requests and tokens a minute, enforced per second as well; no hint. */

import { cited, type Profile } from './profile.js';
import { MINUTE, NO_HINT, requests, SECOND, tokens } from './quota-shapes.js';

const DOCS = 'help.aliyun.com/en/model-studio/rate-limit';

export const DASHSCOPE: Profile = {
  name: 'dashscope',
  about: 'qwen3.5-397b. A protection against steep growth is documented without numbers; add a ramp to a scenario.',
  wire: 'openai',
  refusal: {
    body: {
      error: { message: '{message}', type: '{code}', param: null, code: '{code}' },
      request_id: '{requestId}',
    },
    errors: {
      requests: {
        status: 429,
        message: 'Requests rate limit exceeded, please try again later.',
        fields: { code: 'limit_requests' },
      },
      // Temporary, in spite of its name.
      tokens: {
        status: 429,
        message: 'Allocated quota exceeded, please increase your quota limit.',
        fields: { code: 'insufficient_quota' },
      },
      ramp: {
        status: 429,
        message: 'Request rate increased too quickly, please increase it more smoothly.',
        fields: { code: 'limit_burst_rate' },
      },
    },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: 'x-request-id',
  },
  quotas: [],
  models: {
    'qwen3.5-397b': {
      quotas: [
        cited(
          requests('rpm', 600, MINUTE, { refill: 'sliding-window', subWindowMs: SECOND }),
          'secondary',
          `600 RPM, RPM/60 in each second, recovery within a minute: ${DOCS}`,
        ),
        cited(
          tokens('tpm', 1_000_000, MINUTE, { refill: 'sliding-window', subWindowMs: SECOND, reserve: 'estimate' }),
          'secondary',
          `1M TPM, TPM/60 in each second, recovery within a minute: ${DOCS}; what is reserved is not documented`,
        ),
      ],
      retryAfter: cited(NO_HINT, 'observed', 'no Retry-After: in a public fixture'),
    },
  },
};
