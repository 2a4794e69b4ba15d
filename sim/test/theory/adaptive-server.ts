/**
 * The adaptive-concurrency test server of `fixtures/arc-scenarios.json` as a scenario, and the figures that its bounds are
 * about, folded out of a trace. A request over the concurrency limit is refused after the base delay and counts in flight
 * until then (`defer`), or never answered (`drop`): the client gives it up after a second, and it holds nothing.
 */

import { readFileSync } from 'node:fs';
import { Checks } from '../../src/results/checks.js';
import { run } from '../../src/run.js';
import { loadScenario } from '../../src/scenario/load.js';
import { formatProblems } from '../../src/scenario/problems.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { simulatedWorld } from '../../src/transport/world.js';

export interface ServerCase {
  readonly name: string;
  readonly server: {
    /** To be served. */
    readonly requests: number;
    /** Seconds between arrivals; 0 = all at once. */
    readonly interval: number;
    readonly delay: number;
    readonly jitter: number;
    readonly concurrency: 'adaptive' | number;
    readonly concurrency_limit_params: Params;
    readonly rate: Params;
    readonly adaptive_concurrency: { readonly initial_concurrency: number; readonly max_concurrency_limit: number };
  };
  readonly expected: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
}

interface Params {
  readonly scale: number;
  readonly knee_start: number | null;
  readonly knee_exp: number | null;
  readonly limit: number | null;
  readonly action: 'defer' | 'drop';
}

export const CASES = JSON.parse(
  readFileSync(new URL('./fixtures/arc-scenarios.json', import.meta.url), 'utf8'),
) as readonly ServerCase[];

const ms = (seconds: number): string => `${Math.round(seconds * 1000)}ms`;

/** @param options Of the governor, in flow style, beside where its cap starts and how far it may climb. */
export function scenarioOf({ name, server }: ServerCase, options: string): Scenario {
  const { requests, interval, delay, jitter, concurrency, concurrency_limit_params: bound, rate } = server;
  const { initial_concurrency: initial, max_concurrency_limit: most } = server.adaptive_concurrency;
  if (rate.limit !== null || rate.scale !== 0 || bound.knee_start !== null) throw new Error(`${name}: has more to it`);
  const governor =
    concurrency === 'adaptive'
      ? `initial: ${initial}, growthLimit: ${most}, ${options}`
      : `controller: fixed, initial: ${concurrency}`;
  const quotas =
    bound.limit === null ? '' : `quotas: [{ concurrency: ${bound.limit}, refusedCount: ${bound.action === 'defer'} }],`;
  // One token of output carries the jitter; what is dropped would be answered long after the client has gone.
  const latency = `firstToken: ${ms(delay)}, perOutputToken: ${jitter === 0 ? 0 : `{ exponential: { mean: ${ms(delay * jitter)} } }`}, refusal: ${bound.action === 'drop' ? '1h' : ms(delay)}, load: { slope: ${bound.scale} }`;
  const text = `
governor:
  ${governor.replace(/, $/, '').split(', ').join('\n  ')}
  retry: { throttle: unlimited, network: unlimited, delays: [1s, 1s, 2s, 3s, 5s, 8s] }
providers: { test: { models: { server: { ${quotas} latency: { ${latency} } } } } }
workload:
  arrivals:
    - { id: source, target: test/server, process: trace, csv: arrivals.csv, ${bound.action === 'drop' ? 'timeout: 1s, ' : ''}tokens: { input: 1, output: 1 } }
`;
  const rows = Array.from({ length: requests }, (_, n) => ms(n * interval));
  const loaded = loadScenario({ text, readFile: () => ['at', ...rows].join('\n') });
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.scenario;
}

export async function eventsOf(scenario: Scenario): Promise<readonly TraceEvent[]> {
  const world = simulatedWorld(scenario);
  const events: TraceEvent[] = [];
  const checks = new Checks();
  try {
    await run({
      scenario,
      world,
      version: 'test',
      observe: (event) => {
        events.push(event);
        checks.observe(event);
      },
    });
  } finally {
    await world.close();
  }
  return events;
}

export interface Figures {
  readonly min: number;
  readonly max: number;
  /** Over time. */
  readonly mean: number;
  /** The value that held longest. */
  readonly mode: number;
}

/** A value over time. What changes again in its instant was never there: completions come before the next starts. */
class Level {
  readonly #heldMs = new Map<number, number>();
  #value: number;
  #since = 0;

  constructor(value: number) {
    this.#value = value;
  }

  set(value: number, t: number): void {
    if (t > this.#since) this.#heldMs.set(this.#value, (this.#heldMs.get(this.#value) ?? 0) + t - this.#since);
    this.#since = t;
    this.#value = value;
  }

  add(by: number, t: number): void {
    this.set(this.#value + by, t);
  }

  figures(endMs: number): Figures {
    this.set(this.#value, endMs);
    const held = [...this.#heldMs].sort((a, b) => b[1] - a[1]);
    const values = held.map(([value]) => value);
    const totalMs = held.reduce((sum, [, heldMs]) => sum + heldMs, 0);
    return {
      min: Math.min(...values),
      max: Math.max(...values),
      mean: held.reduce((sum, [value, heldMs]) => sum + value * heldMs, 0) / totalMs,
      mode: values[0] ?? 0,
    };
  }
}

/** By the names of the bounds; times in seconds. */
export function figuresOf({ server }: ServerCase, events: readonly TraceEvent[]): Readonly<Record<string, Figures>> {
  const drops = server.concurrency_limit_params.action === 'drop';
  const dropped = new Set<string>();
  let endMs = 0;
  for (const event of events) {
    if (event.type !== 'request-settled') continue;
    endMs = event.t;
    if (drops && event.outcome !== 'succeeded') dropped.add(`${event.id}.${event.attempt}`);
  }
  const start =
    server.concurrency === 'adaptive' ? server.adaptive_concurrency.initial_concurrency : server.concurrency;
  const [atServer, atClient, limit, rate] = [new Level(0), new Level(0), new Level(start), new Level(0)];
  const calls: number[] = [];
  const served: number[] = [];
  for (const event of events) {
    const { t } = event;
    if (event.type === 'concurrency-changed') limit.set(event.next, t);
    if (event.type !== 'request-admitted' && event.type !== 'request-settled') continue;
    const by = event.type === 'request-admitted' ? 1 : -1;
    atClient.add(by, t);
    if (!dropped.has(`${event.id}.${event.attempt}`)) atServer.add(by, t);
    if (by === 1) {
      calls.push(t);
      while ((calls[0] as number) < t - 1000) calls.shift();
      rate.set(calls.length, t);
    } else if (event.type === 'request-settled' && event.outcome === 'succeeded') {
      served.push(event.serviceMs / 1000);
    }
  }
  const mean = served.reduce((sum, each) => sum + each, 0) / served.length;
  return {
    'stats.in_flight': atServer.figures(endMs),
    'stats.rate': rate.figures(endMs),
    'controller.in_flight': atClient.figures(endMs),
    'controller.concurrency_limit': limit.figures(endMs),
    'controller.observed_rtt': { min: Math.min(...served), max: Math.max(...served), mean, mode: mean },
  };
}
