/**
 * Verdicts per second of a model with three quotas: one `decide` and, where it admits, one `answered`. Virtual time moves
 * on with every request, so that buckets refill and windows roll. Needs a build: `npx tsc -p providers-mock`.
 */

import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { Bench } from 'tinybench';
import { ProviderModel } from '../dist/index.js';

/** Verdicts per measured call: the clock of the bench costs as much as a verdict. */
const BATCH = 1000;
const FACTS = { inputTokens: 1000, maxTokens: 500 };
const USAGE = { inputTokens: 1000, outputTokens: 120 };

/** Room for 10,000 requests a second of 1,120 tokens; a step shorter than 0.1 ms asks for more than there is. */
const quotas = (refill) => [
  { kind: 'concurrency', name: 'concurrency', limit: 64, refusedCount: false },
  { kind: 'requests', name: 'rpm', limit: 600_000, perMs: 60_000, refill, burst: 1000, refusedCount: false },
  {
    kind: 'tokens',
    name: 'tpm',
    limit: 672_000_000,
    perMs: 60_000,
    refill,
    burst: 2_000_000,
    refusedCount: false,
    counts: 'total',
    reserve: 'max-tokens',
    settle: 'refund',
  },
];

/** Each request is answered 32 requests later, so that refunds find their reservation in the past. */
function verdicts(refill, stepMs) {
  const model = new ProviderModel(quotas(refill));
  const inFlight = new Array(32).fill(null);
  let nowMs = 0;
  return () => {
    for (let n = 0; n < BATCH; n += 1) {
      const slot = n & 31;
      inFlight[slot]?.answered(USAGE, nowMs);
      const verdict = model.decide(FACTS, nowMs);
      inFlight[slot] = verdict.kind === 'admitted' ? verdict.lease : null;
      nowMs += stepMs;
    }
  };
}

const CASES = [
  { name: 'three quotas, token buckets, all admitted', refill: 'token-bucket', stepMs: 0.125 },
  { name: 'three quotas, token buckets, half refused', refill: 'token-bucket', stepMs: 0.05 },
  { name: 'three quotas, fixed windows, all admitted', refill: 'fixed-window', stepMs: 0.125 },
  { name: 'three quotas, sliding windows, all admitted', refill: 'sliding-window', stepMs: 0.125 },
];

/** @returns {Promise<{ name: string, value: number, unit: string, note: string }[]>} */
export async function bench() {
  const runs = new Bench({ time: 500, warmupTime: 200 });
  for (const { name, refill, stepMs } of CASES) runs.add(name, verdicts(refill, stepMs));
  await runs.run();
  return runs.tasks.map(({ name, result }) => ({
    name,
    value: Math.round((BATCH * 1000) / result.latency.p50),
    unit: 'verdicts/s',
    note: 'decide, and answered where admitted',
  }));
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  for (const { name, value, unit } of await bench()) console.log(`${name}: ${value.toLocaleString('en')} ${unit}`);
}
