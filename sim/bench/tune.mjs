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

export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  const scenario = join(folder, 'thousand.yaml');
  writeFileSync(scenario, THOUSAND);
  try {
    const [one, two] = [tune(scenario, 1), tune(scenario, 2)];
    const cells = '81 cells × 20 seeds × 1000 requests, report included';
    return [
      { name: 'tune, one worker', value: one, unit: 's', note: cells },
      { name: 'tune, two workers', value: two, unit: 's', note: cells },
      { name: 'two workers against one', value: one / two, unit: '×', note: '' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
