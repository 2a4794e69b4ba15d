import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, AnswerClass, Classification } from '../src/core/answer.js';
import { classify } from '../src/core/classify.js';
import { checkProperty } from '../src/testing/replay.js';
import answerCases from './fixtures/answer-cases.json' with { type: 'json' };
import wireCases from './fixtures/wire-cases.json' with { type: 'json' };

interface WireCase extends Answer {
  readonly id: string;
  readonly expected: Omit<Classification, 'class'> & { readonly class: string };
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };
const receivedAt = '2026-11-30T12:00:00.000Z';

/** An OpenAI-like error body. */
const says = (message: string, type?: string, code?: string | number): object => ({ error: { message, type, code } });
const data = (...frames: readonly (object | string)[]): string =>
  frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
const chunk = (content: string, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

describe('wire cases', () => {
  const cases = wireCases as unknown as readonly WireCase[];
  it.each(cases.map((wireCase) => [wireCase.id, wireCase] as const))('%s', (_id, { expected, ...answer }) => {
    const { scope, resets, ...verdict } = classify(answer);
    const { scope: expectedScope, resets: expectedResets, ...expectedVerdict } = expected;
    expect(verdict).toEqual(expectedVerdict);
    if (expectedScope !== undefined) expect(scope).toBe(expectedScope);
    if (expectedResets !== undefined) expect(resets).toEqual(expectedResets);
  });
});

describe('a status without words', () => {
  const rows: readonly (readonly [status: number, expected: AnswerClass])[] = [
    [200, 'ok'],
    [202, 'ok'],
    [204, 'ok'],
    [301, 'bad_request'],
    [308, 'bad_request'],
    [400, 'bad_request'],
    [401, 'auth'],
    [402, 'quota_exhausted'],
    [403, 'auth'],
    [404, 'bad_request'],
    [405, 'bad_request'],
    [407, 'auth'],
    [408, 'transient'],
    [409, 'transient'],
    [413, 'request_too_large'],
    [415, 'bad_request'],
    [422, 'bad_request'],
    [424, 'transient'],
    [425, 'transient'],
    [429, 'throttle'],
    [498, 'overload'],
    [499, 'transient'],
    [500, 'transient'],
    [502, 'transient'],
    [503, 'overload'],
    [504, 'transient'],
    [520, 'transient'],
    [523, 'transient'],
    [524, 'transient'],
    [529, 'overload'],
    [599, 'transient'],
    [0, 'transient'],
    [Number.NaN, 'transient'],
  ];
  it.each(rows)('%d is %s', (status, expected) => {
    expect(classify({ status }).class).toBe(expected);
    expect(classify({ status, body: null, headers: null }).class).toBe(expected);
  });
});

describe('a body that cannot be read changes nothing', () => {
  const bodies: readonly (readonly [form: string, body: unknown])[] = [
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \r\n\r\n'],
    ['a string', 'Sorry, not now.'],
    ['a JSON string', '"slow down"'],
    ['an object', { error: { message: 'Slow down a little.', type: 'error' } }],
    ['an object as text', '{"error":{"message":"Slow down a little."}}'],
    ['an error string', { error: 'Slow down a little.' }],
    ['a detail', { detail: [{ msg: 'Slow down a little.' }] }],
    ['an array', [{ error: { message: 'Slow down a little.' } }]],
    [
      'a page',
      '<!DOCTYPE html><html><head><title>Sorry</title></head><body>See our billing and quota pages</body></html>',
    ],
    ['a page without a title', '<html>insufficient credit balance'],
    ['truncated JSON', '{"error":{"message":"Slow down a lit'],
    ['a truncated member', '{"error":{"mess'],
    ['a frame', data({ error: { message: 'Slow down a little.' } })],
    ['a number', 42],
    ['bytes', new Uint8Array([1, 2, 3])],
    ['an empty object', {}],
  ];
  const providers = [
    'openai',
    'anthropic',
    'zhipu',
    'gemini',
    'vertex',
    'bedrock',
    'openrouter',
    'xai',
    'nobody',
    undefined,
  ];
  const verdicts = [
    [429, 'throttle'],
    [503, 'overload'],
    [529, 'overload'],
    [500, 'transient'],
    [401, 'auth'],
    [400, 'bad_request'],
  ] as const;
  it.each(bodies)('%s', (_form, body) => {
    for (const provider of providers) {
      for (const [status, expected] of verdicts) {
        expect([provider, status, classify({ provider, status, body }).class]).toEqual([provider, status, expected]);
      }
    }
  });
});

describe('words', () => {
  // Answers of the kinds of the wire cases with other words, each told from its neighbours by one rule.
  const cases = answerCases as unknown as readonly (WireCase & { readonly title: string })[];
  it.each(cases.map((answerCase) => [answerCase.title, answerCase] as const))(
    '%s',
    (_title, { expected, ...answer }) => {
      const {
        class: verdict,
        retryAfterMs,
        retryable,
        scope,
      } = classify({ headers: JSON_HEADERS, receivedAt, ...answer });
      expect({ class: verdict, retryAfterMs, retryable, ...(scope && { scope }) }).toEqual(expected);
    },
  );
});

describe('hints', () => {
  const hint = (headers: Answer['headers'], body: unknown = '', answer: Answer = {}): number | null =>
    classify({ status: 429, headers, body, receivedAt, ...answer }).retryAfterMs;

  it('are believed in the order of their precision', () => {
    const ladder: readonly (readonly [header: string, value: string, ms: number])[] = [
      ['retry-after-ms', '1500', 1_500],
      ['retry-after', '3', 3_000],
      ['x-amz-retry-after', '4500', 4_500],
    ];
    const body = {
      error: {
        message: 'Please try again in 6s, after 2026-11-30T12:00:20Z',
        retryDelay: '5s',
        resets_at: 1_796_040_007,
      },
    };
    const rest = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '8s', ratelimit: '"a";r=0;t=9' };
    for (const [index, [, , ms]] of ladder.entries()) {
      const headers = Object.fromEntries(ladder.slice(index).map(([name, value]) => [name, value]));
      expect(hint({ ...headers, ...rest }, body)).toBe(ms);
    }
    expect(hint(rest, body)).toBe(5_000);
    expect(hint(rest, { error: { ...body.error, retryDelay: undefined } })).toBe(6_000);
    expect(hint(rest, { error: { resets_at: 1_796_040_007 } })).toBe(7_000);
    expect(hint(rest, { error: { message: 'Your limit resets at 2026-11-30T12:00:20Z' } })).toBe(20_000);
    expect(hint(rest)).toBe(8_000);
    expect(hint({ ratelimit: '"a";r=0;t=9' })).toBe(9_000);
  });

  it('of zero say nothing against a later one in milliseconds, and stay zero when they are alone', () => {
    expect(hint({ 'retry-after-ms': '0', 'retry-after': '1' })).toBe(1_000);
    expect(hint({ 'retry-after-ms': '0' }, { error: { message: 'try again in 2s' } })).toBe(2_000);
    expect(hint({ 'retry-after-ms': '0' })).toBe(0);
    expect(hint({ 'retry-after': '0' })).toBe(0);
    expect(classify({ status: 429, headers: { 'retry-after': '0' } })).toMatchObject({
      class: 'throttle',
      retryable: true,
    });
  });

  it('that are invalid give way to the next', () => {
    for (const value of ['soon', '-5', '', '1e3', '0x10', '5 minutes']) {
      expect(hint({ 'retry-after': value })).toBeNull();
      expect(hint({ 'retry-after': value, 'retry-after-ms': value }, 'Please retry after 3 seconds.')).toBe(3_000);
    }
  });

  it.each([
    ['Please try again in 7.66s.', 7_660],
    ['Please try again in 644ms.', 644],
    ['Please try again in 7m12s.', 432_000],
    ['Please try again in 11.054 seconds', 11_054],
    ['Please retry in 34.074824224s.', 34_075],
    ['Please retry after 1 second(s)', 1_000],
    ['please try again after 1 seconds', 1_000],
    ['Please wait 30 seconds before retrying', 30_000],
    ['Please wait 1 minute and 5 seconds', 65_000],
    ['Rate limit resets in 2 mins', 120_000],
    ['Your quota will be available again in about 9 minutes', 540_000],
    ['try your request again in 20 secs', 20_000],
    ['请在 30 秒后重试', 30_000],
    ['请 2 分钟之后再试', 120_000],
    ['Limit resets at: 2026-11-30 12:00:41 UTC', 41_000],
    ['Try again at 2026-11-30T20:01:00+08:00', 60_000],
    ['Limit resets at: 2026-11-30 12:00:41', null],
    ['Created 2026-11-30 12:00:41 UTC', null],
    ['Please try again later', null],
    ['Please try again in 5 more calls', null],
    ['Limit 5 per 60 seconds', null],
  ])('in a sentence: %s', (message, ms) => {
    expect(hint({}, { error: { message } })).toBe(ms);
    expect(hint({}, message)).toBe(ms);
  });

  it('beyond ten minutes make a 429 a used-up quota, whether they stand in a header, a member or a sentence', () => {
    const used = { class: 'quota_exhausted', reducesCap: false, retryable: false };
    expect(classify({ status: 429, headers: { 'retry-after': '600' } })).toMatchObject({
      class: 'throttle',
      retryable: true,
    });
    expect(classify({ status: 429, headers: { 'retry-after': '601' } })).toMatchObject({
      ...used,
      retryAfterMs: 601_000,
    });
    expect(classify({ status: 429, headers: { 'retry-after': '86400' } })).toMatchObject({
      ...used,
      retryAfterMs: 86_400_000,
    });
    expect(classify({ status: 429, body: 'Try again in 5 hours' })).toMatchObject({
      ...used,
      retryAfterMs: 18_000_000,
    });
    expect(classify({ status: 429, body: { retry_after: 900 } })).toMatchObject({ ...used, retryAfterMs: 900_000 });
    const overloaded = { status: 429, headers: { 'retry-after': '900' }, body: says('The model is overloaded') };
    expect(classify(overloaded)).toMatchObject(used);
    for (const value of ['2147484', '9999999999', 'Fri, 31 Dec 9999 23:59:59 GMT']) {
      expect(classify({ status: 429, headers: { 'retry-after': value }, receivedAt })).toMatchObject(used);
    }
  });

  it('beyond ten minutes leave a 503 an overload that is not worth a re-send', () => {
    const answer = { status: 503, headers: { 'retry-after': '3600' } };
    expect(classify(answer)).toEqual({
      class: 'overload',
      retryAfterMs: 3_600_000,
      reducesCap: true,
      retryable: false,
    });
  });

  it('use an HTTP date against the response’s own clock', () => {
    const headers = { 'Retry-After': 'Mon, 30 Nov 2026 12:00:30 GMT', Date: 'Mon, 30 Nov 2026 12:00:00 GMT' };
    expect(hint(headers, '', { receivedAt: '2026-11-30T15:00:00Z' })).toBe(30_000);
    expect(hint({ 'Retry-After': headers['Retry-After'] }, '', { receivedAt: undefined })).toBeNull();
  });

  it('take a reset only of the limit that is used up, or that alone can be meant', () => {
    const requests = { 'x-ratelimit-remaining-requests': '499', 'x-ratelimit-reset-requests': '120ms' };
    const tokens = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '58.666s' };
    expect(hint({ ...requests, ...tokens })).toBe(58_666);
    expect(hint({ ...requests, ...tokens, 'x-ratelimit-remaining-tokens': '2000' })).toBeNull();
    expect(hint({ 'x-rate-limit-reset-tokens': '55' })).toBe(55_000);
    const two = { 'x-ratelimit-reset-requests': '2s', 'x-ratelimit-reset-tokens': '9s' };
    expect(hint(two)).toBeNull();
    expect(hint(two, says('tokens per min (TPM)'))).toBe(9_000);
    expect(hint({ 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '30' })).toBeNull();
    expect(hint({ 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '30' }, '', { provider: 'together' })).toBe(
      30_000,
    );
    expect(hint({ ratelimit: '"a";r=3;t=5, "b";r=0;t=7' })).toBe(7_000);
    expect(hint({ ratelimit: 'a=3; oops' })).toBeNull();
    expect(hint({ ratelimit: '"a";r=0;t=9, oops' })).toBeNull();
    expect(hint({ 'x-ratelimit-reset-images': '5s', 'x-ratelimit-reset-audio': '9s' })).toBeNull();
    expect(hint(tokens, '', { status: 500 })).toBeNull();
    expect(hint(tokens, '', { status: 401 })).toBeNull();
  });

  it('are found in the upstream headers that a router quotes', () => {
    const metadata = { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1796040024000' } };
    expect(hint({}, { error: { code: 429, message: 'x', metadata } })).toBe(24_000);
    expect(hint({}, JSON.stringify({ error: { code: 429, message: 'x', metadata } }))).toBe(24_000);
  });

  it('of a redirect are not a wait', () => {
    const answer = { status: 307, headers: { 'retry-after': '3' } };
    expect(classify(answer)).toEqual({ class: 'bad_request', retryAfterMs: null, reducesCap: false, retryable: false });
  });
});

describe('resets', () => {
  it.each([
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['500ms', 500],
    ['7.66s', 7_660],
    ['33011.382867', 33_011_383],
    ['2026-11-30T12:01:00Z', 60_000],
    ['2026-11-30T07:01:00-05:00', 60_000],
    ['2026-11-30T11:59:59Z', 0],
    ['1796040060', 60_000],
    ['1796040060000', 60_000],
    ['12', 12_000],
    ['0s', 0],
  ])('%s is %d ms', (value, ms) => {
    const headers = { 'x-ratelimit-reset-tokens': value };
    expect(classify({ status: 200, headers, receivedAt }).resets).toEqual({ tokens: ms });
    expect(classify({ status: 429, headers, receivedAt }).resets).toEqual({ tokens: ms });
  });

  it('are named by their dimension, whatever the family of headers', () => {
    const headers = {
      'x-ratelimit-reset': '1s',
      'X-RateLimit-Reset-Input-Tokens': '2s',
      'x-ratelimit-reset-tokens-minute': '3',
      'x-ratelimit-reset-requests-day': '4',
      'x-ratelimit-reset-project-tokens': '5s',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-30T12:00:06Z',
      'anthropic-priority-input-tokens-reset': '2026-11-30T12:00:07Z',
      'anthropic-ratelimit-unified-5h-reset': '1796040008',
      ratelimit: '"burst";r=5;t=9',
    };
    expect(classify({ status: 200, headers, receivedAt }).resets).toEqual({
      requests: 1_000,
      input_tokens: 2_000,
      tokens: 3_000,
      requests_day: 4_000,
      project_tokens: 5_000,
      output_tokens: 6_000,
      priority_input_tokens: 7_000,
      unified_5h: 8_000,
      burst: 9_000,
    });
  });

  it('are left out when they are unreadable, unknown (−1), or not there', () => {
    const headers = {
      'x-ratelimit-reset-tokens': 'soon',
      'x-ratelimit-limit-requests': '-1',
      'x-ratelimit-reset-requests': '0',
    };
    expect(classify({ status: 200, headers, receivedAt })).not.toHaveProperty('resets');
    expect(classify({ status: 200, headers: JSON_HEADERS })).not.toHaveProperty('resets');
    expect(classify({ status: 200, headers: { 'x-ratelimit-reset': '1796040060' } })).not.toHaveProperty('resets');
  });
});

describe('headers', () => {
  const names = ['retry-after', 'Retry-After', 'RETRY-AFTER'];
  it('are found in any case, in a record or a Headers instance, as text, number or list', () => {
    for (const name of names) {
      for (const headers of [
        { [name]: '7' },
        { [name]: 7 },
        { [name]: ['7'] },
        new Headers({ [name]: '7' }),
        new Map([[name, '7']]),
      ]) {
        expect(classify({ status: 429, headers }).retryAfterMs).toBe(7_000);
      }
    }
    expect(classify({ status: 429, headers: { 'retry-after': ['5', '10'] } }).retryAfterMs).toBe(10_000);
  });

  it('decide over the retry with x-should-retry, and over nothing else', () => {
    const yes = { 'x-should-retry': 'true' };
    const no = { 'x-should-retry': 'false' };
    expect(classify({ status: 400, headers: yes })).toMatchObject({ class: 'bad_request', retryable: true });
    expect(classify({ status: 429, headers: no })).toMatchObject({
      class: 'throttle',
      reducesCap: true,
      retryable: false,
    });
    expect(classify({ status: 529, headers: yes, streamPhase: 'mid', outputEmitted: true }).retryable).toBe(false);
    expect(classify({ status: 200, headers: yes }).retryable).toBe(false);
  });

  it('with a limit of zero say "no access" where they are known to', () => {
    const headers = { 'x-ratelimit-limit-req-minute': '0' };
    const body = { type: 'rate_limited', code: '1300', message: 'Rate limit exceeded' };
    expect(classify({ provider: 'mistral', status: 429, headers, body }).class).toBe('quota_exhausted');
    expect(classify({ provider: 'azure', status: 429, headers, body }).class).toBe('throttle');
  });
});

describe('an error inside a 200', () => {
  const rows: readonly (readonly [title: string, body: unknown, expected: AnswerClass])[] = [
    ['code 429', { error: { code: 429, message: 'x' } }, 'throttle'],
    ['code 502', { error: { code: 502, message: 'x' } }, 'transient'],
    ['code "503"', { error: { code: '503', message: 'x' } }, 'overload'],
    ['code 400', { error: { code: 400, message: 'x' } }, 'bad_request'],
    ['code 401', { error: { code: 401, message: 'x' } }, 'auth'],
    ['code 402', { error: { code: 402, message: 'x' } }, 'quota_exhausted'],
    ['as text', '{"error":{"code":429,"message":"x"}}', 'throttle'],
    ['after blank lines', '\n\n\n{"error":{"code":429,"message":"x"}}', 'throttle'],
    ['a flat code', { code: 429, message: 'x' }, 'throttle'],
    ['a flat name', { code: 'Throttling.RateQuota', message: 'x', request_id: 'r' }, 'throttle'],
    ['a string', { error: 'server busy' }, 'overload'],
    ['without any code', { error: { message: 'hm' } }, 'transient'],
    ['an error that cannot be printed', { error: { count: 1n } }, 'transient'],
    ['in the first choice', { choices: [{ error: { code: 429, message: 'x' } }] }, 'throttle'],
    [
      'in a response',
      { object: 'response', status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } },
      'throttle',
    ],
    ['in an array', [{ candidates: [] }, { error: { code: 503, status: 'UNAVAILABLE', message: 'x' } }], 'overload'],
    ['in lines', '{"response":"a","done":false}\n{"error":"model overloaded"}\n', 'overload'],
    ['invalid request', { error: { type: 'invalid_request_error', message: 'x' } }, 'bad_request'],
    ['error: null', { error: null, choices: [] }, 'ok'],
    ['error: {}', { error: {}, choices: [] }, 'ok'],
    ['error: false', { error: false, choices: [] }, 'ok'],
    [
      'a content that speaks of errors',
      { choices: [{ message: { content: '{"error":{"code":429}} overloaded' } }] },
      'ok',
    ],
    [
      'generated code',
      { output: [{ type: 'code_interpreter_call', code: 'rate_limit_exceeded' }], error: { code: 500, message: 'x' } },
      'transient',
    ],
    ['a code of success', { code: 200, message: 'ok' }, 'ok'],
    ['a data member', { code: 'x', message: 'y', data: [1] }, 'ok'],
    ['text', 'a transcript', 'ok'],
    ['an audio file', '\u0000\u0001RIFF', 'ok'],
    ['a page', '<html><title>Log in</title></html>', 'transient'],
    ['nothing', '', 'transient'],
    ['truncated JSON', '{"choices":[{"message":{"content":"ab', 'transient'],
  ];
  it.each(rows)('%s', (_title, body, expected) => {
    expect(classify({ status: 200, body }).class).toBe(expected);
  });

  it('cuts the cap and may be re-sent, with the wait that its sentence states', () => {
    const body = { error: { code: 429, message: 'Please try again in 1.5s' } };
    expect(classify({ status: 200, body })).toEqual({
      class: 'throttle',
      retryAfterMs: 1_500,
      reducesCap: true,
      retryable: true,
    });
  });

  it('includes an answer without the member that all of its provider’s answers have', () => {
    const warming = { id: 'gen-x', object: 'chat.completion' };
    expect(classify({ provider: 'openrouter', status: 200, body: warming }).class).toBe('transient');
    expect(classify({ provider: 'openrouter', status: 200, body: { data: [] } }).class).toBe('ok');
    expect(classify({ provider: 'openai', status: 200, body: warming }).class).toBe('ok');
  });

  it('is not needed where a status has no body by right', () => {
    expect(classify({ status: 204, body: '' }).class).toBe('ok');
  });
});

describe('a stream', () => {
  const stream = (body: string, answer: Answer = {}): Classification =>
    classify({ status: 200, headers: SSE_HEADERS, body, streamPhase: 'mid', receivedAt, ...answer });
  const overloaded =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  const verdict = (expected: AnswerClass, retryable: boolean): object => ({ class: expected, retryable });

  it('that is overloaded before any content is re-sent, after content not, and cuts the cap both times', () => {
    const opening = 'event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\n';
    const delta =
      'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi"}}\n\n';
    expect(stream(opening + overloaded, { outputEmitted: false })).toMatchObject(verdict('overload', true));
    expect(stream(opening + delta + overloaded, { outputEmitted: true })).toMatchObject({
      ...verdict('overload', false),
      reducesCap: true,
    });
    // Not told whether output came: the text itself shows it.
    expect(stream(opening + overloaded)).toMatchObject(verdict('overload', true));
    expect(stream(opening + delta + overloaded)).toMatchObject(verdict('overload', false));
  });

  it('that closes without its end is a failure, re-sent only if nothing was delivered', () => {
    expect(stream(data(chunk('par')))).toMatchObject({ ...verdict('transient', false), reducesCap: false });
    expect(stream(data({ choices: [{ delta: { role: 'assistant' } }] }))).toMatchObject(verdict('transient', true));
    expect(stream(`${data(chunk('par'))}data: {"choi`)).toMatchObject(verdict('transient', false));
    expect(stream(data(chunk('par', 'error')))).toMatchObject(verdict('transient', false));
    expect(stream(data({ custom: 1 }))).toMatchObject({ class: 'ok' });
    expect(stream('data: {"custom"')).toMatchObject(verdict('transient', true));
  });

  it('that breaks with an error of the connection is a failure, unless its provider spoke before', () => {
    const error = Object.assign(new Error('terminated'), { code: 'UND_ERR_SOCKET' });
    expect(stream(data(chunk('a')), { error, outputEmitted: true })).toMatchObject(verdict('transient', false));
    expect(stream(': keep-alive\n\n', { error, outputEmitted: false })).toMatchObject(verdict('transient', true));
    expect(stream(overloaded, { error, outputEmitted: false })).toMatchObject(verdict('overload', true));
    expect(classify({ status: 200, streamPhase: 'mid', error })).toMatchObject(verdict('transient', false));
  });

  it.each([
    ['[DONE]', data(chunk('a'), '[DONE]')],
    ['a finish reason and usage', data(chunk('', 'stop'), { choices: [], usage: { total_tokens: 3 } })],
    ['message_stop', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
    [
      'response.completed',
      'event: response.completed\ndata: {"type":"response.completed","response":{"error":null}}\n\n',
    ],
    ['response.incomplete', 'event: response.incomplete\ndata: {"type":"response.incomplete","response":{}}\n\n'],
    ['finishReason', data({ candidates: [{ finishReason: 'STOP' }] })],
    ['done: true', '{"response":"a","done":false}\n{"response":"","done":true}\n'],
    ['generated_text', data({ token: { text: 'a' }, generated_text: 'a' })],
    ['carriage returns', 'data: {"choices":[]}\r\n\r\ndata: [DONE]\r\n\r\n'],
  ])('that ends with %s is whole', (_end, body) => {
    expect(stream(body)).toMatchObject({ class: 'ok', retryAfterMs: null, retryable: false });
  });

  it.each([
    ['Chat', data({ error: { message: 'x', type: 'tokens', code: 'rate_limit_exceeded' } }), 'throttle'],
    [
      'Responses, flat',
      'event: error\ndata: {"type":"error","code":"insufficient_quota","message":"x"}\n\n',
      'quota_exhausted',
    ],
    [
      'Responses, failed',
      'event: response.failed\ndata: {"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"x"}}}\n\n',
      'context_length',
    ],
    [
      'Responses, failed without a reason',
      'event: response.failed\ndata: {"type":"response.failed","response":{"error":null}}\n\n',
      'transient',
    ],
    ['plain words', 'event: error\ndata: Model overloaded\n\n', 'overload'],
    [
      'a status in brackets',
      data({ error: { message: 'failed: [503] no workers', type: 'server_error' } }),
      'overload',
    ],
    ['DashScope', 'id:1\nevent:error\n:HTTP_STATUS/429\ndata:{"code":"Unheard","message":"x"}\n\n', 'throttle'],
    ['TGI', 'data:{"error":"Request failed during generation","error_type":"generation"}\n\n', 'transient'],
    [
      'vLLM, with an end',
      data({ error: { message: 'x', type: 'BadRequestError', code: 400 } }, '[DONE]'),
      'bad_request',
    ],
    ['MiniMax', data({ base_resp: { status_code: 1002, status_msg: 'x' } }), 'throttle'],
    ['several lines of data', 'data: {"error":\ndata: {"code":429,"message":"x"}}\n\n', 'throttle'],
  ] as const)('that carries an error of %s', (_form, body, expected) => {
    expect(stream(body, { outputEmitted: false, provider: _form === 'MiniMax' ? 'minimax' : 'nobody' }).class).toBe(
      expected,
    );
  });

  it.each([
    ['throttlingException', 'throttle'],
    ['serviceUnavailableException', 'overload'],
    ['modelTimeoutException', 'transient'],
    ['modelStreamErrorException', 'transient'],
    ['internalServerException', 'transient'],
    ['validationException', 'bad_request'],
  ] as const)('of binary frames with %s', (name, expected) => {
    const body = `\u0000\u0000\u0000q:exception-type\u0007\u0000\u0013${name}\r:content-type{"message":"x"}`;
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
    expect(stream(body, { headers, outputEmitted: false }).class).toBe(expected);
    expect(stream(':event-type chunk {"bytes":"eyJ="}', { headers, outputEmitted: true }).class).toBe('ok');
  });

  it('that was held open and never served ran into a lack of capacity', () => {
    expect(stream(': keep-alive\n\n: keep-alive\n\n', { outputEmitted: false })).toMatchObject(
      verdict('overload', true),
    );
    expect(stream(': OPENROUTER PROCESSING\n\n', { outputEmitted: false })).toMatchObject(verdict('transient', true));
    expect(classify({ provider: 'deepseek', status: 200, body: '\n\n\n' })).toMatchObject(verdict('overload', true));
    expect(classify({ provider: 'nobody', status: 200, body: '\n\n\n' })).toMatchObject(verdict('transient', true));
  });

  it('states its wait in its sentence, under the same horizon as a 429', () => {
    const refusal = (wait: string): string =>
      data({ error: { code: 'rate_limit_exceeded', message: `Try again in ${wait}.` } });
    expect(stream(refusal('11.054s'))).toMatchObject({ class: 'throttle', retryAfterMs: 11_054 });
    expect(stream(refusal('5 hours'))).toMatchObject({ class: 'quota_exhausted', retryAfterMs: 18_000_000 });
  });

  it('at OpenAI can only run out of tokens, for its requests were counted at the head', () => {
    const refusal = data({ error: { code: 'rate_limit_exceeded', message: 'x' } });
    expect(stream(refusal, { provider: 'openai' }).scope).toBe('tokens');
    expect(stream(refusal, { provider: 'openai-compatible' }).scope).toBeUndefined();
  });

  it('refused before it opened is judged as any answer', () => {
    const answer = {
      status: 429,
      body: says('x'),
      headers: JSON_HEADERS,
      streamPhase: 'before',
      outputEmitted: false,
    } as const;
    expect(classify(answer)).toMatchObject(verdict('throttle', true));
  });

  it('cut anywhere is whole only from its end marker on', () => {
    const whole = data(chunk('Grüße, 你好 "error": 429'), chunk('overloaded', 'stop'), '[DONE]');
    const end = whole.indexOf('"stop"') + '"stop"'.length;
    for (let at = 1; at < whole.length; at += 1) {
      expect([at, stream(whole.slice(0, at)).class]).toEqual([at, at < end ? 'transient' : 'ok']);
    }
  });
});

describe('a thrown error', () => {
  it.each([
    ['ECONNRESET', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['fetch failed', new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })],
    ['a bad certificate', Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })],
    ['a timeout', new DOMException('The operation timed out', 'TimeoutError')],
    ['a string', 'socket hang up'],
    ['anything', Object.create(null)],
  ])('%s is transient', (_title, error) => {
    expect(classify({ error })).toEqual({ class: 'transient', retryAfterMs: null, reducesCap: false, retryable: true });
  });

  it('is not re-sent when the caller aborted', () => {
    expect(classify({ error: new DOMException('x', 'AbortError') })).toMatchObject({
      class: 'transient',
      retryable: false,
    });
    expect(classify({ error: { code: 'UND_ERR_ABORTED' }, status: 200 })).toMatchObject({
      class: 'transient',
      retryable: false,
    });
  });

  it('of an SDK speaks through its code, type and body', () => {
    const openai = Object.assign(new Error('x'), {
      error: { message: 'try again in 2s', type: 'tokens', code: 'rate_limit_exceeded' },
    });
    expect(classify({ provider: 'openai', error: openai })).toMatchObject({
      class: 'throttle',
      retryAfterMs: 2_000,
      scope: 'tokens',
    });
    const anthropic = { error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } };
    expect(classify({ provider: 'anthropic', status: 200, error: anthropic, outputEmitted: false })).toMatchObject({
      class: 'overload',
      retryable: true,
    });
    expect(classify({ error: { code: 402, message: 'x' } }).class).toBe('quota_exhausted');
    const aws = Object.assign(new Error('Too many requests'), { name: 'ThrottlingException' });
    expect(classify({ provider: 'bedrock', error: aws }).class).toBe('throttle');
  });

  it('does not hide the answer it came with', () => {
    const error = new Error('aborted body');
    expect(classify({ status: 429, headers: { 'retry-after': '2' }, error })).toMatchObject({
      class: 'throttle',
      retryAfterMs: 2_000,
    });
    expect(classify({ status: 503, error }).class).toBe('overload');
  });
});

describe('whatever it is given', () => {
  const classes =
    'ok throttle overload quota_exhausted transient auth bad_request request_too_large context_length content_policy'.split(
      ' ',
    );

  function expectSound(answer: unknown): void {
    const actual = classify(answer as Answer);
    expect(classes).toContain(actual.class);
    expect(actual.reducesCap).toBe(actual.class === 'throttle' || actual.class === 'overload');
    expect(typeof actual.retryable).toBe('boolean');
    if (actual.class === 'ok') expect(actual).toMatchObject({ retryAfterMs: null, retryable: false });
    for (const ms of [actual.retryAfterMs ?? 0, ...Object.values(actual.resets ?? {})]) {
      expect(Number.isSafeInteger(ms) && ms >= 0).toBe(true);
    }
    if ((actual.retryAfterMs ?? 0) > 600_000) expect(actual.class).not.toBe('throttle');
  }

  it('it answers soundly, for any junk', () => {
    const junk = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withObjectString: true,
    });
    const answers = fc.record(
      {
        provider: junk,
        status: fc.oneof(fc.integer({ min: 0, max: 700 }), junk),
        headers: junk,
        body: junk,
        streamPhase: junk,
        outputEmitted: junk,
        receivedAt: junk,
        error: junk,
      },
      { requiredKeys: [] },
    );
    checkProperty(fc.property(fc.oneof(answers, junk), expectSound), { name: 'for any junk', runs: 1_000 });
  });

  it('it answers soundly, for the vocabulary of providers in any arrangement', () => {
    const providers = [...new Set((wireCases as unknown as readonly WireCase[]).map(({ provider }) => provider))];
    const bodies = (wireCases as unknown as readonly WireCase[]).map(({ body }) => body);
    const headers = (wireCases as unknown as readonly WireCase[]).map((wireCase) => wireCase.headers);
    const texts = fc.constantFrom(...bodies).map((body) => (typeof body === 'string' ? body : JSON.stringify(body)));
    const cut = fc
      .tuple(texts, fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([text, share]) => text.slice(0, text.length * share));
    const answers = fc.record({
      provider: fc.constantFrom(...providers),
      status: fc.constantFrom(undefined, 200, 400, 402, 403, 413, 422, 429, 498, 500, 503, 529),
      headers: fc.constantFrom(...headers),
      body: fc.oneof(fc.constantFrom(...bodies), texts, cut),
      streamPhase: fc.constantFrom('before' as const, 'mid' as const, undefined),
      outputEmitted: fc.constantFrom(true, false, undefined),
      receivedAt: fc.constantFrom(receivedAt, undefined, Number.NaN),
    });
    checkProperty(
      fc.property(answers, (answer) => {
        expectSound(answer);
        if (answer.outputEmitted) expect(classify(answer).retryable).toBe(false);
      }),
      { name: 'for the vocabulary of providers in any arrangement', runs: 3_000 },
    );
  });

  it('a JSON body means the same as text and parsed', () => {
    const cases = (wireCases as unknown as readonly WireCase[]).filter(({ body }) => typeof body === 'object');
    for (const wireCase of cases) {
      const spaced = JSON.stringify(wireCase.body, null, 2).replace(
        /[^\x20-\x7e\n]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      for (const body of [JSON.stringify(wireCase.body), spaced]) {
        expect({ id: wireCase.id, ...classify({ ...wireCase, body }) }).toEqual({
          id: wireCase.id,
          ...classify(wireCase),
        });
      }
    }
  });

  it('a hostile object is only unreadable', () => {
    const trap = (): never => {
      throw new Error('trap');
    };
    const hostile = new Proxy(
      {},
      { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    );
    const getters = {
      get error() {
        return trap();
      },
      get code() {
        return trap();
      },
      get forEach() {
        return trap();
      },
    };
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const cyclic: Record<string, unknown> = { message: 'x' };
    cyclic.error = cyclic;
    let deep: unknown = {};
    for (let level = 0; level < 20_000; level += 1) deep = { error: deep };
    const hostiles = [
      hostile,
      getters,
      revoked,
      cyclic,
      deep,
      { toJSON: trap },
      { error: { toJSON: trap } },
      { error: Symbol('x') },
      { error: 1n },
    ];
    for (const thing of hostiles) {
      expect(classify({ status: 429, body: thing })).toMatchObject({ class: 'throttle', retryable: true });
      expect(classify({ status: 429, headers: thing as Headers }).class).toBe('throttle');
      expect(classify({ status: 503, error: thing }).class).toBe('overload');
      expectSound({ status: 200, body: thing, headers: thing, error: thing, provider: thing, receivedAt: thing });
      expectSound(thing);
    }
    let nested: unknown = [];
    for (let level = 0; level < 20_000; level += 1) nested = [nested];
    for (const body of [revoked, nested]) expect(classify({ status: 200, body }).class).toBe('ok');
    for (const nothing of [undefined, null, 0, '', Symbol('x'), 1n, trap]) expectSound(nothing);
    const broken = {
      'retry-after': '2',
      get 'x-ratelimit-reset'() {
        return trap();
      },
    };
    expect(classify({ status: 429, headers: broken }).retryAfterMs).toBe(2_000);
  });

  it('a huge body or header is read or refused without getting stuck', () => {
    const n = 2_000_000;
    const huge = [
      'a'.repeat(n),
      '1s '.repeat(n / 3),
      '{"error":"'.repeat(n / 10),
      '"code":"a" '.repeat(n / 11),
      'try '.repeat(n / 4),
      '['.repeat(n),
      data(chunk('x')).repeat(n / 100),
      '<'.repeat(n),
    ];
    for (const body of huge) {
      const headers = { 'retry-after': body, ratelimit: body, 'x-ratelimit-reset': body, date: body };
      for (const status of [200, 400, 429, 500, undefined]) expectSound({ status, body, headers, receivedAt: body });
    }
  });
});
