/** What each fault does to a whole answer and to a stream, and what is used of the quotas. */

import { describe, expect, it } from 'vitest';
import { FAULT_EFFECTS, type FaultKind, faultEndsAfterMs, usedUnderFault } from '../../src/models/faults.js';
import { provider, requestsPerMinute, steady } from '../adapters/mock-providers.js';
import { Asking, DIALECTS, dig, type Read, requestIn, streamIn } from './asking.js';

const PACE = { outputTokens: 10, firstTokenMs: 200, perTokenMs: 10, refusalMs: 50 };
const TOTAL_MS = 300;

function befallen(kind: FaultKind): Asking {
  const faults = [{ kind, rate: 1, fromMs: null, toMs: null }];
  return new Asking(provider([requestsPerMinute(5)], { manners: { faults, draws: steady(PACE) } }));
}

const whole = (kind: FaultKind): Read => befallen(kind).ask(requestIn('openai'));
const stream = (kind: FaultKind): Read => befallen(kind).ask(streamIn('openai'));
const lastMs = ({ headMs, frames }: Read): number => frames.at(-1)?.atMs ?? headMs;
const KINDS = Object.keys(FAULT_EFFECTS) as FaultKind[];

describe('every fault', () => {
  it.each(KINDS)('%s ends when its effect says, and uses what it says', (kind) => {
    const times = { refusalMs: 50, firstTokenMs: 200, totalMs: TOTAL_MS };
    const endMs = faultEndsAfterMs(FAULT_EFFECTS[kind], times);
    for (const request of [requestIn('openai'), streamIn('openai')]) {
      const asking = befallen(kind);
      const answer = asking.ask(request);
      if (endMs === null) expect(answer.ending).toBe('hang');
      else expect(lastMs(answer)).toBeCloseTo(endMs, 6);
      const { inputTokens: input, outputTokens: output } = usedUnderFault(FAULT_EFFECTS[kind], {
        inputTokens: 4,
        outputTokens: 10,
      });
      expect(asking.api.ledger().models['acme/large']).toMatchObject({
        admitted: 1,
        refused: 0,
        tokens: { input, output },
      });
    }
  });

  it.each(KINDS)('%s strikes only while it is on and as often as it says', (kind) => {
    const faults = [{ kind, rate: 0.25, fromMs: 1_000, toMs: 2_000 }];
    let luck = 0;
    const draws = { ...steady(PACE), fault: () => luck };
    const asking = new Asking(provider([requestsPerMinute(1_000_000)], { manners: { faults, draws } }));
    /** All that a client sees, but for the numbers. */
    const seen = (): string => {
      const { json: _, ...answer } = asking.ask(requestIn('openai'));
      return JSON.stringify(answer).replaceAll(/\d+/g, 'n');
    };
    const whole = seen();
    const isStruck = (): boolean => seen() !== whole;
    expect(isStruck()).toBe(false);
    asking.pass(1_000);
    luck = 0.2499;
    expect(isStruck()).toBe(true);
    luck = 0.25;
    expect(isStruck()).toBe(false);
    asking.pass(1_000);
    luck = 0;
    expect(isStruck()).toBe(false);
  });
});

describe('the bytes', () => {
  it.each([
    ['status-500', 500, 'server_error'],
    ['status-502', 502, 'server_error'],
    ['status-503', 503, 'service_unavailable_error'],
    ['status-529', 529, 'service_unavailable_error'],
  ] as const)('%s is an error of the provider, whole and for a stream', (kind, status, type) => {
    for (const answer of [whole(kind), stream(kind)]) {
      expect([answer.status, dig(answer.json(), 'error', 'type')]).toEqual([status, type]);
      expect(answer.headers['x-ratelimit-remaining-requests']).toBe('4');
    }
  });

  it('html-page is a page of a gateway', () => {
    const { status, headers, text } = whole('html-page');
    expect([status, headers['content-type']]).toEqual([502, 'text/html']);
    expect(text).toContain('<title>502 Bad Gateway</title>');
  });

  it('empty-body has a good head and nothing after it', () => {
    expect(whole('empty-body')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'application/json' },
    });
    expect(stream('empty-body')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
  });

  it('truncated-json breaks off in the middle and ends as if it were complete', () => {
    const answer = whole('truncated-json');
    expect(answer).toMatchObject({ status: 200, ending: 'end' });
    expect(() => answer.json()).toThrow(SyntaxError);
    const { text, ending } = stream('truncated-json');
    expect([ending, text.match(/"content"/g)?.length, text.includes('[DONE]')]).toEqual(['end', 11, false]);
    expect(text.endsWith('\n\n')).toBe(false);
  });

  it('reset and hang have no byte at all', () => {
    expect([whole('reset'), stream('reset')]).toMatchObject([
      { text: '', ending: 'reset', headMs: 50 },
      { ending: 'reset' },
    ]);
    expect([whole('hang'), stream('hang')]).toMatchObject([{ text: '', ending: 'hang' }, { ending: 'hang' }]);
  });

  it('cut-stream stops half way, without its last events', () => {
    const { text, ending } = stream('cut-stream');
    expect([ending, text.match(/"content":"[^"]/g)?.length, text.includes('finish_reason":"stop')]).toEqual([
      'end',
      5,
      false,
    ]);
    const broken = whole('cut-stream');
    expect(broken.ending).toBe('reset');
    expect(() => broken.json()).toThrow(SyntaxError);
  });

  it.each([
    ['openai', { error: { code: 'server_is_overloaded' } }],
    ['openai-responses', { type: 'error', code: 'server_is_overloaded', message: expect.any(String), param: null }],
    ['anthropic', { type: 'error', error: { type: 'overloaded_error' } }],
    ['gemini', { error: { code: 503, status: 'UNAVAILABLE' } }],
  ] as const)('%s: error-event ends half a stream with an error', (dialect, error) => {
    const { status, frames } = befallen('error-event').ask(streamIn(dialect));
    expect(status).toBe(200);
    expect(JSON.parse(/data: (.+)\s+$/.exec(frames.at(-1)!.data)![1]!)).toMatchObject(error);
    expect(frames.filter(({ data }) => /"(?:content|delta|text)":"[^"]/.test(data))).toHaveLength(5);
  });

  it('error-event of a whole answer is an error inside a 200', () => {
    expect(whole('error-event')).toMatchObject({ status: 200, headMs: 250 });
    expect(dig(whole('error-event').json(), 'error', 'code')).toBe('server_is_overloaded');
  });

  it.each(DIALECTS)('%s: error-in-200 is an error of the provider, code 502', (dialect) => {
    const { status, json } = befallen('error-in-200').ask(requestIn(dialect));
    expect(status).toBe(200);
    const error = dig(json(), 'error');
    expect(error).toMatchObject(dialect === 'anthropic' ? { type: 'api_error' } : { code: 502 });
  });

  it('slow comes in slivers, and is whole in the end', () => {
    const answer = whole('slow');
    expect(dig(answer.json(), 'choices', 0, 'finish_reason')).toBe('stop');
    expect(answer.frames.length).toBeGreaterThan(100);
    const { frames, text } = stream('slow');
    expect(text).toContain('[DONE]');
    expect(frames.filter(({ data }) => /"content":"[^"]/.test(data)).map(({ atMs }) => atMs)[1]).toBe(2_100);
  });

  it('no-headers takes limits and waits from success and refusal; the body keeps what it says', () => {
    const asking = befallen('no-headers');
    const answers = Array.from({ length: 6 }, () => asking.ask(requestIn('openai')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => /retry|ratelimit/.test(name))).toEqual([]);
    }
    const gemini = new Asking(
      provider([requestsPerMinute(1)], {
        wire: 'gemini',
        manners: { faults: [{ kind: 'no-headers', rate: 1, fromMs: null, toMs: null }] },
      }),
    );
    gemini.ask(requestIn('gemini'));
    expect(dig(gemini.ask(requestIn('gemini')).json(), 'error', 'details', 2, 'retryDelay')).toBe('60s');
  });
});
