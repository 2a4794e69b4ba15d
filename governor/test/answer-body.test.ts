/** Bodies: what an error says of itself, and whether a success is what it claims to be. */

import { describe, expect, it } from 'vitest';
import { type Evidence, holdsOutput, inspectSuccess, readError } from '../src/core/answer-body.js';

const said = (parts: Partial<Evidence>): Evidence => ({ codes: ' ', text: '', headers: {}, ...parts });

describe('an error says of itself', () => {
  it.each<[string, unknown, Partial<Evidence>]>([
    [
      'its codes and sentences',
      { error: { Type: 'Rate_Limit', code: 429, message: 'Slow Down' } },
      { codes: ' rate_limit 429 ', text: ' slow down' },
    ],
    ['a code that is a sentence', { code: 'slow down' }, { text: ' slow down' }],
    ['a code of a namespace', { type: 'com.amazon#Throttling' }, { codes: ' throttling ' }],
    ['a wait', { retry_delay: '3s', 'retry-after': '4' }, { delay: '3s' }],
    ['a wait in milliseconds', { retry_after_ms: 70, retryAfterMs: 80 }, { delayMs: '70' }],
    ['an instant', { resets_at: 170, reset_at: 180 }, { resetAt: '170' }],
    ['a quota', { quotaValue: '15', quotaId: 'PerDay' }, { text: ' limit: 15 perday' }],
    [
      'headers of an upstream',
      { 'X-RateLimit-Limit': '5', 'X-RateLimit-Reset': 7, 'my-x-ratelimit': 8 },
      { headers: { 'X-RateLimit-Limit': '5', 'X-RateLimit-Reset': '7' } },
    ],
    ['nothing else', { region: 'eu', codes: 'x', messages: 'y' }, {}],
    ['nothing of generated output', { choices: [{ code: 'x' }], content: { code: 'y' }, output: { code: 'z' } }, {}],
    ['the words of a text', 'Slow Down', { text: ' slow down' }],
    ['the words after a blank', ' \n<title>', { text: ' ' }],
    [
      'the title of a page',
      '\n<html lang="en"><TITLE id="a">Bad Gateway</TITLE><p>billing</p>',
      { text: ' bad gateway' },
    ],
    ['nothing of a page without one', '<html><p>billing</p>', { text: ' ' }],
    ['what is cut', '{"error":{"message":"Slow d', { text: ' slow d' }],
    ['what is escaped', '{"message":"a\\nb \\u00e9"}', { text: ' a\nb é' }],
    ['what is cut in an escape', '{"message":"caf\\u00', { text: ' caf\\u00' }],
    ['what stands inside something else', 'Error: {"code": "busy"} at x', { codes: ' busy ' }],
    ['nothing without members', {}, {}],
  ])('%s', (_, body, expected) => {
    expect(readError(body)).toEqual(said(expected));
  });

  it('together with others, the first wait first', () => {
    expect(readError({ code: 'a', retryAfter: 1 }, 'words', undefined, { code: 'b', retryAfter: 2 })).toEqual(
      said({ codes: ' a b ', text: ' words', delay: '1' }),
    );
  });

  it('in its first sixteen thousand letters, and in two thousand of evidence', () => {
    const far = (letters: number) => `${' '.repeat(letters - '{"code":"a"'.length)}{"code":"a"}`;
    expect(readError(far(16_384)).codes).toBe(' a ');
    expect(readError(far(16_384 + 12)).codes).toBe(' ');
    const { codes, text } = readError({ code: 'a'.repeat(100), message: 'b'.repeat(3_000), detail: 'c' });
    // What is there already counts, each with the blanks around it.
    expect([codes.length, text.length]).toEqual([102, 1 + 2_048 - 102 + 1]);
    expect(readError({ message: 'b'.repeat(1_000), detail: 'c'.repeat(3_000) }).text).toHaveLength(
      1 + 1_000 + 1 + 2_048 - 1_001 - 1,
    );
  });
});

describe('a success is', () => {
  const frames = (...of: readonly string[]) => of.map((frame) => `${frame}\n\n`).join('');

  it.each<[string, unknown, string, string]>([
    ['cut when it is empty', '', '', 'cut'],
    ['silent when it is blank', ' \n\n', '', 'silent'],
    ['cut as a page', ' <html>', '', 'cut'],
    ['complete as text', 'yes [or no]', '', 'complete'],
    ['complete as text of a declared kind', '"yes"', 'application/json', 'complete'],
    ['cut as JSON that ends early', '{"a":', '', 'cut'],
    ['cut as a list that ends early', '[1,', '', 'cut'],
    ['cut as a single line', 'x', 'application/json', 'cut'],
    ['cut as lines that are no JSON', '{"a":1\n{"b":2', '', 'cut'],
    ['complete as lines of JSON', '{"a":1}\n{"done":true}', '', 'complete'],
    ['cut as lines without their end', '{"a":1}\n{"done":false}', '', 'cut'],
    ['complete as a document', { a: 1 }, '', 'complete'],
    ['an error that says so by its type', { type: 'error' }, '', 'error'],
    ['an error that says so by its event', { event_type: 'error' }, '', 'error'],
    ['an error that says so by its object', '{"object":"error"}', '', 'error'],
    ['an error inside', { error: 'x' }, '', 'error'],
    ['an error that is only true', { error: true }, '', 'error'],
    ['an error in a choice', { choices: [{ error: { code: 1 } }] }, '', 'error'],
    ['an error in a response', { response: { error: 'x' } }, '', 'error'],
    ['an error in a list', [{}, { error: 'x' }], '', 'error'],
    ['no error where it is empty', { error: '' }, '', 'complete'],
    ['no error where it is false', { error: false }, '', 'complete'],
    ['no error where it has no members', { error: {} }, '', 'complete'],
    ['no error where it has no items', { error: [] }, '', 'complete'],
    ['an error of a base response', { base_resp: { status_code: 1 } }, '', 'error'],
    ['no error of a good base response', { base_resp: { status_code: 0 } }, '', 'complete'],
    ['a flat error from 400 on', { message: 'x', code: 400 }, '', 'error'],
    ['no flat error below', { message: 'x', code: 399 }, '', 'complete'],
    ['a flat error by its word', { message: 'x', code: 'busy' }, '', 'error'],
    ['no flat error without a message', { message: 5, code: 400 }, '', 'complete'],
    ['no flat error beside something to say', { message: 'x', code: 400, data: [1] }, '', 'complete'],
    ['complete as frames', frames('data: {"choices":[]}', 'data: [DONE]'), '', 'complete'],
    ['cut as frames without their end', frames('data: {"choices":[]}'), '', 'cut'],
    ['complete as frames of an unknown kind', frames('data: {"x":1}'), '', 'complete'],
    ['cut as frames of an unknown kind that end early', 'data: {"x":', '', 'cut'],
    ['silent as comments', frames(': ping', ': ping'), 'text/event-stream', 'silent'],
    ['an error event', frames('event: error\ndata: {"x":1}'), '', 'error'],
    ['an error event without JSON', frames('event: run.failed\ndata: oh'), '', 'error'],
    ['an error status in a frame', frames('id:1', ':HTTP_STATUS/429\nevent:error\ndata:{}'), '', 'error'],
    ['an error of AWS', '\0\0:exception-type\0throttlingException', 'application/vnd.amazon.eventstream', 'error'],
    ['complete at AWS', '\0:event-type\0chunk', 'application/vnd.amazon.eventstream', 'complete'],
  ])('%s', (_, body, contentType, kind) => {
    expect(inspectSuccess(body, contentType).kind).toBe(kind);
  });

  it('cut without the member that it always has, unless it has another to say', () => {
    expect(inspectSuccess({ id: 1 }, '', 'answer').kind).toBe('cut');
    expect(inspectSuccess({ answer: 1 }, '', 'answer').kind).toBe('complete');
    expect(inspectSuccess({ content: 'x' }, '', 'answer').kind).toBe('complete');
  });

  it('judged by its end: a marker far before it says nothing', () => {
    const body = frames('data: [DONE]', `data: {"choices":["${'x'.repeat(17_000)}"]}`);
    expect(inspectSuccess(body, '').kind).toBe('complete');
    expect(inspectSuccess(frames(body, 'data: {"choices":[]}'), '').kind).toBe('cut');
  });

  it('told with what its error says', () => {
    const evidence = (body: unknown, type = '') => {
      const inspection = inspectSuccess(body, type);
      return inspection.kind === 'error' ? inspection.evidence : undefined;
    };
    expect(evidence({ error: { code: 'busy' } })).toEqual(said({ codes: ' busy ' }));
    expect(evidence(':HTTP_STATUS/429\nevent:error\ndata:{"message":"x"}\n\n')).toEqual(
      said({ codes: ' 429 ', text: ' x' }),
    );
    expect(evidence('event: error\ndata: oh\ndata: no\n\n')).toEqual(said({ text: ' oh\n no' }));
    expect(evidence('\0:exception-type\0modelTimeout', 'x/eventstream')).toMatchObject({ codes: ' modeltimeout ' });
  });
});

it.each<[string, boolean]>([
  ['{"content":"x"}', true],
  ['{"text" : "x"}', true],
  ['{"content":""}', false],
  ['{"usage":"x"}', false],
])('%s holds output: %s', (text, expected) => {
  expect(holdsOutput(text)).toBe(expected);
});
