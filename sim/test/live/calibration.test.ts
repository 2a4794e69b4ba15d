/**
 * Calibration to traces of live runs: against mocks whose limits are known, served in real time, from what a client sees
 * alone. What is on its way, and a busy process, blur what the provider saw.
 */

import { describe, expect, it } from 'vitest';
import { Calibrator, type KeyFit } from '../../src/calibration/calibrate.js';
import { kindOf } from '../../src/calibration/fit-quota.js';
import { scenarioText } from '../simulate.js';
import { ran } from './live-run.js';
import { serveMock } from './serve-mock.js';

const scenario = (quota: string, requests: number): string => `
governor: { retry: { firstDelay: 150ms, maxDelay: 1s } }
providers:
  acme:
    models:
      large:
        quotas: [{ ${quota} }]
        latency: { firstToken: { lognormal: { median: 90ms, p95: 200ms } }, perOutputToken: 1ms, refusal: 5ms }
workload:
  runs:
    - id: r
      target: acme/large
      maxConcurrency: 12
      agents:
        count: 12
        requests: ${requests}
        tokens: { input: { uniform: { min: 20, max: 80 } }, output: { uniform: { min: 5, max: 40 } }, max: 40 }
`;

async function fitted(text: string): Promise<KeyFit> {
  const server = await serveMock(text);
  try {
    const { events } = await ran(scenarioText(text), { baseUrl: `${server.url}/v1` });
    const calibrator = new Calibrator();
    for (const event of events) calibrator.observe(event);
    return calibrator.calibration().keys[0] as KeyFit;
  } finally {
    await server.close(0);
  }
}

describe('the limit of a live provider', () => {
  it.each<[string, string, number, { kind: string; limit: number; perMs: number | null }]>([
    ['so many at once', 'concurrency: 5', 13, { kind: 'concurrency', limit: 5, perMs: null }],
    [
      'a bucket of requests',
      'requests: 40, per: 3s',
      11,
      { kind: 'requests per window, token-bucket', limit: 40, perMs: 3_000 },
    ],
    [
      'requests in a fixed window',
      'requests: 30, per: 2s, refill: fixed-window',
      11,
      { kind: 'requests per window, fixed-window', limit: 30, perMs: 2_000 },
    ],
    [
      'a bucket of tokens',
      'tokens: 2000, per: 2s',
      9,
      { kind: 'tokens per window, token-bucket', limit: 2_000, perMs: 2_000 },
    ],
  ])('%s', async (_, quota, requests, { kind, limit, perMs }) => {
    const { quotas, unexplained, refusals } = await fitted(scenario(quota, requests));
    const best = quotas[0]?.best;
    expect(refusals).toBeGreaterThan(5);
    expect([best && kindOf(best), quotas.length]).toEqual([kind, 1]);
    const perWindow = perMs === null ? 1 : perMs / (best?.perMs ?? 1);
    expect(Math.abs(((best?.limit ?? 0) * perWindow) / limit - 1)).toBeLessThan(0.1);
    if (best?.burst != null) expect(Math.abs(best.burst / limit - 1)).toBeLessThan(0.1);
    expect(unexplained).toBeLessThanOrEqual(refusals / 20);
  });
});
