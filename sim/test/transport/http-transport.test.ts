/** The HTTP transport against servers that answer as they are told: what it asks, what it makes of answers, how it lets go. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventHandle, PHASE } from '../../src/kernel/kernel.js';
import { RandomStreams } from '../../src/kernel/random.js';
import type { Scheduler } from '../../src/kernel/scheduler.js';
import { CLIENT_DIALECTS, type DialectName } from '../../src/transport/client-dialect.js';
import { HttpTransport } from '../../src/transport/http-transport.js';
import type { Attempt, AttemptEnd } from '../../src/transport/transport.js';
import { WallScheduler } from '../../src/transport/wall-scheduler.js';
import { WallTime } from '../../src/transport/wall-time.js';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function served(respond: Respond): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response, request));
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Asked {
  readonly baseUrl: string;
  readonly wire?: DialectName;
  readonly stream?: boolean;
  readonly apiKey?: string;
}

/** 2026-11-30 12:00:00 UTC. */
const NOON_MS = 1_796_040_000_000;

function transportTo({ baseUrl, wire = 'openai', stream = false, apiKey }: Asked, scheduler: Scheduler) {
  const endpoint = {
    dialect: CLIENT_DIALECTS[wire],
    baseUrl,
    vendor: 'acme',
    isStreamed: () => stream,
    ...(apiKey !== undefined && { apiKey }),
  };
  return new HttpTransport({ scheduler, endpoints: { acme: endpoint }, epochMs: () => NOON_MS });
}

const stream = new RandomStreams(1).stream('any');
const SIZES = { provider: 'acme', model: 'large', inputTokens: 3, cachedTokens: 0, outputTokens: 2, maxTokens: 5 };
const LUCK = { service: stream, prompt: stream, mode: stream, refusal: stream, hint: stream, fault: stream };

/** Sends attempts one after the other, and gives back how they ended. */
async function ends(asked: Asked, count = 1): Promise<AttemptEnd[]> {
  const scheduler = new WallScheduler(new WallTime());
  const transport = transportTo(asked, scheduler);
  const seen: AttemptEnd[] = [];
  const attempt: Attempt = {
    ...SIZES,
    luck: LUCK,
    answered(end) {
      seen.push(end);
      if (seen.length < count) transport.send(attempt);
    },
  };
  scheduler.after(0, PHASE.dispatch, () => transport.send(attempt), undefined);
  const errors: unknown[] = [];
  await scheduler.run({ onError: (error) => errors.push(error), isAwaited: () => transport.inFlight > 0 });
  await transport.close();
  expect(errors).toEqual([]);
  return seen;
}

async function endOf(respond: Respond, asked: Omit<Asked, 'baseUrl'> = {}): Promise<AttemptEnd | undefined> {
  const [end] = await ends({ baseUrl: `${urlOf(await served(respond))}/v1`, ...asked });
  return end;
}

const json =
  (status: number, body: object, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const events =
  (...frames: readonly (object | string)[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) response.write(frameOf(frame));
    response.end();
  };

function frameOf(frame: object | string): string {
  if (typeof frame === 'string') return `${frame}\n\n`;
  const type = (frame as { readonly type?: string }).type;
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(frame)}\n\n`;
}

const delta = (said: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: said, finish_reason: finish }],
});
const USAGE = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } };
const DONE = 'data: [DONE]';

describe('what it asks', () => {
  const prompt = 'the sea has ';

  it.each<[DialectName, boolean, string, object, object]>([
    [
      'openai',
      true,
      '/prefix/v9/chat/completions',
      { authorization: 'Bearer secret' },
      {
        model: 'large',
        messages: [{ role: 'user', content: prompt }],
        max_tokens: 5,
        stream: true,
        stream_options: { include_usage: true },
      },
    ],
    [
      'openai',
      false,
      '/prefix/v9/chat/completions',
      { authorization: 'Bearer secret' },
      { model: 'large', messages: [{ role: 'user', content: prompt }], max_tokens: 5 },
    ],
    [
      'anthropic',
      true,
      '/prefix/v9/messages',
      { 'x-api-key': 'secret', 'anthropic-version': '2023-06-01' },
      { model: 'large', max_tokens: 5, messages: [{ role: 'user', content: prompt }], stream: true },
    ],
    [
      'gemini',
      true,
      '/prefix/v9/models/large:streamGenerateContent?alt=sse',
      { 'x-goog-api-key': 'secret' },
      { contents: [{ role: 'user', parts: [{ text: prompt }] }], generationConfig: { maxOutputTokens: 5 } },
    ],
    [
      'gemini',
      false,
      '/prefix/v9/models/large:generateContent',
      { 'x-goog-api-key': 'secret' },
      { contents: [{ role: 'user', parts: [{ text: prompt }] }], generationConfig: { maxOutputTokens: 5 } },
    ],
  ])('in the words of %s, streamed: %s', async (wire, isStreamed, path, headers, body) => {
    const server = createServer();
    open.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ended = ends({ baseUrl: `${urlOf(server)}/prefix/v9/`, wire, stream: isStreamed, apiKey: 'secret' });
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const chunks: Buffer[] = await request.toArray();
    response.writeHead(500).end();
    await ended;
    expect([request.method, request.url]).toEqual(['POST', path]);
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', ...headers });
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(body);
  });
});

describe('what it makes of an answer', () => {
  const document = { choices: [{ message: { role: 'assistant', content: 'yes' } }], usage: USAGE.usage };
  const whole = { class: 'ok', inputTokens: 7, outputTokens: 9, firstTokenMs: null };

  it.each<[string, Respond, object]>([
    ['a document, with the usage that it states', json(200, document), whole],
    [
      'a document without usage: what was asked for',
      json(200, { choices: document.choices }),
      { class: 'ok', inputTokens: 3, outputTokens: 2 },
    ],
    ['a wait in seconds', json(429, {}, { 'retry-after': '3' }), { class: 'throttle', retryAfterMs: 3_000 }],
    [
      'a wait in milliseconds',
      json(429, {}, { 'retry-after-ms': '1500.5' }),
      { class: 'throttle', retryAfterMs: 1501 },
    ],
    [
      "a date, by the answer's own",
      json(429, {}, { 'retry-after': 'Mon, 30 Nov 2026 09:00:10 GMT', date: 'Mon, 30 Nov 2026 09:00:00 GMT' }),
      { class: 'throttle', retryAfterMs: 10_000 },
    ],
    [
      'a date without another, by the clock',
      (response, request) => {
        response.sendDate = false;
        json(429, {}, { 'retry-after': 'Mon, 30 Nov 2026 12:00:10 GMT' })(response, request);
      },
      { class: 'throttle', retryAfterMs: 10_000 },
    ],
    [
      'a limit of concurrent requests',
      json(429, { error: { message: 'too many concurrent requests' } }),
      { class: 'throttle', scope: 'concurrency' },
    ],
    ['no capacity', json(503, {}), { class: 'overload', retryAfterMs: null }],
    ['a failure', json(500, {}), { class: 'transient' }],
    ["a gateway's page", (response) => response.writeHead(502).end('<html>Bad Gateway</html>'), { class: 'transient' }],
    ['a page in place of an answer', (response) => response.end('<html>Sign in</html>'), { class: 'transient' }],
    ['an answer that is empty', (response) => response.end(), { class: 'transient' }],
    ['an error in a success', json(200, { error: { code: 429, message: 'slow down' } }), { class: 'throttle' }],
    ['a wrong key', json(401, {}), { class: 'auth' }],
    ['a wrong path', json(404, {}), { class: 'bad_request' }],
    ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), { class: 'bad_request' }],
    ['too much at once', json(413, {}), { class: 'request_too_large' }],
    ['a connection that is torn down', (response) => response.destroy(), { class: 'transient', retryAfterMs: null }],
    [
      'half a body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices": [', () => response.destroy());
      },
      { class: 'transient' },
    ],
  ])('%s', async (_, respond, expected) => {
    expect(await endOf(respond)).toMatchObject(expected);
  });

  const told = { class: 'ok', inputTokens: 7, outputTokens: 9, firstTokenMs: expect.any(Number) };
  const opening = delta({ role: 'assistant', content: '' });
  const message = (usage: object): object => ({ type: 'message_start', message: { usage } });

  it.each<[string, DialectName, Respond, object]>([
    ['text', 'openai', events(opening, delta({ content: 'y' }), delta({}, 'stop'), USAGE, DONE), told],
    ['reasoning', 'openai', events(opening, delta({ reasoning_content: 'hm' }), delta({}, 'stop'), USAGE, DONE), told],
    [
      'the call of a tool',
      'openai',
      events(opening, delta({ tool_calls: [{ function: { arguments: '{' } }] }), delta({}, 'tool_calls'), USAGE, DONE),
      told,
    ],
    ['nothing generated', 'openai', events(opening, delta({}, 'stop'), USAGE, DONE), { ...told, firstTokenMs: null }],
    [
      'no usage',
      'openai',
      events(opening, delta({ content: 'y' }), delta({}, 'stop'), DONE),
      { ...told, inputTokens: 3, outputTokens: 2 },
    ],
    ['nothing but signs of life', 'openai', events(': keep-alive', ': keep-alive'), { class: 'overload' }],
    ['no end', 'openai', events(opening, delta({ content: 'y' })), { class: 'transient' }],
    [
      'half an end',
      'openai',
      events(opening, delta({ content: 'y' }), 'data: {"choices":[{"finish_rea'),
      { class: 'transient' },
    ],
    [
      'text in the words of anthropic, with cached input',
      'anthropic',
      events(
        message({ input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 1 }),
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'y' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
        { type: 'message_stop' },
      ),
      told,
    ],
    [
      'an error after a while',
      'anthropic',
      events(
        message({ input_tokens: 4, output_tokens: 1 }),
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'y' } },
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ),
      { class: 'overload' },
    ],
    [
      'text in the words of gemini, with thoughts',
      'gemini',
      events(
        { candidates: [{ content: { parts: [{ text: 'y' }] } }], usageMetadata: { promptTokenCount: 7 } },
        {
          candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 6, thoughtsTokenCount: 3 },
        },
      ),
      told,
    ],
    [
      'more than is kept, and an end',
      'openai',
      events(opening, ...Array(40).fill(delta({ content: 'y'.repeat(4_000) })), delta({}, 'stop'), USAGE, DONE),
      told,
    ],
  ])('a stream with %s, from %s', async (_, wire, respond, expected) => {
    expect(await endOf(respond, { wire, stream: true })).toMatchObject(expected);
  });

  it('the first token is the first that is generated, not the role before it', async () => {
    const roleAndWait: Respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frameOf(opening));
      setTimeout(() => response.end([delta({ content: 'y' }, 'stop'), DONE].map(frameOf).join('')), 40);
    };
    const end = await endOf(roleAndWait, { stream: true });
    expect(end).toMatchObject({ class: 'ok' });
    expect((end as { readonly firstTokenMs: number }).firstTokenMs).toBeGreaterThan(38);
  });

  it('nobody there is a failure of the network', async () => {
    const server = await served(() => {});
    const baseUrl = urlOf(server);
    await new Promise((closed) => server.close(closed));
    expect(await ends({ baseUrl })).toEqual([{ class: 'transient', retryAfterMs: null, cause: 'connection-refused' }]);
  });

  it('a server that closes the connection after each answer is asked over a new one', async () => {
    const server = await served(json(200, document, { connection: 'close' }));
    expect(await ends({ baseUrl: urlOf(server) }, 3)).toEqual([whole, whole, whole]);
  });
});

describe('an attempt that is abandoned', () => {
  it('is not sent any more, or closes its connection, and hears nothing', async () => {
    const scheduler = new WallScheduler(new WallTime());
    let requests = 0;
    const server = await served((response) => {
      requests++;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frameOf(delta({ content: 'y' })));
    });
    const transport = transportTo({ baseUrl: urlOf(server), stream: true }, scheduler);
    const answers: AttemptEnd[] = [];
    const attempt: Attempt = { ...SIZES, luck: LUCK, answered: (end) => answers.push(end) };
    let abandonLate = (): void => {};
    scheduler.after(
      0,
      PHASE.dispatch,
      () => {
        abandonLate = transport.send(attempt);
        transport.send(attempt)();
      },
      undefined,
    );
    const [end] = await Promise.all([
      scheduler.run({ onError: (error) => expect.unreachable(String(error)), isAwaited: () => transport.inFlight > 0 }),
      once(server, 'request').then(async ([request]: IncomingMessage[]) => {
        const gone = new Promise((resolve) => request?.socket.once('close', resolve));
        scheduler.after(0, PHASE.timer, () => abandonLate(), undefined);
        await gone;
      }),
    ]);
    expect([end, answers, transport.inFlight]).toEqual(['drained', [], 0]);
    await transport.close();
    // The other left before it was sent.
    expect(requests).toBe(1);
  });

  it('when its answer is in but not told yet, still hears nothing', async () => {
    const server = await served(json(200, {}));
    const pending = new Map<EventHandle, () => void>();
    let heard = (): void => {};
    const isIn = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const scheduler: Scheduler = {
      clock: { now: () => 0, schedule: () => () => {} },
      now: () => 0,
      after(_, __, fn, arg) {
        const handle = (pending.size + 1) as EventHandle;
        pending.set(handle, () => fn(arg));
        heard();
        return handle;
      },
      cancel: (handle) => pending.delete(handle),
    };
    const transport = transportTo({ baseUrl: urlOf(server) }, scheduler);
    const answers: AttemptEnd[] = [];
    const abandon = transport.send({ ...SIZES, luck: LUCK, answered: (end) => answers.push(end) });
    await isIn;
    expect([pending.size, transport.inFlight]).toEqual([1, 1]);
    abandon();
    expect([pending.size, transport.inFlight, answers]).toEqual([0, 0, []]);
    await transport.close();
  });
});
