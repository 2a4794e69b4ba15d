/**
 * The governor runs where there is no Node: one browser bundle, evaluated among the globals of the web and nothing else,
 * and in a worker thread.
 */

import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('../src/index.ts', import.meta.url));

/** Sends three requests through a cap of two, refuses one with a wait, and says what was seen. */
const STORY = `(async () => {
  const governor = tidegate.createGovernor({ initial: 2, retry: { firstDelayMs: 1 } });
  const key = { provider: 'acme', model: 'large' };
  let inFlight = 0, most = 0, refusals = 0;
  const send = async (ticket) => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inFlight--;
    if (refusals++ === 0) throw Object.assign(new Error('slow down'), { status: 429 });
    return 'answer';
  };
  const answers = await Promise.all([1, 2, 3].map(() => governor.request(key, send)));
  const { cap, epoch } = governor.snapshot(key);
  return JSON.stringify({ answers, most, cap, epoch });
})()`;
const TOLD = { answers: ['answer', 'answer', 'answer'], most: 2, cap: 1, epoch: 1 };

let bundle = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'iife',
    globalName: 'tidegate',
    platform: 'browser',
    write: false,
  });
  bundle = outputFiles[0]?.text ?? '';
});

describe('without Node', () => {
  it('a page has all it needs', async () => {
    const page = createContext({
      setTimeout,
      clearTimeout,
      performance,
      AbortController,
      AbortSignal,
      DOMException,
      console,
    });
    runInContext(bundle, page);
    expect(JSON.parse((await runInContext(STORY, page)) as string)).toEqual(TOLD);
  });

  it('a worker has all it needs', async () => {
    const source = `${bundle}\n${STORY}.then((told) => require('node:worker_threads').parentPort.postMessage(told));`;
    const worker = new Worker(source, { eval: true });
    const told = await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    await worker.terminate();
    expect(JSON.parse(told)).toEqual(TOLD);
  });
});
