/**
 * Live runs against the mock that is served as others would: every profile, and every fault in streams and in whole
 * answers, with a hint on its refusals and without.
 */

import { profileNames, profileOf } from '@tidegate/providers-mock';
import type { MockServer } from '@tidegate/providers-mock/server';
import { afterAll, describe, expect, it } from 'vitest';
import { scenarioText } from '../simulate.js';
import { ran, runLive, settled } from './live-run.js';
import { serveMock } from './serve-mock.js';

const open: MockServer[] = [];
afterAll(() => Promise.all(open.map((server) => server.close(0))));

/** Serves the provider `acme` of a scenario. */
async function serve(text: string): Promise<{ readonly url: string; readonly server: MockServer }> {
  const server = await serveMock(text);
  open.push(server);
  return { url: server.url, server };
}

const WORK = (target: string): string => `
workload: { runs: [{ id: r, target: "${target}", timeout: 20s, agents: { count: 6, requests: 2, tokens: { input: 40, output: 8, max: 16 } } }] }
governor: { retry: { firstDelay: 50ms, maxDelay: 200ms } }
`;

describe('every profile', () => {
  const spoken = profileNames.filter((name) => profileOf(name).wire !== 'gemini');

  it.each(spoken)('%s: its refusals are read as such and all is answered, streamed and whole', async (name) => {
    const [model] = Object.keys(profileOf(name).models);
    const text = `
providers:
  acme:
    profile: ${name}
    quotas: []
    models: { "${model}": { quotas: [{ concurrency: 4 }], retryAfter: none, latency: { firstToken: 30ms, perOutputToken: 1ms, refusal: 2ms } } }
${WORK(`acme/${model}`)}`;
    const { url } = await serve(text);
    const wire = profileOf(name).wire === 'anthropic' ? 'anthropic' : 'openai';
    for (const stream of [true, false]) {
      const { summary, finished } = await ran(scenarioText(text), { baseUrl: `${url}/v1`, wire, stream });
      expect([name, stream, finished.stop, summary.requests.succeeded]).toEqual([name, stream, 'done', 12]);
      expect(summary.requests.refused).toBeGreaterThan(0);
      expect(summary.requests.failed + summary.requests.ended).toBe(0);
      expect(summary.tokens.input).toBeGreaterThan(0);
      expect(summary.live?.tokens).toMatchObject({ stated: 12, estimated: 0 });
      expect(summary.latencyMs.firstToken.count).toBe(stream ? 12 : 0);
    }
  });

  it('with its limits, a run finds them: three at once', async () => {
    const text = `
providers: { acme: { models: { large: { quotas: [{ concurrency: 3 }], latency: { firstToken: 60ms, perOutputToken: 2ms, refusal: 2ms } } } } }
${WORK('acme/large')}`;
    const { url, server } = await serve(text);
    const { summary, finished } = await ran(scenarioText(text), { baseUrl: `${url}/v1` });
    expect(finished.stop).toBe('done');
    expect(summary.requests).toMatchObject({ logical: 12, succeeded: 12, lost: 0 });
    expect(summary.requests.refused).toBeGreaterThan(0);
    const entry = server.ledger().models['acme/large'];
    // The probe was one more.
    expect([entry?.admitted, entry?.peakInFlight]).toEqual([13, 3]);
    expect(entry?.refused).toBe(summary.requests.refused);
  });
});

describe('every fault', () => {
  const kinds = [
    ...['status-500', 'status-502', 'status-503', 'status-529', 'html-page', 'empty-body', 'truncated-json'],
    ...['reset', 'hang', 'slow', 'cut-stream', 'error-event', 'error-in-200', 'no-headers'],
  ];
  const cells = (['openai', 'anthropic'] as const).flatMap((wire) =>
    kinds.flatMap((kind) =>
      [true, false].flatMap((stream) => ['none', '{ as: ms }'].map((hint) => [wire, kind, stream, hint] as const)),
    ),
  );

  it.each(cells)('%s: %s, streamed: %s, hint: %s', async (wire, kind, stream, hint) => {
    const text = `
providers:
  acme:
    wire: ${wire}
    models:
      large:
        quotas: [{ name: rps, requests: 12, per: 1s, refill: sliding-window }]
        retryAfter: ${hint}
        latency: { firstToken: 5ms, perOutputToken: 1ms, refusal: 2ms }
        faults: [{ kind: ${kind}, rate: 50% }]
workload: { runs: [{ id: r, target: acme/large, timeout: 150ms, agents: { count: 6, requests: 2, tokens: { input: 40, output: 8, max: 16 } } }] }
governor: { retry: { throttle: 30, network: 1, firstDelay: 10ms, maxDelay: 40ms } }
`;
    const { url } = await serve(text);
    const run = await runLive(scenarioText(text), { baseUrl: `${url}/v1`, wire, stream });
    // The probe may meet the fault itself; then it says so, and nothing more is sent.
    if (run.kind === 'stopped') {
      expect(run.why).toContain('check:');
      return;
    }
    if (run.kind !== 'ran') throw new Error('nobody interrupts it');
    expect(['done', 'safety-rail']).toContain(run.finished.stop);
    for (const { outcome, observed } of settled(run)) {
      if (outcome === 'failed' && observed !== undefined) expect(observed.cause).toMatch(/^[a-z-]+(-\d+)?$/);
    }
  });
});
