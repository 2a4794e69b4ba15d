/** The parts of a live run that need no network: base URLs, keys, budgets, causes, diagnoses. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readKey } from '../../src/cli/api-key.js';
import { confirm } from '../../src/cli/confirm.js';
import { readEndpoint } from '../../src/cli/endpoint.js';
import { causeOf } from '../../src/transport/answer-cause.js';
import { readBaseUrl } from '../../src/transport/base-url.js';
import { type Budget, Spending } from '../../src/transport/budget.js';
import { proxyFor } from '../../src/transport/connections.js';
import { explain, hopelessness } from '../../src/transport/diagnosis.js';
import type { Heard } from '../../src/transport/http-transport.js';
import { scenarioText } from '../simulate.js';

const scratch = mkdtempSync(join(tmpdir(), 'tidegate-rails-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('a base URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/v1'],
    ['https://api.example.com/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
    ['https://gate.example.com/llm/team', 'https://gate.example.com/llm/team/v1'],
    ['https://gate.example.com/llm/team/v1//', 'https://gate.example.com/llm/team/v1'],
    ['https://open.example.cn/api/paas/v4', 'https://open.example.cn/api/paas/v4'],
    ['https://example.com/v1beta/openai/', 'https://example.com/v1beta/openai'],
    ['http://[::1]:8080', 'http://[::1]:8080/v1'],
    [' http://127.0.0.1:1234 ', 'http://127.0.0.1:1234/v1'],
  ])('%s goes to %s', (written, url) => {
    expect(readBaseUrl(written)).toMatchObject({ kind: 'url', baseUrl: { url } });
  });

  it.each([
    ['api.example.com', 'is no URL'],
    ['ftp://example.com', 'begins with ftp://'],
    ['https://user:hush@example.com/v1', 'holds a user or a password'],
    ['https://example.com/v1?key=hush', 'holds a query'],
  ])('%s is none, and no secret in it is repeated', (written, message) => {
    const reading = readBaseUrl(written);
    expect(reading).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
    expect(JSON.stringify(reading)).not.toContain('hush');
  });

  it.each([
    ['http://localhost', true],
    ['http://127.8.9.1', true],
    ['http://[::1]', true],
    ['http://[::ffff:127.0.0.1]', true],
    ['http://127.0.0.1.example.com', false],
    ['http://10.0.0.1', false],
    ['http://localhost.example.com', false],
  ])('%s is this machine: %s', (written, isLoopback) => {
    expect(readBaseUrl(written)).toMatchObject({ baseUrl: { isLoopback } });
  });

  it.each([
    ['https://api.example.com', 'http://s:1'],
    ['http://api.example.com', 'http://p:1'],
    ['http://127.0.0.1:80', ''],
    ['https://[::1]', ''],
  ])('%s is reached through %j', (origin, proxy) => {
    expect(proxyFor(origin, { http: 'http://p:1', https: 'http://s:1', none: '' })).toBe(proxy);
  });
});

describe('a key', () => {
  const file = (name: string, text: string, mode: number): string => {
    const path = join(scratch, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const read = (path: string) => readKey({ file: path, variables: ['K'], env: { K: 'other' } });

  it('comes from a file that its owner alone can read, without the line break at its end', () => {
    const path = file('mine', 'sk-hush\n', 0o600);
    expect(read(path)).toEqual({ kind: 'key', key: 'sk-hush', from: path });
  });

  it.each([
    ['that its group may read', 'sk-hush', 0o640, 'chmod 600'],
    ['that everybody may read', 'sk-hush', 0o604, 'chmod 600'],
    ['that is empty', '\n', 0o600, 'holds no key'],
    ['of two lines', 'sk-hush\nsk-hush', 0o600, 'is no key'],
    ['in quotes', '"sk-hush"', 0o600, 'quotes'],
    ['too large', 'hush'.repeat(2_000), 0o600, 'too large'],
  ])('is refused from a file %s, and not repeated', (name, text, mode, message) => {
    const reading = read(file(name, text, mode));
    expect(reading).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
    expect(JSON.stringify(reading)).not.toContain('hush');
  });

  it('is refused from a folder, and from what is not there', () => {
    expect(read(scratch)).toMatchObject({ kind: 'problem', message: expect.stringContaining('no regular file') });
    expect(read(join(scratch, 'no'))).toMatchObject({ kind: 'problem', message: expect.stringContaining('ENOENT') });
  });

  it('comes from the first variable that holds one', () => {
    const variables = ['A', 'B', 'C'];
    expect(readKey({ file: undefined, variables, env: { A: '', B: 'b', C: 'c' } })).toMatchObject({
      key: 'b',
      from: '$B',
    });
    expect(readKey({ file: undefined, variables, env: {} })).toEqual({ kind: 'none' });
  });
});

describe('an endpoint', () => {
  const bare = { stream: true, key: true, yes: false };
  const env = {
    OPENAI_BASE_URL: 'https://a.example.com',
    OPENAI_API_KEY: 'k',
    OPENAI_MODEL: 'm',
    MINE: 'https://b.example.com',
  };

  it('comes from the command line, then from the variables that the scenario names, then from the usual ones', () => {
    expect(readEndpoint(bare, {}, env)).toMatchObject({ endpoint: { baseUrl: { host: 'a.example.com' }, model: 'm' } });
    expect(readEndpoint(bare, { baseUrlEnv: 'MINE' }, env)).toMatchObject({
      endpoint: { baseUrl: { host: 'b.example.com' } },
    });
    const given = { ...bare, baseUrl: 'https://c.example.com', model: 'n', wire: 'anthropic' as const };
    expect(
      readEndpoint(given, { baseUrlEnv: 'MINE', wire: 'openai' }, { ...env, ANTHROPIC_API_KEY: 'a' }),
    ).toMatchObject({
      endpoint: { baseUrl: { host: 'c.example.com' }, model: 'n', wire: 'anthropic', apiKey: 'a' },
    });
  });

  it.each<[string, object, object, string]>([
    ['no URL', {}, {}, 'give --base-url URL, or set OPENAI_BASE_URL'],
    ['no key', { baseUrl: 'https://x.example.com' }, {}, 'set OPENAI_API_KEY, give --api-key-file FILE, or --no-key'],
    [
      'a proxy that is none',
      { baseUrl: 'https://x.example.com', key: false },
      { https_proxy: 'nonsense' },
      'proxy variables',
    ],
  ])('%s: says what to do', (_, options, variables, message) => {
    const reading = readEndpoint({ ...bare, ...options }, {}, variables as Record<string, string>);
    expect(reading).toMatchObject({ kind: 'problem', message: expect.stringContaining(message) });
  });

  it('on this machine needs no key, and no proxy comes in between', () => {
    const reading = readEndpoint({ ...bare, baseUrl: 'http://localhost:1' }, {}, { http_proxy: 'http://p:1' });
    expect(reading).toMatchObject({ kind: 'endpoint', endpoint: { apiKey: null, proxy: undefined } });
  });

  it('elsewhere names the variable of the proxy in between, and its host without what may be a password', () => {
    const reading = readEndpoint(
      { ...bare, baseUrl: 'http://x.example.com', key: false },
      {},
      { HTTP_PROXY: 'http://u:hush@p:1' },
    );
    expect(reading).toMatchObject({ endpoint: { proxy: { variable: 'HTTP_PROXY', host: 'p:1' } } });
  });
});

describe('consent', () => {
  const ask = async (said: string | undefined) => {
    const [input, output, interrupt] = [new PassThrough(), new PassThrough(), new AbortController()];
    const answer = confirm('send this?', interrupt.signal, { input, output });
    if (said === undefined) interrupt.abort();
    else input.end(said);
    return [await answer, String(output.read())] as const;
  };

  it.each([
    ['y\n', true],
    ['YES\n', true],
    [' yes \n', true],
    ['\n', false],
    ['n\n', false],
    ['yesterday\n', false],
    ['', false],
    [undefined, false],
  ])(
    '%j is one: %s',
    async (said, isOne) => {
      const [answer, asked] = await ask(said);
      expect([answer, asked]).toEqual([isOne, expect.stringContaining('send this? [y/N] ')]);
    },
    5_000,
  );
});

describe('Ctrl-C at the question', () => {
  it('is heard as anywhere else, and is no consent', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const heard = vi.fn();
    process.once('SIGINT', heard);
    const answer = confirm('send this?', new AbortController().signal, { input, output, terminal: true });
    input.write('\x03');
    expect([await answer, heard.mock.calls.length]).toEqual([false, 1]);
  });
});

describe('budgets', () => {
  const NONE: Budget = { requests: 1e9, tokens: Infinity, cost: Infinity, timeMs: Infinity, errors: 3 };
  const PRICES = { inputPerMillion: 1, outputPerMillion: 10, currency: 'USD' };
  const sizes = { inputTokens: 100, maxTokens: 50 };
  const ok = { class: 'ok', inputTokens: 100, outputTokens: 5, firstTokenMs: null } as const;
  const failed = { class: 'transient', retryAfterMs: null, cause: 'status-500' } as const;
  const refused = { class: 'throttle', retryAfterMs: null } as const;

  it('the last request that fits is sent, and no other', () => {
    const spending = new Spending({ ...NONE, requests: 2 }, null);
    for (const n of [1, 2]) {
      expect([n, spending.objection(sizes)]).toEqual([n, undefined]);
      spending.leaves(sizes);
    }
    expect(spending.objection(sizes)).toEqual({
      mayPass: false,
      why: 'the budget of 2 requests is spent; raise --max-requests',
    });
  });

  it('what is in flight counts at its worst, what is answered as it was', () => {
    const spending = new Spending({ ...NONE, tokens: 310 }, null);
    spending.leaves(sizes);
    spending.leaves(sizes);
    // 300 at worst, and 150 more would be 450.
    expect(spending.objection(sizes)).toMatchObject({
      mayPass: true,
      why: expect.stringContaining('budget of 310 tokens'),
    });
    spending.ended(sizes, ok);
    spending.ended(sizes, refused);
    // 105 spent, a refusal costs nothing.
    expect(spending.objection(sizes)).toBeUndefined();
    spending.leaves(sizes);
    spending.abandoned(sizes);
    // What was given up may be charged all the same: 255.
    expect(spending.objection({ inputTokens: 50, maxTokens: 5 })).toBeUndefined();
    expect(spending.objection(sizes)?.mayPass).toBe(false);
    expect(spending.spent).toEqual({ input: 200, output: 55 });
  });

  it('money is counted by the prices, and cannot be without them', () => {
    const spending = new Spending({ ...NONE, cost: 0.0011 }, PRICES);
    // 100 × 1 + 50 × 10 = 600 millionths.
    spending.leaves(sizes);
    expect(spending.objection(sizes)).toMatchObject({
      mayPass: true,
      why: expect.stringMatching(
        /budget of 0\.0011 USD: 0\.00 is spent, a request may take 0\.000600; raise --max-cost/,
      ),
    });
    spending.ended(sizes, ok);
    expect(spending.objection(sizes)).toBeUndefined();
    expect(() => new Spending({ ...NONE, cost: 1 }, null)).toThrow(RangeError);
  });

  it('a tokenizer that counts more than was taken for a prompt is reckoned with', () => {
    const spending = new Spending({ ...NONE, tokens: 500 }, null);
    spending.leaves(sizes);
    spending.ended(sizes, { ...ok, inputTokens: 200 });
    // 205 spent; the next may take 2 × 100 + 50, and one of 30 tokens 2 × 30 + 5.
    expect(spending.objection(sizes)).toBeUndefined();
    spending.leaves(sizes);
    expect(spending.spent).toEqual({ input: 400, output: 55 });
    expect(spending.objection({ inputTokens: 20, maxTokens: 5 })).toBeUndefined();
    expect(spending.objection({ inputTokens: 21, maxTokens: 5 })?.mayPass).toBe(true);
  });

  it('failures in a row end it; a success or a refusal begins the count anew', () => {
    const spending = new Spending(NONE, null);
    const after = [failed, failed, refused, failed, failed, ok, failed, failed, failed].map((end) => {
      spending.leaves(sizes);
      return spending.ended(sizes, end);
    });
    expect(after.slice(0, -1).every((each) => each === undefined)).toBe(true);
    expect(after.at(-1)).toMatch(/3 failures in a row, the last: status-500/);
  });
});

describe('why an attempt was no success', () => {
  const answer = { status: 200, contentType: 'application/json', body: '', error: undefined };
  const thrown = (code: string): Error => Object.assign(new Error('no'), { code });

  it.each([
    [{ error: thrown('ECONNREFUSED'), status: undefined }, 'connection-refused'],
    [{ error: thrown('ENOTFOUND'), status: undefined }, 'unknown-host'],
    [{ error: thrown('UND_ERR_SOCKET'), status: undefined }, 'connection-reset'],
    [{ error: thrown('UND_ERR_CONNECT_TIMEOUT'), status: undefined }, 'connect-timeout'],
    [{ error: thrown('DEPTH_ZERO_SELF_SIGNED_CERT'), status: undefined }, 'tls'],
    [{ error: thrown('ERR_SSL_WRONG_VERSION_NUMBER'), status: undefined }, 'tls'],
    [{ error: thrown('HPE_INVALID_CONSTANT'), status: undefined }, 'not-http'],
    [{ error: new Error('no', { cause: thrown('EHOSTUNREACH') }), status: undefined }, 'unreachable'],
    [{ error: new Error('Proxy response (407) !== 200'), status: undefined }, 'proxy'],
    [{ status: 302 }, 'redirect'],
    [{ status: 502, body: '<html>' }, 'status-502'],
    [{ body: '<!doctype html>' }, 'html-page'],
    [{ body: 'hello', contentType: 'text/plain' }, 'not-json'],
    [{ body: ' ' }, 'empty-answer'],
    [{ body: { error: {} } }, 'error-in-200'],
    [{ body: 'data: {"error":{}}\n\n', contentType: 'text/event-stream' }, 'error-in-stream'],
    [{ body: 'data: {}\n\n', contentType: 'text/event-stream' }, 'cut-off'],
    [{ body: '', contentType: 'text/event-stream' }, 'empty-answer'],
    [{ error: thrown('UND_ERR_SOCKET'), body: '{"a' }, 'cut-off'],
  ])('%j is %s', (given, cause) => {
    expect(causeOf({ ...answer, ...given })).toBe(cause);
  });
});

describe('what to check', () => {
  const circumstances = { wire: 'openai', hasKey: true, proxyVariable: undefined } as const;
  const heard: Heard = {
    ...{ model: 'big', class: 'auth', cause: 'status-401', status: 401, headers: {} },
    ...{
      body: { error: { message: 'wrong key sk-hush', code: 'invalid_api_key' } },
      isGenerated: false,
      outputTokens: undefined,
    },
  };

  it.each<[string, Partial<Heard>, RegExp]>([
    ['a wrong key', {}, /401 \(invalid_api_key\): the key is not accepted/],
    ['money', { class: 'quota_exhausted', status: 429 }, /quota is used up/],
    ['a model', { class: 'bad_request', status: 404, cause: 'status-404' }, /no such model[\s\S]*big/],
    [
      'a model in words',
      { class: 'bad_request', status: 400, body: { error: { message: 'The model `big` does not exist' } } },
      /no such model/,
    ],
    ['a redirect', { class: 'bad_request', status: 301, cause: 'redirect', body: '' }, /redirects elsewhere/],
  ])('%s: nothing more is sent, and no word of the answer is repeated', (_, part, words) => {
    const said = hopelessness({ ...heard, ...part }, circumstances);
    expect(said).toMatch(words);
    expect(said).not.toContain('hush');
  });

  const bad = (message: string, error: object = {}): Partial<Heard> => ({
    ...{ class: 'bad_request', status: 400, cause: 'status-400' },
    body: { error: { message, ...error } },
  });

  it.each<[string, Partial<Heard>, RegExp]>([
    [
      'max_tokens',
      bad(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        {
          param: 'max_tokens',
          code: 'unsupported_parameter',
        },
      ),
      /400 \(unsupported_parameter\): it does not take max_tokens\n {2}check: --max-tokens-field max_completion_tokens/,
    ],
    [
      'max_completion_tokens',
      bad('Unrecognized request argument supplied: max_completion_tokens'),
      /does not take max_completion_tokens\n {2}check: --max-tokens-field max_tokens,/,
    ],
    ['stream_options', bad('stream_options: Extra inputs are not permitted'), /stream_options[\s\S]*--no-stream/],
  ])('an endpoint that does not take %s: says what to set', (_, part, words) => {
    expect(hopelessness({ ...heard, ...part }, circumstances)).toMatch(words);
  });

  it('a limit that is too high is another matter', () => {
    const part = bad('max_tokens is too large: 100000', { param: 'max_tokens', code: 'invalid_value' });
    expect(hopelessness({ ...heard, ...part }, circumstances)).toBeUndefined();
    expect(explain({ ...heard, ...part }, circumstances)).toMatch(/tokens\.max: not above what the model allows/);
  });

  it.each<[string, Partial<Heard>]>([
    ['a refusal', { class: 'throttle', status: 429 }],
    ['an outage', { class: 'transient', status: 500, cause: 'status-500' }],
    [
      'a request that is wrong by itself',
      { class: 'bad_request', status: 400, body: { error: { message: 'temperature' } } },
    ],
  ])('%s is no reason to end', (_, part) => {
    expect(hopelessness({ ...heard, ...part }, circumstances)).toBeUndefined();
  });

  it('a code that could be a secret is not shown, and the proxy is', () => {
    const body = { error: { code: 'sk-hush-1234567890', type: 'Hush hush' } };
    const said = explain({ ...heard, body }, { ...circumstances, proxyVariable: 'https_proxy' });
    expect(said).not.toMatch(/hush/i);
    expect(said).toContain('https_proxy puts a proxy in between');
  });
});

describe('what a scenario says of a live run', () => {
  const text = (live: string): string => `
providers: { acme: { models: { large: {} } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 1 } }] }
live: ${live}
`;

  it('names variables and prices, and is there as it was said', () => {
    expect(
      scenarioText(text('{ apiKeyEnv: MY_KEY, prices: { inputPerMillion: 0.5, outputPerMillion: 2 } }')).live,
    ).toEqual({
      apiKeyEnv: 'MY_KEY',
      prices: { inputPerMillion: 0.5, outputPerMillion: 2, currency: 'USD' },
    });
  });

  it('is no place for a key, and does not repeat one', () => {
    const wrong = (): unknown => scenarioText(text('{ apiKeyEnv: sk-hush-1234 }'));
    expect(wrong).toThrow(/live\.apiKeyEnv {2}expected the name of the environment variable/);
    expect(wrong).not.toThrow(/hush/);
  });
});
