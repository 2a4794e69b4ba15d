/** DeepSeek: requests in flight per account and model, counted until the answer is complete, and kept alive while they wait. */

import { cited, type ModelProfile, type Profile } from './profile.js';
import { concurrency, NO_HINT, SECOND } from './quota-shapes.js';

const DOCS = 'api-docs.deepseek.com/quick_start/rate_limit';

function model(limit: number): ModelProfile {
  return {
    quotas: [
      cited(concurrency(limit), 'documented', `${limit} at once, from sending to the end of the answer: ${DOCS}`),
    ],
    retryAfter: cited(NO_HINT, 'observed', 'no rate headers, no Retry-After: notes of a public live probe'),
    server: cited(
      { slots: limit, queue: null },
      'uncertain',
      `requests wait on the server: ${DOCS}; how many it works on at once is not documented, here as many as it lets in: with fewer in a scenario the rest wait`,
    ),
    keepAlive: cited(
      10 * SECOND,
      'uncertain',
      `blank lines, or : keep-alive comments in a stream, while a request waits: ${DOCS}; how often is not documented`,
    ),
    latency: cited(
      { firstToken: { medianMs: 300, p95Ms: 2500 }, perOutputTokenMs: 6.7 },
      'uncertain',
      'tokenmix.ai, April 2026, DeepSeek V4: first token p50 300 ms, p95 2,500 ms, 150 tokens a second',
    ),
  };
}

export const DEEPSEEK: Profile = {
  name: 'deepseek',
  about: 'The documented concurrency of 2026.',
  wire: 'openai',
  refusal: {
    body: { error: { message: '{message}', type: '{type}', param: null, code: '{code}' } },
    errors: {
      concurrency: {
        status: 429,
        message: 'Rate limit reached: too many concurrent requests.',
        fields: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
      },
      'status-503': { status: 503, message: 'Server overloaded.', fields: { type: 'server_error', code: null } },
    },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: { 'deepseek-v4-pro': model(500), 'deepseek-flash': model(2500) },
};
