/**
 * Whether a long live run holds its memory: 100 000 requests against the served mock, a process of its own, at a cap of 100,
 * with all that `sim run --live` keeps of a run, its trace on the disk. The heap after a collection, at a quarter of the
 * requests and at the end. Needs a build.
 *
 * @module
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startMockServer } from '@tidegate/providers-mock/server';
import { RandomStreams } from '../dist/kernel/random.js';
import { RunResults } from '../dist/results/run-results.js';
import { run } from '../dist/run.js';
import { loadScenario } from '../dist/scenario/load.js';
import { TraceWriter } from '../dist/trace/writer.js';
import { openLive } from '../dist/transport/live-world.js';
import { servedProvider } from '../dist/transport/served-provider.js';

const REQUESTS = 100_000;
const WIDTH = 100;
const MB = 1024 * 1024;

function scenario() {
  const text = `
name: long
governor: { controller: fixed, initial: ${WIDTH} }
providers: { acme: { models: { large: { latency: { firstToken: 1ms, perOutputToken: 0 } } } } }
workload:
  runs:
    - id: r
      target: acme/large
      maxConcurrency: ${WIDTH}
      timeout: 1m
      agents: { count: ${WIDTH}, name: "a-{n}", requests: ${REQUESTS / WIDTH}, tokens: { input: 20, output: 5 } }
`;
  const loaded = loadScenario({ text, readFile: () => '' });
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems));
  return loaded.scenario;
}

/** In the process of the mock. */
async function serve() {
  const provider = servedProvider('acme', scenario().providers.acme, new RandomStreams(1));
  process.send?.((await startMockServer({ providers: { acme: provider } })).url);
}

/** @returns {Promise<{ name: string; value: number; unit: string; note: string }[]>} */
export async function bench() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / MB;
  };
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-memory-'));
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  try {
    const [url] = await once(child, 'message');
    const none = Number.POSITIVE_INFINITY;
    const settings = {
      ...{
        baseUrl: `${url}/v1`,
        wire: 'openai',
        model: null,
        apiKey: null,
        stream: true,
        keepTexts: false,
        prices: null,
      },
      ...{ proxies: { http: '', https: '', none: '' }, proxyVariable: undefined, probeMs: 10_000 },
      budget: { requests: none, tokens: none, cost: none, timeMs: none, errors: 10 },
    };
    const long = scenario();
    const opening = await openLive(long, settings, { provider: 'acme', model: 'large', maxTokens: 5 });
    if (opening.kind === 'stopped') throw new Error(opening.why);
    const trace = new TraceWriter(join(folder, 'trace.jsonl'));
    const results = new RunResults();
    let succeeded = 0;
    let early = 0;
    await run({
      ...{ scenario: long, world: opening.world, version: 'bench' },
      observe: (event) => {
        trace.observe(event);
        results.observe(event);
        if (event.type !== 'request-settled' || event.outcome !== 'succeeded') return;
        if (++succeeded === REQUESTS / 4) early = heap();
      },
    });
    const late = heap();
    await opening.world.close();
    trace.close();
    if (succeeded !== REQUESTS) throw new Error(`${succeeded} of ${REQUESTS} succeeded`);
    return [
      { name: 'heap after 25,000 requests', value: early, unit: 'MB', note: 'after a collection' },
      { name: 'heap after 100,000 requests', value: late, unit: 'MB', note: 'the same, if memory is flat' },
    ];
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] === 'serve') await serve();
  else console.log(await bench());
}
