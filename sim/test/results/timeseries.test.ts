import { describe, expect, it } from 'vitest';
import { TimeSeries, type TimeSeriesResult, toCsv } from '../../src/results/timeseries.js';
import type { TraceEvent } from '../../src/trace/events.js';
import {
  admitted,
  KEY,
  queued,
  runFinished,
  runStarted,
  SCENARIO,
  STORY,
  settled,
  traceFinished,
  traceStarted,
} from './hand-written-trace.js';

function seriesOf(trace: readonly TraceEvent[]): TimeSeriesResult {
  const series = new TimeSeries();
  for (const event of trace) series.observe(event);
  return series.series();
}

describe('the series of the story', () => {
  const { keys, runs, ending } = seriesOf(STORY);

  it('have a row per instant in which something changed, after all that happened in it', () => {
    expect(toCsv(keys)).toBe(
      [
        't_ms,key,cap,in_flight,queued,refused,succeeded,limit',
        '0,acme/large,2,2,2,0,0,2',
        '100,acme/large,2,2,1,0,1,2',
        '200,acme/large,3,2,0,0,2,2',
        '250,acme/large,2,1,0,1,2,2',
        '300,acme/large,2,0,0,2,2,2',
        '1350,acme/large,2,1,0,2,2,2',
        '1450,acme/large,2,0,0,2,3,2',
        '2300,acme/large,2,1,0,2,3,2',
        '2350,acme/large,2,0,0,2,3,2',
        '',
      ].join('\n'),
    );
  });

  it('have the cooldowns as spans, and the width of the run from its start to its end', () => {
    expect(keys[0]?.cooldowns).toEqual([{ from: 250, to: 1250 }]);
    expect(runs).toEqual([
      {
        run: 'review',
        points: [
          { tMs: 0, effective: 2, bound: 4 },
          { tMs: 200, effective: 3, bound: 4 },
          { tMs: 250, effective: 2, bound: 4 },
          { tMs: 2350, effective: 2, bound: 4 },
        ],
      },
    ]);
    expect(ending?.stop).toBe('done');
  });
});

describe("the provider's true limit", () => {
  const acme = SCENARIO.providers.acme!;
  const quota = (limit: number) => ({ kind: 'concurrency', name: 'concurrency', limit, refusedCount: false }) as const;
  const withLimits = (wide: readonly number[], own: readonly number[]) => ({
    ...acme,
    quotas: wide.map(quota),
    models: { large: { ...acme.models.large!, quotas: own.map(quota) } },
  });
  const change = (t: number, path: string) => ({ t, type: 'provider-changed', path, value: 1 }) as const;

  it('is the smallest of its concurrency quotas, and changes with the timeline', () => {
    const path = 'providers.acme.models.large.quotas[0].concurrency';
    const set = { kind: 'set', path, provider: 'acme' } as const;
    const timeline = [
      { ...set, atMs: 1000, value: 3, becomes: withLimits([6], [3]) },
      { ...set, atMs: 2000, value: 9, becomes: withLimits([6], [9]) },
    ];
    const scenario = { ...SCENARIO, providers: { acme: withLimits([6], [5]) }, timeline };
    const { keys } = seriesOf([
      traceStarted({ scenario }),
      change(1000, path),
      change(2000, path),
      traceFinished(3000),
    ]);
    expect(keys[0]?.points.map(({ tMs, limit }) => [tMs, limit])).toEqual([
      [0, 5],
      [1000, 3],
      [2000, 6],
      [3000, 6],
    ]);
  });

  it('is empty where the provider limits no concurrency', () => {
    const scenario = { ...SCENARIO, providers: { acme: withLimits([], []) } };
    expect(toCsv(seriesOf([traceStarted({ scenario, controller: 'none', initial: null })]).keys)).toBe(
      't_ms,key,cap,in_flight,queued,refused,succeeded,limit\n0,acme/large,,0,0,0,0,\n',
    );
  });

  it('cannot be told when the trace changes what its scenario does not', () => {
    expect(() => seriesOf([traceStarted(), change(1000, 'providers.acme.quotas[0].limit')])).toThrow(RangeError);
  });
});

it('a run that was never narrowed has its width from its start to its end, and none after it', () => {
  const { runs } = seriesOf([traceStarted(), runStarted(100, { bound: 1 }), runFinished(300), traceFinished(900)]);
  const unfinished = seriesOf([traceStarted(), runStarted(100, { bound: 1 }), traceFinished(900)]).runs;
  const times = (points: readonly { readonly tMs: number }[] | undefined) => points?.map(({ tMs }) => tMs);
  expect(times(runs[0]?.points)).toEqual([100, 300]);
  expect(times(unfinished[0]?.points)).toEqual([100, 900]);
});

it('a key that no run was to ask begins at 0 too', () => {
  const other = { key: 'acme/"small"' };
  const { keys } = seriesOf([traceStarted(), runStarted(0), queued(70, 1, other), admitted(70, 1, other)]);
  expect(toCsv(keys).split('\n').slice(2)).toEqual([
    '70,acme/large,2,0,0,0,0,2',
    '0,"acme/""small""",2,0,0,0,0,',
    '70,"acme/""small""",2,1,0,0,0,',
    '',
  ]);
});

it('a long run keeps its extremes in at most 2000 rows', () => {
  const trace: TraceEvent[] = [traceStarted(), runStarted(0)];
  for (let id = 1; id <= 5000; id++) {
    trace.push(queued(id * 100, id), admitted(id * 100, id));
    if (id === 2500) trace.push(queued(id * 100, 9999, { agent: 'spike' }));
    if (id === 2501) trace.push(admitted(id * 100, 9999, { agent: 'spike', waitMs: 100 }));
    trace.push(settled(id * 100 + 50, id, { serviceMs: 50 }));
  }
  const { points } = seriesOf(trace).keys.find(({ key }) => key === KEY)!;
  expect(points.length).toBeLessThanOrEqual(2000);
  expect(points.length).toBeGreaterThan(900);
  expect(points.find(({ queued: waiting }) => waiting === 1)?.tMs).toBe(250_000);
  expect(points.at(-1)).toMatchObject({ tMs: 500_050, succeeded: 5000 });
});
