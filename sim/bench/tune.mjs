/** What a grid costs: 81 settings × 20 seeds × 1000 requests through `sim tune`, on one worker and on two. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const THOUSAND = `
name: thousand
providers:
  acme:
    models:
      large:
        quotas: [{ concurrency: 5 }]
        latency: { firstToken: { lognormal: { median: 600ms, p95: 2s } }, perOutputToken: 12ms }
workload:
  runs: [{ id: r, target: acme/large, agents: { count: 20, requests: 50, tokens: { input: 1000, output: 300 } } }]
`;

const GRID = ['--grid', 'decreaseFactor=0.5..0.9:0.05', '--grid', 'increaseAfterSuccesses=1,2,3,4,6,8,12,16,24'];

/** Odd, so that one of them is the median. */
const PAIRS = 3;

/** Seconds from start to report. */
function tune(scenario, workers) {
  const out = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  try {
    const started = process.hrtime.bigint();
    const args = [
      'sim/bin/sim.js',
      'tune',
      scenario,
      ...GRID,
      '--seeds',
      '20',
      '--workers',
      String(workers),
      '--out',
      out,
    ];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
    return Number(process.hrtime.bigint() - started) / 1e9;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  const scenario = join(folder, 'thousand.yaml');
  writeFileSync(scenario, THOUSAND);
  try {
    // In pairs, so that what else the machine does falls on both.
    const pairs = Array.from({ length: PAIRS }, () => [tune(scenario, 1), tune(scenario, 2)]);
    const note = `81 cells × 20 seeds × 1000 requests, report included; median of ${PAIRS}`;
    return [
      { name: 'tune, one worker', value: median(pairs.map(([one]) => one)), unit: 's', note },
      { name: 'tune, two workers', value: median(pairs.map(([, two]) => two)), unit: 's', note },
      { name: 'two workers against one', value: median(pairs.map(([one, two]) => one / two)), unit: '×', note: '' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
