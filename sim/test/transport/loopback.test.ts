/**
 * Whole runs over HTTP in real time, against the same runs in virtual time. Every run is watched by all checks. What takes
 * real time is quick because it goes many times as fast as the scenario says; bounds leave room for a busy machine.
 */

import { setTimeout as realMs } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.js';
import type { RequestSettled, TraceEvent } from '../../src/trace/events.js';
import { loopbackWorld } from '../../src/transport/loopback-world.js';
import { runIn, type Simulated, scenarioFile, scenarioText, simulate } from '../simulate.js';

async function looped(scenario: Scenario, speed: number, interrupt?: AbortSignal): Promise<Simulated> {
  return runIn(await loopbackWorld(scenario, { speed }), scenario, interrupt);
}

function settled(events: readonly TraceEvent[]): readonly RequestSettled[] {
  return events.filter((event): event is RequestSettled => event.type === 'request-settled');
}

/** In an order that the times of different agents do not decide. */
function byAgent({ events }: Simulated): readonly RequestSettled[] {
  const nameOf = ({ run, agent }: RequestSettled): string => `${run} ${agent}`;
  return settled(events).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)) || a.t - b.t);
}

/** By how much longer each attempt took than expected, in ms. */
function latenessOf(seen: readonly RequestSettled[], expected: readonly RequestSettled[]): readonly number[] {
  return seen.map(({ serviceMs }, i) => serviceMs - (expected[i] as RequestSettled).serviceMs);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

describe('the same scenario, simulated and over HTTP', () => {
  it('takes as long, cuts as often, and finds the same cap: fanout30, medians of three runs', async () => {
    // A tenth of the tokens at a tenth of the pace: as long as ever, and three runs at once are no work for a machine.
    const scenario = scenarioFile('scenarios/fanout30.yaml', [
      'workload.runs[0].agents.tokens.output={ lognormal: { median: 30, p95: 90 } }',
      'providers.acme.models.large.latency.perOutputToken=120ms',
    ]);
    const { summary: simulated } = await simulate(scenario);
    const threeAt = (speed: number) => Promise.all([1, 2, 3].map(() => looped(scenario, speed)));
    const offBy = (loops: readonly Simulated[]): number =>
      Math.abs(median(loops.map(({ summary }) => summary.makespanMs ?? 0)) / (simulated.makespanMs as number) - 1);
    // What a busy machine adds to an answer weighs less at a lower speed; what the two worlds disagree on does not.
    let loops = await threeAt(16);
    if (offBy(loops) >= 0.05) loops = await threeAt(8);
    if (offBy(loops) >= 0.05) loops = await threeAt(4);
    expect(offBy(loops)).toBeLessThan(0.05);
    const summaries = loops.map(({ summary }) => summary);
    for (const { mode, complete, requests } of summaries) {
      expect({ mode, complete }).toEqual({ mode: 'loopback', complete: true });
      expect(requests).toMatchObject({ logical: 120, succeeded: 120, lost: 0, failed: 0, unfinished: 0 });
    }
    const key = 'acme/large';
    const caps = summaries.map(({ keys }) => keys[key]?.cap.final as number);
    expect(Math.abs(median(caps) - (simulated.keys[key]?.cap.final as number))).toBeLessThanOrEqual(1);
    const cuts = summaries.map(({ keys }) => keys[key]?.cuts as number);
    expect(Math.abs(median(cuts) - (simulated.keys[key]?.cuts as number))).toBeLessThanOrEqual(2);
    expect(summaries.map(({ providers }) => providers[key]?.peakInFlight)).toEqual([5, 5, 5]);
  }, 120_000);

  it('asks for the same tokens and is never answered earlier, request by request and in every dialect', async () => {
    const model = `latency: {
      firstToken: { lognormal: { median: 200ms, p95: 600ms } }, perInputToken: 0.1ms,
      perOutputToken: { uniform: { min: 1ms, max: 3ms } }, secondMode: { share: 20%, firstToken: 900ms }
    }`;
    const tokens =
      'tokens: { input: { uniform: { min: 1, max: 3000 } }, output: { uniform: { min: 1, max: 120 } }, max: 100 }';
    const run = (provider: string) =>
      `{ id: ${provider}, target: ${provider}/m, agents: { count: 6, name: "${provider}-{n}", requests: 5, ${tokens} } }`;
    const scenario = scenarioText(`
governor: { initial: 20 }
providers:
  chat: { models: { m: { ${model} } } }
  claude: { wire: anthropic, models: { m: { ${model} } } }
  gemini: { wire: gemini, models: { m: { ${model} } } }
  whole: { models: { m: { latency: { service: { exponential: { mean: 300ms } } } } } }
  mixed: { models: { m: { latency: { firstToken: 100ms, secondMode: { share: 50%, service: 400ms } } } } }
workload: { runs: [${['chat', 'claude', 'gemini', 'whole', 'mixed'].map(run).join(', ')}] }
`);
    const expected = byAgent(await simulate(scenario));
    const seen = byAgent(await looped(scenario, 5));
    const sizes = (all: readonly RequestSettled[]) =>
      all.map(({ agent, outcome, inputTokens, outputTokens }) => [agent, outcome, inputTokens, outputTokens]);
    expect(sizes(seen)).toEqual(sizes(expected));
    const lateMs = latenessOf(seen, expected);
    expect(Math.min(...lateMs)).toBeGreaterThan(-0.01);
    for (const [i, { firstTokenMs }] of expected.entries()) {
      const first = seen[i]?.firstTokenMs;
      if (firstTokenMs === undefined) expect(first).toBeUndefined();
      else expect(first).toBeGreaterThan(firstTokenMs - 0.01);
    }
    // 50 real milliseconds: what HTTP, timers and a busy machine add at most.
    expect(median(lateMs)).toBeLessThan(250);
  });

  it('meets every fault, in streams and in whole answers, as the simulated provider has it', async () => {
    const kinds = [
      ...['status-500', 'status-502', 'status-503', 'status-529', 'html-page', 'empty-body', 'truncated-json'],
      ...['reset', 'hang', 'slow', 'cut-stream', 'error-event', 'error-in-200', 'no-headers'],
    ];
    const latencies = { streamed: 'firstToken: 100ms, perOutputToken: 10ms', whole: 'service: 300ms' };
    const cases = Object.entries(latencies).flatMap(([form, latency]) =>
      kinds.map((kind) => ({
        model: `${form}-${kind}: { latency: { ${latency}, refusal: { uniform: { min: 20ms, max: 200ms } } }, faults: [{ kind: ${kind}, rate: 100% }] }`,
        run: `{ id: ${form}-${kind}, target: acme/${form}-${kind}, timeout: 5s, agents: { count: 2, tokens: { input: 10, output: 20 } } }`,
      })),
    );
    const scenario = scenarioText(`
governor: { controller: none, retry: none }
providers: { acme: { models: { ${cases.map(({ model }) => model).join(', ')} } } }
workload: { runs: [${cases.map(({ run }) => run).join(', ')}] }
`);
    const fates = (all: readonly RequestSettled[]) =>
      all.map(({ run, agent, outcome, fault }) => [run, agent, outcome, fault]);
    const expected = byAgent(await simulate(scenario));
    const seen = byAgent(await looped(scenario, 10));
    expect(fates(seen)).toEqual(fates(expected));
    expect(seen).toHaveLength(2 * 2 * kinds.length);
    expect(Math.min(...latenessOf(seen, expected))).toBeGreaterThan(-0.01);
  });

  it('refuses by the same luck: when a refusal comes, what it says of the wait, and what befalls it', async () => {
    const scenario = scenarioText(`
governor: { controller: none, retry: none }
providers:
  acme:
    models:
      large:
        quotas: [{ name: rpm, requests: 1, per: 1m, refill: fixed-window }]
        retryAfter: { as: ms, rounding: none, error: 80% }
        latency: { service: 5s, refusal: { uniform: { min: 100ms, max: 1s } } }
        faults: [{ kind: reset, rate: 40%, from: 1s }, { kind: no-headers, rate: 40%, from: 1s }]
workload:
  runs:
    - { id: first, target: acme/large, agents: { count: 1 } }
    - { id: others, target: acme/large, start: 2s, agents: { count: 20 } }
`);
    const fates = (all: readonly RequestSettled[]) =>
      all.map(({ agent, outcome, refusedBy, fault }) => [agent, outcome, refusedBy, fault]);
    const expected = byAgent(await simulate(scenario));
    const seen = byAgent(await looped(scenario, 10));
    expect(fates(seen)).toEqual(fates(expected));
    expect(new Set(seen.map(({ fault }) => fault))).toEqual(new Set([undefined, 'no-headers']));
    expect(Math.min(...latenessOf(seen, expected))).toBeGreaterThan(-0.01);
    for (const [i, { retryAfterMs }] of expected.entries()) {
      const said = seen[i]?.retryAfterMs;
      // A wait of some 58 s, of which the later one has a little less left.
      if (retryAfterMs === undefined) expect(said).toBeUndefined();
      else expect((said as number) / retryAfterMs).toBeCloseTo(1, 1);
    }
  });
});

describe('over HTTP', () => {
  it('a wait that the provider states is kept to, in the time of the scenario', async () => {
    const { events, summary } = await looped(scenarioFile('scenarios/retry-after.yaml'), 60);
    expect(summary.expectations.filter(({ pass }) => !pass)).toEqual([]);
    const refused = settled(events).filter(({ refusedBy }) => refusedBy === 'rpm');
    expect(refused.length).toBe(summary.providers['acme/large']?.refused);
    for (const { t, retryAfterMs = 0, cooldownUntil } of refused) {
      // The window ends at a whole minute; the wait is told in whole seconds, rounded up.
      const untilMinute = 60_000 - (t % 60_000);
      expect(retryAfterMs).toBeGreaterThanOrEqual(untilMinute - 1);
      expect(cooldownUntil).toBeGreaterThanOrEqual(t + retryAfterMs - 1);
    }
    const admittedAt = events.flatMap((event) => (event.type === 'request-admitted' ? [event.t] : []));
    expect(admittedAt.filter((t) => t < 60_000).length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...admittedAt)).toBeGreaterThanOrEqual(120_000);
  });

  it('a change of the timeline reaches the provider that is served', async () => {
    const scenario = scenarioText(`
governor: { initial: 6, retry: { firstDelay: 1s } }
providers: { acme: { models: { large: { quotas: [{ concurrency: 6 }], latency: { service: 1s } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 6, requests: 12 } }] }
timeline:
  - at: 5s
    set:
      "providers.acme.models.large.quotas[0].concurrency": 2
      "providers.acme.models.large.latency.service": 1500ms
`);
    const { events, summary } = await looped(scenario, 20);
    const changes = events.flatMap((event) => (event.type === 'provider-changed' ? [event.value] : []));
    expect(changes).toEqual([2, '1500ms']);
    const later = settled(events).filter(({ t, outcome }) => t > 8_000 && outcome === 'succeeded');
    expect(Math.min(...later.map(({ serviceMs }) => serviceMs))).toBeGreaterThanOrEqual(1_500);
    expect(summary.refused.first).toBeGreaterThanOrEqual(5_000);
    expect(summary.requests).toMatchObject({ succeeded: 72, lost: 0 });
    expect(summary.keys['acme/large']?.cap.min).toBeLessThanOrEqual(3);
  });

  it("a provider's own words are read as its own: a minute's tokens are no used-up account", async () => {
    const scenario = scenarioText(`
governor: { controller: none, retry: none }
providers:
  house:
    profile: dashscope
    models: { m: { quotas: [{ name: tpm, tokens: 150, per: 1m }], latency: { service: 100ms } } }
workload: { runs: [{ id: r, target: house/m, agents: { count: 3, tokens: { input: 80, output: 20 } } }] }
`);
    const { events } = await looped(scenario, 10);
    expect(
      settled(events)
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['succeeded', 'throttled', 'throttled']);
  });

  it('a prompt of many tokens is sent whole', async () => {
    const scenario = scenarioText(`
providers: { acme: { models: { large: { latency: { service: 0 } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 1, tokens: { input: 400000, output: 1 } } }] }
`);
    const { events } = await looped(scenario, 1);
    expect(settled(events)).toMatchObject([{ outcome: 'succeeded', inputTokens: 400_000, outputTokens: 1 }]);
  });

  it('an attempt that takes too long is given up, and its place at the provider with it', async () => {
    const scenario = scenarioText(`
governor: { retry: { network: 1, firstDelay: 1s } }
providers: { acme: { models: { large: { quotas: [{ concurrency: 1 }], latency: { firstToken: 1m, perOutputToken: 0 } } } } }
workload: { runs: [{ id: r, target: acme/large, timeout: 5s, agents: { count: 1 } }] }
`);
    const { events, summary } = await looped(scenario, 50);
    expect(settled(events).map(({ outcome, lost }) => [outcome, lost])).toEqual([
      ['failed', undefined],
      ['failed', true],
    ]);
    for (const { serviceMs } of settled(events)) expect(serviceMs).toBeGreaterThanOrEqual(5_000);
    expect(summary.providers['acme/large']).toMatchObject({ admitted: 2, refused: 0, peakInFlight: 1 });
    const { ledger } = events.at(-1) as Extract<TraceEvent, { type: 'trace-finished' }>;
    const { abandoned = 0, inFlight = 0 } = ledger['acme/large'] ?? {};
    // The provider may not have heard yet of the client that left last.
    expect(abandoned + inFlight).toBe(2);
  });

  it('a provider that takes nobody at once refuses, until it opens: no account without access', async () => {
    const { events, summary } = await looped(scenarioFile('scenarios/epoch-dedup.yaml'), 2);
    expect(summary.expectations.filter(({ pass }) => !pass)).toEqual([]);
    expect(settled(events).slice(0, 13)).toMatchObject(
      Array(13).fill({ outcome: 'throttled', refusedBy: 'concurrency' }),
    );
  });

  it('what cannot be mended by waiting ends a request: it is larger than the whole quota', async () => {
    const scenario = scenarioText(`
providers: { acme: { models: { large: { quotas: [{ name: tpm, tokens: 50, per: 1m }] } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 2 } }] }
`);
    const { events, summary } = await looped(scenario, 20);
    expect(settled(events).map(({ outcome, refusedBy, lost }) => [outcome, refusedBy, lost])).toEqual([
      ['ended', 'tpm', true],
      ['ended', 'tpm', true],
    ]);
    expect(summary.providers['acme/large']?.refusedBy).toEqual({ tpm: 2 });
  });

  it('an interrupt ends the run at once, keeps what is there, and leaves no socket, timer or server', async () => {
    const scenario = scenarioText(`
providers: { acme: { models: { large: { latency: { firstToken: 1s, perOutputToken: 1s } } } } }
workload: { runs: [{ id: r, target: acme/large, timeout: 1h, agents: { count: 20, requests: 50, tokens: { input: 10, output: 10 } } }] }
stop: { after: 2h }
`);
    const held = (kind: string): number => process.getActiveResourcesInfo().filter((name) => name === kind).length;
    const kinds = ['TCPServerWrap', 'TCPSocketWrap', 'Timeout', 'Immediate'];
    // A socket that is closed is gone a moment later.
    await realMs(50);
    const before = kinds.map(held);
    const controller = new AbortController();
    const world = await loopbackWorld(scenario, { speed: 100 });
    expect(held('TCPServerWrap')).toBeGreaterThan(before[0] as number);
    const running = runIn(world, scenario, controller.signal);
    await realMs(60);
    controller.abort();
    const { events, summary } = await running;
    expect(events.at(-1)).toMatchObject({ type: 'trace-finished', stop: 'interrupted', complete: false });
    expect(summary.requests.unfinished).toBe(8);
    const left = () => kinds.filter((kind, i) => held(kind) > (before[i] as number));
    for (let tries = 0; tries < 40 && left().length > 0; tries++) await realMs(25);
    expect(left()).toEqual([]);
  });
});
