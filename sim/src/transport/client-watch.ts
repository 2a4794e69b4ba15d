/** Watches this process while a live run goes on: its CPU time, and by how much its timers are late. */

import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ClientLoad } from '../trace/events.js';

/** The monitor wakes this often; what it measures contains it. */
const RESOLUTION_MS = 10;
/** Above this, what is measured of the provider is in part the client. */
const BUSY = 0.8;
const LATE_MS = 50;
/** Looks of the monitor, a second of them: in a shorter run the first requests, while code is compiled, are all there is. */
const FEWEST = 100;

export class ClientWatch {
  readonly #delays: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #cpu: NodeJS.CpuUsage | undefined;
  #loop: ReturnType<typeof performance.eventLoopUtilization> | undefined;

  start(): void {
    this.#cpu = process.cpuUsage();
    this.#loop = performance.eventLoopUtilization();
    this.#delays.enable();
  }

  stop(): void {
    this.#delays.disable();
  }

  load({ sent, spent }: Pick<ClientLoad, 'sent' | 'spent'>): ClientLoad {
    const { user, system } = process.cpuUsage(this.#cpu);
    const busy = performance.eventLoopUtilization(this.#loop).utilization;
    const late = (percentile: number): number => lateness(this.#delays.percentile(percentile));
    const lagMs = { p50: late(50), p99: late(99), max: lateness(this.#delays.max) };
    return {
      sent,
      spent: { input: Math.round(spent.input), output: Math.round(spent.output) },
      cpuMsPerRequest: sent === 0 ? null : rounded((user + system) / 1000 / sent),
      busy: rounded(busy),
      lagMs,
      isBottleneck: this.#delays.count >= FEWEST && (busy > BUSY || lagMs.p99 > LATE_MS),
    };
  }
}

/** Of a histogram's nanoseconds; it has none before its first sample. */
function lateness(ns: number): number {
  return Number.isFinite(ns) ? rounded(Math.max(0, ns / 1e6 - RESOLUTION_MS)) : 0;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
