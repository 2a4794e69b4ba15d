/** Headers, from whatever a client hands over to what they announce. */

import { describe, expect, it } from 'vitest';
import {
  isConcurrencyExhausted,
  read,
  readHeaders,
  readLimits,
  readPolicies,
  readRateLimit,
} from '../src/core/answer-headers.js';

const trap = (): never => {
  throw new Error('trap');
};

describe('a member', () => {
  it.each<[string, unknown, unknown]>([
    ['of an object', { name: 7 }, 7],
    ['of nothing', null, undefined],
    ['of what is not there', undefined, undefined],
    [
      'that throws',
      {
        get name() {
          return trap();
        },
      },
      undefined,
    ],
  ])('%s', (_, from, expected) => {
    expect(read(from, 'name')).toBe(expected);
  });
});

describe('headers', () => {
  const seen = (headers: unknown, into?: Map<string, string>) => [...readHeaders(headers, into)];

  it.each<[string, unknown, readonly (readonly [string, string])[]]>([
    ['nothing', null, []],
    ['text', 'retry-after', []],
    ['a function', Object.assign(() => 0, { 'retry-after': '1' }), []],
    [
      'a record, of which only the names with a use are kept',
      { 'Retry-After': '1', 'x-request-id': '9', Date: 'now', 'content-type': 'a', 'content-typed': 'b', updated: 'c' },
      [
        ['retry-after', '1'],
        ['date', 'now'],
        ['content-type', 'a'],
      ],
    ],
    [
      'values of each kind',
      { 'retry-a': 5, 'retry-b': ['6', '7'], 'retry-c': true, 'retry-d': null, 'retry-e': {} },
      [
        ['retry-a', '5'],
        ['retry-b', '6, 7'],
      ],
    ],
    ['the first of two that differ in case', { 'Retry-After': '1', 'retry-after': '2' }, [['retry-after', '1']]],
    ['Headers', new Headers({ 'Retry-After': '1', etag: '2' }), [['retry-after', '1']]],
    [
      'what calls with anything',
      {
        forEach(visit: (...of: unknown[]) => void) {
          visit('1', 7);
          visit('2', 'etag');
          visit('3', 'RETRY-AFTER');
          visit('4', 'retry-after');
          trap();
        },
      },
      [['retry-after', '3']],
    ],
    [
      'a record with a throwing accessor',
      {
        get 'retry-a'() {
          return trap();
        },
        'retry-b': '2',
      },
      [['retry-b', '2']],
    ],
    ['a record whose names cannot be listed', new Proxy({}, { ownKeys: trap }), []],
  ])('%s', (_, headers, expected) => {
    expect(seen(headers)).toEqual(expected);
  });

  it('do not touch an accessor that has no use', () => {
    let touched = 0;
    seen({
      get etag() {
        return touched++;
      },
    });
    expect(touched).toBe(0);
  });

  it('keep what is there already', () => {
    expect(seen({ 'Retry-After': '1', 'retry-b': '2' }, new Map([['retry-after', '0']]))).toEqual([
      ['retry-after', '0'],
      ['retry-b', '2'],
    ]);
    expect(seen(undefined, new Map([['a', '0']]))).toEqual([['a', '0']]);
  });
});

describe('limits', () => {
  it.each<[string, Record<string, string>, object]>([
    ['nothing', { date: 'now', etag: 'x-ratelimit-limit' }, {}],
    ['without a dimension, of requests', { 'x-ratelimit-limit': '5' }, { requests: { limit: 5 } }],
    ['of the family with a dash', { 'x-rate-limit-remaining-tokens': '5.5' }, { tokens: { remaining: 5.5 } }],
    ['of the family without x', { 'ratelimit-reset': '7' }, { requests: { resetMs: 7_000 } }],
    ['over a minute, short', { 'x-ratelimit-limit-req-minute': '5' }, { requests: { limit: 5 } }],
    ['of what only begins so', { 'x-ratelimit-limit-requested': '5' }, { requested: { limit: 5 } }],
    ['of what only ends so', { 'x-ratelimit-limit-in-req': '5' }, { in_req: { limit: 5 } }],
    ['of what has a minute in it', { 'x-ratelimit-limit-a-minute-b': '5' }, { a_minute_b: { limit: 5 } }],
    [
      'of what has all in one',
      { 'x-ratelimit-limit-tokens': '5', 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1s' },
      { tokens: { limit: 5, remaining: 0, resetMs: 1_000 } },
    ],
    ['with the role at the end', { 'anthropic-ratelimit-input-tokens-limit': '5' }, { input_tokens: { limit: 5 } }],
    ['of a window', { 'anthropic-ratelimit-unified-5h-status': 'rejected' }, { unified_5h: { rejected: true } }],
    ['of an open window', { 'anthropic-ratelimit-unified-5h-status': 'allowed' }, { unified_5h: { rejected: false } }],
    [
      'that are no number',
      { 'x-ratelimit-limit': '-5', 'x-ratelimit-remaining': '5x', 'x-ratelimit-reset': '?' },
      { requests: {} },
    ],
    ['that are unknown', { 'x-ratelimit-limit-tokens': '-1', 'x-ratelimit-remaining-tokens': '5' }, {}],
    ['with something before', { 'my-x-ratelimit-limit': '5' }, {}],
  ])('%s', (_, headers, expected) => {
    const now = () => Date.UTC(2026, 0);
    expect(Object.fromEntries(readLimits(new Map(Object.entries(headers)), now))).toEqual(expected);
  });
});

describe('the standard headers', () => {
  const map = (ratelimit?: string, policy?: string): Map<string, string> =>
    new Map([
      ...(ratelimit === undefined ? [] : [['ratelimit', ratelimit] as const]),
      ...(policy === undefined ? [] : [['ratelimit-policy', policy] as const]),
    ]);

  it.each<[string | undefined, object]>([
    [undefined, {}],
    ['', {}],
    ['"a";r=50;t=30', { a: { remaining: 50, resetMs: 30_000 } }],
    [
      '"a" ; r=50 ;  t=30 , "b";t=123456789012',
      { a: { remaining: 50, resetMs: 30_000 }, b: { resetMs: 123_456_789_012_000 } },
    ],
    ['"a";pk="r=9";r=12', { a: { remaining: 12 } }],
    ['"";r=0', { '': { remaining: 0 } }],
    ['"a"', { a: {} }],
    ['"a";r=50, b;r=1', {}],
    ['limit=5', {}],
  ])('RateLimit: %s', (value, expected) => {
    expect(Object.fromEntries(readRateLimit(map(value)))).toEqual(expected);
  });

  it.each<[string | undefined, readonly object[]]>([
    [undefined, []],
    ['"a"', [{ name: 'a', limit: Number.NaN, perMs: Number.NaN, unit: undefined, remaining: 42 }]],
    ['"a";q=100;w=60', [{ name: 'a', limit: 100, perMs: 60_000, unit: undefined, remaining: 42 }]],
    ['"b"; q=100; w=60; qu="tokens"', [{ name: 'b', limit: 100, perMs: 60_000, unit: 'tokens', remaining: undefined }]],
    [
      '"b";w=123456789012;qu=""',
      [{ name: 'b', limit: Number.NaN, perMs: 123_456_789_012_000, unit: '', remaining: undefined }],
    ],
    ['"b";w=60  ;  qu="x"', [{ name: 'b', limit: Number.NaN, perMs: 60_000, unit: 'x', remaining: undefined }]],
    ['"a" "b"', []],
  ])('RateLimit-Policy: %s', (value, expected) => {
    expect(readPolicies(map('"a";r=42', value))).toEqual(expected);
  });

  it.each([
    ['"a";r=0', '"a";q=5;qu="concurrent-requests"', true],
    ['"a";r=1', '"a";q=5;qu="concurrent-requests"', false],
    ['"a";r=0', '"a";q=5;qu="requests"', false],
    ['"a";r=0', '"b";q=5;qu="concurrent-requests"', false],
    ['"a";r=0', '"b";q=5, "a";q=5;qu="concurrent-requests"', true],
    ['"a";r=0', undefined, false],
  ])('%s of %s: requests at once are used up: %s', (ratelimit, policy, expected) => {
    const headers = map(ratelimit, policy);
    expect(isConcurrencyExhausted(readRateLimit(headers), headers)).toBe(expected);
  });
});
