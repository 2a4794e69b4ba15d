/**
 * From the results of a run to a report as data: the only place that knows both. Chooses what is shown and in which words;
 * draws nothing and computes no figure.
 */

import type { Chart, Figure, LineChart, Report, Section } from '@tidegate/reports';
import type { Scenario } from '../scenario/scenario.js';
import type { StopReason } from '../trace/events.js';
import { counted, duration, NO_VALUE, number, percent } from './human-numbers.js';
import type { MakespanBound } from './makespan-bound.js';
import { boundInWords, capChart, latencyChart, queueChart, widthChart } from './report-charts.js';
import { keyTable, latencyTable, liveTable, runTable } from './report-tables.js';
import type { Summary } from './summary.js';
import type { TimeSeriesResult } from './timeseries.js';
import { verdictWords } from './verdict-words.js';

export interface RunResults {
  readonly scenario: Scenario;
  readonly summary: Summary;
  readonly series: TimeSeriesResult;
  /** The command that makes this run again. */
  readonly replay: string;
}

export function toReport({ scenario, summary, series, replay }: RunResults): Report {
  return {
    title: scenario.name,
    question: scenario.question,
    headline: headline(summary),
    figures: figures(summary, series.bound),
    verdicts: summary.expectations.map((result) => ({ pass: result.pass, text: verdictWords(result, summary) })),
    sections: [
      ...stopSection(summary, series),
      ...keySections(summary, series),
      latencySection(summary),
      ...liveSection(summary),
      ...runSection(summary, series),
    ],
    provenance: provenance(summary),
    replay,
  };
}

/** The one picture that stands for the run: the cap of the first key. Undefined where there is no key. */
export function coverChart({ keys, bound }: TimeSeriesResult): Chart | undefined {
  const first = keys[0];
  return first === undefined ? undefined : capChart(first, bound);
}

function headline({ complete, expectations }: Summary): Report['headline'] {
  const passed = expectations.filter(({ pass }) => pass).length;
  const hold = `${passed} of ${counted(expectations.length, 'expectation')} hold`;
  if (passed < expectations.length)
    return { text: `FAIL: ${hold}${complete ? '' : '; stopped before the end'}`, tone: 'bad' };
  if (!complete) return { text: 'Stopped before the end', tone: 'warn' };
  if (expectations.length === 0) return { text: 'Done; nothing was expected', tone: 'neutral' };
  return { text: `PASS: ${hold}`, tone: 'good' };
}

function figures(summary: Summary, bound: MakespanBound | undefined): readonly Figure[] {
  const { requests, refused, latencyMs, keys } = summary;
  const refusals = `${number(requests.refused)} of ${counted(requests.attempts, 'attempt')}`;
  const lost = requests.lost > 0 ? `, ${number(requests.lost)} lost` : '';
  const unfinished = requests.unfinished > 0 ? `, ${number(requests.unfinished)} unfinished` : '';
  return [
    {
      label: 'Makespan',
      value: duration(summary.makespanMs),
      note: bound === undefined ? 'until the last answer' : `until the last answer; at best ${duration(bound.ms)}`,
    },
    {
      label: 'Succeeded',
      value: number(requests.succeeded),
      note: `of ${counted(requests.logical, 'request')}${lost}${unfinished}`,
    },
    { label: 'Refused', value: percent(refused.share), note: refusals },
    ...Object.entries(keys)
      .slice(0, MOST_DRAWN)
      .map(([key, { cap }]) => ({
        label: `Cap of ${key}`,
        value: number(cap.final),
        note: cap.initial === null ? 'nothing governs' : `at the end; mean ${number(cap.mean)}`,
      })),
    { label: 'Wait, p95', value: duration(latencyMs.wait.p95), note: 'for admission, per attempt' },
    { label: 'Total, p95', value: duration(latencyMs.total.p95), note: 'first queued to answer' },
  ];
}

const STOPS: Readonly<Record<StopReason, string>> = {
  done: 'The work was done.',
  time: 'The time was over.',
  after: 'The longest time that the scenario allows came first.',
  'max-requests': 'The greatest number of requests that the scenario allows came first.',
  'time-stands-still': 'Time stood still.',
  'never-finishes': 'Nothing more could finish.',
  'safety-rail': 'A safety rail of the live run held it.',
  interrupted: 'The run was interrupted.',
};

function stopSection({ complete }: Summary, { ending }: TimeSeriesResult): readonly Section[] {
  if (complete) return [];
  const why = ending === null ? 'The trace breaks off.' : STOPS[ending.stop];
  const text = ending?.detail === undefined ? why : `${why} ${ending.detail}`;
  return [{ heading: 'Stopped before the end', text, charts: [], tables: [] }];
}

/** Keys, and runs. A page of a thousand charts nobody reads, and no browser opens it. */
const MOST_DRAWN = 12;

function keySections({ keys, providers }: Summary, series: TimeSeriesResult): readonly Section[] {
  const { bound } = series;
  const sections = series.keys.slice(0, MOST_DRAWN).flatMap((one, i): readonly Section[] => {
    const figuresOfKey = keys[one.key];
    if (figuresOfKey === undefined) return [];
    return [
      {
        heading: one.key,
        ...(i === 0 && bound !== undefined && { text: boundInWords(bound) }),
        charts: [capChart(one, bound), queueChart(one)],
        tables: [keyTable(one.key, figuresOfKey, providers[one.key])],
      },
    ];
  });
  const left = series.keys.length - MOST_DRAWN;
  if (left <= 0) return sections;
  const text = 'summary.json has their figures, timeseries.csv how they went.';
  return [...sections, { heading: counted(left, 'more key'), text, charts: [], tables: [] }];
}

function latencySection({ latencyMs }: Summary): Section {
  const chart = latencyChart(latencyMs);
  return { heading: 'Latency', charts: chart === undefined ? [] : [chart], tables: [latencyTable(latencyMs)] };
}

function liveSection({ live }: Summary): readonly Section[] {
  return live === undefined ? [] : [{ heading: 'Against the real endpoint', charts: [], tables: [liveTable(live)] }];
}

function runSection({ runs }: Summary, series: TimeSeriesResult): readonly Section[] {
  if (Object.keys(runs).length === 0) return [];
  const charts: LineChart[] = [];
  for (const run of series.runs) {
    const chart = widthChart(run);
    if (chart !== undefined) charts.push(chart);
    if (charts.length > MOST_DRAWN) break;
  }
  const text = `The first ${MOST_DRAWN} runs that a cap narrowed are drawn; the table has all.`;
  const isCut = charts.length > MOST_DRAWN;
  const drawn = charts.slice(0, MOST_DRAWN);
  return [{ heading: 'Runs', ...(isCut && { text }), charts: drawn, tables: [runTable(runs)] }];
}

function provenance(summary: Summary): Report['provenance'] {
  const { scenario, seed, mode, controller, version, traceSha256 } = summary;
  return [
    { label: 'Scenario', value: scenario },
    { label: 'Seed', value: String(seed) },
    { label: 'Mode', value: mode },
    { label: 'Controller', value: controller },
    { label: 'Version', value: version },
    { label: 'Trace, SHA-256', value: traceSha256 ?? NO_VALUE },
  ];
}
