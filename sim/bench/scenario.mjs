/** What a run costs: `fanout30` as a whole process with all its outputs, its simulation alone, and a large fan-out. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Checks } from '../dist/results/checks.js';
import { Metrics } from '../dist/results/metrics.js';
import { run } from '../dist/run.js';
import { loadScenario } from '../dist/scenario/load.js';
import { loadScenarioFile } from '../dist/scenario/scenario-file.js';
import { simulatedWorld } from '../dist/transport/world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FANOUT30 = join(ROOT, 'scenarios/fanout30.yaml');

const LARGE = `
name: large
governor: { initial: 64 }
providers:
  acme:
    models:
      large:
        quotas: [{ concurrency: 50 }]
        latency: { firstToken: { lognormal: { median: 600ms, p95: 2s } }, perOutputToken: 12ms }
workload:
  runs:
    - id: fan-out
      target: acme/large
      agents:
        count: 1000
        requests: 200
        tokens: { input: 1000, output: { lognormal: { median: 300, p95: 900 } } }
`;

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function wholeProcess() {
  const out = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  try {
    const args = ['sim/bin/sim.js', 'run', FANOUT30, '--out', out];
    const once = () => {
      const started = process.hrtime.bigint();
      execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
      return Number(process.hrtime.bigint() - started) / 1e6;
    };
    return median([once(), once(), once(), once(), once()]);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Milliseconds and attempts of one run with checks and metrics. */
async function simulate(scenario) {
  const checks = new Checks();
  const metrics = new Metrics();
  const started = process.hrtime.bigint();
  const observe = (event) => {
    checks.observe(event);
    metrics.observe(event);
  };
  await run({ scenario, world: simulatedWorld(scenario), version: 'bench', observe });
  return { ms: Number(process.hrtime.bigint() - started) / 1e6, attempts: metrics.figures().requests.attempts };
}

/** The simulation part as a process meets it: the first run, nothing warmed up. */
function firstSimulation() {
  const args = [fileURLToPath(import.meta.url), 'first'];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

export async function bench() {
  const large = loadScenario({ text: LARGE, readFile: () => '' }).scenario;
  await simulate(large);
  const { ms, attempts } = await simulate(large);
  const first = median([firstSimulation(), firstSimulation(), firstSimulation()]);
  return [
    { name: 'fanout30, whole process, all outputs', value: wholeProcess(), unit: 'ms', note: '< 1 500' },
    { name: 'fanout30, simulation, first run of a process', value: first, unit: 'ms', note: '< 100' },
    {
      name: 'large fan-out, checks and metrics',
      value: attempts / ms,
      unit: 'k attempts/s',
      note: `${attempts} attempts`,
    },
  ];
}

if (process.argv[2] === 'first') {
  const { ms } = await simulate(loadScenarioFile(FANOUT30).scenario);
  console.log(ms);
}
