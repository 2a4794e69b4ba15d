import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { governedFetch } from '../../src/fetch.js';
import {
  hangUp,
  huge,
  json,
  LIMITED,
  type ProviderServer,
  type Scripted,
  silence,
  startProvider,
  stream,
} from './provider-server.js';
import { answersTo, watched } from './settled.js';

let provider: ProviderServer;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(() => provider.close());

const POST = { method: 'POST', body: JSON.stringify({ model: 'm' }) };
const CHUNK = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
const STOP = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const OVERLOADED =
  'data: {"error":{"message":"The server is overloaded","type":"server_error","code":"overloaded"}}\n\n';

describe('an answer read to its end', () => {
  const cases: readonly (readonly [title: string, answer: Scripted, outcome: string])[] = [
    ['JSON is a success', json(200, { choices: [] }), 'succeeded'],
    ['a huge body is a success', huge(3_000_000), 'succeeded'],
    ['an empty answer is a success', (response) => response.writeHead(204).end(), 'succeeded'],
    ['a stream with its end mark is a success', stream([CHUNK, STOP, DONE]), 'succeeded'],
    ['a stream that closes without its end mark was cut', stream([CHUNK]), 'failed'],
    ['a document without its end was cut', json(200, '{"choices":[{"message":'), 'failed'],
    ['a huge document without its end was cut', json(200, `{"data":"${'x'.repeat(50_000)}`), 'failed'],
    ['an error object in a 200 is what it says', json(200, { error: { code: 429, message: 'slow' } }), 'rate_limited'],
    ['an overload in a stream is an overload', stream([CHUNK, OVERLOADED]), 'provider_overloaded'],
    ['a 429 is a refusal', LIMITED, 'rate_limited'],
    ['a 529 is an overload', json(529, '{"type":"error","error":{"type":"overloaded_error"}}'), 'provider_overloaded'],
    ['a 429 for want of credit is final', json(429, { error: { code: 'insufficient_quota' } }), 'ended'],
    ['a 429 with a page of HTML is a refusal', json(429, `<html>${'x'.repeat(100_000)}`), 'rate_limited'],
    ['a 500 is a failure', json(500, 'oops'), 'failed'],
    ['a 400 is the caller’s', json(400, { error: { message: 'no' } }), 'ended'],
  ];
  it.each(cases)('%s', async (_title, answer, outcome) => {
    provider.script(answer);
    const { governor, clock, outcomes, inFlight } = watched();
    const response = await governedFetch(governor, { clock })(provider.url, POST);
    const text = await response.text();
    expect({ outcomes, inFlight: inFlight(), timers: clock.pending }).toEqual({
      outcomes: [outcome],
      inFlight: 0,
      timers: 0,
    });
    expect(text).toBe(await (await fetch(provider.url, POST)).text());
  });

  it.each([
    ['before output', [OVERLOADED], false],
    ['after output', [CHUNK, OVERLOADED], true],
  ])('an error in a stream %s is told so', async (_title, frames, outputEmitted) => {
    provider.script(stream(frames));
    const { governor } = watched();
    const answers = answersTo(governor);
    await (await governedFetch(governor)(provider.url, POST)).text();
    expect(answers).toMatchObject([{ status: 200, streamPhase: 'mid', outputEmitted }]);
  });

  it('is as it came: address, status, headers, and a copy of it too', async () => {
    provider.script(
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      json(200, { choices: [] }, { 'x-request-id': 'r1' }),
    );
    const response = await governedFetch(watched().governor)(`${provider.url}/first`);
    const copy = response.clone();
    for (const r of [response, copy]) {
      expect(r).toMatchObject({
        url: `${provider.url}/elsewhere`,
        redirected: true,
        type: 'basic',
        status: 200,
        ok: true,
      });
      expect(r.headers.get('x-request-id')).toBe('r1');
      expect(await r.json()).toEqual({ choices: [] });
    }
  });
});

describe('an answer not read to its end', () => {
  it.each([
    ['cancelled unread', stream([CHUNK], 'open'), (body: ReadableStream) => body.cancel(), 'ended'],
    [
      'left in the middle',
      stream([CHUNK, CHUNK], 'open'),
      async (body: ReadableStream) => {
        for await (const _ of body) break;
      },
      'ended',
    ],
    [
      'left after its end mark, before its end',
      stream([CHUNK + STOP + DONE], 'open'),
      async (body: ReadableStream) => {
        for await (const _ of body) break;
      },
      'succeeded',
    ],
    [
      'cut on the wire',
      stream([CHUNK, CHUNK], 'cut'),
      (body: ReadableStream) => expect(new Response(body).text()).rejects.toThrow(),
      'failed',
    ],
  ] as const)('%s', async (_title, answer, leave, outcome) => {
    provider.script(answer);
    const { governor, outcomes, inFlight } = watched();
    const response = await governedFetch(governor)(provider.url, POST);
    expect(inFlight()).toBe(1);
    await leave(response.body!);
    expect({ outcomes, inFlight: inFlight() }).toEqual({ outcomes: [outcome], inFlight: 0 });
  });

  it('never read, it gives its slot back after bodyTimeoutMs', async () => {
    provider.script(stream([CHUNK], 'open'));
    const { governor, clock, outcomes, inFlight } = watched();
    const response = await governedFetch(governor, { clock, bodyTimeoutMs: 1_000 })(provider.url, POST);
    clock.advance(999);
    expect(inFlight()).toBe(1);
    clock.advance(1);
    expect({ outcomes, inFlight: inFlight(), pending: clock.pending }).toEqual({
      outcomes: ['ended'],
      inFlight: 0,
      pending: 0,
    });
    // It is still there for a reader who comes late.
    expect(new TextDecoder().decode((await response.body!.getReader().read()).value)).toBe(CHUNK);
  });

  it('read slowly, it keeps its slot; when the provider stops, that is its failure', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const { governor, clock, outcomes, inFlight } = watched();
    const send = governedFetch(governor, { clock, bodyTimeoutMs: 1_000, fetch: async () => new Response(readable) });
    const reader = (await send('http://h/', POST)).body!.getReader();
    const writer = writable.getWriter();
    for (let pause = 0; pause < 3; pause++) {
      clock.advance(999);
      void writer.write(new TextEncoder().encode(CHUNK));
      await reader.read();
    }
    expect(inFlight()).toBe(1);
    const silent = reader.read();
    await new Promise(setImmediate);
    clock.advance(1_000);
    expect(outcomes).toEqual(['failed']);
    await reader.cancel();
    expect((await silent).done).toBe(true);
  });

  it('forgotten, it gives its slot back when the garbage is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    provider.script(stream([CHUNK], 'open'));
    const { governor, outcomes } = watched();
    const send = governedFetch(governor);
    await (async () => {
      expect((await send(provider.url, POST)).status).toBe(200);
    })();
    await expect
      .poll(() => {
        collect();
        return outcomes;
      })
      .toEqual(['ended']);
  });

  it('aborted, it gives its slot back even if nobody reads', async () => {
    provider.script(stream([CHUNK], 'open'));
    const { governor, outcomes, idle } = watched();
    const abort = new AbortController();
    const response = await governedFetch(governor)(provider.url, { ...POST, signal: abort.signal });
    abort.abort();
    await idle();
    expect(outcomes).toEqual(['ended']);
    await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a slot that its run has taken back', () => {
  it.each([
    ['before the head', json(200, {})],
    ['before a refusal', LIMITED],
    ['before an empty answer', (response) => response.writeHead(204).end()],
    ['before a failure', hangUp],
  ] satisfies [string, Scripted][])('%s is not settled again', async (_title, answer) => {
    provider.script(answer);
    const seen = watched();
    const run = seen.governor.openRun('review');
    const asked = governedFetch(seen.governor, { run })(provider.url, POST).then((response) => response.text());
    await new Promise(setImmediate);
    run.amend({ settings: 'other' });
    await asked.catch(() => {});
    expect(seen).toMatchObject({ outcomes: ['ended'], again: 0 });
    expect(seen.inFlight()).toBe(0);
  });
});

describe('no answer', () => {
  it('aborted before the head, the slot comes back and the reason stays', async () => {
    provider.script(silence);
    const { governor, outcomes } = watched();
    const abort = new AbortController();
    const reason = new Error('changed my mind');
    const asked = governedFetch(governor)(provider.url, { ...POST, signal: abort.signal });
    await expect.poll(() => provider.seen.length).toBe(1);
    abort.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(outcomes).toEqual(['ended']);
  });

  it('a deadline of the caller is a failure of the attempt', async () => {
    provider.script(silence);
    const { governor, outcomes } = watched();
    const asked = governedFetch(governor)(provider.url, { ...POST, signal: AbortSignal.timeout(5) });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(outcomes).toEqual(['failed']);
  });

  it('a connection closed without an answer is a failure', async () => {
    provider.script(hangUp);
    const { governor, outcomes } = watched();
    await expect(governedFetch(governor)(provider.url, POST)).rejects.toThrow('fetch failed');
    expect(outcomes).toEqual(['failed']);
  });

  it('aborted in the queue, nothing is sent', async () => {
    provider.script(stream([CHUNK], 'open'), json(200, {}));
    const { governor, outcomes, inFlight } = watched({ initial: 1 });
    const send = governedFetch(governor);
    const first = await send(provider.url, POST);
    const abort = new AbortController();
    const second = send(provider.url, { ...POST, signal: abort.signal });
    const third = send(provider.url, POST);
    abort.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    await first.body!.cancel();
    await (await third).text();
    expect({ seen: provider.seen.length, outcomes, inFlight: inFlight() }).toEqual({
      seen: 2,
      outcomes: ['ended', 'succeeded'],
      inFlight: 0,
    });
  });

  it('an error body without end is read only as far as it matters', async () => {
    provider.script((response) => response.writeHead(429).write('<p>'.repeat(30_000)));
    const { governor, clock, outcomes } = watched();
    const response = await governedFetch(governor, { clock })(provider.url, POST);
    expect({ outcomes, timers: clock.pending }).toEqual({ outcomes: ['rate_limited'], timers: 0 });
    await response.body!.cancel();
  });

  it('an error body that never comes is waited for one second, then its status speaks', async () => {
    provider.script((response) => {
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).write('{"error":');
    });
    const { governor, clock, outcomes } = watched();
    const asked = governedFetch(governor, { clock })(provider.url, POST);
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(1_000);
    const response = await asked;
    expect({ status: response.status, outcomes }).toEqual({ status: 429, outcomes: ['rate_limited'] });
    expect(governor.snapshots()[0]!.cooldownUntil).toBe(8_000);
    await response.body!.cancel();
  });
});

describe('an inner fetch of another kind', () => {
  it('whose body is no web stream settles by its head, and the answer is left as it is', async () => {
    const { governor, outcomes } = watched();
    const foreign = { ok: true, status: 200, headers: new Headers(), body: { pipe() {} } } as unknown as Response;
    const response = await governedFetch(governor, { fetch: async () => foreign })('http://h/', POST);
    expect({ same: response === foreign, outcomes }).toEqual({ same: true, outcomes: ['succeeded'] });
  });
});

describe('the key of a request', () => {
  const answer = async (): Promise<Response> => new Response('{}');
  const json = (model: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ messages: [], model }) });
  const form = new FormData();
  form.set('model', 'whisper-1');
  it.each<[string, string | URL | Request, RequestInit | undefined]>([
    ['openai/gpt-5', 'https://api.openai.com/v1/responses', json('gpt-5')],
    ['openai/whisper-1', new URL('https://eu.api.openai.com/v1/audio/transcriptions'), { method: 'POST', body: form }],
    ['openai/default', 'https://api.openai.com/v1/models', undefined],
    ['anthropic/claude', 'https://api.anthropic.com/v1/messages', json('claude')],
    [
      'anthropic/claude',
      new Request('https://api.anthropic.com/v1/messages', {
        ...json('claude'),
        headers: { 'content-type': 'application/json' },
      }),
      undefined,
    ],
    [
      'gemini/gemini-3',
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?alt=sse',
      { method: 'POST', body: '{"contents":[]}' },
    ],
    [
      'vertex/claude@1',
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude%401:rawPredict',
      json('no'),
    ],
    [
      'azure-openai/my-gpt',
      'https://me.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=1',
      json('gpt-5'),
    ],
    [
      'bedrock/us.anthropic.claude:0',
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude%3A0/converse',
      { method: 'POST', body: '{}' },
    ],
    ['openrouter/meta/llama', 'https://openrouter.ai/api/v1/chat/completions', json('meta/llama')],
    ['localhost:8000/qwen', 'http://localhost:8000/v1/chat/completions', json('qwen')],
    ['example.com/default', 'https://example.com/v1/chat', { method: 'POST', body: '{"model":' }],
  ])('%s', async (key, input, init) => {
    const { governor, keys } = watched();
    await governedFetch(governor, { fetch: answer })(input, init);
    expect(keys).toEqual([key]);
  });

  it('is what the options say, and no key lets a request pass', async () => {
    const { governor, keys } = watched();
    const fixed = { provider: 'mine', model: 'one' };
    await governedFetch(governor, { fetch: answer, provider: 'mine' })('http://h/', json('m'));
    await governedFetch(governor, { fetch: answer, key: fixed })('http://h/', json('m'));
    await governedFetch(governor, { fetch: answer, key: () => fixed })('http://h/', json('m'));
    await governedFetch(governor, { fetch: answer, key: () => undefined })('http://h/', json('m'));
    expect(keys).toEqual(['mine/m', 'mine/one', 'mine/one']);
  });

  it('belongs to the run or the ask that the fetch was made for', async () => {
    const { governor } = watched();
    const runs: unknown[] = [];
    governor.onRequest((event) => event.type === 'request-admitted' && runs.push(event.run));
    const run = governor.openRun('review');
    const ask = await run.start('reader');
    await governedFetch(governor, { fetch: answer, run })('http://h/', json('m'));
    await governedFetch(governor, { fetch: answer, ask, insideTool: true })('http://h/', json('m'));
    await governedFetch(governor, { fetch: answer })('http://h/', json('m'));
    expect(runs).toEqual(['review', 'review', undefined]);
  });

  it('a bad option is refused by name', () => {
    expect(() => governedFetch(watched().governor, { bodyTimeoutMs: 0 })).toThrow(/bodyTimeoutMs.*0/);
  });
});
