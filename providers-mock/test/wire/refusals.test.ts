/** How errors look: of each dialect, of each hint, and beside the shapes that were collected from real providers. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RetryAfterSpec } from '../../src/models/hint-spec.js';
import type { QuotaSpec } from '../../src/models/quota-spec.js';
import type { RefusalStyle } from '../../src/wire/answer.js';
import { ANTHROPIC_STYLE, DIALECT_STYLES, GEMINI_STYLE, OPENAI_STYLE } from '../../src/wire/refusal-styles.js';
import { concurrency, provider, requestsPerMinute, tokensPerMinute } from '../adapters/mock-providers.js';
import { Asking, DIALECTS, type Dialect, dig, type Read, requestIn, streamIn } from './asking.js';

interface WireCase {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The repository's one copy of the collected cases. */
const CASES = JSON.parse(
  readFileSync(new URL('../../../governor/test/fixtures/wire-cases.json', import.meta.url), 'utf8'),
) as readonly WireCase[];

function collected(id: string): WireCase {
  const found = CASES.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no wire case ${id}`);
  return found;
}

const FAMILY = { openai: 'openai', 'openai-responses': 'openai', anthropic: 'anthropic', gemini: 'gemini' } as const;

/** The second of two requests, where the quota has room for one. */
function refused(
  dialect: Dialect,
  quota: QuotaSpec,
  {
    style,
    retryAfter,
    body = {},
  }: {
    readonly style?: RefusalStyle;
    readonly retryAfter?: RetryAfterSpec;
    readonly body?: object;
  } = {},
): Read {
  const manners = retryAfter === undefined ? {} : { retryAfter };
  const refusal = style === undefined ? {} : { refusal: style };
  const asking = new Asking(provider([quota], { wire: FAMILY[dialect], manners, ...refusal }));
  asking.open(requestIn(dialect, body));
  return asking.ask(requestIn(dialect, body));
}

/** The members of a body, with the types of their values, in depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([name, member]) => [name, shapeOf(member)]),
  );
}

const EXACT_MS: RetryAfterSpec = { kind: 'exact', as: 'ms', rounding: 'up', error: 0 };

describe('a refusal looks as it does in reality', () => {
  const openai: RefusalStyle = { ...OPENAI_STYLE, hints: ['retry-after', 'retry-after-ms', 'body'] };
  it.each<[string, Read]>([
    [
      'openai-429-tpm-both-headers',
      refused('openai', tokensPerMinute(1_500), { style: openai, retryAfter: EXACT_MS, body: { max_tokens: 1_000 } }),
    ],
    [
      'openai-429-request-too-large',
      refused('openai', tokensPerMinute(30), { style: openai, body: { max_tokens: 100 } }),
    ],
    ['anthropic-429-itpm', refused('anthropic', tokensPerMinute(6, 'input'))],
    ['gemini-429-per-minute-retryinfo', refused('gemini', requestsPerMinute(1))],
  ])('%s', (id, answer) => {
    const { status, headers, body } = collected(id);
    expect(answer.status).toBe(status);
    expect(shapeOf(answer.json())).toEqual(shapeOf(body));
    const hints = Object.keys(headers).filter((name) => name.startsWith('retry-'));
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('retry-'))).toEqual(hints);
    // Some were collected without their headers; and Anthropic's scarcest token limit is documented only.
    if (!Object.keys(headers).some((name) => name.includes('ratelimit'))) return;
    const told = Object.keys(answer.headers).filter((name) => /ratelimit-(?!tokens-)/.test(name));
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(told));
  });

  it('OpenAI: the sentence fits the law wait = (Used + Requested − Limit) / (Limit / 60 s)', () => {
    const answer = refused('openai', tokensPerMinute(30_000), {
      style: openai,
      retryAfter: EXACT_MS,
      body: { max_tokens: 20_000 },
    });
    const message = String(dig(answer.json(), 'error', 'message'));
    const [, limit, used, requested, wait] =
      /Limit (\d+), Used (\d+), Requested (\d+)\. Please try again in (.+)s\.$/.exec(message) ?? [];
    expect([limit, used, requested]).toEqual(['30000', '20004', '20004']);
    expect(Number(wait)).toBe((20_004 + 20_004 - 30_000) / 500);
    expect(answer.headers).toMatchObject({
      'retry-after-ms': '20016',
      'retry-after': '21',
      'x-ratelimit-reset-tokens': '40.008s',
    });
  });

  it('Anthropic: names the limit in thousands, and its unit', () => {
    expect(dig(refused('anthropic', tokensPerMinute(1_500, 'output')).json(), 'error', 'message')).toMatch(
      /rate limit of 1,500 output tokens per minute\.$/,
    );
  });

  it('Gemini: the quota’s id says which window it is', () => {
    const id = (answer: Read): unknown => dig(answer.json(), 'error', 'details', 0, 'violations', 0, 'quotaId');
    expect(id(refused('gemini', requestsPerMinute(1)))).toBe('GenerateContentRequestsPerMinutePerProjectPerModel');
    expect(id(refused('gemini', { ...requestsPerMinute(1), perMs: 86_400_000 } as QuotaSpec))).toBe(
      'GenerateContentRequestsPerDayPerProjectPerModel',
    );
  });
});

describe('hints', () => {
  const wait: RetryAfterSpec = { kind: 'constant', ms: 9_816, as: 'seconds', rounding: 'up', error: 0 };
  const shown = (retryAfter: RetryAfterSpec, hints: RefusalStyle['hints'] = 'as-stated'): Record<string, string> => {
    const style = { ...OPENAI_STYLE, hints };
    const { headers } = refused('openai', requestsPerMinute(1), { style, retryAfter });
    return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('retry-')));
  };

  it.each<[RetryAfterSpec, Record<string, string>]>([
    [wait, { 'retry-after': '10' }],
    [{ ...wait, rounding: 'none' }, { 'retry-after': '9.816' }],
    [{ ...wait, as: 'ms' }, { 'retry-after-ms': '9816' }],
    [{ ...wait, as: 'ms', rounding: 'none', ms: 1.25 }, { 'retry-after-ms': '1.25' }],
    [{ ...wait, as: 'http-date' }, { 'retry-after': 'Mon, 30 Nov 2026 12:00:10 GMT' }],
    [{ kind: 'none' }, {}],
  ])('%j is said in one header, in its own form', (retryAfter, headers) => {
    expect(shown(retryAfter)).toEqual(headers);
  });

  it('stands in every place that the style names, and in no other', () => {
    const ms: RetryAfterSpec = { ...wait, as: 'ms' };
    expect(shown(ms, ['retry-after', 'retry-after-ms'])).toEqual({ 'retry-after': '10', 'retry-after-ms': '9816' });
    expect(shown(ms, ['retry-after-date'])).toEqual({ 'retry-after': 'Mon, 30 Nov 2026 12:00:09 GMT' });
    expect(shown(ms, [])).toEqual({});
    expect(shown(ms, ['body'])).toEqual({});
  });

  it('a concurrency quota gives none, in the headers or in the sentence', () => {
    const answer = refused('openai', concurrency(1), { style: { ...OPENAI_STYLE, hints: ['retry-after', 'body'] } });
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(dig(answer.json(), 'error', 'message')).toMatch(/concurrent requests: at most 1 at once\.$/);
  });
});

describe('forms', () => {
  const SPEECHLESS: RefusalStyle = {
    body: { said: '{message}' },
    errors: {},
    hints: [],
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  };

  it('the form of a quota goes before that of its kind, except for a request that is too large', () => {
    const style: RefusalStyle = {
      ...SPEECHLESS,
      errors: { requests: { status: 420, message: 'kind' } },
      quotas: {
        rpm: { status: 430, message: '{quota} of {model}', headers: { 'x-left': '{remaining}', 'x-none': '{waitGo}' } },
      },
    };
    const own = refused('openai', requestsPerMinute(1), { style });
    expect([own.status, own.json(), own.headers]).toEqual([
      430,
      { said: 'rpm of large' },
      { 'content-type': 'application/json', 'x-left': '0' },
    ]);
    const kind = refused('openai', { ...requestsPerMinute(1), name: 'other' } as QuotaSpec, { style });
    expect(kind.status).toBe(420);
    expect(refused('openai', requestsPerMinute(0), { style }).status).toBe(429);
  });

  it('a refusal inside a 200, and one as the first frame of a stream', () => {
    const form = { status: 200, message: 'full', body: { error: '{message}' } } as const;
    const before: RefusalStyle = { ...SPEECHLESS, errors: { requests: { ...form, streamed: 'before' } } };
    const framed: RefusalStyle = { ...SPEECHLESS, errors: { requests: { ...form, status: 503, streamed: 'frame' } } };
    const streamed = (refusal: RefusalStyle): Read => {
      const asking = new Asking(provider([requestsPerMinute(1)], { refusal }));
      asking.ask(streamIn('openai'));
      return asking.ask(streamIn('openai'));
    };
    expect(streamed(before)).toMatchObject({
      status: 200,
      text: '{"error":"full"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(streamed(framed)).toMatchObject({
      status: 200,
      text: 'data: {"error":"full"}\n\n',
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
    expect(refused('openai', requestsPerMinute(1), { style: framed }).status).toBe(503);
  });

  it.each(DIALECTS)('%s: every case has a form that leaves nothing open', (dialect) => {
    for (const [kase, { message, fields = {} }] of Object.entries(DIALECT_STYLES[dialect].errors)) {
      expect(message, kase).not.toBe('');
      const own = dialect === 'gemini' ? ['grpc'] : dialect === 'anthropic' ? ['type'] : ['type', 'code'];
      expect(Object.keys(fields), kase).toEqual(own);
    }
  });

  it('a path of another dialect has that dialect’s usual errors', () => {
    const asking = new Asking(provider([requestsPerMinute(0)], { refusal: SPEECHLESS }));
    expect(asking.ask(requestIn('openai')).json()).toHaveProperty('said');
    expect(asking.ask(requestIn('anthropic')).json()).toMatchObject({
      type: 'error',
      error: { type: 'request_too_large' },
    });
    expect(asking.ask(requestIn('gemini')).json()).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED' },
    });
  });

  it('the errors of the caller’s own in each dialect', () => {
    const statuses = DIALECTS.map((dialect) => {
      const asking = new Asking(provider([], { wire: FAMILY[dialect] }));
      const target = requestIn(dialect).target.replace('large', 'huge');
      const model = asking.ask({ ...requestIn(dialect, dialect === 'gemini' ? {} : { model: 'huge' }), target });
      const body = asking.ask({ ...requestIn(dialect), body: '{' });
      return [model.status, body.status, dig(model.json(), 'error', 'message')];
    });
    expect(statuses).toEqual([
      [404, 400, 'The model `huge` does not exist or you do not have access to it.'],
      [404, 400, 'The model `huge` does not exist or you do not have access to it.'],
      [404, 400, 'model: huge'],
      [404, 400, expect.stringMatching(/^models\/huge is not found/)],
    ]);
  });

  it('Gemini calls a bad key an invalid argument', () => {
    expect(GEMINI_STYLE.errors.unauthorized.status).toBe(collected('gemini-400-invalid-key').status);
    expect(ANTHROPIC_STYLE.errors['status-529'].fields).toEqual({ type: 'overloaded_error' });
  });
});
