/**
 * Live runs against endpoints of all manners: gateways one behind the other, connections that do not last, IPv6, and what
 * is no endpoint at all. Each bad one gives a clear message and a defined end.
 */

import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { outcomeLines } from '../../src/cli/run-lines.js';
import { readBaseUrl } from '../../src/transport/base-url.js';
import { scenarioText } from '../simulate.js';
import { ANSWER, answers, type Respond, ran, runLive, served, settled } from './live-run.js';
import { CERTIFICATE, PRIVATE_KEY } from './self-signed.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  vi.restoreAllMocks();
});

async function server(respond: Respond, host?: '127.0.0.1' | '::1') {
  const one = await served(respond, host);
  closers.push(one.close);
  return one;
}

const work = (more = ''): ReturnType<typeof scenarioText> =>
  scenarioText(`
providers: { acme: { models: { large: {} } } }
workload: { runs: [{ id: r, target: acme/large, timeout: 2s, agents: { count: 4, requests: 3, tokens: { input: 40, output: 8, max: 16 } } }] }
governor: { retry: { firstDelay: 20ms, maxDelay: 50ms } }
${more}`);

const whole = { stream: false } as const;
const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** What comes after the probe, whose answer is well. */
const afterProbe = (respond: Respond): Respond => {
  let requests = 0;
  return (response, request, body) =>
    requests++ === 0 ? answers(response, request, body) : respond(response, request, body);
};

describe('an endpoint', () => {
  it('behind a gateway behind a gateway, with a path of its own', async () => {
    const seen: string[] = [];
    const inner = await server((response, request, body) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      answers(response, request, body);
    });
    const gateway =
      (to: string): Respond =>
      (response, request, body) => {
        const { method, url, headers } = request;
        const { host: _, ...passed } = headers;
        forward(to + (url as string).replace(/^\/hop/, ''), { method, headers: passed }, (answer) => {
          response.writeHead(answer.statusCode as number, answer.headers);
          answer.pipe(response);
        }).end(body);
      };
    const middle = await server(gateway(inner.url));
    const outer = await server(gateway(middle.url));
    const { summary } = await ran(work(), { baseUrl: `${outer.url}/hop/hop/v1`, apiKey: 'k', ...whole });
    expect(summary.requests).toMatchObject({ logical: 12, succeeded: 12, attempts: 12 });
    expect(new Set(seen)).toEqual(new Set(['POST /v1/chat/completions Bearer k']));
  });

  it('that two providers of one scenario share: each has its cap, and the prompts of both differ', async () => {
    const asked: string[] = [];
    const { url } = await server((response, request, body) => {
      const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
      asked.push(`${model} ${messages[0]?.content.slice(0, 9)}`);
      answers(response, request, body);
    });
    const two = scenarioText(`
providers: { acme: { models: { large: {} } }, beta: { models: { small: {} } } }
workload:
  runs:
    - { id: a, target: acme/large, agents: { count: 2, requests: 2, tokens: { input: 40, output: 8, max: 16 } } }
    - { id: b, target: beta/small, agents: { count: 2, requests: 2, tokens: { input: 40, output: 8, max: 16 } } }
`);
    const { summary } = await ran(two, { baseUrl: `${url}/v1`, ...whole });
    expect(Object.keys(summary.keys)).toEqual(['acme/large', 'beta/small']);
    expect(summary.requests.succeeded).toBe(8);
    // The probe is one of the first model.
    expect(asked.filter((each) => each.startsWith('large'))).toHaveLength(5);
    expect(new Set(asked.slice(1).map((each) => each.split(' ', 3)[2])).size).toBe(8);
  });

  it('opens as many connections as the cap lets requests through, and asks for the longest answer by either name', async () => {
    const sockets = new Set<object>();
    const bodies: object[] = [];
    const { url } = await server((response, request, body) => {
      sockets.add(request.socket);
      bodies.push(JSON.parse(body) as object);
      answers(response, request, body);
    });
    const two = work().governor;
    const scenario = { ...work(), governor: { ...two, options: { ...two.options, initial: 2, growthLimit: 2 } } };
    const maxTokensField = 'max_completion_tokens' as const;
    const { summary } = await ran(scenario, { baseUrl: `${url}/v1`, maxTokensField, ...whole });
    expect(summary.requests.succeeded).toBe(12);
    // The probe has one of its own, and one is free again a moment after its answer only.
    expect(sockets.size).toBeLessThanOrEqual(4);
    expect(bodies.every((body) => 'max_completion_tokens' in body && !('max_tokens' in body))).toBe(true);
  });

  it('that closes each connection after its answer', async () => {
    const { url } = await server((response, request, body) => {
      response.setHeader('connection', 'close');
      answers(response, request, body);
    });
    const { summary } = await ran(work(), { baseUrl: `${url}/v1`, ...whole });
    expect(summary.requests).toMatchObject({ succeeded: 12, attempts: 12 });
  });

  // One at a time, so that each retry finds no other kept connection that is reset as well, and uses up its retries on them.
  it('that resets kept connections between requests: an attempt that fails is sent again', async () => {
    const used = new WeakSet<object>();
    let resets = 0;
    const { url } = await server((response, request, body) => {
      if (used.has(request.socket)) {
        resets++;
        request.socket.resetAndDestroy();
        return;
      }
      used.add(request.socket);
      answers(response, request, body);
    });
    const { providers, governor, ...rest } = work();
    const serial = { ...governor, options: { ...governor.options, initial: 1, growthLimit: 1 } };
    const run = await ran({ providers, governor: serial, ...rest }, { baseUrl: `${url}/v1`, ...whole });
    expect(run.summary.requests).toMatchObject({ logical: 12, succeeded: 12, lost: 0 });
    expect(resets).toBeGreaterThan(0);
    expect(run.summary.live?.failures).toEqual({ 'connection-reset': resets });
    expect(outcomeLines(run.summary)).toContain(`  failed attempts: ${resets} connection-reset`);
  });

  it.each(['', '/', '/v1', '/v1/', '/v1/chat/completions'])(
    'by the base URL that people have, ending in "%s"',
    async (end) => {
      const paths = new Set<string | undefined>();
      const { url } = await server((response, request, body) => {
        paths.add(request.url);
        answers(response, request, body);
      });
      const reading = readBaseUrl(`${url}${end}`);
      if (reading.kind === 'problem') throw new Error(reading.message);
      const { summary } = await ran(work(), { baseUrl: reading.baseUrl.url, ...whole });
      expect([summary.requests.succeeded, [...paths]]).toEqual([12, ['/v1/chat/completions']]);
    },
  );

  it('on IPv6', async () => {
    const { url } = await server(answers, '::1');
    expect((await ran(work(), { baseUrl: `${url}/v1`, ...whole })).summary.requests.succeeded).toBe(12);
  });

  it('that tells no tokens: they are estimated, and marked so', async () => {
    const { url } = await server((response) => json(response, 200, { choices: ANSWER.choices }));
    const run = await ran(work(), { baseUrl: `${url}/v1`, ...whole });
    expect(run.summary.live?.tokens).toEqual({ stated: 0, estimated: 12, reasoning: 0 });
    expect(settled(run).every(({ observed }) => observed?.tokensEstimated)).toBe(true);
  });

  it('that reasons before it answers: both first tokens are told, and the role is none', async () => {
    const frames = [
      { delta: { role: 'assistant', content: '' } },
      { delta: { reasoning_content: 'hm' } },
      { delta: { content: 'y' } },
      { delta: { content: 'es' }, finish_reason: 'stop' },
    ];
    const { url } = await server((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const said = frames.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
      said.push(
        `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 1 } } })}\n\n`,
        'data: [DONE]\n\n',
      );
      const next = (i: number): void => {
        response.write(said[i]);
        if (i === said.length - 1) response.end();
        else setTimeout(next, 15, i + 1);
      };
      next(0);
    });
    const { summary } = await ran(work(), { baseUrl: `${url}/v1` });
    const { firstAnswer, gap } = summary.live?.latencyMs ?? {};
    expect([firstAnswer?.count, gap?.count]).toEqual([12, 12]);
    expect((firstAnswer?.mean ?? 0) - (summary.latencyMs.firstToken.mean ?? 0)).toBeGreaterThan(5);
    expect(summary.live?.tokens.reasoning).toBe(12);
  });
});

describe('through proxies', () => {
  /** Tunnels every CONNECT to `port`; through a second proxy there, if that is one. */
  async function proxy(port: number, isProxy: boolean, seen: string[]): Promise<number> {
    const one = await served((response) => response.writeHead(400).end());
    closers.push(one.close);
    one.server.on('connect', (request: IncomingMessage, client: Socket) => {
      seen.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const upstream = connect(port, '127.0.0.1', () => {
        if (isProxy) upstream.write(`CONNECT ${request.url} HTTP/1.1\r\nhost: ${request.url}\r\n\r\n`);
        else client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
      client.on('close', () => upstream.destroy());
    });
    return (one.server.address() as AddressInfo).port;
  }

  it('one behind the other, to a host that only they know; its key goes to the endpoint alone', async () => {
    const seen: string[] = [];
    const { server: endpoint } = await server(answers);
    const inner = await proxy((endpoint.address() as AddressInfo).port, false, seen);
    const outer = await proxy(inner, true, seen);
    const proxies = { http: `http://127.0.0.1:${outer}`, https: '', none: '' };
    const { summary } = await ran(work(), { baseUrl: 'http://endpoint.test/v1', apiKey: 'hush', proxies, ...whole });
    expect(summary.requests).toMatchObject({ logical: 12, succeeded: 12 });
    expect(new Set(seen.map((line) => line.trim()))).toEqual(new Set(['endpoint.test:80']));
  });

  it('a proxy that refuses is told, with its variable', async () => {
    const { url } = await server(answers);
    const proxies = { http: url, https: '', none: '' };
    const settings = { baseUrl: 'http://endpoint.test/v1', proxies, proxyVariable: 'http_proxy', ...whole };
    const run = await runLive(work(), settings);
    expect(run).toMatchObject({ kind: 'stopped', why: expect.stringMatching(/http_proxy puts a proxy in between/) });
  });
});

describe('what ends a run', () => {
  it.each<[string, number, object, RegExp]>([
    [
      'a key that is taken back',
      401,
      { error: { code: 'invalid_api_key', message: 'hush' } },
      /401 \(invalid_api_key\)/,
    ],
    ['an account that is empty', 429, { error: { code: 'insufficient_quota', message: 'hush' } }, /quota is used up/],
    ['a model that is gone', 404, { error: { code: 'model_not_found', message: 'hush' } }, /no such model/],
  ])('%s: at once, with what to check', async (_, status, body, words) => {
    const { url } = await server(afterProbe((response) => json(response, status, body)));
    const { finished, events, summary } = await ran(work(), { baseUrl: `${url}/v1`, apiKey: 'k', ...whole });
    expect([finished.stop, finished.complete]).toEqual(['safety-rail', false]);
    expect(finished.detail).toMatch(words);
    expect(finished.detail).toMatch(/check:/);
    // Four were on the way; no other was sent.
    expect(finished.client?.sent).toBe(5);
    expect(summary.requests.succeeded).toBe(0);
    expect(JSON.stringify(events)).not.toContain('hush');
  });

  it.each<[string, object, RegExp, number]>([
    ['requests', { requests: 6 }, /budget of 6 requests/, 6],
    // Each of five took 9; a sixth may take 56.
    ['tokens', { tokens: 100 }, /budget of 100 tokens: 45 are spent, a request may take 56;/, 5],
    ['failures in a row', { errors: 3 }, /3 failures in a row, the last: status-500/, 13],
  ])('a budget of %s: what is on the way comes in, and no more is sent', async (_, budget, words, most) => {
    let requests = 0;
    const isFailing = 'errors' in budget;
    const { url } = await server((response, request, body) => {
      requests++;
      if (isFailing && requests > 1) json(response, 500, {});
      else answers(response, request, body);
    });
    const none = Number.POSITIVE_INFINITY;
    const all = { requests: 1_000, tokens: none, cost: none, timeMs: none, errors: 50, ...budget };
    const { finished } = await ran(work(), { baseUrl: `${url}/v1`, budget: all, ...whole });
    expect(finished.stop).toBe('safety-rail');
    expect(finished.detail).toMatch(words);
    expect(requests).toBe(finished.client?.sent);
    expect(requests).toBeLessThanOrEqual(most);
  });

  it('a budget of time, also in the middle of answers', async () => {
    const { url } = await server(afterProbe(() => {}));
    const none = Number.POSITIVE_INFINITY;
    const budget = { requests: 1_000, tokens: none, cost: none, timeMs: 200, errors: 50 };
    const { finished, summary } = await ran(work(), { baseUrl: `${url}/v1`, budget, ...whole });
    expect(finished.detail).toMatch(/budget of 0\.2 s/);
    expect(summary.requests).toMatchObject({ logical: 4, unfinished: 4 });
  });
});

describe('bad input', () => {
  const start = async (respond: Respond) => (await server(respond)).url;

  it.each<[string, () => Promise<string> | string, RegExp]>([
    ['nobody there', () => 'http://127.0.0.1:1/v1', /nobody listens there[\s\S]*the port/],
    ['no such host', () => 'http://no-such-host.invalid/v1', /name of the host is not known[\s\S]*spelling/],
    [
      'a redirect',
      () => start((response) => response.writeHead(301, { location: 'https://elsewhere.example' }).end()),
      /redirects elsewhere/,
    ],
    [
      'a page',
      () => start((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hush</html>')),
      /a web page/,
    ],
    [
      'text',
      () => start((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hush')),
      /not JSON/,
    ],
    ['nothing', () => start((response) => response.writeHead(200).end()), /nothing in it/],
    ['another JSON', () => start((response) => json(response, 200, { status: 'up' })), /no answer of a model/],
    [
      'a model that answers nothing',
      () =>
        start((response) =>
          json(response, 200, {
            choices: [{ message: { content: '' }, finish_reason: 'length' }],
            usage: { prompt_tokens: 1, completion_tokens: 0 },
          }),
        ),
      /max_tokens too small/,
    ],
    [
      'a wrong model',
      () => start((response) => json(response, 404, { error: { code: 'model_not_found' } })),
      /no such model[\s\S]*model id/,
    ],
    ['a wrong path', () => start((response) => response.writeHead(405).end()), /answered 405[\s\S]*base URL/],
    ['a server that hangs up', () => start((response) => response.destroy()), /closed the connection/],
  ])('%s: the probe finds it, and says what to check', async (_, endpoint, words) => {
    const baseUrl = await endpoint();
    const run = await runLive(work(), { baseUrl, apiKey: 'secret', ...whole });
    expect(run.kind).toBe('stopped');
    expect((run as { readonly why: string }).why).toMatch(words);
    expect((run as { readonly why: string }).why).not.toMatch(/hush|secret/);
  });

  it('a certificate that nobody vouches for: no key goes out', async () => {
    let requests = 0;
    const tls = createTls({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => tls.close(resolve)));
    const run = await runLive(work(), {
      baseUrl: `https://127.0.0.1:${(tls.address() as AddressInfo).port}/v1`,
      apiKey: 'k',
    });
    expect(run).toMatchObject({
      kind: 'stopped',
      why: expect.stringMatching(/no secure connection[\s\S]*certificate/),
    });
    expect(requests).toBe(0);
  });

  it('TLS spoken to a plain server, and plain HTTP to what is none', async () => {
    const { url } = await server(answers);
    const tls = await runLive(work(), { baseUrl: `${url.replace('http:', 'https:')}/v1` });
    expect(tls).toMatchObject({
      kind: 'stopped',
      why: expect.stringMatching(/no secure connection|closed the connection/),
    });
    const raw = createTcp((socket) => socket.on('data', () => socket.end('SSH-2.0-nobody\r\n')));
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => raw.close(resolve)));
    const run = await runLive(work(), { baseUrl: `http://127.0.0.1:${(raw.address() as AddressInfo).port}/v1` });
    expect(run).toMatchObject({ kind: 'stopped', why: expect.stringMatching(/does not speak HTTP/) });
  });

  it('a stream that never ends, at the probe: given up in its time, and told as such', async () => {
    const { url } = await server((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write('data: {"choices":[{"delta":{"content":"y"}}]}\n\n'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const run = await runLive(work(), { baseUrl: `${url}/v1`, probeMs: 300 });
    expect(run).toMatchObject({ kind: 'stopped', why: expect.stringMatching(/time[\s\S]*check:/) });
  });

  it('a stream that never ends: each attempt is given up in its time, and its connection closed', async () => {
    let open = 0;
    const { url } = await server(
      afterProbe((response) => {
        open++;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write('data: {"choices":[{"delta":{"content":"y"}}]}\n\n'), 10);
        response.on('close', () => {
          open--;
          clearInterval(timer);
        });
      }),
    );
    const endless = work().workload.runs.map((run) => ({ ...run, timeoutMs: 150 }));
    const scenario = { ...work(), workload: { runs: endless } };
    const { summary, finished } = await ran(scenario, { baseUrl: `${url}/v1` });
    expect([finished.stop, summary.requests.lost]).toEqual(['done', 4]);
    expect(summary.live?.failures).toEqual({ timeout: 16 });
    await expect.poll(() => open).toBe(0);
  });

  it("a wall clock that jumps: neither the run's times nor the waits that it is told change", async () => {
    const jumps = vi.spyOn(Date, 'now');
    let refusals = 0;
    const { url } = await server(
      afterProbe((response, request, body) => {
        jumps.mockReturnValue(refusals % 2 === 0 ? 0 : 4e12);
        const date = 'Mon, 30 Nov 2026 12:00:00 GMT';
        if (refusals++ > 3) answers(response, request, body);
        else response.writeHead(429, { date, 'retry-after': 'Mon, 30 Nov 2026 12:00:01 GMT' }).end();
      }),
    );
    const { events, summary } = await ran(work(), { baseUrl: `${url}/v1`, ...whole });
    const hints = settled({ events }).flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
    expect([...new Set(hints)]).toEqual([1_000]);
    expect(summary.requests.lost).toBe(0);
    expect(summary.makespanMs).toBeLessThan(20_000);
  });
});
