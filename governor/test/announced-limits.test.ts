/** What answers announce of the provider's rates, and what they say they used. */

import { describe, expect, it } from 'vitest';
import { announcedLimits, type RateLimit, usageOf } from '../src/core/announced-limits.js';
import type { Scope } from '../src/core/answer.js';

const MINUTE = 60_000;

describe('limits in headers', () => {
  const policy = (items: string, left = '') => ({ 'ratelimit-policy': items, ...(left && { ratelimit: left }) });

  it.each<[string, Record<string, string>, readonly RateLimit[]]>([
    ['nothing', {}, []],
    [
      'both of OpenAI',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      [
        { name: 'requests', counts: 'requests', limit: 60, perMs: MINUTE, remaining: 59 },
        { name: 'tokens', counts: 'tokens', limit: 150_000, perMs: MINUTE },
      ],
    ],
    [
      'of a project',
      { 'x-ratelimit-limit-project-tokens': '7' },
      [{ name: 'project_tokens', counts: 'tokens', limit: 7, perMs: MINUTE }],
    ],
    [
      'of each side, beside which the one of all tokens says nothing new',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-tokens-limit': '48000',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-output-tokens-limit': '8000',
      },
      [
        { name: 'requests', counts: 'requests', limit: 50, perMs: MINUTE, remaining: 0 },
        { name: 'input_tokens', counts: 'input', limit: 40_000, perMs: MINUTE },
        { name: 'output_tokens', counts: 'output', limit: 8_000, perMs: MINUTE },
      ],
    ],
    [
      'of one side only',
      { 'anthropic-ratelimit-output-tokens-limit': '8', 'anthropic-ratelimit-tokens-limit': '9' },
      [{ name: 'output_tokens', counts: 'output', limit: 8, perMs: MINUTE }],
    ],
    [
      'of the other side only',
      { 'anthropic-ratelimit-input-tokens-limit': '8', 'anthropic-ratelimit-tokens-limit': '9' },
      [{ name: 'input_tokens', counts: 'input', limit: 8, perMs: MINUTE }],
    ],
    [
      'zero, and what is left of nobody knows what',
      { 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-tokens': '5' },
      [],
    ],
    ['a day', { 'x-ratelimit-limit-requests-day': '1000' }, []],
    ['what is no request and no token', { 'x-ratelimit-limit-images': '10', 'x-ratelimit-limit-mytokens': '10' }, []],
    [
      'a policy, with what is left of it',
      policy('"burst";q=100;w=60, "sum";q=9;w=1;qu="tokens"', '"burst";r=25;t=3'),
      [
        { name: 'burst', counts: 'requests', limit: 100, perMs: MINUTE, remaining: 25 },
        { name: 'sum', counts: 'tokens', limit: 9, perMs: 1_000 },
      ],
    ],
    [
      'a policy over an hour',
      policy('"a";q=1;w=3600'),
      [{ name: 'a', counts: 'requests', limit: 1, perMs: 3_600_000 }],
    ],
    ['one over longer', policy('"a";q=1;w=3601'), []],
    ['one over no time', policy('"a";q=1;w=0'), []],
    ['one over an unknown time', policy('"a";q=1'), []],
    ['one of nothing', policy('"a";q=0;w=60'), []],
    ['one of an unknown number', policy('"a";w=60'), []],
    ['one of requests at once', policy('"a";q=5;w=60;qu="concurrent-requests"'), []],
  ])('%s', (_, headers, expected) => {
    expect(announcedLimits({ headers })).toEqual(expected);
    expect(announcedLimits({ error: { headers } })).toEqual(expected);
  });

  it('stand before those of the error', () => {
    const one = (limit: string) => ({ 'x-ratelimit-limit-requests': limit });
    expect(announcedLimits({ headers: one('5'), error: { headers: one('9') } })).toMatchObject([{ limit: 5 }]);
  });
});

describe('limits in the words of a refusal', () => {
  it.each<[string, Scope, Partial<RateLimit> | undefined]>([
    ['Rate limit reached: Limit 10000, Used 9500, Requested 800', 'tokens', { counts: 'tokens', limit: 10_000 }],
    ['rate limit of 50 requests per minute', 'requests', { counts: 'requests', limit: 50 }],
    ['limit: 60', 'requests', { limit: 60 }],
    ['limit:60', 'requests', { limit: 60 }],
    ['limit60', 'requests', { limit: 60 }],
    ['limit 30,000 input tokens per minute', 'input_tokens', { counts: 'input', limit: 30_000 }],
    ['limit 1,000,000 output tokens', 'output_tokens', { counts: 'output', limit: 1_000_000 }],
    ['limit of 3 per second', 'requests', { limit: 3, perMs: 1_000 }],
    ['limit of 3 RPM', 'requests', { limit: 3 }],
    ['limit of 3 TPS', 'tokens', { counts: 'tokens', limit: 3, perMs: 1_000 }],
    ['quota GenerateRequestsPerHour: limit: 3', 'requests', { limit: 3, perMs: 3_600_000 }],
    ['limit of 3 per-hour', 'requests', { limit: 3, perMs: 3_600_000 }],
    ['limit of 3 per_min', 'requests', { limit: 3 }],
    ['limit of 3 per day', 'requests', undefined],
    ['limit of 0', 'requests', undefined],
    ['unlimited 7', 'requests', undefined],
    ['no limit is named', 'requests', undefined],
    ['limit of 3', 'concurrency', undefined],
    ['limit of 3', 'requests_day', undefined],
  ])('%s, counting %s', (message, scope, expected) => {
    const limits = expected === undefined ? [] : [{ name: scope, counts: 'requests', perMs: MINUTE, ...expected }];
    expect(announcedLimits({ body: { error: { message } } }, scope)).toEqual(limits);
    expect(announcedLimits({ error: { message } }, scope)).toEqual(limits);
    expect(announcedLimits({ body: { error: { message } } })).toEqual([]);
  });

  it('are no news beside a header of the same name', () => {
    const headers = { 'x-ratelimit-limit-tokens': '5' };
    const answer = { headers, body: { error: { message: 'limit 9' } } };
    expect(announcedLimits(answer, 'tokens')).toMatchObject([{ name: 'tokens', limit: 5 }]);
    expect(announcedLimits(answer, 'requests')).toMatchObject([
      { name: 'tokens', limit: 5 },
      { name: 'requests', limit: 9 },
    ]);
  });
});

it('an answer that is none announces nothing', () => {
  expect(announcedLimits(null as never)).toEqual([]);
  expect(announcedLimits(null as never, 'requests')).toEqual([]);
});

describe('usage', () => {
  it.each<[string, unknown, object]>([
    ['of chat completions', { usage: { prompt_tokens: 3, completion_tokens: 5 } }, { inputTokens: 3, outputTokens: 5 }],
    ['of messages', { usage: { input_tokens: 3, output_tokens: 5 } }, { inputTokens: 3, outputTokens: 5 }],
    [
      'of Gemini',
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5 } },
      { inputTokens: 3, outputTokens: 5 },
    ],
    ['of the input only', { usage: { prompt_tokens: 0, completion_tokens: '5' } }, { inputTokens: 0 }],
    ['of the output only', { usage: { output_tokens: 0 } }, { outputTokens: 0 }],
    ['first of what is a number', { usage: { prompt_tokens: null, input_tokens: 4 } }, { inputTokens: 4 }],
    ['before its metadata', { usage: { input_tokens: 4 }, usageMetadata: { promptTokenCount: 9 } }, { inputTokens: 4 }],
    ['none', {}, {}],
    ['no object', null, {}],
  ])('%s', (_, body, expected) => {
    expect(usageOf({ body })).toEqual(expected);
    expect(usageOf({ body: JSON.stringify(body) })).toEqual(expected);
  });

  it('is unknown of text that is no JSON', () => {
    expect(usageOf({ body: 'data: {"usage":{"prompt_tokens":3}}' })).toEqual({});
    expect(usageOf({})).toEqual({});
  });
});
