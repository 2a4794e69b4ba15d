/** `sim run --live`, `sim pressure` and an unrelated mock, as processes: what is said, kept and never written. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/results/summary.js';
import { scenarioText } from '../simulate.js';
import { answers, type Respond, ran, served } from './live-run.js';
import { serveMock } from './serve-mock.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const KEY = 'sk-hush-0123456789';
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-live-'));
const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const scenario = join(scratch, 'small.yaml');
writeFileSync(
  scenario,
  `name: small
providers: { acme: { models: { large: {} } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 3, requests: 2, tokens: { input: 40, output: 8, max: 16 } } }] }
`,
);

async function sim(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'sim/bin/sim.js'), ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  const [[code], [stdout, stderr]] = await Promise.all([once(child, 'close'), texts]);
  return { code: code as number, stdout: stdout.join(''), stderr: stderr.join('') };
}

async function server(respond: Respond): Promise<string> {
  const one = await served(respond);
  closers.push(one.close);
  return one.url;
}

describe('sim run --live', () => {
  it('shows the plan, probes, runs, and writes the key and the prompts nowhere', async () => {
    const keys: unknown[] = [];
    const prompts: string[] = [];
    const url = await server((response, request, body) => {
      keys.push(request.headers.authorization);
      prompts.push((JSON.parse(body) as { messages: { content: string }[] }).messages[0]?.content ?? '');
      answers(response, request, body);
    });
    const out = join(scratch, 'out');
    const args = ['run', scenario, '--live', '--base-url', url, '--no-stream', '--out', out];
    const { code, stdout, stderr } = await sim(args, { OPENAI_API_KEY: KEY });
    expect([code, keys.length]).toEqual([0, 7]);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${KEY}`]));
    expect(stderr).toMatch(/plan of small[\s\S]*requests[\s\S]*tokens[\s\S]*cost +unknown/);
    expect(stdout).toMatch(/6 of 6 requests succeeded/);
    const written = readdirSync(join(out, 'small-1')).map((name) => readFileSync(join(out, 'small-1', name), 'utf8'));
    const everything = [stdout, stderr, ...written].join('\n');
    expect(everything).not.toContain('hush');
    expect(prompts.every((prompt) => prompt.includes('about the sea'))).toBe(true);
    expect(everything).not.toContain('about the sea');
  });

  it('--wire anthropic: the messages of its API, its key header, its refusals', async () => {
    const mock = await serveMock(`
providers: { acme: { wire: anthropic, models: { large: { quotas: [{ concurrency: 2 }], latency: { firstToken: 30ms, perOutputToken: 1ms, refusal: 2ms } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 1 } }] }
`);
    closers.push(() => mock.close(0));
    const out = join(scratch, 'anthropic');
    const args = ['run', scenario, '--live', '--base-url', mock.url, '--wire', 'anthropic', '--json', '--out', out];
    const { code, stdout, stderr } = await sim(args, { ANTHROPIC_API_KEY: KEY });
    expect([code, stderr]).toEqual([0, expect.stringContaining('anthropic')]);
    expect((JSON.parse(stdout) as Summary).requests).toMatchObject({ logical: 6, succeeded: 6, lost: 0 });
    // The probe was one more.
    expect(mock.ledger().models['acme/large']).toMatchObject({ admitted: 7, peakInFlight: 2 });
  });

  it('elsewhere, without a terminal and without --yes: nothing is sent', async () => {
    const { code, stdout, stderr } = await sim(
      ['run', scenario, '--live', '--base-url', 'https://example.invalid', '--out', scratch],
      {
        OPENAI_API_KEY: KEY,
      },
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/nothing was sent: there is no terminal to ask on; say --yes/);
  });

  it('Ctrl-C keeps everything so far, and is 130', async () => {
    let requests = 0;
    let isUnderWay: () => void = () => {};
    const underWay = new Promise<void>((resolve) => {
      isUnderWay = resolve;
    });
    const url = await server((response, request, body) => {
      requests++;
      if (requests <= 3) answers(response, request, body);
      // The others are left waiting: three in flight.
      if (requests === 6) isUnderWay();
    });
    const out = join(scratch, 'interrupted');
    const args = ['run', scenario, '--live', '--base-url', url, '--no-stream', '--out', out, '--quiet'];
    const child = spawn(process.execPath, [join(ROOT, 'sim/bin/sim.js'), ...args], { stdio: 'ignore' });
    const closed = once(child, 'close');
    await underWay;
    child.kill('SIGINT');
    expect((await closed)[0]).toBe(130);
    const summary = JSON.parse(readFileSync(join(out, 'small-1', 'summary.json'), 'utf8')) as Summary;
    expect(summary).toMatchObject({ mode: 'live', complete: false, requests: { succeeded: 2, unfinished: 3 } });
  });

  it.each([true, false])(
    'Ctrl-C at the probe writes nothing, leaves older results as they were, and is 130 (trace: %s)',
    async (trace) => {
      const out = join(scratch, `probe-${trace}`);
      expect((await sim(['run', scenario, '--out', out, '--quiet'])).code).toBe(0);
      const summaryOf = (): string => readFileSync(join(out, 'small-1', 'summary.json'), 'utf8');
      const older = summaryOf();
      let isAsked: () => void = () => {};
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      const url = await server(() => isAsked());
      const args = ['run', scenario, '--live', '--base-url', url, '--out', out, ...(trace ? [] : ['--no-trace'])];
      const child = spawn(process.execPath, [join(ROOT, 'sim/bin/sim.js'), ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const texts = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
      const closed = once(child, 'close');
      await asked;
      child.kill('SIGINT');
      expect((await closed)[0]).toBe(130);
      const [stdout, stderr] = (await texts).map((chunks) => chunks.join(''));
      expect(stdout).toBe('');
      expect(stderr).toContain('interrupted at the probe: the run has not begun, and nothing is written');
      expect([readdirSync(out), summaryOf()]).toEqual([['small-1'], older]);
    },
  );

  it('a second Ctrl-C ends at once: 130, and nothing half written', async () => {
    let isUnderWay: () => void = () => {};
    const underWay = new Promise<void>((resolve) => {
      isUnderWay = resolve;
    });
    let requests = 0;
    const url = await server((response, request, body) => {
      if (requests++ === 0) answers(response, request, body);
      else isUnderWay();
    });
    const out = join(scratch, 'twice');
    const args = ['run', scenario, '--live', '--base-url', url, '--no-stream', '--out', out];
    const child = spawn(process.execPath, [join(ROOT, 'sim/bin/sim.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const said = child.stderr.setEncoding('utf8');
    let stderr = '';
    said.on('data', (text: string) => {
      stderr += text;
      // The first is heard: it says so.
      if (stderr.includes('once more to end at once')) child.kill('SIGINT');
    });
    await underWay;
    child.kill('SIGINT');
    expect((await closed)[0]).toBe(130);
    expect(stderr).toContain('keeping what is there; once more to end at once');
    const whole = existsSync(join(out, 'small-1')) ? readdirSync(join(out, 'small-1')) : [];
    expect([0, 6]).toContain(whole.length);
  });

  it('money: planned by the prices, never overrun, spent nearly whole, and told', async () => {
    const priced = join(scratch, 'priced.yaml');
    writeFileSync(
      priced,
      `${readFileSync(scenario, 'utf8').replace('name: small', 'name: priced').replace('count: 3, requests: 2', 'count: 6, requests: 20')}
live: { prices: { inputPerMillion: 1000, outputPerMillion: 10000 } }
`,
    );
    const url = await server(answers);
    const out = join(scratch, 'money');
    // Each answer costs 7 × 0.001 + 2 × 0.01 = 0.027; at its worst a request costs 40 × 0.001 + 16 × 0.01 = 0.2.
    const args = ['run', priced, '--live', '--base-url', url, '--no-stream', '--max-cost', '1.5', '--out', out];
    const { code, stdout, stderr } = await sim(args);
    expect(code).toBe(4);
    expect(stderr).toMatch(/cost +6\.00 USD +14\.4 USD +1\.50 USD/);
    expect(stderr).toContain('the budget is below what is expected: the run will be stopped');
    const why =
      /stopped: one more request could overrun the budget of 1\.5 USD: [\d.]+ is spent, a request may take 0\.200/;
    expect(stderr).toMatch(why);
    expect(stdout).toMatch(/spent: \d+ requests, \d+ tokens, 1\.\d+ USD/);
    expect(stdout).toMatch(/ --no-stream --max-cost 1\.5$/m);
    const summary = JSON.parse(readFileSync(join(out, 'priced-1', 'summary.json'), 'utf8')) as Summary;
    const spent = summary.live?.spent;
    // 49 answers leave 1.5 − 49 × 0.027 = 0.177, less than a request's worst; 48 leave 0.204.
    expect(spent).toEqual({ requests: 49, inputTokens: 343, outputTokens: 98, cost: 1.323, currency: 'USD' });
    expect(summary.requests).toMatchObject({ succeeded: 48, lost: 0 });
    expect(readdirSync(join(out, 'priced-1'))).toHaveLength(6);
  });

  it('a live trace is laid beside the simulator, and its results are kept from a later run', async () => {
    const url = await server(answers);
    const out = join(scratch, 'kept');
    expect((await sim(['run', scenario, '--live', '--base-url', url, '--no-stream', '--out', out])).code).toBe(0);
    const replayed = await sim(['replay', join(out, 'small-1', 'trace.jsonl')]);
    expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringMatching(/recorded, live +simulated/)]);
    const later = await sim(['run', scenario, '--out', out]);
    expect([later.code, later.stderr]).toEqual([0, expect.stringContaining('small-1.kept-1')]);
    const modeIn = (name: string): unknown =>
      (JSON.parse(readFileSync(join(out, name, 'summary.json'), 'utf8')) as Summary).mode;
    expect([modeIn('small-1'), modeIn('small-1.kept-1')]).toEqual(['simulated', 'live']);
  });

  it('a budget stop is 4, with everything so far', async () => {
    const url = await server(answers);
    const out = join(scratch, 'budget');
    const { code, stdout, stderr } = await sim([
      'run',
      scenario,
      '--live',
      '--base-url',
      url,
      '--no-stream',
      '--max-requests',
      '3',
      '--out',
      out,
    ]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/stopped: the budget of 3 requests/);
    expect(stdout).toMatch(/2 of \d+ requests succeeded/);
  });
});

describe('sim pressure', () => {
  it('counts what is accepted and refused, wave by wave: eight sent, seven accepted', async () => {
    let inFlight = 0;
    const url = await server((response, request, body) => {
      inFlight++;
      const isOver = inFlight > 7;
      setTimeout(
        () => {
          inFlight--;
          if (isOver) response.writeHead(429).end();
          else answers(response, request, body);
        },
        isOver ? 0 : 1_500,
      );
    });
    const args = [
      'pressure',
      '--base-url',
      url,
      '--model',
      'm',
      '--no-stream',
      '--stairs',
      '8',
      '--shots',
      '1',
      '--json',
    ];
    const { code, stdout } = await sim(args);
    expect(code).toBe(0);
    const { steps } = JSON.parse(stdout) as { steps: { accepted: number; refused: number; failed: number }[] };
    expect(steps).toMatchObject([{ accepted: 7, refused: 1, failed: 0 }]);
  });
});

describe('an unrelated mock, as a process of its own', () => {
  it('@dwmkerr/mock-llm: streamed and whole', async () => {
    const port = await freePort();
    const main = join(ROOT, 'node_modules/@dwmkerr/mock-llm/dist/main.js');
    const child: ChildProcess = spawn(process.execPath, [main], {
      env: { PORT: `${port}`, HOST: '127.0.0.1' },
      stdio: 'ignore',
    });
    closers.push(() => {
      const gone = once(child, 'close');
      child.kill();
      return gone;
    });
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/health`)
        .then(({ ok }) => ok)
        .catch(() => false);
    await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
    const small = scenarioText(readFileSync(scenario, 'utf8'));
    for (const stream of [true, false]) {
      const { summary } = await ran(small, { baseUrl: `${url}/v1`, stream, model: 'gpt-4' });
      expect(summary.requests).toMatchObject({ logical: 6, succeeded: 6, lost: 0 });
    }
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { readonly port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
