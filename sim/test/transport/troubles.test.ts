/**
 * What providers do besides refusing by quota, seen in whole runs: every fault's effect and its name, queues, overload,
 * further latencies and lying hints. Every run is watched by all checks.
 */

import { describe, expect, it } from 'vitest';
import type { RequestSettled, TraceEvent } from '../../src/trace/events.js';
import { type Simulated, scenarioText, simulate } from '../simulate.js';

interface Story {
  /** Below `large:`, in flow style. */
  readonly model: string;
  readonly provider?: string;
  readonly agents?: string;
  readonly governor?: string;
  readonly more?: string;
}

function text({ model, provider, agents = 'count: 1', governor = '', more = '' }: Story): string {
  return `
governor: { controller: none${governor} }
providers: { acme: { ${provider ? `${provider}, ` : ''}models: { large: ${model} } } }
workload:
  runs:
    - { id: r, target: acme/large, timeout: 60s, agents: { ${agents}, tokens: { input: 100, output: 50 } } }
${more}`;
}

function played(story: Story, set: readonly string[] = []): Promise<Simulated> {
  return simulate(scenarioText(text(story), set));
}

const settled = (events: readonly TraceEvent[]): RequestSettled[] =>
  events.filter((event): event is RequestSettled => event.type === 'request-settled');

/** First token 400 ms, whole answer 1,400 ms, a refusal 50 ms. */
const latency = 'latency: { firstToken: 400ms, perOutputToken: 20ms, refusal: 50ms }';

describe('a fault', () => {
  it.each([
    // kind, outcome, ms until it ends
    ['status-500', 'failed', 50],
    ['status-502', 'failed', 50],
    ['status-503', 'throttled', 50],
    ['status-529', 'throttled', 50],
    ['html-page', 'failed', 50],
    ['empty-body', 'failed', 1400],
    ['truncated-json', 'failed', 1400],
    ['reset', 'failed', 50],
    ['slow', 'succeeded', 14_000],
    ['cut-stream', 'failed', 900],
    ['error-event', 'throttled', 900],
    ['error-in-200', 'failed', 50],
    ['no-headers', 'succeeded', 1400],
  ])('%s ends an attempt as %s after %i ms, and its name is in the trace', async (kind, outcome, serviceMs) => {
    const story = { model: `{ ${latency}, faults: [{ kind: ${kind}, rate: 100% }] }`, governor: ', retry: none' };
    const { events, summary } = await played(story);
    expect(settled(events)).toMatchObject([{ outcome, serviceMs, fault: kind }]);
    expect(summary.providers['acme/large']).toMatchObject({ admitted: 1, refused: 0 });
  });

  it('hang ends an attempt at its timeout, as a failure of the network', async () => {
    const model = `{ ${latency}, quotas: [{ concurrency: 1 }], faults: [{ kind: hang, to: 1s }] }`;
    const { events } = await played({ model, governor: ', retry: { network: 1, firstDelay: 0 }' });
    expect(settled(events)).toMatchObject([
      { t: 60_000, outcome: 'failed', serviceMs: 60_000 },
      { t: 61_400, outcome: 'succeeded' },
    ]);
  });

  it('that cuts an answer short is retried like any failure of the network, and then succeeds', async () => {
    const model = `{ ${latency}, faults: [{ kind: cut-stream, to: 1s }] }`;
    const { events } = await played({ model, governor: ', retry: { firstDelay: 2s } ' });
    expect(settled(events).map(({ outcome, fault }) => [outcome, fault])).toEqual([
      ['failed', 'cut-stream'],
      ['succeeded', undefined],
    ]);
  });

  it('comes at its rate, and shifts neither sizes nor latencies of those that it spares', async () => {
    const model = (rate: string): string =>
      `{ latency: { firstToken: { exponential: { mean: 400ms } }, perOutputToken: 0 }, faults: [{ kind: reset, rate: ${rate} }] }`;
    const story = { agents: 'count: 1000, name: "a-{n}"', governor: ', retry: none' };
    const [none, some] = [
      await played({ ...story, model: model('0%') }),
      await played({ ...story, model: model('10%') }),
    ];
    const struck = settled(some.events).filter(({ fault }) => fault !== undefined);
    expect(struck.length).toBeGreaterThan(75);
    expect(struck.length).toBeLessThan(125);
    const timesOf = ({ events }: Simulated, names: ReadonlySet<string | undefined>): readonly string[] =>
      settled(events)
        .filter(({ agent }) => !names.has(agent))
        .map(({ agent, serviceMs }) => `${agent} ${serviceMs}`)
        .sort();
    const names = new Set(struck.map(({ agent }) => agent));
    expect(timesOf(some, names)).toEqual(timesOf(none, names));
  });

  it('no-headers takes the hint of a refusal, unless the hint is in the body', async () => {
    const quotas = 'quotas: [{ requests: 1, per: 1m, refill: fixed-window }]';
    const model = `{ ${latency}, ${quotas}, retryAfter: exact, faults: [{ kind: no-headers, rate: 100% }] }`;
    const story = { agents: 'count: 2, name: "a-{n}"', governor: ', retry: none' };
    const hints = async (provider?: string): Promise<unknown> => {
      const { events } = await played({ ...story, model, ...(provider && { provider }) });
      const refused = settled(events).find(({ refusedBy }) => refusedBy !== undefined);
      return [refused?.retryAfterMs, refused?.fault];
    };
    expect(await hints()).toEqual([undefined, 'no-headers']);
    expect(await hints('profile: gemini')).toEqual([60_000, 'no-headers']);
  });

  it('that befalls every answer ends the run, after a day, with a reason', async () => {
    const model = `{ ${latency}, faults: [{ kind: status-503, rate: 100% }] }`;
    const { events } = await played({ model });
    expect(events.at(-1)).toMatchObject({
      stop: 'never-finishes',
      detail: expect.stringContaining('the fault status-503 befalls every answer'),
    });
  });
});

describe('a server with two places', () => {
  const model = (queue: string): string => `{ ${latency}, server: { slots: 2, queue: ${queue} } }`;
  const agents = 'count: 6, name: "a-{n}"';

  it('works on two at a time; the others wait in silence and see a late first token', async () => {
    const { events, summary } = await played({ model: model('unlimited'), agents });
    expect(settled(events).map(({ t, outcome, firstTokenMs }) => [t, outcome, firstTokenMs])).toEqual([
      [1400, 'succeeded', 400],
      [1400, 'succeeded', 400],
      [2800, 'succeeded', 1800],
      [2800, 'succeeded', 1800],
      [4200, 'succeeded', 3200],
      [4200, 'succeeded', 3200],
    ]);
    expect(summary.providers['acme/large']).toMatchObject({ admitted: 6, refused: 0, peakInFlight: 6 });
  });

  it('refuses as overloaded who finds the queue full', async () => {
    const { events, summary } = await played({ model: model('1'), agents, governor: ', retry: none' });
    expect(settled(events).filter(({ refusedBy }) => refusedBy === 'queue')).toHaveLength(3);
    expect(summary.providers['acme/large']).toMatchObject({ admitted: 3, refused: 3, refusedBy: { queue: 3 } });
    expect(summary.requests).toMatchObject({ refused: 3 });
  });

  it('is slowed by those that it works on, not by those that wait', async () => {
    const slow = model('unlimited').replace('refusal: 50ms', 'refusal: 50ms, load: { slope: 1 }');
    const { events } = await played({ model: slow, agents });
    // The first finds nobody, the second one: 1,400 and 2,800 ms. After that there are always two.
    expect(settled(events).map(({ t }) => t)).toEqual([1400, 2800, 4200, 5600, 7000, 8400]);
  });

  it('drops who gives up while waiting', async () => {
    const impatient = text({ model: model('unlimited'), agents, governor: ', retry: none' }).replace('60s', '1500ms');
    const { events, summary } = await simulate(scenarioText(impatient));
    expect(settled(events).map(({ t, outcome }) => [t, outcome])).toEqual([
      [1400, 'succeeded'],
      [1400, 'succeeded'],
      ...Array(4).fill([1500, 'failed']),
    ]);
    expect(summary.makespanMs).toBe(1500);
  });

  it('with more places from some time on begins with those that wait', async () => {
    const more = 'timeline: [{ at: 1s, set: { "providers.acme.models.large.server.slots": 6 } }]';
    const { events } = await played({ model: model('unlimited'), agents, more });
    expect(settled(events).map(({ t }) => t)).toEqual([1400, 1400, 2400, 2400, 2400, 2400]);
  });
});

describe('an overload', () => {
  const model = `{ ${latency}, retryAfter: none, overload: { every: 60s, for: 20s, share: 100%, status: 529 } }`;
  const agents = 'count: 4, name: "a-{n}", requests: 100';

  it('refuses, cuts the cap of the governor, and is over', async () => {
    const scenario = text({ model, agents }).replace('controller: none', 'controller: aimd, initial: 4');
    const { summary, events } = await simulate(scenarioText(scenario));
    const ledger = summary.providers['acme/large'];
    expect(ledger?.refusedBy.overload).toBe(ledger?.refused);
    expect(ledger?.refused).toBeGreaterThan(5);
    expect(summary.keys['acme/large']?.cuts).toBeGreaterThan(0);
    expect(summary.requests).toMatchObject({ succeeded: 400, lost: 0 });
    expect(settled(events).find(({ refusedBy }) => refusedBy === 'overload')).toMatchObject({ outcome: 'throttled' });
  });

  it('is the same at any load: two runs of one seed never disagree about an instant; another seed has others', async () => {
    /** When requests were sent, and whether they were refused. */
    const sent = async (count: number, seed: number): Promise<(readonly [number, boolean])[]> => {
      const governor = ', retry: { firstDelay: 500ms, maxDelay: 500ms }';
      const story = { model, governor, agents: `count: ${count}, name: "a-{n}", requests: 100` };
      const { events } = await played(story, [`seed=${seed}`]);
      return settled(events).map(({ t, serviceMs, refusedBy }) => [t - serviceMs, refusedBy !== undefined] as const);
    };
    const changes = (...runs: (readonly [number, boolean])[][]): number => {
      const all = runs.flat().filter(([t]) => t < 120_000);
      all.sort(([a], [b]) => a - b);
      return all.filter(([, isRefused], n) => n > 0 && isRefused !== all[n - 1]?.[1]).length;
    };
    const [few, many, other] = [await sent(4, 1), await sent(9, 1), await sent(4, 2)];
    expect([changes(few), changes(few, many)]).toEqual([3, 3]);
    expect(changes(few, other)).toBeGreaterThan(20);
  });
});

describe('other latencies', () => {
  const firstTokens = async (model: string, tokens?: string): Promise<(number | undefined)[]> => {
    const written = text({ model, agents: 'count: 400, name: "a-{n}"' });
    const { events } = await simulate(scenarioText(tokens ? written.replace('input: 100', tokens) : written));
    return settled(events).map(({ firstTokenMs }) => firstTokenMs);
  };

  it('count the prompt by the token', async () => {
    const model = '{ latency: { firstToken: 400ms, perInputToken: 2ms, perOutputToken: 20ms } }';
    expect(new Set(await firstTokens(model))).toEqual(new Set([600]));
    expect(new Set(await firstTokens(model, 'input: 1000'))).toEqual(new Set([2400]));
  });

  it('have a second mode for their share', async () => {
    const model =
      '{ latency: { firstToken: 200ms, perOutputToken: 1ms, secondMode: { share: 25%, firstToken: 2200ms } } }';
    const times = await firstTokens(model);
    const slow = times.filter((ms) => ms === 2200).length;
    expect(times.filter((ms) => ms === 200).length).toBe(400 - slow);
    expect(slow).toBeGreaterThan(80);
    expect(slow).toBeLessThan(120);
  });

  it('shift no draw of each other: the ones that stay in the first mode take the same time with and without a second', async () => {
    const lognormal = 'firstToken: { lognormal: { median: 400ms, p95: 1s } }, perOutputToken: 1ms';
    const drawn = async (more: string): Promise<Map<string, number>> => {
      const { events } = await played({
        model: `{ latency: { ${lognormal}${more} } }`,
        agents: 'count: 200, name: "a-{n}", requests: 3',
      });
      return new Map(settled(events).map(({ id, agent, firstTokenMs }) => [`${agent} ${id}`, firstTokenMs as number]));
    };
    const plain = [...(await drawn('')).values()].sort();
    const split = await drawn(', secondMode: { share: 30%, firstToken: 9s }');
    const first = [...split.values()].filter((ms) => ms !== 9000);
    expect(first.length).toBeLessThan(450);
    expect(first.filter((ms) => !plain.includes(ms))).toEqual([]);
  });
});

describe('a moving limit', () => {
  it('follows the time of the day at the provider', async () => {
    const schedule = 'schedule: [{ from: 15:00+08:00, to: 15:01+08:00, limit: 1 }]';
    const story = {
      provider: 'startsAt: 06:59Z',
      model: `{ quotas: [{ concurrency: 4, ${schedule} }], ${latency} }`,
      agents: 'count: 4, name: "a-{n}", requests: 120',
      governor: ', retry: { firstDelay: 1s, maxDelay: 1s }',
    };
    const { events } = await played(story);
    const refused = settled(events).filter(({ refusedBy }) => refusedBy === 'concurrency');
    expect(refused.length).toBeGreaterThan(50);
    // From the peak's first minute on, until it is over; each refusal takes 50 ms to arrive.
    expect(Math.min(...refused.map(({ t }) => t))).toBeGreaterThanOrEqual(60_050);
    expect(Math.max(...refused.map(({ t }) => t))).toBeLessThanOrEqual(120_050);
  });

  it('is shared with other tenants, who stand in no ledger', async () => {
    const model = `{ quotas: [{ concurrency: 4, others: { rate: 2/s, hold: 1500ms } }], ${latency} }`;
    const story = text({ model, agents: 'count: 4, name: "a-{n}", requests: 50' });
    const { summary, events } = await simulate(scenarioText(story.replace('timeout', 'start: 10s, timeout')));
    // When the run begins, there are others: three places of four are taken in the mean.
    expect(settled(events).find(({ refusedBy }) => refusedBy !== undefined)?.t).toBe(10_050);
    const ledger = summary.providers['acme/large'];
    expect(ledger).toMatchObject({ admitted: 200, refusedBy: { concurrency: ledger?.refused } });
    expect(ledger?.peakInFlight).toBeLessThanOrEqual(4);
  });
});
