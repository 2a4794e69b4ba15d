/**
 * Calibration to what a live client sees: answers come 1 to 10 ms late, the provider's windows begin when they like. Seeded
 * cases whose limits are known, in virtual time; the figures are printed.
 */

import { describe, expect, it } from 'vitest';
import { Calibrator, type KeyFit } from '../../src/calibration/calibrate.js';
import { kindOf } from '../../src/calibration/fit-quota.js';
import { RandomStreams } from '../../src/kernel/random.js';
import { runIn, scenarioText } from '../simulate.js';
import { distantWorld } from './distant-world.js';

const CASES = 20;
const WINDOWS = [1, 2, 3, 4, 5, 6, 10];
const HINTS = ['none', 'exact', '1s', '{ as: seconds, rounding: up }', '{ as: ms, rounding: up }'];
const KINDS = [
  'concurrency',
  'requests token-bucket',
  'requests fixed-window',
  'tokens token-bucket',
  'tokens fixed-window',
];

interface Case {
  readonly quota: string;
  readonly kind: string;
  /** At once, or per second. */
  readonly limit: number;
  readonly text: string;
}

function caseOf(seed: number): Case {
  const stream = new RandomStreams(seed).stream('case');
  const between = (low: number, high: number): number => Math.round(low + stream.next() * (high - low));
  const [unit, refill] = (KINDS[seed % KINDS.length] as string).split(' ') as [string, string?];
  const per = WINDOWS[between(0, WINDOWS.length - 1)] as number;
  const firstToken = [60, 150, 300][between(0, 2)] as number;
  const retryAfter = HINTS[between(0, HINTS.length - 1)] as string;
  const agents = between(8, 30);
  // What they would ask for per second, were there no limit.
  const perSecond = agents / ((1.3 * firstToken + 40) / 1_000);
  const share = unit === 'concurrency' ? 0.2 + 0.4 * stream.next() : 0.3 + 0.4 * stream.next();
  const limit =
    unit === 'concurrency' ? Math.max(2, Math.round(agents * share)) : Math.max(8, Math.round(perSecond * per * share));
  const amount = unit === 'tokens' ? limit * 1_000 : limit;
  const quota =
    unit === 'concurrency' ? `concurrency: ${limit}` : `${unit}: ${amount}, per: ${per}s, refill: ${refill}`;
  const controller = stream.next() < 0.7 ? `aimd, initial: ${agents}` : 'none';
  return {
    quota: `${quota}, hint ${retryAfter}`,
    kind: unit === 'concurrency' ? unit : `${unit} per window, ${refill}`,
    limit: unit === 'concurrency' ? limit : amount / per,
    text: `
seed: ${seed + 1}
governor: { controller: ${controller}, retry: { firstDelay: 200ms, maxDelay: 2s } }
providers:
  acme:
    models:
      large:
        quotas: [{ ${quota} }]
        retryAfter: ${retryAfter}
        latency: { firstToken: { lognormal: { median: ${firstToken}ms, p95: ${3 * firstToken}ms } }, perOutputToken: 0.2ms, refusal: 4ms }
workload:
  runs:
    - id: r
      target: acme/large
      maxConcurrency: ${agents}
      agents:
        count: ${agents}
        name: "a-{n}"
        requests: 200
        tokens: { input: { lognormal: { median: 900, p95: 2500 } }, output: { lognormal: { median: 150, p95: 400 } }, max: 600 }
stop: { after: ${between(12, 40)}s }
`,
  };
}

/** @param beganMs when the run begins, by the provider's clock. */
async function fitted(text: string, beganMs: number): Promise<KeyFit> {
  const scenario = scenarioText(text);
  const { events } = await runIn(distantWorld(scenario, [0.5, 5]), scenario);
  const calibrator = new Calibrator();
  for (const event of events) {
    calibrator.observe(event.type === 'trace-started' ? event : { ...event, t: event.t + beganMs });
  }
  return calibrator.calibration().keys[0] as KeyFit;
}

describe('limits of mocks at the other end of a network', () => {
  it(`are found in ${CASES} seeded cases: the kind in at least 95 of 100, the limit within 10 %`, async () => {
    const misses: string[] = [];
    const offs: number[] = [];
    for (let seed = 0; seed < CASES; seed++) {
      const { quota, kind, limit, text } = caseOf(seed);
      const best = (await fitted(text, 1_000 * (seed % 7) + 137.3 * (seed % 11))).quotas[0]?.best;
      if (best === undefined || kindOf(best) !== kind) {
        misses.push(`seed ${seed}: ${quota}: found ${best && kindOf(best)} ${best?.limit} per ${best?.perMs}`);
        continue;
      }
      offs.push(Math.abs((best.perMs === null ? best.limit : (1_000 * best.limit) / best.perMs) / limit - 1));
    }
    const worst = Math.max(...offs);
    console.log(
      [`kind right in ${offs.length} of ${CASES}; limit off by ${(100 * worst).toFixed(2)} % at most`, ...misses].join(
        '\n',
      ),
    );
    expect(offs.length).toBeGreaterThanOrEqual(0.95 * CASES);
    expect(worst).toBeLessThanOrEqual(0.1);
  }, 240_000);
});
