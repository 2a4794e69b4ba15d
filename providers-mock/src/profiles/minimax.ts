/** MiniMax: requests and tokens a minute; refusals come with status 200, as JSON even where a stream was asked for. */

import type { ErrorForm } from '../wire/answer.js';
import { cited, type ModelProfile, type Profile } from './profile.js';
import { MINUTE, NO_HINT, requests, tokens } from './quota-shapes.js';

const LIMITS = 'platform.minimax.io rate limits';

function inBody(code: number, message: string): ErrorForm {
  return {
    status: 200,
    message,
    body: { base_resp: { status_code: code, status_msg: '{message}' } },
    streamed: 'before',
  };
}

function model(rpm: number, tpm: number): ModelProfile {
  return {
    quotas: [
      cited(requests('rpm', rpm, MINUTE), 'secondary', `${rpm} RPM: ${LIMITS}`),
      cited(tokens('tpm', tpm, MINUTE, { reserve: 'estimate' }), 'secondary', `${tpm} TPM: ${LIMITS}`),
    ],
    retryAfter: cited(NO_HINT, 'documented', 'a code and a text: platform.minimax.io/docs/api-reference/errorcode'),
  };
}

export const MINIMAX: Profile = {
  name: 'minimax',
  about: 'Paid accounts; free ones have 20 RPM and 1M TPM.',
  wire: 'openai',
  refusal: {
    body: { base_resp: { status_code: 1000, status_msg: '{message}' } },
    errors: {
      concurrency: inBody(1002, 'rate limit'),
      requests: inBody(1002, 'rate limit'),
      tokens: inBody(1039, 'token limit'),
      'too-large': inBody(1039, 'token limit'),
      ramp: inBody(2045, 'request rate grows too fast'),
      'status-500': inBody(1000, 'unknown error'),
      'status-503': inBody(1033, 'system error'),
      'status-529': inBody(1033, 'system error'),
    },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: { 'MiniMax-M2': model(500, 20_000_000), 'MiniMax-M3': model(200, 10_000_000) },
};
