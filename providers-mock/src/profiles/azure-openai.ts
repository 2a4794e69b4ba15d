/** Azure OpenAI: sliding windows of a deployment, requests evaluated over ten seconds, so that bursts are refused early. */

import { cited, type Profile } from './profile.js';
import { exactWait, MINUTE, requests, SECOND, tokens } from './quota-shapes.js';

const PLEASE_RETRY =
  'Requests to the ChatCompletions_Create Operation under Azure OpenAI API have exceeded the {kind} rate limit of your current pricing tier.[ Please retry after {waitSeconds} seconds.]';

export const AZURE_OPENAI: Profile = {
  name: 'azure-openai',
  about: 'A deployment of 50k TPM. The published simulator of the service refuses by sliding logs.',
  wire: 'openai',
  refusal: {
    body: { error: { code: '{code}', message: '{message}' } },
    errors: {
      requests: { status: 429, message: PLEASE_RETRY, fields: { code: '429', kind: 'call' } },
      tokens: { status: 429, message: PLEASE_RETRY, fields: { code: '429', kind: 'token' } },
      'too-large': { status: 429, message: PLEASE_RETRY, fields: { code: '429', kind: 'token' } },
      'status-503': {
        status: 429,
        message: 'System is experiencing high demand; the service is temporarily unable to process the request.',
        fields: { code: '429' },
      },
    },
    hints: ['retry-after', 'retry-after-ms', 'body'],
    rateLimits: {
      kind: 'headers',
      on: 'every-answer',
      dimensions: [
        {
          of: 'requests',
          limit: 'x-ratelimit-limit-requests',
          remaining: 'x-ratelimit-remaining-requests',
          reset: 'x-ratelimit-reset-requests',
          resetAs: 'seconds',
          period: 'x-ratelimit-renewalperiod-requests',
        },
        {
          of: 'tokens',
          limit: 'x-ratelimit-limit-tokens',
          remaining: 'x-ratelimit-remaining-tokens',
          reset: 'x-ratelimit-reset-tokens',
          resetAs: 'seconds',
          period: 'x-ratelimit-renewalperiod-tokens',
        },
      ],
    },
    requestIdHeader: 'x-request-id',
  },
  quotas: [],
  models: {
    'gpt-4o': {
      quotas: [
        cited(
          requests('rpm', 300, MINUTE, { refill: 'sliding-window', subWindowMs: 10 * SECOND }),
          'documented',
          '6 RPM per 1,000 TPM, evaluated over 1 s or 10 s: learn.microsoft.com/azure/ai-services/openai/how-to/quota; 300 RPM shown as 50 per 10 s: a public fixture; log: microsoft/aoai-api-simulator limiters.py @4ed91fb',
        ),
        cited(
          tokens('tpm', 50_000, MINUTE, { refill: 'sliding-window' }),
          'observed',
          '50k TPM deployments: MS Q&A 1381398; prompt + max_tokens at receipt, corrected afterwards: same; log: microsoft/aoai-api-simulator limiters.py @4ed91fb',
        ),
      ],
      retryAfter: cited(
        exactWait(),
        'documented',
        'whole seconds until enough old entries leave: microsoft/aoai-api-simulator limiters.py @4ed91fb; the real service has been seen to say 1 s for a window of 60 s, in a public fixture',
      ),
      latency: cited(
        { firstToken: { medianMs: 450, p95Ms: 1200 }, perOutputTokenMs: 19 },
        'uncertain',
        '19 ms per completion token: microsoft/aoai-api-simulator:docs/config.md; first token as OpenAI, tokenmix.ai, April 2026',
      ),
    },
  },
};
