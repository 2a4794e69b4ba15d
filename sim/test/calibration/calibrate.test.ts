/**
 * Calibration against mocks whose limits are known: a hundred seeded cases, each a scenario simulated and then fitted to
 * from its trace alone. The figures are printed.
 */

import { describe, expect, it } from 'vitest';
import { Calibrator, type KeyFit } from '../../src/calibration/calibrate.js';
import { type FittedQuota, kindOf } from '../../src/calibration/fit-quota.js';
import { fittedScenario } from '../../src/calibration/fitted-scenario.js';
import { roundest } from '../../src/calibration/round-number.js';
import { type RandomStream, RandomStreams } from '../../src/kernel/random.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText, simulate } from '../simulate.js';

const CASES = 100;

interface Case {
  readonly seed: number;
  readonly kind: string;
  /** Requests in flight, requests a minute, or tokens a minute. */
  readonly limit: number;
  readonly hint: 'none' | 'constant' | 'exact';
  readonly text: string;
}

const HINTS: readonly (readonly [Case['hint'], string])[] = [
  ['none', 'none'],
  ['exact', 'exact'],
  ['constant', '7s'],
  ['exact', '{ as: seconds, rounding: up }'],
  ['exact', '{ as: http-date }'],
  ['exact', '{ as: ms, rounding: up }'],
];

function caseOf(seed: number): Case {
  const stream = new RandomStreams(seed).stream('case');
  const kinds = [
    'concurrency',
    'requests token-bucket',
    'requests fixed-window',
    'tokens token-bucket',
    'tokens fixed-window',
  ];
  const [unit, refill] = (kinds[seed % kinds.length] as string).split(' ') as [string, string?];
  const [hint, retryAfter] = HINTS[Math.floor(seed / kinds.length) % HINTS.length] as (typeof HINTS)[number];
  const between = (low: number, high: number): number => Math.round(low + stream.next() * (high - low));
  const limit =
    unit === 'concurrency' ? between(3, 50) : unit === 'requests' ? between(30, 300) : between(30, 300) * 1_000;
  const window = `per: 1m, refill: ${refill}`;
  const quota =
    unit === 'concurrency'
      ? `concurrency: ${limit}`
      : unit === 'requests'
        ? `requests: ${limit}, ${window}`
        : `tokens: ${limit}, ${window}`;
  // More than the limit lets in: an agent alone asks some 25 times a minute, for some 30 000 tokens.
  const busy = unit === 'concurrency' ? limit : unit === 'requests' ? limit / 25 : limit / 30_000;
  const agents = Math.max(4, Math.ceil(busy * (1.2 + stream.next())));
  return {
    seed,
    kind: unit === 'concurrency' ? unit : `${unit} per window, ${refill}`,
    limit,
    // Nobody knows when a place in flight is free.
    hint: unit === 'concurrency' && hint === 'exact' ? 'none' : hint,
    text: scenarioOf(stream, { agents, quota, retryAfter }),
  };
}

function scenarioOf(
  stream: RandomStream,
  { agents, quota, retryAfter }: { readonly agents: number; readonly quota: string; readonly retryAfter: string },
): string {
  const controller = stream.next() < 0.7 ? `aimd, initial: ${agents}` : 'none';
  return `
seed: ${1 + Math.floor(stream.next() * 1e6)}
governor: { controller: ${controller}, retry: { firstDelay: 1s, maxDelay: 10s } }
providers:
  acme:
    models:
      large:
        quotas: [{ ${quota} }]
        retryAfter: ${retryAfter}
        latency: { firstToken: { lognormal: { median: 600ms, p95: 2s } }, perOutputToken: 10ms, refusal: 50ms }
workload:
  runs:
    - id: r
      target: acme/large
      maxConcurrency: ${agents}
      agents:
        count: ${agents}
        name: "a-{n}"
        requests: 100
        tokens: { input: { lognormal: { median: 900, p95: 2500 } }, output: { lognormal: { median: 150, p95: 400 } }, max: 600 }
stop: { after: 15m }
`;
}

async function calibrated(text: string): Promise<{ readonly fit: KeyFit; readonly calibrator: Calibrator }> {
  const { events } = await simulate(scenarioText(text));
  return fitted(events);
}

function fitted(events: readonly TraceEvent[]): { readonly fit: KeyFit; readonly calibrator: Calibrator } {
  const calibrator = new Calibrator();
  // The books of the mock are taken away: a real provider shows nobody any.
  for (const event of events)
    calibrator.observe(event.type === 'request-settled' ? { ...event, refusedBy: undefined } : event);
  return { fit: calibrator.calibration().keys[0] as KeyFit, calibrator };
}

/** Per minute, whatever window it was told in. */
function perMinute({ limit, perMs }: FittedQuota): number {
  return perMs === null ? limit : (limit * 60_000) / perMs;
}

describe('limits of mocks that are known', () => {
  it(`are found in ${CASES} seeded cases: the kind in at least 95 of 100, the limit within 10 %, the rule of the hint`, async () => {
    const misses: string[] = [];
    const offs: number[] = [];
    let hints = 0;
    for (let seed = 0; seed < CASES; seed++) {
      const { kind, limit, hint, text } = caseOf(seed);
      const { fit } = await calibrated(text);
      const best = fit.quotas[0]?.best;
      const found = best === undefined ? 'nothing' : kindOf(best);
      const off = best === undefined ? Number.POSITIVE_INFINITY : Math.abs(perMinute(best) / limit - 1);
      if (fit.hint.kind === hint) hints++;
      else misses.push(`seed ${seed}: hint ${hint}, found ${JSON.stringify(fit.hint)} (${kind})`);
      if (found === kind) offs.push(off);
      if (found !== kind || off > 0.1) {
        misses.push(
          `seed ${seed}: ${kind} ${limit}, found ${found} ${best?.limit} per ${best?.perMs} burst ${best?.burst}, ${best?.errors}/${best?.evidence}`,
        );
      }
    }
    const worst = Math.max(...offs);
    console.log(
      [
        `kind right in ${offs.length} of ${CASES}; limit off by ${(100 * worst).toFixed(2)} % at most; hint right in ${hints}`,
        ...misses,
      ].join('\n'),
    );
    expect(offs.length).toBeGreaterThanOrEqual(0.95 * CASES);
    expect(worst).toBeLessThanOrEqual(0.1);
    expect(hints).toBeGreaterThanOrEqual(0.95 * CASES);
  }, 240_000);
});

describe('what else is fitted', () => {
  const scenario = (model: string, agents = 'count: 12, requests: 60'): string => `
governor: { controller: none, retry: { firstDelay: 500ms, maxDelay: 5s } }
providers: { acme: { models: { large: { ${model} } } } }
workload:
  runs:
    - id: r
      target: acme/large
      agents: { ${agents}, name: "a-{n}", tokens: { input: { uniform: { min: 100, max: 3000 } }, output: { uniform: { min: 20, max: 400 } }, max: 500 } }
stop: { after: 20m }
`;

  it('two limits at once: each explains the refusals that the other does not', async () => {
    const { fit } = await calibrated(
      scenario(
        'quotas: [{ concurrency: 7 }, { requests: 60, per: 1m, refill: fixed-window }], latency: { firstToken: { exponential: { mean: 2s } } }',
      ),
    );
    const found = fit.quotas.map(({ best }) => [kindOf(best), best.limit]);
    expect(found.toSorted()).toEqual([
      ['concurrency', 7],
      ['requests per window, fixed-window', 60],
    ]);
    expect(fit.unexplained).toBe(0);
  });

  it.each([
    [
      'a window of its own length',
      'requests: 20, per: 10s, refill: sliding-window',
      'requests per window, sliding-window',
      20,
      10_000,
      null,
    ],
    [
      'a bucket smaller than its minute',
      // One of 10 would be 10 per 10 s.
      'requests: 60, per: 1m, burst: 9',
      'requests per window, token-bucket',
      60,
      60_000,
      9,
    ],
    [
      'what the answers use',
      'tokens: 20000, per: 1m, refill: fixed-window, counts: output, reserve: none',
      'tokens per window, fixed-window',
      20_000,
      60_000,
      null,
    ],
    [
      'what the answers may use',
      'tokens: 90000, per: 1m, refill: sliding-window, reserve: max-tokens',
      'tokens per window, sliding-window',
      90_000,
      60_000,
      null,
    ],
  ])('%s', async (_, quota, kind, limit, perMs, burst) => {
    const { fit } = await calibrated(scenario(`quotas: [{ ${quota} }]`));
    const best = fit.quotas[0]?.best as FittedQuota;
    expect([kindOf(best), best.perMs]).toEqual([kind, perMs]);
    expect(Math.abs(best.limit / limit - 1)).toBeLessThan(0.02);
    if (burst !== null) expect(best.burst).toBe(burst);
  });

  it('latencies, by the shape that they have', async () => {
    const { fit } = await calibrated(
      scenario(
        'latency: { firstToken: { lognormal: { median: 600ms, p95: 2s } }, perOutputToken: { uniform: { min: 5ms, max: 15ms } } }',
        'count: 20, requests: 50',
      ),
    );
    const { firstToken, perOutputToken } = fit.latency;
    expect([firstToken?.kind, perOutputToken?.kind]).toEqual(['lognormal', 'uniform']);
    // A thousand values: some percent.
    expect(firstToken?.numbers.median).toBeGreaterThan(560);
    expect(firstToken?.numbers.median).toBeLessThan(640);
    expect(firstToken?.numbers.p95).toBeGreaterThan(1_800);
    expect(firstToken?.numbers.p95).toBeLessThan(2_200);
    expect(fit.quotas).toEqual([]);
  });

  it('comes to a scenario that runs and does as the measured one did', async () => {
    const text = scenario(
      'quotas: [{ requests: 120, per: 1m }], retryAfter: { as: seconds, rounding: up }, latency: { firstToken: 1s, perOutputToken: 5ms }',
    );
    const measured = await simulate(scenarioText(text));
    const { calibrator } = fitted(measured.events);
    const again = await simulate(fittedScenario(calibrator.calibration()).scenario);
    expect(again.summary.requests).toMatchObject({ logical: measured.summary.requests.logical, lost: 0 });
    const ratio = (again.summary.makespanMs ?? 0) / (measured.summary.makespanMs ?? 1);
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.05);
  });

  it('a window that does not begin with the run is found by where admissions begin again', async () => {
    const { events } = await simulate(
      scenarioText(scenario('quotas: [{ requests: 40, per: 1m, refill: fixed-window }], latency: { firstToken: 1s }')),
    );
    // As if the run had begun 23.4 s into the provider's minute.
    const shifted = events.map((event) => (event.type === 'trace-started' ? event : { ...event, t: event.t + 36_600 }));
    const best = fitted(shifted).fit.quotas[0]?.best;
    expect(best && [kindOf(best), best.limit, best.perMs]).toEqual(['requests per window, fixed-window', 40, 60_000]);
  });
});

describe('of limits that explain as much, the roundest', () => {
  it.each([
    [198.2, 203.9, 200],
    [4, 5, 4],
    [99_990, 100_010, 100_000],
    [47.3, 47.9, 48],
    [1_010, 1_060, 1_050],
    [7, Number.POSITIVE_INFINITY, 7],
  ])('from %d up to below %d: %d', (low, high, limit) => {
    expect(roundest(low, high)).toBe(limit);
  });
});
