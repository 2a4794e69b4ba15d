/**
 * Every shipped scenario: its expectations hold, every invariant is watched, and its trace is the recorded one to the
 * byte, on every Node version. `UPDATE_GOLDENS=1 npx vitest run sim/test/scenarios` records anew; read the diff like code.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioFile, simulate } from '../simulate.js';

const SCENARIOS = fileURLToPath(new URL('../../../scenarios/', import.meta.url));
const GOLDENS = fileURLToPath(new URL('./goldens.json', import.meta.url));
const goldens = JSON.parse(readFileSync(GOLDENS, 'utf8')) as Record<string, string>;
const names = readdirSync(SCENARIOS).filter((name) => name.endsWith('.yaml'));

const of = <T extends TraceEvent['type']>(events: readonly TraceEvent[], type: T) =>
  events.filter((event): event is Extract<TraceEvent, { type: T }> => event.type === type);

describe('the shipped scenarios', () => {
  it.each(names)('%s holds what it promises, with the recorded trace', async (name) => {
    const { summary, sha256 } = await simulate(scenarioFile(`${SCENARIOS}${name}`));
    expect(summary.expectations.filter(({ pass }) => !pass)).toEqual([]);
    expect(summary.expectations.length).toBeGreaterThan(2);
    expect(summary.complete).toBe(true);
    if (process.env.UPDATE_GOLDENS) {
      goldens[name] = sha256;
      writeFileSync(GOLDENS, `${JSON.stringify(goldens, null, 2)}\n`);
    }
    expect(sha256).toBe(goldens[name]);
  });

  it('all ask a question and point their editor to the schema', () => {
    for (const name of names) {
      const text = readFileSync(`${SCENARIOS}${name}`, 'utf8');
      expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/scenario\.schema\.json\nname: /);
      expect(scenarioFile(`${SCENARIOS}${name}`).question).toMatch(/\?$/);
    }
  });
});

describe('what the stories say, seen in their traces', () => {
  it('epoch-dedup: thirteen refusals of one instant make one cut, from 13 to 9', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}epoch-dedup.yaml`));
    const wave = of(events, 'request-settled').filter(({ t }) => t === 50);
    expect(wave.map(({ outcome }) => outcome)).toEqual(Array(13).fill('throttled'));
    const cuts = of(events, 'concurrency-changed').filter(({ reason }) => reason === 'rate_limited');
    expect(cuts.map(({ t, previous, next }) => [t, previous, next])).toEqual([[50, 13, 9]]);
  });

  it('retry-after: nobody is admitted between a refusal and its deadline, and the first leaves at the deadline', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}retry-after.yaml`));
    const [first] = of(events, 'request-settled').filter(({ cooldownUntil }) => cooldownUntil !== undefined);
    expect([first?.t, first?.cooldownUntil]).toEqual([1_050, 60_050]);
    const admitted = of(events, 'request-admitted').map(({ t }) => t);
    expect(admitted.filter((t) => t >= 1_050 && t < 60_050)).toEqual([]);
    expect(admitted.find((t) => t >= 60_050)).toBe(60_050);
  });

  it('idle-reset: the next run starts from the initial cap, and the forgetting is written down once', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}idle-reset.yaml`));
    const resets = of(events, 'concurrency-changed').filter(({ reason }) => reason === 'idle_reset');
    expect(resets.map(({ t, next }) => [t, next])).toEqual([[420_000, 10]]);
  });

  it('staircase: of the waves of 2, 4, 8 and 16 there get through 2, 4, 7 and 7', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}staircase.yaml`));
    const finished = of(events, 'run-finished').map(({ succeeded, lost }) => [succeeded, lost]);
    expect(finished).toEqual([
      [2, 0],
      [4, 0],
      [7, 1],
      [7, 9],
    ]);
  });

  it('daily-quota: the refusals say that the day begins anew at midnight, and nobody waits for it', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}daily-quota.yaml`));
    const refused = of(events, 'request-settled').filter(({ refusedBy }) => refusedBy === 'rpd');
    expect(refused.map(({ outcome, lost }) => [outcome, lost])).toEqual(Array(8).fill(['ended', true]));
    for (const { t, serviceMs, retryAfterMs } of refused)
      expect(t - serviceMs + (retryAfterMs ?? 0)).toBe(6 * 3_600_000);
    expect(of(events, 'retry-scheduled')).toEqual([]);
  });

  it('faulty-day: every fault befalls somebody, and each is sent again until it is answered', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}faulty-day.yaml`));
    const settled = of(events, 'request-settled');
    const faults = new Set(settled.flatMap(({ fault }) => fault ?? []));
    const named = ['cut-stream', 'error-in-200', 'html-page', 'reset', 'slow', 'status-500', 'truncated-json'];
    expect([...faults].sort()).toEqual(named);
    // What hangs has no answer that a fault could be told of: its timeout ends it.
    expect(settled.filter(({ serviceMs }) => serviceMs === 120_000).length).toBeGreaterThan(0);
    expect(settled.filter(({ outcome }) => outcome === 'failed').every(({ lost }) => lost === undefined)).toBe(true);
  });

  it('recovery: the cap follows the provider from ten down to three and back to at least nine', async () => {
    const { events } = await simulate(scenarioFile(`${SCENARIOS}recovery.yaml`));
    const changes = of(events, 'concurrency-changed');
    const capAt = (t: number): number => changes.filter((change) => change.t <= t).at(-1)?.next ?? 10;
    expect(capAt(299_000)).toBeGreaterThanOrEqual(9);
    expect(capAt(330_000)).toBeLessThanOrEqual(4);
    expect(capAt(630_000)).toBeGreaterThanOrEqual(9);
  });
});

describe('determinism', () => {
  it('the same scenario and seed give the same trace; another seed gives another', async () => {
    const path = `${SCENARIOS}fanout30.yaml`;
    const [once, again, other] = [
      await simulate(scenarioFile(path)),
      await simulate(scenarioFile(path)),
      await simulate(scenarioFile(path, ['seed=2'])),
    ];
    expect(again.sha256).toBe(once.sha256);
    expect(other.sha256).not.toBe(once.sha256);
  });

  it('two settings compared on one seed see the same sizes and service times, request by request', async () => {
    const path = `${SCENARIOS}fanout30.yaml`;
    const drawn = async (set: readonly string[]) => {
      const { events } = await simulate(scenarioFile(path, set));
      return of(events, 'request-settled')
        .filter(({ outcome }) => outcome === 'succeeded')
        .map(
          ({ agent, inputTokens, outputTokens, serviceMs }) => `${agent} ${inputTokens} ${outputTokens} ${serviceMs}`,
        )
        .sort();
    };
    expect(await drawn(['governor.decreaseFactor=0.5'])).toEqual(await drawn(['governor.decreaseFactor=0.9']));
  });
});
