/**
 * What a simulated model call costs: a fan-out with governor, quota, latencies, retries, checks, metrics and time series,
 * without and with its trace on disk, beside a bare loop of the event heap in the same process. Measures the CPU time of the process, compiler and
 * collector included, because the wall clock of a shared machine measures its neighbours.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel, PHASE } from '../dist/kernel/kernel.js';
import { Checks } from '../dist/results/checks.js';
import { Metrics } from '../dist/results/metrics.js';
import { TimeSeries } from '../dist/results/timeseries.js';
import { run } from '../dist/run.js';
import { loadScenario } from '../dist/scenario/load.js';
import { TraceWriter } from '../dist/trace/writer.js';
import { simulatedWorld } from '../dist/transport/world.js';

/** Of the large fan-out. `TIDEGATE_BENCH_CALLS` says another number. */
export const CALLS = Number(process.env.TIDEGATE_BENCH_CALLS ?? 1_000_000);

/**
 * As many runs and as many keys as are asked for, each run with its share of the agents, each key with its share of the runs.
 *
 * @param shape.open how many agents of a run have a request open at a time, at a cap that does not move; default 64, and
 * at one that does.
 */
export function fanOut({ calls, agents = 1000, runs = 1, keys = 1, open }) {
  const names = Array.from({ length: keys }, (_, i) => `model-${i}`);
  const model = {
    quotas: [{ concurrency: 60 }],
    latency: { firstToken: { lognormal: { median: '600ms', p95: '2s' } }, perOutputToken: '12ms' },
  };
  const perRun = Math.max(1, Math.round(agents / runs));
  const text = JSON.stringify({
    name: 'throughput',
    governor: open === undefined ? { initial: 64 } : { controller: 'fixed', initial: 56 },
    providers: { acme: { models: Object.fromEntries(names.map((name) => [name, model])) } },
    workload: {
      runs: Array.from({ length: runs }, (_, i) => ({
        id: `run-${i}`,
        ...(open !== undefined && { maxConcurrency: open }),
        target: `acme/${names[i % keys]}`,
        agents: {
          count: perRun,
          requests: Math.max(1, Math.round(calls / (perRun * runs))),
          tokens: { input: 1000, output: { lognormal: { median: 300, p95: 900 } } },
        },
      })),
    },
  });
  const loaded = loadScenario({ text, readFile: () => '' });
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems[0]));
  return loaded.scenario;
}

function cpuMs(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** @param trace a file for it; undefined: it is not written. */
export async function simulate(scenario, trace) {
  const checks = new Checks();
  const metrics = new Metrics();
  const series = new TimeSeries();
  const writer = trace === undefined ? undefined : new TraceWriter(trace);
  const before = process.cpuUsage();
  const observe = (event) => {
    writer?.observe(event);
    checks.observe(event);
    metrics.observe(event);
    series.observe(event);
  };
  await run({ scenario, world: simulatedWorld(scenario), version: 'bench', observe });
  writer?.close();
  return { ms: cpuMs(before), attempts: metrics.figures().requests.attempts };
}

/** Thousands of events per CPU second that the heap alone runs, 64 pending, as in the fan-out. */
function bareLoop(events) {
  const kernel = new Kernel();
  let left = events;
  let luck = 1;
  const again = () => {
    luck = (luck * 48271) % 2147483647;
    if (left-- > 0) kernel.after(1 + (luck & 1023), PHASE.completion, again, undefined);
  };
  for (let i = 0; i < 64; i++) kernel.after(i, PHASE.completion, again, undefined);
  const before = process.cpuUsage();
  kernel.run();
  return events / cpuMs(before);
}

export async function bench() {
  const large = fanOut({ calls: CALLS });
  await simulate(fanOut({ calls: Math.min(CALLS, 500_000) }));
  bareLoop(CALLS);
  const bare = bareLoop(CALLS);
  const untraced = await simulate(large);
  const rate = untraced.attempts / untraced.ms;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  try {
    await simulate(fanOut({ calls: CALLS / 10 }), join(folder, 'warm-up.jsonl'));
    const heapBefore = process.memoryUsage().rss;
    const traced = await simulate(large, join(folder, 'trace.jsonl'));
    const grownMb = (process.memoryUsage().rss - heapBefore) / 1e6;
    return [
      { name: 'bare event heap', value: bare, unit: 'k events/s', note: '' },
      {
        name: 'fan-out, no trace',
        value: rate,
        unit: 'k calls/s',
        note: `1 call = ${(bare / rate).toFixed(1)} bare events`,
      },
      { name: 'fan-out, trace on disk', value: traced.attempts / traced.ms, unit: 'k calls/s', note: '' },
      { name: 'memory grown over it', value: grownMb, unit: 'MB', note: `${traced.attempts} attempts` },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
