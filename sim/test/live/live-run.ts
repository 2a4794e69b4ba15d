/**
 * Runs a scenario live against a server of a test, and checks what must hold whatever the server did: the trace adds up,
 * every request has a defined end, and nothing of the run is left in the process.
 */

import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as realMs } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.js';
import type { RequestSettled, TraceEvent, TraceFinished } from '../../src/trace/events.js';
import { liveScenario } from '../../src/transport/live-scenario.js';
import type { LiveSettings } from '../../src/transport/live-setup.js';
import { openLive } from '../../src/transport/live-world.js';
import { runIn, type Simulated } from '../simulate.js';

const NO_BOUND = Number.POSITIVE_INFINITY;

export const SETTINGS: LiveSettings = {
  ...{ baseUrl: '', wire: 'openai', model: null, apiKey: null, stream: true, keepTexts: false },
  proxies: { http: '', https: '', none: '' },
  proxyVariable: undefined,
  budget: { requests: 1_000, tokens: NO_BOUND, cost: NO_BOUND, timeMs: 60_000, errors: 50 },
  prices: null,
  probeMs: 2_000,
};

export type LiveRun =
  | ({ readonly kind: 'ran'; readonly finished: TraceFinished } & Simulated)
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'interrupted' };

/** @throws InvariantBroken when a check of the run does not hold. */
export async function runLive(
  written: Scenario,
  settings: Partial<LiveSettings> & { readonly baseUrl: string },
): Promise<LiveRun> {
  const before = held();
  const { scenario } = liveScenario(written);
  const { target, agents } = scenario.workload.runs[0] as Scenario['workload']['runs'][number];
  const probed = { ...target, maxTokens: agents.tokens.max ?? 16 };
  const interrupt = new AbortController();
  const opening = await openLive(scenario, { ...SETTINGS, ...settings }, probed, interrupt.signal);
  if (opening.kind !== 'world') {
    await expectNothingLeft(before, interrupt.signal);
    return opening;
  }
  const ran = await runIn(opening.world, scenario, interrupt.signal);
  await expectNothingLeft(before, interrupt.signal);
  expectDefinedEnds(ran);
  return { kind: 'ran', finished: ran.events.at(-1) as TraceFinished, ...ran };
}

export async function ran(written: Scenario, settings: Partial<LiveSettings> & { readonly baseUrl: string }) {
  const run = await runLive(written, settings);
  if (run.kind !== 'ran') throw new Error(run.kind === 'stopped' ? run.why : run.kind);
  return run;
}

export function settled({ events }: { readonly events: readonly TraceEvent[] }): readonly RequestSettled[] {
  return events.filter((event): event is RequestSettled => event.type === 'request-settled');
}

/** Each request succeeded, was lost, or is open because the run was stopped; and the counts say the same. */
function expectDefinedEnds({ events, summary }: Simulated): void {
  const { logical, attempts, succeeded, refused, failed, ended, lost, unfinished } = summary.requests;
  expect(logical).toBe(succeeded + lost + unfinished);
  if (summary.complete) expect([unfinished, attempts]).toEqual([0, succeeded + refused + failed + ended]);
  expect(events.at(-1)?.type).toBe('trace-finished');
}

/** Sockets, timers and servers of this process. */
function held(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const OURS = ['TCPSocketWrap', 'TLSWrap', 'ConnectWrap', 'GetAddrInfoReqWrap', 'Timeout'] as const;

/** A socket that was destroyed is gone a little later. */
async function expectNothingLeft(before: Readonly<Record<string, number>>, signal: AbortSignal): Promise<void> {
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const left = (): readonly string[] => {
    const now = held();
    return OURS.filter((kind) => (now[kind] ?? 0) > (before[kind] ?? 0) + SPARE[kind]);
  };
  for (let tries = 0; left().length > 0 && tries < 200; tries++) await realMs(20);
  expect(left()).toEqual([]);
}

/** Of the test itself: its wait, and the servers' own ends of connections that linger. */
const SPARE = { TCPSocketWrap: 0, TLSWrap: 0, ConnectWrap: 0, GetAddrInfoReqWrap: 0, Timeout: 2 } as const;

export type Respond = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** Serves on this machine; `close` it. */
export async function served(
  respond: Respond,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<{ readonly url: string; readonly server: Server; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(response, request, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://${host === '::1' ? '[::1]' : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const ANSWER = {
  choices: [{ message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 2 },
};

export const answers: Respond = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
