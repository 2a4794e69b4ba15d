/** Scenarios that can never finish: stopped, with what binds them and what to change. */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

const RUN = 'runs: [{ id: r, target: p/m, timeout: 20s, agents: { count: 2, requests: 9 } }]';

async function detailOf(provider: string, governor = '', workload = RUN, more = ''): Promise<string | undefined> {
  const text = `name: never\ngovernor: { ${governor} }\nproviders: { p: ${provider} }\nworkload: { ${workload} }\n${more}`;
  const { events, summary } = await simulate(scenarioText(text));
  const last = events.at(-1);
  if (last?.type !== 'trace-finished' || last.stop === 'done') return undefined;
  expect([last.stop, summary.complete]).toEqual(['never-finishes', false]);
  return last.detail;
}

const model = (settings: string): string => `{ models: { m: ${settings} } }`;

describe('a run that can never finish says what to change', () => {
  it.each([
    [
      'a quota of 0',
      model('{ quotas: [{ requests: 9, per: 1s }, { concurrency: 0 }] }'),
      '',
      'quota "concurrency" is 0 and refuses every request; raise providers.p.models.m.quotas[1].concurrency',
    ],
    [
      'a quota of the whole provider',
      '{ quotas: [{ concurrency: 0, name: all }], models: { m: {} } }',
      '',
      'quota "all" is 0 and refuses every request; raise providers.p.quotas[0].concurrency',
    ],
    [
      'a storm of retries on a quota that counts its refusals',
      model('{ quotas: [{ requests: 1, per: 1h, refusedCount: true }] }'),
      'controller: none, retry: { firstDelay: 20s, maxDelay: 20s }',
      'quota "requests-1h" counts what it refuses, and the retries alone use it up; retry later (governor.retry.firstDelay, now 20000 ms), ask less at once, or raise providers.p.models.m.quotas[0].requests, now 1',
    ],
    [
      'a fault that befalls everything',
      model('{ faults: [{ kind: status-500, rate: 100% }] }'),
      'retry: { network: unlimited }',
      'the fault status-500 befalls every answer; lower its rate, or give it an end (to)',
    ],
    [
      'a timeout shorter than any answer',
      model('{ latency: { service: 1m } }'),
      'retry: { network: unlimited }',
      'no answer comes in time; raise the timeout of r, now 20000 ms, or lower the latency',
    ],
    [
      'overload without an end',
      '{ overload: { every: 1s, for: 9000h, share: 100% }, models: { m: {} } }',
      '',
      'the provider p is overloaded whenever it is asked; shorten overload.for, or lower its share',
    ],
  ])('%s', async (_, provider, governor, why) => {
    const detail = await detailOf(provider, governor);
    expect(detail).toContain(why);
    expect(detail).toMatch(/^no request of p\/m has succeeded for 24 hours: .*; or bound the retries/);
  });

  it('by the values that the timeline has left', async () => {
    const timeline = 'timeline: [{ at: 1h, set: { "providers.p.models.m.quotas[0].concurrency": 0 } }]';
    const long = 'runs: [{ id: r, target: p/m, agents: { count: 1, requests: 9000 } }]';
    expect(await detailOf(model('{ quotas: [{ concurrency: 5 }] }'), '', long, timeline)).toContain('is 0 and refuses');
  });

  it('of arrivals too; and a request larger than its quota is lost at once, for no wait would help', async () => {
    const web = 'arrivals: [{ id: web, target: p/m, rate: 1/s, count: 3, tokens: { input: 900, max: 200 } }]';
    expect(await detailOf(model('{ quotas: [{ concurrency: 0 }] }'), '', web)).toContain('raise providers.p');
    expect(
      await detailOf(model('{ quotas: [{ tokens: 1000, per: 1m, reserve: max-tokens }] }'), '', web),
    ).toBeUndefined();
  });
});
