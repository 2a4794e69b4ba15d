/** Runs an open queue for long and keeps nothing of it but sums. Times are in seconds. */

import { run } from '../../src/run.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { simulatedWorld } from '../../src/transport/world.js';
import { scenarioText } from '../simulate.js';
import { type Estimate, estimate } from './replications.js';

export interface QueueSpec {
  /** `controller: fixed`: so many servers at the gate; undefined: nothing governs, the provider refuses. */
  readonly servers?: number;
  /** Of the provider, which refuses instead of queueing. */
  readonly quota?: number;
  readonly lambda: number;
  /** A distribution as a scenario writes it, and its mean. */
  readonly service: string;
  readonly serviceMean: number;
  /** Of each replication; the first are left out. */
  readonly arrivals: number;
  readonly replications: number;
  /** A wait that some are longer than. */
  readonly t?: number;
}

/** Arrivals until a queue that began empty is as any other. */
const WARM_UP = 1000;

export interface QueueFigures {
  readonly wait: Estimate;
  /** Waiting, over time. */
  readonly queue: Estimate;
  readonly waitsLonger: Estimate;
  /** Of all arrivals. */
  readonly blocked: Estimate;
}

/** One replication: what the requests that arrive after the warm-up see. */
class Sums {
  readonly #longerThanMs: number;
  arrivals = 0;
  waitMs = 0;
  longer = 0;
  blocked = 0;
  served = 0;
  serviceMs = 0;
  #firstAt = 0;
  #lastAt = 0;
  #waiting = 0;
  #changedAt = 0;
  /** Waiting × time since the warm-up, and how much of it there was at the last arrival. */
  #areaMs = 0;
  #areaAtLastMs = 0;

  constructor({ t = 0 }: QueueSpec) {
    this.#longerThanMs = t * 1000;
  }

  observe(event: TraceEvent): void {
    if (event.type === 'request-queued') this.#arrived(event.t, event.id);
    else if (event.type === 'request-admitted') this.#admitted(event.t, event.id, event.waitMs);
    else if (event.type === 'request-settled' && event.id > WARM_UP) {
      if (event.outcome === 'succeeded') {
        this.served++;
        this.serviceMs += event.serviceMs;
      } else {
        this.blocked++;
      }
    }
  }

  get spanMs(): number {
    return this.#lastAt - this.#firstAt;
  }

  get queue(): number {
    return this.#areaAtLastMs / this.spanMs;
  }

  #arrived(t: number, id: number): void {
    this.#pass(t);
    this.#waiting++;
    if (id === WARM_UP) this.#firstAt = t;
    if (id <= WARM_UP) return;
    this.arrivals++;
    this.#lastAt = t;
    this.#areaAtLastMs = this.#areaMs;
  }

  #admitted(t: number, id: number, waitMs: number): void {
    this.#pass(t);
    this.#waiting--;
    if (id <= WARM_UP) return;
    this.waitMs += waitMs;
    if (waitMs > this.#longerThanMs) this.longer++;
  }

  #pass(t: number): void {
    if (this.#firstAt > 0) this.#areaMs += this.#waiting * (t - this.#changedAt);
    this.#changedAt = t;
  }
}

export async function runQueue(spec: QueueSpec): Promise<QueueFigures> {
  const all: Sums[] = [];
  for (let seed = 1; seed <= spec.replications; seed++) {
    const scenario = scenarioText(scenarioOf(spec), [`seed=${seed}`]);
    const sums = new Sums(spec);
    await run({ scenario, world: simulatedWorld(scenario), version: 'test', observe: (event) => sums.observe(event) });
    all.push(sums);
  }
  const { lambda, service, serviceMean } = spec;
  const isRandom = service.startsWith('{');
  const controls = all.map(({ spanMs, arrivals, serviceMs, served }) => [
    (spanMs / 1000 / arrivals) * lambda - 1,
    // A constant service has no noise that could be taken out.
    ...(isRandom ? [serviceMs / 1000 / served / serviceMean - 1] : []),
  ]);
  const figure = (of: (sums: Sums) => number): Estimate => estimate(all.map(of), controls);
  return {
    wait: figure(({ waitMs, arrivals }) => waitMs / 1000 / arrivals),
    queue: figure(({ queue }) => queue),
    waitsLonger: figure(({ longer, arrivals }) => longer / arrivals),
    blocked: figure(({ blocked, arrivals }) => blocked / arrivals),
  };
}

function scenarioOf({ servers, quota, lambda, service, arrivals }: QueueSpec): string {
  const governor = servers === undefined ? 'controller: none' : `controller: fixed, initial: ${servers}`;
  const quotas = quota === undefined ? '' : `quotas: [{ concurrency: ${quota} }], `;
  return `
name: queue
governor: { ${governor}, retry: none }
providers: { p: { models: { m: { ${quotas}latency: { service: ${service}, refusal: 0 } } } } }
workload: { arrivals: [{ id: a, target: p/m, rate: ${lambda}/s, process: poisson, count: ${arrivals}, tokens: { output: 1 } }] }`;
}
