/**
 * The HTTP server against bare `node:http`, in the same run: requests per second against a JSON echo, stream chunks per
 * second against a handler that writes as many chunks of the same size, and what the server adds to a configured latency
 * with 500 requests in flight. Each server has a process of its own. Needs a build: `npx tsc -b providers-mock`.
 */

import { fork } from 'node:child_process';
import { Agent, createServer, request } from 'node:http';
import { argv } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import autocannon from 'autocannon';

const ROUNDS = 5;
const CONNECTIONS = 50;
const CHUNKS = 200;
/** Of a chunk of the mock. */
const CHUNK_BYTES = 234;
const LATENCY_MS = 1000;
const IN_FLIGHT = 500;

/** A thousand tokens in, two hundred out: the defaults of the scenario language. */
const BODY = JSON.stringify({
  model: 'large',
  messages: [
    { role: 'system', content: 'You are a careful reviewer of tide tables.' },
    { role: 'user', content: 'How high is the water at the gate tonight? '.repeat(92) },
  ],
  max_tokens: 1000,
});
const OUTPUT_TOKENS = 200;
const STREAM_BODY = JSON.stringify({ ...JSON.parse(BODY), stream: true });

/** Its quotas are counted and never reached. */
function mockProvider(outputTokens, latencyMs) {
  const window = { perMs: 60_000, refill: 'token-bucket', refusedCount: false };
  const quotas = [
    { kind: 'concurrency', name: 'concurrency', limit: 100_000, refusedCount: false },
    { kind: 'requests', name: 'rpm', limit: 1e9, burst: 1e9, ...window },
    {
      kind: 'tokens',
      name: 'tpm',
      limit: 1e12,
      burst: 1e12,
      ...window,
      counts: 'total',
      reserve: 'max-tokens',
      settle: 'refund',
    },
  ];
  const times = { firstTokenMs: latencyMs, totalMs: latencyMs };
  const draws = {
    outputTokens: () => outputTokens,
    times: () => times,
    refusalMs: () => 0,
    hint: () => 0,
    fault: () => 0,
  };
  return { wire: 'openai', quotas: [], models: { large: { quotas, retryAfter: { kind: 'none' }, draws } } };
}

async function serveMock(outputTokens, latencyMs) {
  const { startMockServer } = await import('../dist/server.js');
  const { port } = await startMockServer({ providers: { acme: mockProvider(outputTokens, latencyMs) } });
  return port;
}

function listening(handler) {
  return new Promise((resolve) => {
    const server = createServer(handler).listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

function serveEcho() {
  return listening((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
}

function serveTimer() {
  return listening((request, response) => {
    request.resume();
    request.on('end', () => setTimeout(() => response.end('{}'), LATENCY_MS));
  });
}

function serveChunks() {
  const chunk = `data: ${'x'.repeat(CHUNK_BYTES - 8)}\n\n`;
  return listening((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let left = CHUNKS;
      const write = () => {
        while (left > 0) {
          left -= 1;
          if (!response.write(chunk)) {
            response.once('drain', () => setImmediate(write));
            return;
          }
        }
        response.end();
      };
      write();
    });
  });
}

const SERVERS = {
  echo: serveEcho,
  mock: () => serveMock(OUTPUT_TOKENS, 0),
  chunks: serveChunks,
  // The role, the finish and the end are chunks too.
  stream: () => serveMock(CHUNKS - 3, 0),
  timer: serveTimer,
  slow: () => serveMock(OUTPUT_TOKENS, LATENCY_MS),
};

async function started(name) {
  const child = fork(fileURLToPath(import.meta.url), ['serve', name]);
  const port = await new Promise((resolve) => child.once('message', resolve));
  return { name, url: `http://127.0.0.1:${port}/v1/chat/completions`, stop: () => child.kill() };
}

/** Requests per second of each, in turns, so that what else the machine does hits them all alike; the medians. */
async function perSecond(bodies) {
  const servers = await Promise.all(Object.keys(bodies).map(started));
  const rounds = Object.fromEntries(servers.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, url } of servers) {
      const { requests, non2xx, errors } = await load(url, bodies[name]);
      if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers without success, ${errors} errors`);
      // The first warms up.
      if (round > 0) rounds[name].push(requests.average);
    }
  }
  for (const { stop } of servers) stop();
  return Object.fromEntries(Object.entries(rounds).map(([name, each]) => [name, median(each)]));
}

function load(url, body) {
  const headers = { 'content-type': 'application/json' };
  return autocannon({ url, method: 'POST', body, headers, connections: CONNECTIONS, duration: 1 });
}

function median(values) {
  return values.sort((x, y) => x - y)[Math.floor(values.length / 2)];
}

/**
 * Each of 500 connections asks again as soon as it is answered, all of them spread over the latency, so that no crowd forms
 * that would measure the bench. autocannon's histogram counts whole milliseconds, so the time is taken here, to the byte
 * that ends the answer.
 */
async function latenessP99(name) {
  const { url, stop } = await started(name);
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const late = [];
  const untilMs = performance.now() + 8 * LATENCY_MS;
  const connection = async (n) => {
    await sleep((n / IN_FLIGHT) * LATENCY_MS);
    while (performance.now() < untilMs) {
      const startMs = performance.now();
      await answerOf(url, agent);
      late.push(performance.now() - startMs - LATENCY_MS);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => connection(n)));
  agent.destroy();
  stop();
  // The first answer of each connection waited for the connection too, and the second for code that was not warm.
  const settled = late.slice(2 * IN_FLIGHT).sort((x, y) => x - y);
  return settled[Math.floor(settled.length * 0.99)];
}

function answerOf(url, agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    sent.on('error', reject);
    sent.end(BODY);
  });
}

/** @returns {Promise<{ name: string, value: number, unit: string, note: string }[]>} */
export async function bench() {
  const { echo, mock } = await perSecond({ echo: BODY, mock: BODY });
  const frames = await perSecond({ chunks: BODY, stream: STREAM_BODY });
  const [chunks, stream] = [frames.chunks * CHUNKS, frames.stream * CHUNKS];
  const timer = await latenessP99('timer');
  const added = await latenessP99('slow');
  const share = (part, whole) => `${Math.round((100 * part) / whole)} % of it`;
  return [
    { name: 'bare node:http JSON echo', value: Math.round(echo), unit: 'requests/s', note: '' },
    { name: 'mock, three quotas', value: Math.round(mock), unit: 'requests/s', note: share(mock, echo) },
    { name: 'bare node:http chunks', value: Math.round(chunks), unit: 'chunks/s', note: '' },
    { name: 'mock, streamed tokens', value: Math.round(stream), unit: 'chunks/s', note: share(stream, chunks) },
    { name: 'bare timer of 1 s: late by, p99 of 500 in flight', value: timer, unit: 'ms', note: '' },
    { name: 'mock, latency of 1 s: late by, p99 of 500', value: added, unit: 'ms', note: 'target 2 ms' },
  ];
}

if (argv[2] === 'serve') {
  process.send(await SERVERS[argv[3]]());
} else if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  for (const { name, value, unit, note } of await bench()) {
    console.log(`${name}: ${value.toLocaleString('en')} ${unit} ${note}`);
  }
}
