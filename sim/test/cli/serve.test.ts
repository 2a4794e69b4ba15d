/** `sim serve` as a process: what it says, what it serves, and how it ends. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { profileNames } from '@tidegate/providers-mock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-serve-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let child: Serving | undefined;
afterEach(() => child?.process.kill('SIGKILL'));

class Serving {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  readonly exited: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[]) {
    this.process = spawn(process.execPath, [join(ROOT, 'sim/bin/sim.js'), 'serve', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout.on('data', (chunk) => (this.stdout += chunk));
    this.process.stderr.on('data', (chunk) => (this.stderr += chunk));
    this.exited = once(this.process, 'exit');
  }

  /** The URL that it listens on; what it said is whole then. */
  async url(): Promise<string> {
    while (!this.stdout.includes('Ctrl-C')) {
      await Promise.race([once(this.process.stdout, 'data'), this.exited]);
      if (this.process.exitCode !== null) throw new Error(`ended: ${this.stderr}`);
    }
    return /^listening on (\S+)$/m.exec(this.stdout)?.[1] as string;
  }
}

function serve(...args: readonly string[]): Serving {
  child = new Serving(args);
  return child;
}

async function ask(base: string, model: string, init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'How high is it?' }] });
  return fetch(`${base}/chat/completions`, { method: 'POST', body, ...init });
}

function scenario(name: string, providers: object, target: string, more: object = {}): string {
  const path = join(scratch, `${name}.yaml`);
  const workload = { runs: [{ id: 'r', target, agents: { count: 1 } }] };
  writeFileSync(path, JSON.stringify({ name, providers, workload, ...more }));
  return path;
}

const QUICK = { firstToken: 0, perOutputToken: 0, refusal: 0 };

describe('sim serve', () => {
  it('serves a profile with its models, and stops on Ctrl-C', async () => {
    const serving = serve('--profile', 'zhipu');
    const url = await serving.url();
    expect(serving.stdout).toMatch(new RegExp(`zhipu: base URL ${url}/v1 · models \\S+`));
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.length).toBeGreaterThan(0);
    expect((await ask(`${url}/v1`, 'nobody')).status).toBe(404);
    serving.process.kill('SIGINT');
    expect(await serving.exited).toEqual([0, null]);
    expect(serving.stderr).toContain('stopping');
  });

  it('serves the providers of a scenario each under its own name, and refuses by their quotas', async () => {
    const closed = { models: { large: { quotas: [{ requests: 1, per: '1h' }], latency: QUICK } } };
    const providers = { acme: closed, 'other one': { models: { small: { latency: QUICK } } } };
    const serving = serve(scenario('two', providers, 'acme/large'), '--api-key', 'secret');
    const url = await serving.url();
    const headers = { authorization: 'Bearer secret' };
    const statuses = [
      await ask(`${url}/acme/v1`, 'large'),
      await ask(`${url}/acme/v1`, 'large', { headers }),
      await ask(`${url}/acme/v1`, 'large', { headers }),
      await ask(`${url}/other%20one/v1`, 'small', { headers }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 200, 429, 200]);
    const ledger = await (await fetch(`${url}/ledger`, { headers })).json();
    expect(ledger).toMatchObject({ models: { 'acme/large': { refused: 1 }, 'other one/small': { admitted: 1 } } });
  });

  it.each([
    ['5ms', /^\n+\{/],
    ['1h', /^\{/],
  ])('keeps those alive who wait at a server, every %s', async (keepAlive, text) => {
    const model = { server: { slots: 1, keepAlive }, latency: { service: '200ms' } };
    const url = await serve(scenario('waiting', { acme: { models: { large: model } } }, 'acme/large')).url();
    const [first, second] = await Promise.all([ask(`${url}/v1`, 'large'), ask(`${url}/v1`, 'large')]);
    const texts = await Promise.all([first.text(), second.text()]);
    const served = texts.map((each) => JSON.parse(each).choices.length);
    expect(served).toEqual([1, 1]);
    expect(texts.filter((each) => text.test(each)).length).toBe(keepAlive === '1h' ? 2 : 1);
  });

  it('changes the providers as the timeline says', async () => {
    const providers = { acme: { models: { large: { quotas: [{ concurrency: 0 }], latency: QUICK } } } };
    const timeline = [{ at: '10ms', set: { 'providers.acme.models.large.quotas[0].concurrency': 1 } }];
    const url = await serve(scenario('opens', providers, 'acme/large', { timeline })).url();
    let status = 0;
    while (status !== 200) ({ status } = await ask(`${url}/v1`, 'large'));
    expect(status).toBe(200);
  });

  it.each([
    [[], 'give either a scenario file or --profile NAME'],
    [['a.yaml', '--profile', 'zhipu'], 'give either a scenario file or --profile NAME'],
    [['--profile', 'nobody'], 'there are openai, azure-openai'],
    [['--profile', 'opnai'], 'did you mean "openai"?'],
    [['none.yaml'], 'none.yaml'],
    [['--profile', 'zhipu', '--port', '70000'], 'whole number from 0 to 65535'],
  ])('%j is bad usage', async (args, message) => {
    const serving = serve(...args);
    expect(await serving.exited).toEqual([2, null]);
    expect(serving.stderr).toContain(message);
    expect(serving.stdout).toBe('');
  });

  it('its help names every profile', async () => {
    const serving = serve('--help');
    expect(await serving.exited).toEqual([0, null]);
    const help = serving.stdout.replace(/\s+/g, ' ');
    expect(help).toContain(`a real provider's behaviour instead: ${profileNames.join(', ')} --port`);
  });

  it('a port that is taken is said, and warns when other machines can reach it', async () => {
    const first = serve('--profile', 'zhipu', '--host', '0.0.0.0');
    const { port } = new URL(await first.url());
    expect(first.stderr).toContain('other machines can reach it');
    const second = new Serving(['--profile', 'zhipu', '--host', '0.0.0.0', '--port', port]);
    expect(await second.exited).toEqual([2, null]);
    expect(second.stderr).toContain(`cannot listen on 0.0.0.0:${port} (EADDRINUSE)`);
  });
});
