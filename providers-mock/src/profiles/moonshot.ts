/** Moonshot / Kimi: four limits of the account, shared by all models; the text always says one second, whatever is true. */

import { cited, type Profile } from './profile.js';
import { concurrency, constantWait, MINUTE, requests, SECOND, tokens } from './quota-shapes.js';

const TIER = 'tier 1 ($10): platform.moonshot.cn/docs, account level, shared by all models';

const OVERLOADED = {
  status: 429,
  message: 'The engine is currently overloaded, please try again later',
  fields: { type: 'engine_overloaded_error' },
};

export const MOONSHOT: Profile = {
  name: 'moonshot',
  about: 'Tier 1. Tier 0 has 1 at once, 3 RPM and 500k TPM.',
  wire: 'openai',
  refusal: {
    body: { error: { type: '{type}', message: '{message}' } },
    errors: {
      concurrency: {
        status: 429,
        message:
          'Your account org-mock request reached organization max concurrency: {limit}[, please try again after {waitSeconds} seconds]',
        fields: { type: 'rate_limit_reached_error' },
      },
      requests: {
        status: 429,
        message:
          'Your account org-mock request reached organization max RPM: {limit}[, please try again after {waitSeconds} seconds]',
        fields: { type: 'rate_limit_reached_error' },
      },
      tokens: {
        status: 429,
        message: 'Your account org-mock request reached TPM rate limit, current: {used}, limit: {limit}',
        fields: { type: 'rate_limit_reached_error' },
      },
      'status-503': OVERLOADED,
      'status-529': OVERLOADED,
    },
    hints: ['body'],
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [
    cited(concurrency(50), 'documented', `50 at once; ${TIER}`),
    cited(requests('rpm', 200, MINUTE), 'documented', `200 RPM; ${TIER}`),
    cited(
      tokens('tpm', 2_000_000, MINUTE, { settle: 'keep' }),
      'documented',
      `2M TPM; ${TIER}; the prompt + max_tokens count, not the actual output: platform.moonshot.cn/docs/introduction`,
    ),
  ],
  models: {
    'kimi-k2': {
      quotas: [],
      retryAfter: cited(
        constantWait(SECOND, { scopes: ['concurrency', 'requests'] }),
        'documented',
        '"try again after 1 seconds" for concurrency and RPM alike, even for 3 RPM; nothing for TPM: platform.moonshot.cn error texts, in a public fixture',
      ),
    },
  },
};
