/**
 * What the preset `adaptive` is held to, on the kinds of limits that providers have: with endless work, after the first
 * minutes, in figures that are printed beside their targets. Nothing in the preset knows any of these numbers.
 */

import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';
import { measure } from './saturated.js';
import { jain, type Shared, share } from './two-governors.js';

const PLACES = 'latency: { service: { exponential: { mean: 10s } }, refusal: 50ms }';
const MIXED = 'latency: { service: { uniform: { min: 1s, max: 120s } }, refusal: 50ms }';
const TOKENS =
  '{ input: { lognormal: { median: 3000, p95: 9000 } }, output: { lognormal: { median: 300, p95: 900 } } }';
const ADAPTIVE = 'preset: adaptive';

function print(
  what: string,
  { utilisation, refusedShare }: { utilisation: number | null; refusedShare: number | null },
) {
  console.log(`${what}: utilisation ${utilisation?.toFixed(3)}, refused ${(100 * (refusedShare ?? 0)).toFixed(3)} %`);
}

describe('a hard limit', () => {
  it.each([
    [5, 'none', 'rate', 0.01],
    [20, 'none', 'rate', 0.003],
    [100, 'none', 'rate', 0.001],
    [5, '10s', 'rate', 0.01],
    [20, '10s', 'rate', 0.003],
    [100, '10s', 'rate', 0.001],
    // Where nothing tells that the limit is one of places, every hint freezes the key.
    [5, '10s', 'any', 0.01],
    [20, '10s', 'any', 0.003],
    [100, '10s', 'any', 0.001],
  ])('of %i with a hint of %s, freezing on %s: 0.97 used, at most %f refused', async (limit, hint, freezeOn, most) => {
    const figures = await measure({
      governor: `${ADAPTIVE}, freezeOn: ${freezeOn}, growthLimit: ${4 * limit}`,
      initial: limit,
      runs: 5,
      model: `{ quotas: [{ concurrency: ${limit} }], retryAfter: ${hint}, ${PLACES} }`,
      dropS: 400,
      lengthS: 4000,
    });
    print(`C=${limit} hint=${hint} freezeOn=${freezeOn}`, figures);
    expect(figures.utilisation).toBeGreaterThanOrEqual(0.97);
    expect(figures.refusedShare).toBeLessThanOrEqual(most);
  });
});

describe('a rate that headers announce, or the words of its first refusal (Gemini)', () => {
  const rpm = (limit: number, more = '') => `{ requests: ${limit}, per: 1m${more} }`;
  const tpm = (limit: number, more = '') => `{ tokens: ${limit}, per: 1m${more} }`;
  it.each<[string, string, string, 'openai' | 'anthropic' | 'gemini', number]>([
    ['60 requests', rpm(60), PLACES, 'openai', 30],
    ['60 requests, 1-120 s', rpm(60), MIXED, 'openai', 30],
    ['60 requests, Anthropic', rpm(60), PLACES, 'anthropic', 30],
    ['60 requests, burst 5', rpm(60, ', burst: 5'), PLACES, 'openai', 30],
    ['10 requests, sliding', rpm(10, ', refill: sliding-window'), PLACES, 'openai', 30],
    ['60 requests, fixed window, 1-120 s', rpm(60, ', refill: fixed-window'), MIXED, 'openai', 30],
    ['600 requests, 1-120 s', rpm(600), MIXED, 'openai', 140],
    ['200 000 tokens', tpm(200_000), PLACES, 'openai', 30],
    ['200 000 tokens, 1-120 s', tpm(200_000), MIXED, 'openai', 30],
    ['200 000 input tokens, Anthropic', tpm(200_000, ', counts: input'), PLACES, 'anthropic', 30],
    ['200 000 tokens, reserved in full', tpm(200_000, ', reserve: max-tokens'), PLACES, 'openai', 30],
    ['200 000 tokens, fixed window', tpm(200_000, ', refill: fixed-window'), PLACES, 'openai', 30],
    ['200 000 tokens, sliding', tpm(200_000, ', refill: sliding-window'), PLACES, 'openai', 30],
    ['200 000 tokens, sliding, 1-120 s', tpm(200_000, ', refill: sliding-window'), MIXED, 'openai', 30],
    ['60 requests, Gemini', rpm(60), PLACES, 'gemini', 30],
    ['200 000 tokens, Gemini', tpm(200_000), PLACES, 'gemini', 30],
    ['200 000 tokens, sliding, Gemini', tpm(200_000, ', refill: sliding-window'), PLACES, 'gemini', 30],
    ['2 000 000 tokens, sliding', tpm(2_000_000, ', refill: sliding-window'), PLACES, 'openai', 140],
    ['60 requests and 200 000 tokens, 1-120 s', `${rpm(60)}, ${tpm(200_000)}`, MIXED, 'openai', 30],
  ])('of %s a minute: 0.95 used, at most 0.005 refused', async (name, quotas, latency, wire, runs) => {
    const figures = await measure({
      ...{ governor: ADAPTIVE, initial: 8, runs, wire, tokens: TOKENS },
      model: `{ quotas: [${quotas}], retryAfter: exact, ${latency} }`,
      ...{ dropS: 600, lengthS: 2400 },
    });
    print(name, figures);
    expect(figures.utilisation).toBeGreaterThanOrEqual(0.95);
    expect(figures.refusedShare).toBeLessThanOrEqual(0.005);
  });
});

/** Cap changes with their times in seconds. */
function capsOf(events: readonly TraceEvent[]) {
  return events.flatMap((event) => (event.type === 'concurrency-changed' ? [{ ...event, s: event.t / 1000 }] : []));
}

describe('a limit that moves', () => {
  it.each([
    [20, 1],
    [80, 1],
    [80, 2],
  ])('from %i to a quarter and back (seed %i): at most 6 cuts down, 40 service times up', async (high, seed) => {
    const low = high / 4;
    const events: TraceEvent[] = [];
    const set = (at: string, limit: number) =>
      `{ at: ${at}, set: { 'providers.acme.models.large.quotas[0].concurrency': ${limit} } }`;
    await measure(
      {
        ...{ governor: `${ADAPTIVE}, growthLimit: ${4 * high}`, initial: high, runs: 5, seed },
        model: `{ quotas: [{ concurrency: ${high} }], ${PLACES} }`,
        timeline: `[${set('1000s', low)}, ${set('2000s', high)}]`,
        ...{ dropS: 0, lengthS: 3000 },
      },
      (event) => events.push(event),
    );
    const caps = capsOf(events);
    const down = caps.filter(({ s, next, previous }) => s >= 1000 && s < 1100 && next < previous);
    const settled = down.findIndex(({ next }) => next <= low) + 1;
    const up = caps.find(({ s, next }) => s >= 2000 && next >= 0.95 * high);
    console.log(
      `${high} → ${low}: ${settled} cuts; → ${high}: ${(((up?.s ?? Infinity) - 2000) / 10).toFixed(1)} service times`,
    );
    expect(settled).toBeGreaterThan(0);
    expect(settled).toBeLessThanOrEqual(6);
    expect((up?.s ?? Number.POSITIVE_INFINITY) - 2000).toBeLessThanOrEqual(400);
  });

  it('from 0 for 800 s, with a hint of 89 s: reaches the floor, and recovers', async () => {
    const events: TraceEvent[] = [];
    await measure(
      {
        ...{ governor: `${ADAPTIVE}, growthLimit: 128`, initial: 32, runs: 5 },
        model: `{ quotas: [{ concurrency: 0 }], retryAfter: 89s, ${PLACES} }`,
        timeline: "[{ at: 800s, set: { 'providers.acme.models.large.quotas[0].concurrency': 32 } }]",
        ...{ dropS: 0, lengthS: 2000 },
      },
      (event) => events.push(event),
    );
    const caps = capsOf(events);
    const lowest = caps.findLast(({ s }) => s <= 800);
    const back = caps.find(({ s, next }) => s > 800 && next >= 32);
    console.log(`0 for 800 s: cap ${lowest?.next} at 800 s, 32 again at ${back?.s.toFixed(0)} s`);
    expect(lowest?.next).toBe(1);
    expect(back?.s).toBeLessThan(1400);
  });
});

describe('two governors on one window quota, from 80 : 20', () => {
  const cases = (['fixed-window', 'sliding-window'] as const).flatMap((refill) =>
    [120, 600].flatMap((limit) => (['openai', 'gemini'] as const).map((wire) => [refill, limit, wire] as const)),
  );
  it.each(cases)('%s of %i a minute, %s: fair after 1000 s', (refill, limit, wire) => {
    const places = limit / 30;
    const governor = (part: number): Shared['governors'][number] => ({
      options: { preset: 'adaptive', initial: Math.max(1, Math.round(part * places)), growthLimit: 4 * places },
      startsMs: 0,
    });
    const quota = {
      kind: 'requests',
      name: 'rpm',
      limit,
      perMs: 60_000,
      refill,
      burst: limit,
      refusedCount: false,
    } as const;
    const shared = { quota, wire, hints: true, serviceMs: 2000, governors: [governor(0.8), governor(0.2)] };
    const [a, b] = share(shared, 1_000_000, 2_000_000).map((windows) => windows[1] as number) as [number, number];
    console.log(`${refill} ${limit} ${wire}: ${a} : ${b} in the second 1000 s, Jain ${jain(a, b).toFixed(3)}`);
    expect(jain(a, b)).toBeGreaterThanOrEqual(0.95);
  });
});

describe('a server that queues and never refuses, with the latency signal', () => {
  const times = ['lognormal: { median: 600ms, p95: 2s }', 'exponential: { mean: 1s }'];
  const cases = times.flatMap((time) => [1, 2, 4, 8, 16, 32, 64].map((slots): [number, string] => [slots, time]));
  it.each(cases)('of %i places, first tokens %s: no worse than twice the oracle', async (slots, firstToken) => {
    const figures = async (governor: string) => {
      const text = `
governor: { ${governor} }
providers: { acme: { models: { large: { server: { slots: ${slots}, queue: 100000 }, latency: { firstToken: { ${firstToken} }, perOutputToken: 10ms } } } } }
workload: { runs: [{ id: r, target: acme/large, maxConcurrency: 64, agents: { count: 64, name: 'a-{n}', requests: 80, tokens: { input: 2000, output: { lognormal: { median: 200, p95: 500 } } } } }] }
`;
      const { summary } = await simulate(scenarioText(text));
      return { makespanS: (summary.makespanMs as number) / 1000, serviceMs: summary.latencyMs.service.mean as number };
    };
    // Who knows the places holds exactly as many in flight.
    const oracle = await figures(`controller: fixed, initial: ${slots}`);
    const off = await figures(ADAPTIVE);
    const on = await figures(`${ADAPTIVE}, latencySignal: true`);
    console.log(
      `${slots} places: makespan ${oracle.makespanS.toFixed(0)} | ${on.makespanS.toFixed(0)} s, service ${oracle.serviceMs.toFixed(0)} | ${on.serviceMs.toFixed(0)} ms, without the signal ${off.serviceMs.toFixed(0)} ms`,
    );
    expect(on.makespanS).toBeLessThanOrEqual(2 * oracle.makespanS);
    expect(on.serviceMs).toBeLessThanOrEqual(2 * oracle.serviceMs);
  });
});
