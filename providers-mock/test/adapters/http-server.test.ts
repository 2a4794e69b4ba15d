/** The mock as a server: its pages, its manners, and what no client may do to it. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type MockServer, type MockServerOptions, startMockServer } from '../../src/server.js';
import type { ModelDraws } from '../../src/wire/generation.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { OPENAI_STYLE } from '../../src/wire/refusal-styles.js';
import { concurrency, provider, requestsPerMinute, steady } from './mock-providers.js';
import { ASK, eventually, post, RawClient, STREAM } from './raw-client.js';

let server: MockServer;
afterEach(() => server.close(0));

async function serve(acme: ApiProvider = provider(), options: Partial<MockServerOptions> = {}): Promise<MockServer> {
  server = await startMockServer({ providers: { acme }, ...options });
  return server;
}

function ask(body: string = ASK, path = '/v1/chat/completions', init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  return fetch(`${server.url}${path}`, { method: 'POST', body, ...init, headers });
}

function large(): MockServer['ledger'] extends () => { models: infer M } ? M[keyof M] : never {
  return server.ledger().models['acme/large']!;
}

/** No request in flight, and each that was decided has ended. */
function addsUp(): void {
  const { requests, admitted, refused, inFlight } = large();
  expect({ inFlight, sum: admitted + refused }).toEqual({ inFlight: 0, sum: requests });
}

const slow = (ms: number): ApiProvider =>
  provider([concurrency(2)], { manners: { draws: steady({ firstTokenMs: ms }) } });
const streaming = (perTokenMs: number): ApiProvider =>
  provider([concurrency(2)], { manners: { draws: steady({ outputTokens: 1000, perTokenMs }) } });

describe('the pages of the server', () => {
  it('health needs no key; models and ledger do', async () => {
    await serve(provider(), { apiKey: 'secret' });
    const status = async (path: string, headers = {}): Promise<number> =>
      (await fetch(`${server.url}${path}`, { headers })).status;
    const key = { authorization: 'Bearer secret' };
    expect([await status('/health'), await status('/v1/models'), await status('/ledger')]).toEqual([200, 401, 401]);
    expect([await status('/v1/models', key), await status('/ledger', key)]).toEqual([200, 200]);
  });

  it('the ledger tells what was decided and what was turned away before', async () => {
    await serve(provider([requestsPerMinute(1)]));
    for (const body of [ASK, ASK, 'no JSON']) await ask(body);
    expect(await (await fetch(`${server.url}/ledger`)).json()).toMatchObject({
      models: { 'acme/large': { requests: 2, admitted: 1, refused: 1, refusedBy: { rpm: 1 }, tokens: { input: 4 } } },
      rejected: { malformed: 1 },
    });
  });

  it.each([
    ['authorization', 'Bearer secret'],
    ['x-api-key', 'secret'],
    ['api-key', 'secret'],
    ['x-goog-api-key', 'secret'],
  ])('takes the key in %s', async (name, value) => {
    await serve(provider(), { apiKey: 'secret' });
    expect((await ask(ASK, undefined, { headers: { [name]: value } })).status).toBe(200);
    expect((await ask(ASK, undefined, { headers: { [name]: `${value}?` } })).status).toBe(401);
  });

  it('several providers are reached each under its own name', async () => {
    server = await startMockServer({ providers: { acme: provider(), 'the other': provider([requestsPerMinute(0)]) } });
    const statuses = await Promise.all(
      ['/acme/v1', '/the%20other/v1', '/v1'].map(async (base) => (await ask(ASK, `${base}/chat/completions`)).status),
    );
    expect(statuses).toEqual([200, 429, 404]);
  });

  it('warns when other machines can reach it, and says nothing otherwise', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: string): void => void warnings.push(warning);
    await serve(provider(), { onWarning });
    await server.close();
    expect(warnings).toEqual([]);
    await serve(provider(), { host: '0.0.0.0', onWarning });
    expect(warnings).toEqual([expect.stringContaining('0.0.0.0')]);
  });

  it('a port that is taken is an error that names it', async () => {
    await serve();
    await expect(startMockServer({ providers: { acme: provider() }, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      port: server.port,
    });
  });
});

describe('connections', () => {
  it('one connection carries many requests, pipelined ones in order', async () => {
    await serve(provider([requestsPerMinute(2)]));
    const client = new RawClient(server.port);
    client.send(post(ASK) + post(STREAM) + post(ASK));
    await client.until('rate_limit_exceeded');
    expect([...client.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200', '429']);
    client.socket.destroy();
    await eventually(() => large().inFlight === 0);
    addsUp();
  });

  it.each([
    ['whole', ASK],
    ['streamed', STREAM],
  ])('the place of a %s answer is free before its client can ask again', async (_, body) => {
    await serve(provider([concurrency(1)]));
    for (let n = 0; n < 50; n += 1) expect((await (await ask(body)).text()).length).toBeGreaterThan(0);
    expect(large()).toMatchObject({ admitted: 50, refused: 0, peakInFlight: 1 });
  });

  it('a client that goes away while it waits frees its slot at once', async () => {
    await serve(slow(60_000));
    const [one, two] = [new RawClient(server.port), new RawClient(server.port)];
    one.send(post(ASK));
    two.send(post(STREAM));
    await eventually(() => large().inFlight === 2);
    expect((await ask()).status).toBe(429);
    one.socket.destroy();
    two.socket.destroy();
    await eventually(() => large().inFlight === 0, 200);
    expect(large()).toMatchObject({ admitted: 2, refused: 1, abandoned: 2, peakInFlight: 2 });
  });

  it('a client that goes away in the middle of a stream frees its slot at once', async () => {
    await serve(streaming(5));
    const client = new RawClient(server.port);
    client.send(post(STREAM));
    await client.until('tide');
    client.socket.destroy();
    await eventually(() => large().inFlight === 0, 200);
    expect(large()).toMatchObject({ abandoned: 1, tokens: { output: 0 } });
  });

  it('a client that goes away in the middle of its body was never there', async () => {
    await serve();
    for (const leave of ['end', 'destroy'] as const) {
      const client = new RawClient(server.port);
      client.send(post(ASK).slice(0, -5));
      await eventually(() => client.socket.bytesWritten > 0);
      client.socket[leave]();
      await client.closed;
    }
    expect((await ask()).status).toBe(200);
    expect(large().requests).toBe(1);
    expect(server.ledger().rejected).toEqual({});
  });

  it('pipelined requests of a connection that breaks are all given up', async () => {
    await serve(slow(60_000));
    const client = new RawClient(server.port);
    client.send(post(ASK) + post(ASK) + post(ASK));
    await eventually(() => large().requests === 3);
    client.socket.destroy();
    await eventually(() => large().inFlight === 0, 200);
    expect(large()).toMatchObject({ admitted: 2, refused: 1, abandoned: 2 });
  });

  it('a client that never reads its stream is closed in time, and the others are served meanwhile', async () => {
    const endless = steady({ outputTokens: 200_000 });
    await serve(provider([concurrency(2)], { manners: { draws: endless } }), { stallMs: 40 });
    const client = new RawClient(server.port, { reads: false });
    client.send(post(JSON.stringify({ ...JSON.parse(STREAM), max_tokens: 200_000 })));
    await eventually(() => large().inFlight === 1);
    expect((await ask(JSON.stringify({ ...JSON.parse(ASK), max_tokens: 1 }))).status).toBe(200);
    await eventually(() => large().inFlight === 0);
    expect(large()).toMatchObject({ admitted: 2, abandoned: 1 });
  });

  it('a client that never reads a whole answer is closed too, though its place is free', async () => {
    const long = steady({ outputTokens: 5_000_000 });
    await serve(provider([concurrency(1)], { manners: { draws: long } }), { stallMs: 40 });
    const client = new RawClient(server.port, { reads: false });
    client.send(post(JSON.stringify({ ...JSON.parse(ASK), max_tokens: 5_000_000 })));
    await eventually(() => large().tokens.output > 0);
    expect(large().inFlight).toBe(0);
    // Without reading, only a write that is answered by a reset tells that the other end is gone; empty lines ask for nothing.
    const knocking = setInterval(() => client.send('\r\n'), 5);
    await client.closed;
    clearInterval(knocking);
    expect(server.ledger().rejected).toEqual({});
  });

  it('half-open connections are closed in time, with an answer in the shape of the provider', async () => {
    await serve(provider(), { receiveMs: 40 });
    const clients = ['', 'POST /v1/chat/completions HTTP/1.1\r\nhost: mock\r\n', post(ASK).slice(0, -5)].map((text) => {
      const client = new RawClient(server.port);
      client.send(text);
      return client;
    });
    await Promise.all(clients.map(({ closed }) => closed));
    expect(clients.map(({ status }) => status).slice(1)).toEqual([408, 408]);
    expect(JSON.parse(clients[2]!.body)).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(large().requests).toBe(0);
  });

  it('ten thousand connections at once, each with a request, are all answered', { timeout: 20_000 }, async () => {
    await serve(provider([concurrency(10_000)]));
    // In a process of its own: a process may not have files enough for both ends.
    const crowd = fork(fileURLToPath(new URL('crowd.mjs', import.meta.url)), [String(server.port), '10000']);
    const [answered] = await once(crowd, 'message');
    expect(answered).toEqual({ answered: 10_000, failed: 0 });
    expect(large()).toMatchObject({ requests: 10_000, admitted: 10_000 });
    addsUp();
    crowd.send('leave');
    await once(crowd, 'exit');
  });
});

describe('bad requests', () => {
  it.each([
    ['no JSON', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['[1]', 'must be a JSON object'],
    ['{"model":"large"}', 'messages: must be a list of objects'],
    ['{"messages":[{}]}', 'model: must be a string'],
    [JSON.stringify({ ...JSON.parse(ASK), stream: 'yes' }), 'stream: must be true or false, got "yes"'],
    [JSON.stringify({ ...JSON.parse(ASK), n: 129 }), 'n: must be at most 128'],
    ['{"__proto__":{"model":"large"},"messages":[{"role":"user"}]}', 'model: must be a string'],
  ])('%s is a 400 that says why', async (body, reason) => {
    await serve();
    const response = await ask(body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; type: string } };
    expect(error).toMatchObject({ type: 'invalid_request_error', message: expect.stringContaining(reason) });
  });

  it('a wrong method is a 405 that names the right one, an unknown path a 404', async () => {
    await serve();
    const wrong = await fetch(`${server.url}/v1/chat/completions`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const unknown = await ask(ASK, '/v2/nothing');
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { type: 'invalid_request_error' } }]);
  });

  it('the names of objects are no models', async () => {
    await serve();
    for (const model of ['__proto__', 'constructor', 'toString']) {
      expect((await ask(JSON.stringify({ ...JSON.parse(ASK), model }))).status).toBe(404);
    }
  });

  it('a body over the limit is a 413, said or sent in chunks, and costs no memory', async () => {
    await serve();
    const before = process.memoryUsage().arrayBuffers;
    expect((await ask('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    const client = new RawClient(server.port);
    client.send('POST /v1/chat/completions HTTP/1.1\r\nhost: mock\r\ntransfer-encoding: chunked\r\n\r\n');
    const megabyte = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, 'x'), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 100; sent += 1) {
      if (!client.socket.write(megabyte)) await once(client.socket, 'drain');
    }
    client.send('0\r\n\r\n');
    await client.closed;
    expect(client.status).toBe(413);
    expect(JSON.parse(client.body)).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);
    expect((await ask()).status).toBe(200);
    expect(server.ledger().rejected).toEqual({ 'body-too-large': 2 });
  });

  it('a body of exactly the limit is read', async () => {
    await serve(provider(), { bodyLimit: ASK.length });
    expect((await ask()).status).toBe(200);
    expect((await ask(`${ASK} `)).status).toBe(413);
  });

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['a bad length', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400],
    ['endless headers', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
  ])('%s is answered in the shape of the provider and closed', async (_, text, status) => {
    await serve();
    const client = new RawClient(server.port);
    client.send(text);
    await client.closed;
    expect(client.status).toBe(status);
    expect(JSON.parse(client.body)).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect((await ask()).status).toBe(200);
  });
});

describe('closing', () => {
  it('answers what is in flight and takes no more', async () => {
    await serve(slow(40));
    const answers = Promise.all([ask(), ask(STREAM)].map(async (answer) => (await answer).text()));
    await eventually(() => large().inFlight === 2);
    const closed = server.close();
    await expect(ask()).rejects.toThrow();
    const [whole, stream] = await answers;
    expect(JSON.parse(whole!).object).toBe('chat.completion');
    expect(stream).toContain('[DONE]');
    await closed;
    addsUp();
  });

  it('gives up what is not done in time', async () => {
    await serve(slow(60_000));
    const answer = ask();
    await eventually(() => large().inFlight === 1);
    const [first, second] = [server.close(20), server.close(20)];
    await expect(answer).rejects.toThrow();
    await Promise.all([first, second]);
    expect(large()).toMatchObject({ inFlight: 0, abandoned: 1 });
  });
});

describe('defects of the mock', () => {
  const broken = (part: Partial<ModelDraws>, options: Partial<ApiProvider> = {}): ApiProvider =>
    provider([concurrency(1)], { ...options, manners: { draws: { ...steady(), ...part } } });
  const throws = (): never => {
    throw new Error('a bad draw');
  };

  it.each([
    ['of the answer', broken({ outputTokens: throws }), 500],
    ['of its times', broken({ times: throws }), null],
    [
      'of a head that no header takes',
      broken({}, { refusal: { ...OPENAI_STYLE, requestIdHeader: 'no header' } }),
      null,
    ],
  ])('%s are told, cost no place, and end no server', async (_, acme, status) => {
    const errors: unknown[] = [];
    await serve(acme, { onError: (error) => void errors.push(error) });
    for (let n = 1; n <= 3; n += 1) {
      const response = await ask().catch(() => null);
      expect(response?.status ?? null).toBe(status);
      expect(errors).toHaveLength(n);
      expect(large()).toMatchObject({ admitted: n, refused: 0, inFlight: 0 });
    }
  });
});

describe('the ledger', () => {
  it('adds up after a crowd of clients of all kinds', async () => {
    await serve(
      provider([concurrency(7)], {
        manners: { draws: steady({ outputTokens: 40, firstTokenMs: 3, perTokenMs: 0.2 }) },
      }),
    );
    const crowd = Array.from({ length: 120 }, async (_, n) => {
      const client = new RawClient(server.port);
      client.send(post(n % 2 === 0 ? ASK : STREAM));
      if (n % 3 === 0) await eventually(() => client.text !== '');
      if (n % 5 === 0) client.socket.destroy();
      else await eventually(() => /\}\s*$|\[DONE\]/.test(client.text) || client.text.includes('\r\n0\r\n'));
      client.socket.destroy();
      await client.closed;
    });
    await Promise.all(crowd);
    await eventually(() => large().inFlight === 0);
    const { requests, admitted, refused, peakInFlight } = large();
    expect(requests).toBeGreaterThan(90);
    expect(refused).toBeGreaterThan(0);
    expect(peakInFlight).toBeLessThanOrEqual(7);
    expect(admitted + refused).toBe(requests);
    addsUp();
  });
});
