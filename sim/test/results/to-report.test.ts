import type { Chart, Report } from '@tidegate/reports';
import { describe, expect, it } from 'vitest';
import { summarise } from '../../src/results/expectations.js';
import { Metrics } from '../../src/results/metrics.js';
import { TimeSeries } from '../../src/results/timeseries.js';
import { coverChart, toReport } from '../../src/results/to-report.js';
import type { Expectation, Scenario } from '../../src/scenario/scenario.js';
import type { TraceEvent, TraceStarted } from '../../src/trace/events.js';
import {
  admitted,
  queued,
  runStarted,
  SCENARIO,
  STORY,
  settled,
  traceFinished,
  traceStarted,
} from './hand-written-trace.js';

function reportOf(trace: readonly TraceEvent[], expect: readonly Expectation[] = []): Report {
  const metrics = new Metrics();
  const series = new TimeSeries();
  for (const event of trace) {
    metrics.observe(event);
    series.observe(event);
  }
  const summary = summarise(metrics.figures(), expect, 'c0ffee');
  const scenario = (trace[0] as TraceStarted).scenario as Scenario;
  return toReport({ scenario, summary, series: series.series(), replay: 'sim run by-hand.yaml --seed 7' });
}

const headings = ({ sections }: Report) => sections.map(({ heading }) => heading);
const chartTitles = ({ sections }: Report) => sections.flatMap(({ charts }) => charts.map(({ title }) => title));

describe('the report of the story', () => {
  const report = reportOf(STORY, [
    { path: 'makespan', max: 3000 },
    { path: 'requests.lost', equals: 0 },
  ]);

  it('begins with the question, the verdict and the figures', () => {
    expect(report).toMatchObject({
      title: 'by-hand',
      question: 'What do the figures of a trace say?',
      headline: { text: 'FAIL: 1 of 2 expectations hold', tone: 'bad' },
      verdicts: [
        { pass: true, text: 'makespan is 2.35s, expected at most 3s' },
        { pass: false, text: 'requests.lost is 1, expected 0' },
      ],
    });
    expect(report.figures.map(({ label, value, note }) => `${label}: ${value} (${note})`)).toEqual([
      'Makespan: 2.35s (until the last answer; at best 200ms)',
      'Succeeded: 3 (of 4 requests, 1 lost)',
      'Refused: 33.3 % (2 of 6 attempts)',
      'Cap of acme/large: 2 (at the end; mean 2.02)',
      'Wait, p95: 200ms (for admission, per attempt)',
      'Total, p95: 1.45s (first queued to answer)',
    ]);
  });

  it('draws the cap against the limit, what is in flight, every refusal and the cooldown', () => {
    expect(report.sections[0]?.charts[0]).toEqual({
      kind: 'line',
      title: "acme/large: the cap against the provider's true limit",
      description:
        "The cap starts at 2, ends at 2 and moves between 2 and 3. The provider's limit is 2. 2 refusals. " +
        'The work could have been done in 200ms at best: what one has to do after the other, of review.',
      xLabel: 'time',
      xUnit: 'duration',
      yLabel: 'requests at once',
      yMin: 0,
      series: [
        {
          name: 'cap',
          style: 'step',
          role: 'primary',
          points: [
            [0, 2],
            [100, 2],
            [200, 3],
            [250, 2],
            [300, 2],
            [1350, 2],
            [1450, 2],
            [2300, 2],
            [2350, 2],
          ],
        },
        {
          name: "provider's limit",
          style: 'step',
          role: 'limit',
          dashed: true,
          points: [
            [0, 2],
            [100, 2],
            [200, 2],
            [250, 2],
            [300, 2],
            [1350, 2],
            [1450, 2],
            [2300, 2],
            [2350, 2],
          ],
        },
        {
          name: 'in flight',
          style: 'area',
          role: 'secondary',
          points: [
            [0, 2],
            [100, 2],
            [200, 2],
            [250, 1],
            [300, 0],
            [1350, 1],
            [1450, 0],
            [2300, 1],
            [2350, 0],
          ],
        },
        {
          name: 'refusals',
          style: 'points',
          role: 'bad',
          points: [
            [250, 2],
            [300, 1],
          ],
        },
        {
          name: 'done by here at best',
          style: 'line',
          role: 'muted',
          dashed: true,
          points: [
            [200, 0],
            [200, 3],
          ],
        },
      ],
      bands: [{ from: 250, to: 1250, label: 'cooldown', tone: 'warn' }],
    });
  });

  it('has the queue, the latencies, the runs, their tables, and where it comes from', () => {
    expect(headings(report)).toEqual(['acme/large', 'Latency', 'Runs']);
    expect(chartTitles(report)).toEqual([
      "acme/large: the cap against the provider's true limit",
      'acme/large: the queue',
      'How long requests take',
      'review: how many of its subagents can have a request in flight',
    ]);
    const bars = report.sections[1]?.charts[0] as Extract<Chart, { kind: 'bar' }>;
    expect(bars.yLabel).toBe('milliseconds');
    expect(bars.series.map(({ name, values }) => [name, ...values])).toEqual([
      ['wait', 0, 200, 200, 200],
      ['service', 100.031, 200, 200, 200],
      ['total', 200.063, 1450, 1450, 1450],
    ]);
    const tables = report.sections.flatMap((section) => section.tables);
    expect(tables.map(({ caption }) => caption)).toEqual(['acme/large in numbers', 'Latencies', 'Runs']);
    expect(tables[0]?.rows).toEqual([
      ['Cap: initial, final', '2, 2'],
      ['Cap: lowest, mean, highest', '2, 2.02, 3'],
      ['Cuts, raises, idle resets', '1, 1, 0'],
      ['Epochs', '1'],
      ['Time in cooldown', '1s'],
      ['In flight: mean, most', '0.298, 2'],
      ['Waiting: mean, most', '0.128, 2'],
      ['Admitted, refused by the provider', '4, 2'],
      ['At the provider at once, most', '2'],
      ['Refused by quota concurrency', '2'],
    ]);
    expect(tables[2]?.rows).toEqual([['review', '4', '4', '2.35s', '2', '2.02', '300ms', '0']]);
    for (const { columns, rows } of tables) {
      expect(rows.every((row) => row.length === columns.length)).toBe(true);
    }
    expect(report.provenance.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      'Scenario: by-hand',
      'Seed: 7',
      'Mode: simulated',
      'Controller: aimd',
      'Version: 0.1.0',
      'Trace, SHA-256: c0ffee',
    ]);
    expect(report.replay).toBe('sim run by-hand.yaml --seed 7');
  });
});

describe('the headline', () => {
  const cutOff = [
    ...STORY.slice(0, 12),
    traceFinished(900, {}, { complete: false, stop: 'after', detail: 'Raise stop.after.' }),
  ];
  const fails: Expectation = { path: 'requests.lost', equals: 9 };
  const holds: Expectation = { path: 'seed', equals: 7 };

  it.each([
    { trace: STORY, expectations: [], text: 'Done; nothing was expected', tone: 'neutral' },
    { trace: STORY, expectations: [holds], text: 'PASS: 1 of 1 expectation hold', tone: 'good' },
    { trace: STORY, expectations: [holds, fails], text: 'FAIL: 1 of 2 expectations hold', tone: 'bad' },
    { trace: cutOff, expectations: [holds], text: 'Stopped before the end', tone: 'warn' },
    {
      trace: cutOff,
      expectations: [fails],
      text: 'FAIL: 0 of 1 expectation hold; stopped before the end',
      tone: 'bad',
    },
  ])('says: $text', ({ trace, expectations, text, tone }) => {
    expect(reportOf(trace, expectations).headline).toEqual({ text, tone });
  });

  it('of a run that was stopped is followed by why, and what to change', () => {
    const { heading, text } = reportOf(cutOff).sections[0]!;
    expect(heading).toBe('Stopped before the end');
    expect(text).toBe('The longest time that the scenario allows came first. Raise stop.after.');
    expect(reportOf(STORY.slice(0, 12)).sections[0]?.text).toBe('The trace breaks off.');
  });
});

describe('a report', () => {
  it('has a section per key, in the order of the scenario', () => {
    const acme = SCENARIO.providers.acme!;
    const large = acme.models.large!;
    const run = SCENARIO.workload.runs[0]!;
    const scenario: Scenario = {
      ...SCENARIO,
      providers: { acme: { ...acme, models: { large, small: { ...large, quotas: [] } } } },
      workload: { runs: [{ ...run, id: 'quick', target: { provider: 'acme', model: 'small' } }, run] },
    };
    const report = reportOf([traceStarted({ scenario }), traceFinished(10)]);
    expect(headings(report)).toEqual(['acme/small', 'acme/large', 'Latency']);
    expect(chartTitles(report).slice(0, 3)).toEqual([
      'acme/small: the cap',
      'acme/small: the queue',
      "acme/large: the cap against the provider's true limit",
    ]);
  });

  it('of an ungoverned run draws no cap, and no width of a run that is never narrowed', () => {
    const trace = [
      traceStarted({ controller: 'none', initial: null }),
      runStarted(0),
      queued(0, 1),
      admitted(0, 1),
      settled(12_000, 1, { serviceMs: 12_000 }),
      traceFinished(12_000, { admitted: 1 }),
    ];
    const report = reportOf(trace);
    expect(chartTitles(report)).toEqual([
      "acme/large: requests in flight against the provider's true limit",
      'acme/large: the queue',
      'How long requests take',
    ]);
    expect(report.sections[0]?.charts[0]).toMatchObject({
      series: [{ name: "provider's limit" }, { name: 'in flight' }, { name: 'done by here at best' }],
    });
    expect(report.sections[1]?.charts[0]).toMatchObject({ yLabel: 'seconds' });
    expect(report.figures[3]).toEqual({ label: 'Cap of acme/large', value: '–', note: 'nothing governs' });
  });

  it('has for its picture the first chart of its first key', () => {
    const series = new TimeSeries();
    for (const event of STORY) series.observe(event);
    expect(coverChart(series.series())).toEqual(reportOf(STORY).sections[0]?.charts[0]);
    expect(coverChart(new TimeSeries().series())).toBeUndefined();
  });
});

it('a report of many keys and runs draws the first twelve and says where the others are', () => {
  const many = Array.from({ length: 20 }, (_, i) => i);
  const report = reportOf([
    traceStarted(),
    ...many.flatMap((i) => [
      runStarted(0, { run: `r${i}`, bound: 9 }),
      queued(0, i + 1, { run: `r${i}`, key: `acme/m${i}` }),
      admitted(0, i + 1, { run: `r${i}`, key: `acme/m${i}` }),
    ]),
    ...many.map((i) => settled(100, i + 1, { run: `r${i}`, key: `acme/m${i}`, serviceMs: 100 })),
  ]);
  // The scenario has a key of its own, acme/large.
  expect(headings(report)).toEqual([
    'Stopped before the end',
    'acme/large',
    ...many.slice(0, 11).map((i) => `acme/m${i}`),
    '9 more keys',
    'Latency',
    'Runs',
  ]);
  const runs = report.sections.at(-1)!;
  expect(runs.charts.length).toBe(12);
  expect(runs.text).toBe('The first 12 runs that a cap narrowed are drawn; the table has all.');
  expect(runs.tables[0]?.rows.length).toBe(20);
});
