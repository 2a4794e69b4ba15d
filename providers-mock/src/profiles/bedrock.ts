/** AWS Bedrock: tokens of prompt and max_tokens reserved at the start and settled at the end, a quota a day, no hint. */

import type { ErrorForm } from '../wire/answer.js';
import { cited, type Profile } from './profile.js';
import { DAY, MINUTE, NO_HINT, requests, tokens } from './quota-shapes.js';

const RESERVATION =
  'prompt + max_tokens reserved, settled at the end: aws/agent-toolkit-for-aws:skills/core-skills/amazon-bedrock/references/quota-health.md';
const PER_DAY =
  'a day has 1,440 times the minute by default: docs.aws.amazon.com/bedrock/latest/userguide/quotas-runtime.html';
const NONE = cited(NO_HINT, 'documented', 'no Retry-After: troubleshooting-api-error-codes.html, botocore');

/** The type of an error is in a header and, where the answer has begun, in the body. */
function failure(status: number, type: string, message: string): ErrorForm {
  return {
    status,
    message,
    headers: { 'x-amzn-errortype': type },
    insideBody: { message: '{message}', code: type },
  };
}

function throttling(message: string): ErrorForm {
  return failure(429, 'ThrottlingException', message);
}

const UNAVAILABLE = failure(503, 'ServiceUnavailableException', 'Bedrock is unable to process the request.');

export const BEDROCK: Profile = {
  name: 'bedrock',
  about: 'On-demand quotas of an account for a model in a region, through an OpenAI-compatible front.',
  wire: 'openai',
  refusal: {
    body: { message: '{message}' },
    errors: {
      concurrency: throttling('Too many requests, please wait before trying again.'),
      requests: throttling('Too many requests, please wait before trying again.'),
      tokens: throttling('Too many tokens, please wait before trying again.'),
      'too-large': throttling('Too many tokens, please wait before trying again.'),
      'status-500': failure(500, 'InternalServerException', 'An internal server error occurred.'),
      'status-502': failure(502, 'InternalServerException', 'An internal server error occurred.'),
      'status-503': UNAVAILABLE,
      'status-529': UNAVAILABLE,
    },
    quotas: { tpd: throttling('Too many tokens per day, please wait before trying again.') },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: 'x-amzn-requestid',
  },
  quotas: [],
  models: {
    'claude-3-5-sonnet': {
      quotas: [
        cited(
          requests('rpm', 50, MINUTE),
          'secondary',
          'Sonnet 3.5, 50 RPM: repost.aws/questions/QU2tqWTuP-Sje1rX_uHV0vqw',
        ),
        cited(
          tokens('tpm', 400_000, MINUTE),
          'secondary',
          `Sonnet 3.5, 400k TPM: repost.aws/questions/QU2tqWTuP-Sje1rX_uHV0vqw; ${RESERVATION}`,
        ),
        cited(tokens('tpd', 576_000_000, DAY), 'computed', PER_DAY),
      ],
      retryAfter: NONE,
      latency: cited(
        { firstToken: { medianMs: 1210, p95Ms: 1890 }, perOutputTokenMs: 11.1 },
        'uncertain',
        'first token p50 1.21 s, p95 1.89 s of claude-instant: ray-project/llmperf @f1d6bed; per token as Claude, tokenmix.ai, April 2026',
      ),
    },
    'claude-sonnet-4': {
      quotas: [
        cited(
          tokens('tpm', 2_000_000, MINUTE, { outputWeight: 5 }),
          'secondary',
          `2M TPM in the example, an output token burns five from Claude 3.7 on: aws/agent-toolkit-for-aws quota-health.md; ${RESERVATION}`,
        ),
        cited(tokens('tpd', 2_880_000_000, DAY, { outputWeight: 5 }), 'computed', PER_DAY),
      ],
      retryAfter: NONE,
    },
  },
};
