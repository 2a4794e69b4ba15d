/**
 * How errors and limits look in each dialect where a profile does not say otherwise: the shapes of OpenAI, Anthropic and
 * Gemini. Data, and nothing that runs. Sources: the providers' error and rate-limit pages, and what public clients parse;
 * wording is made up, close enough for what clients look for in it.
 */

import type { ErrorCase, ErrorForm, RefusalStyle, WireStyle } from './answer.js';

/** A style that has a form for every case. */
export interface DialectStyle extends RefusalStyle {
  readonly errors: Readonly<Record<ErrorCase, ErrorForm>>;
  /** The case of a provider that has no capacity. */
  readonly overloaded: 'status-503' | 'status-529';
}

const REQUEST_ERROR = { type: 'invalid_request_error', code: null };
const SERVER_ERROR = { type: 'server_error', code: null };

/** `{ error: { message, type, param, code } }`; `type` of a refusal is the dimension. */
export const OPENAI_STYLE: DialectStyle = {
  overloaded: 'status-503',
  body: { error: { message: '{message}', type: '{type}', param: null, code: '{code}' } },
  errors: {
    concurrency: {
      status: 429,
      message:
        'Rate limit reached for {model} on {dimension}: at most {limit} at once.[ Please try again in {waitGo}.]',
      fields: { type: 'requests', code: 'rate_limit_exceeded' },
    },
    requests: {
      status: 429,
      message:
        'Rate limit reached for {model} in organization org-mock on {dimension}: Limit {limit}, Used {used}, Requested {requested}.[ Please try again in {waitGo}.]',
      fields: { type: 'requests', code: 'rate_limit_exceeded' },
    },
    tokens: {
      status: 429,
      message:
        'Rate limit reached for {model} in organization org-mock on {dimension}: Limit {limit}, Used {used}, Requested {requested}.[ Please try again in {waitGo}.]',
      fields: { type: 'tokens', code: 'rate_limit_exceeded' },
    },
    ramp: {
      status: 429,
      message: 'Request rate is rising faster than can be served; slow down.[ Please try again in {waitGo}.]',
      fields: { type: 'rate_limit_error', code: 'slow_down' },
    },
    'too-large': {
      status: 429,
      message:
        'Request too large for {model} in organization org-mock on {dimension}: Limit {limit}, Requested {requested}. The input or output tokens must be reduced in order to run successfully.',
      fields: { type: 'tokens', code: 'rate_limit_exceeded' },
    },
    unauthorized: {
      status: 401,
      message: 'Incorrect API key provided. Send the key that this server was started with.',
      fields: { type: 'invalid_request_error', code: 'invalid_api_key' },
    },
    'unknown-path': { status: 404, message: 'Invalid URL ({method} {path})', fields: REQUEST_ERROR },
    'wrong-method': {
      status: 405,
      message: 'Not allowed to {method} on {path}.',
      fields: { type: 'invalid_request_error', code: 'method_not_supported' },
    },
    malformed: { status: 400, message: '{reason}', fields: REQUEST_ERROR },
    'body-too-large': { status: 413, message: 'The request is too large for this server.', fields: REQUEST_ERROR },
    'unknown-model': {
      status: 404,
      message: 'The model `{model}` does not exist or you do not have access to it.',
      fields: { type: 'invalid_request_error', code: 'model_not_found' },
    },
    'status-500': {
      status: 500,
      message: 'The server had an error while processing your request. Sorry about that!',
      fields: SERVER_ERROR,
    },
    'status-502': { status: 502, message: 'Bad gateway.', fields: SERVER_ERROR },
    'status-503': {
      status: 503,
      message: 'The server is currently overloaded, please try again later.',
      fields: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
    },
    'status-529': {
      status: 529,
      message: 'The server is overloaded.',
      fields: { type: 'service_unavailable_error', code: 'server_is_overloaded' },
    },
  },
  hints: 'as-stated',
  rateLimits: {
    kind: 'headers',
    on: 'every-answer',
    dimensions: [
      {
        of: 'requests',
        limit: 'x-ratelimit-limit-requests',
        remaining: 'x-ratelimit-remaining-requests',
        reset: 'x-ratelimit-reset-requests',
      },
      {
        of: 'tokens',
        limit: 'x-ratelimit-limit-tokens',
        remaining: 'x-ratelimit-remaining-tokens',
        reset: 'x-ratelimit-reset-tokens',
      },
    ],
  },
  requestIdHeader: 'x-request-id',
};

const ANTHROPIC_LIMIT =
  "This request would exceed your organization's rate limit of {limitGrouped} {unit} per {period}.[ Please try again in {waitSeconds} seconds.]";

/** `{ type: 'error', error: { type, message }, request_id }` */
export const ANTHROPIC_STYLE: DialectStyle = {
  overloaded: 'status-529',
  body: { type: 'error', error: { type: '{type}', message: '{message}' }, request_id: '{requestId}' },
  errors: {
    concurrency: {
      status: 429,
      message: 'Number of concurrent requests has exceeded your rate limit of {limitGrouped}.',
      fields: { type: 'rate_limit_error' },
    },
    requests: { status: 429, message: ANTHROPIC_LIMIT, fields: { type: 'rate_limit_error' } },
    tokens: { status: 429, message: ANTHROPIC_LIMIT, fields: { type: 'rate_limit_error' } },
    ramp: {
      status: 429,
      message: 'Usage rose too sharply; the acceleration limit is reached.',
      fields: { type: 'rate_limit_error' },
    },
    'too-large': {
      status: 413,
      message: 'Request too large: {requested} {unit}, where the limit is {limit}.',
      fields: { type: 'request_too_large' },
    },
    unauthorized: { status: 401, message: 'invalid x-api-key', fields: { type: 'authentication_error' } },
    'unknown-path': { status: 404, message: 'Not Found: {method} {path}', fields: { type: 'not_found_error' } },
    'wrong-method': {
      status: 405,
      message: 'Method Not Allowed: {method} {path}',
      fields: { type: 'invalid_request_error' },
    },
    malformed: { status: 400, message: '{reason}', fields: { type: 'invalid_request_error' } },
    'body-too-large': {
      status: 413,
      message: 'Request exceeds the maximum size.',
      fields: { type: 'request_too_large' },
    },
    'unknown-model': { status: 404, message: 'model: {model}', fields: { type: 'not_found_error' } },
    'status-500': { status: 500, message: 'Internal server error', fields: { type: 'api_error' } },
    'status-502': { status: 502, message: 'Bad gateway', fields: { type: 'api_error' } },
    'status-503': { status: 503, message: 'Service unavailable', fields: { type: 'api_error' } },
    'status-529': { status: 529, message: 'Overloaded', fields: { type: 'overloaded_error' } },
  },
  hints: 'as-stated',
  rateLimits: {
    kind: 'headers',
    on: 'every-answer',
    // Token remainders are told to the nearest thousand; `tokens` is the most restrictive limit in force.
    dimensions: [
      {
        of: 'requests',
        limit: 'anthropic-ratelimit-requests-limit',
        remaining: 'anthropic-ratelimit-requests-remaining',
        reset: 'anthropic-ratelimit-requests-reset',
        resetAs: 'rfc3339',
      },
      {
        of: 'tokens',
        limit: 'anthropic-ratelimit-tokens-limit',
        remaining: 'anthropic-ratelimit-tokens-remaining',
        remainingStep: 1000,
        reset: 'anthropic-ratelimit-tokens-reset',
        resetAs: 'rfc3339',
      },
      {
        of: 'input-tokens',
        limit: 'anthropic-ratelimit-input-tokens-limit',
        remaining: 'anthropic-ratelimit-input-tokens-remaining',
        remainingStep: 1000,
        reset: 'anthropic-ratelimit-input-tokens-reset',
        resetAs: 'rfc3339',
      },
      {
        of: 'output-tokens',
        limit: 'anthropic-ratelimit-output-tokens-limit',
        remaining: 'anthropic-ratelimit-output-tokens-remaining',
        remainingStep: 1000,
        reset: 'anthropic-ratelimit-output-tokens-reset',
        resetAs: 'rfc3339',
      },
    ],
  },
  requestIdHeader: 'request-id',
};

const EXHAUSTED = { grpc: 'RESOURCE_EXHAUSTED' };
const INVALID = { grpc: 'INVALID_ARGUMENT' };
const UNAVAILABLE = { grpc: 'UNAVAILABLE' };
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '{waitDecimal}s' };

/** A refusal of a quota over time: the quota's id holds `PerMinute` or `PerDay`, which clients look for. */
function geminiRefusal(what: 'Requests' | 'Tokens'): ErrorForm {
  return {
    status: 429,
    message:
      'You exceeded your current quota per {period} ({quota}), limit: {limit}, model: {model}.[ Please retry in {waitDecimal}s.]',
    fields: EXHAUSTED,
    body: {
      error: {
        code: 429,
        message: '{message}',
        status: '{grpc}',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              {
                quotaMetric: `generativelanguage.googleapis.com/generate_content_${what.toLowerCase()}`,
                quotaId: `GenerateContent${what}Per{Period}PerProjectPerModel`,
                quotaDimensions: { model: '{model}', location: 'global' },
                quotaValue: '{limitText}',
              },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
          RETRY_INFO,
        ],
      },
    },
  };
}

/** `{ error: { code, message, status, details } }`, as google.rpc.Status; no headers tell a limit. */
export const GEMINI_STYLE: DialectStyle = {
  overloaded: 'status-503',
  body: { error: { code: '{status}', message: '{message}', status: '{grpc}', details: [RETRY_INFO] } },
  errors: {
    concurrency: {
      status: 429,
      message: 'Resource exhausted: {limit} concurrent requests.',
      fields: EXHAUSTED,
    },
    requests: geminiRefusal('Requests'),
    tokens: geminiRefusal('Tokens'),
    ramp: { status: 429, message: 'Resource exhausted: usage rose too sharply.', fields: EXHAUSTED },
    'too-large': {
      status: 429,
      message: 'Request too large for {model}: limit: {limit}, requested: {requested} {unit}.',
      fields: EXHAUSTED,
    },
    // A bad key is a 400 here.
    unauthorized: {
      status: 400,
      message: 'API key not valid. Please pass a valid API key.',
      fields: INVALID,
      body: {
        error: {
          code: 400,
          message: '{message}',
          status: '{grpc}',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'API_KEY_INVALID',
              domain: 'googleapis.com',
              metadata: { service: 'generativelanguage.googleapis.com' },
            },
          ],
        },
      },
    },
    'unknown-path': { status: 404, message: 'Not found: {method} {path}', fields: { grpc: 'NOT_FOUND' } },
    'wrong-method': { status: 405, message: 'Method not allowed: {method} {path}', fields: INVALID },
    malformed: { status: 400, message: '{reason}', fields: INVALID },
    'body-too-large': { status: 413, message: 'Request payload size exceeds the limit.', fields: INVALID },
    'unknown-model': {
      status: 404,
      message: 'models/{model} is not found for API version v1beta, or is not supported for generateContent.',
      fields: { grpc: 'NOT_FOUND' },
    },
    'status-500': { status: 500, message: 'An internal error has occurred.', fields: { grpc: 'INTERNAL' } },
    'status-502': { status: 502, message: 'Bad gateway.', fields: { grpc: 'INTERNAL' } },
    'status-503': { status: 503, message: 'The model is overloaded. Please try again later.', fields: UNAVAILABLE },
    'status-529': { status: 529, message: 'The model is overloaded. Please try again later.', fields: UNAVAILABLE },
  },
  hints: ['body'],
  rateLimits: { kind: 'none' },
  requestIdHeader: null,
};

export const DIALECT_STYLES: Readonly<Record<WireStyle, DialectStyle>> = {
  openai: OPENAI_STYLE,
  'openai-responses': OPENAI_STYLE,
  anthropic: ANTHROPIC_STYLE,
  gemini: GEMINI_STYLE,
};
