/**
 * What a live run costs its client: CPU time per request at 200 streams at once, and 10 000 requests at a cap of 100
 * against a bare undici loop of the same width in the same run. The mock is a process of its own. Needs a build.
 *
 * @module
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startMockServer } from '@tidegate/providers-mock/server';
import { Pool } from 'undici';
import { RandomStreams } from '../dist/kernel/random.js';
import { run } from '../dist/run.js';
import { loadScenario } from '../dist/scenario/load.js';
import { openLive } from '../dist/transport/live-world.js';
import { servedProvider } from '../dist/transport/served-provider.js';

const REQUESTS = 10_000;
const WIDTH = 100;
const STREAMS = 200;

/** @param {{ width: number, requests: number, latency: string, output: number }} work */
function scenarioOf({ width, requests, latency, output }) {
  const text = `
name: bench
governor: { controller: fixed, initial: ${width} }
providers: { acme: { models: { large: { latency: ${latency} } } } }
workload:
  runs:
    - id: r
      target: acme/large
      maxConcurrency: ${width}
      timeout: 1m
      agents: { count: ${width}, name: "a-{n}", requests: ${requests / width}, tokens: { input: 20, output: ${output} } }
`;
  const loaded = loadScenario({ text, readFile: () => '' });
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems));
  return loaded.scenario;
}

const FAST = { width: WIDTH, requests: REQUESTS, latency: '{ service: 0 }', output: 5 };
const STREAMED = {
  width: STREAMS,
  requests: 2_000,
  latency: '{ firstToken: 100ms, perOutputToken: 10ms }',
  output: 20,
};

/** In the process of the mock. */
async function serve() {
  const streams = new RandomStreams(1);
  const provider = (work) => servedProvider('acme', scenarioOf(work).providers.acme, streams);
  const fast = await startMockServer({ providers: { acme: provider(FAST) } });
  const streamed = await startMockServer({ providers: { acme: provider(STREAMED) } });
  process.send?.({ fast: fast.url, streamed: streamed.url });
}

/** @param {object} work @param {string} url @param {boolean} stream */
async function live(work, url, stream) {
  const scenario = scenarioOf(work);
  const none = Number.POSITIVE_INFINITY;
  const opening = await openLive(
    scenario,
    {
      ...{ baseUrl: `${url}/v1`, wire: 'openai', model: null, apiKey: null, stream, keepTexts: false, prices: null },
      ...{ proxies: { http: '', https: '', none: '' }, proxyVariable: undefined, probeMs: 10_000 },
      budget: { requests: none, tokens: none, cost: none, timeMs: none, errors: 10 },
    },
    { provider: 'acme', model: 'large', maxTokens: work.output },
  );
  if (opening.kind === 'stopped') throw new Error(opening.why);
  const from = performance.now();
  const cpu = process.cpuUsage();
  let succeeded = 0;
  await run({
    scenario,
    world: opening.world,
    version: 'bench',
    observe: (event) => {
      if (event.type === 'request-settled' && event.outcome === 'succeeded') succeeded++;
    },
  });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - from) / 1000;
  await opening.world.close();
  if (succeeded !== work.requests) throw new Error(`${succeeded} of ${work.requests} succeeded`);
  return { perSecond: succeeded / seconds, cpuMs: (user + system) / 1000 / succeeded };
}

/** @param {string} url */
async function bare(url) {
  const pool = new Pool(url, { connections: WIDTH });
  const body = JSON.stringify({ model: 'large', max_tokens: 5, messages: [{ role: 'user', content: 'x'.repeat(80) }] });
  let left = REQUESTS;
  const loop = async () => {
    while (left-- > 0) {
      const answer = await pool.request({
        ...{ method: 'POST', path: '/v1/chat/completions', body },
        headers: { 'content-type': 'application/json' },
      });
      await answer.body.json();
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: WIDTH }, loop));
  const seconds = (performance.now() - from) / 1000;
  await pool.close();
  return REQUESTS / seconds;
}

/** @returns {Promise<{ name: string; value: number; unit: string; note: string }[]>} */
export async function bench() {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  try {
    const [{ fast, streamed }] = await once(child, 'message');
    await bare(fast);
    const reached = [];
    // In turns, since the machine may change its pace.
    for (let n = 0; n < 3; n++)
      reached.push({ bare: await bare(fast), live: (await live(FAST, fast, false)).perSecond });
    const middle = (of) => reached.map(of).sort((a, b) => a - b)[1] ?? 0;
    const { cpuMs } = await live(STREAMED, streamed, true);
    return [
      { name: 'bare undici, 100 at once', value: middle((each) => each.bare), unit: 'requests/s', note: 'the floor' },
      { name: 'live run, cap 100', value: middle((each) => each.live), unit: 'requests/s', note: '' },
      {
        name: 'live run against bare undici',
        value: middle((each) => (100 * each.live) / each.bare),
        unit: '%',
        note: 'at least 70',
      },
      { name: 'CPU of a request, 200 streams at once', value: cpuMs, unit: 'ms', note: 'at most 1; 22 pieces each' },
    ];
  } finally {
    child.kill();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] === 'serve') await serve();
  else console.log(await bench());
}
