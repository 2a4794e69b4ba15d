/**
 * Every controller on the same work against the same wall: a concurrency quota, a rate of requests, a rate of tokens, a
 * limit that moves. All finish; who knows the provider is not refused and is never slower than who has to learn it.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLERS } from '../../src/scenario/controllers.js';
import { scenarioText, simulate } from '../simulate.js';

const work = (model: string, more = ''): string => `
name: wall
governor: { initial: 8, growthLimit: 40, retry: { firstDelay: 1s, maxDelay: 8s } }
providers:
  acme:
    models:
      large: { ${model} }
workload:
  runs:
    - { id: work, target: acme/large, maxConcurrency: 20, agents: { count: 20, requests: 10, tokens: { input: { lognormal: { median: 1000, p95: 3000 } }, output: 200 } } }
${more}`;

const constantService = 'latency: { service: 4s, refusal: 50ms }';

const WALLS = {
  'five at once': work(`quotas: [{ concurrency: 5 }], ${constantService}`),
  'sixty a minute': work(
    `quotas: [{ requests: 60, per: 1m, refill: fixed-window }], retryAfter: exact, ${constantService}`,
  ),
  'a bucket of tokens': work(
    `quotas: [{ tokens: 100000, per: 1m, burst: 20000, reserve: max-tokens }], retryAfter: exact, ${constantService}`,
  ),
  'limits that change': work(
    `quotas: [{ concurrency: 10 }, { requests: 120, per: 1m, burst: 4 }], retryAfter: exact, ${constantService}`,
    `timeline:
  - { at: 20s, set: { 'providers.acme.models.large.quotas[0].concurrency': 2 } }
  - { at: 60s, set: { 'providers.acme.models.large.quotas[0].concurrency': 0 } }
  - { at: 90s, set: { 'providers.acme.models.large.quotas[0].concurrency': 12 } }`,
  ),
};

describe.each(Object.entries(WALLS))('against %s', (_, text) => {
  const came = new Map<string, { readonly makespanMs: number; readonly refused: number; readonly complete: boolean }>();

  beforeAll(async () => {
    for (const controller of CONTROLLERS) {
      const { summary } = await simulate(scenarioText(text, [`governor.controller=${controller}`]));
      const { makespanMs, requests, complete } = summary;
      came.set(controller, { makespanMs: makespanMs as number, refused: requests.refused, complete });
    }
    const line = [...came].map(
      ([name, { makespanMs, refused }]) => `${name} ${(makespanMs / 1000).toFixed(1)} s, ${refused}`,
    );
    console.log(`makespan and refusals: ${line.join(' · ')}`);
  });

  it.each(CONTROLLERS)('%s finishes, with every invariant watched', (controller) => {
    expect(came.get(controller)?.complete).toBe(true);
  });

  it('the oracle is never refused, and nobody is faster', () => {
    const oracle = came.get('oracle');
    expect(oracle?.refused).toBe(0);
    const faster = [...came].filter(([, { makespanMs }]) => makespanMs < (oracle?.makespanMs ?? 0));
    expect(faster).toEqual([]);
  });

  it('the pacer is hardly ever refused', () => {
    expect(came.get('pacer')?.refused).toBeLessThanOrEqual(5);
  });
});

describe('the oracle', () => {
  it('uses all that a quota gives: sixty a minute, to the minute', async () => {
    const { events } = await simulate(scenarioText(WALLS['sixty a minute'], ['governor.controller=oracle']));
    const sent = events.flatMap((event) => (event.type === 'request-admitted' ? [Math.floor(event.t / 60_000)] : []));
    const perMinute = [0, 1, 2, 3].map((minute) => sent.filter((m) => m === minute).length);
    expect(perMinute).toEqual([60, 60, 60, 20]);
  });

  it('lets a request go that will never fit, so that it is told so', async () => {
    const text = work(`quotas: [{ tokens: 1000, per: 1m, reserve: max-tokens }], ${constantService}`);
    const { summary } = await simulate(
      scenarioText(text, ['governor.controller=oracle', 'workload.runs[0].agents.tokens.input=900']),
    );
    expect(summary.requests).toMatchObject({ logical: 20, lost: 20, attempts: 20, unfinished: 0 });
  });

  it('leaves a server that slows down with load where it answers most', async () => {
    const load = 'latency: { service: 1s, load: { kneeStart: 6, kneeBase: 1.5 } }';
    const { summary } = await simulate(scenarioText(work(load), ['governor.controller=oracle']));
    // 7 / 1.5 and 8 / 2.25 are less than 6 / 1.
    expect(summary.keys['acme/large']?.inFlight.max).toBe(6);
  });
});

describe('the pacer', () => {
  it('sends evenly, at 0.98 of the rate', async () => {
    const { events } = await simulate(scenarioText(WALLS['sixty a minute'], ['governor.controller=pacer']));
    const sent = events.flatMap((event) => (event.type === 'request-admitted' ? [event.t] : []));
    expect(sent.slice(0, 4)).toEqual([0, 1_020.409, 2_040.818, 3_061.227]);
  });
});
