/** The charts of a run's report. Each says in words what it shows, for those who cannot see it. */

import type { BarChart, LineChart, Series } from '@tidegate/reports';
import { counted, duration, number } from './human-numbers.js';
import type { LatencyFigures } from './latency.js';
import type { MakespanBound } from './makespan-bound.js';
import type { RunSeries } from './run-paths.js';
import type { Summary } from './summary.js';
import type { KeyPoint, KeySeries } from './timeseries.js';

const OVER_TIME = { kind: 'line', xLabel: 'time', xUnit: 'duration', yMin: 0 } as const;

/**
 * The cap against what is in flight and what the provider really takes, with every refusal and every cooldown, and with
 * the time at which all the work could have been done.
 */
export function capChart({ key, points, cooldowns }: KeySeries, bound: MakespanBound | undefined): LineChart {
  const series: readonly Series[] = [
    { name: 'cap', style: 'step', role: 'primary', points: column(points, 'cap') },
    { name: "provider's limit", style: 'step', role: 'limit', dashed: true, points: column(points, 'limit') },
    { name: 'in flight', style: 'area', role: 'secondary', points: column(points, 'inFlight') },
    { name: 'refusals', style: 'points', role: 'bad', points: refusals(points) },
    { name: 'done by here at best', style: 'line', role: 'muted', dashed: true, points: upright(bound, points) },
  ];
  return {
    ...OVER_TIME,
    title: `${key}: ${capTitle(points)}`,
    description: [capInWords(points), ...(bound === undefined ? [] : [boundInWords(bound)])].join(' '),
    yLabel: 'requests at once',
    series: series.filter((one) => one.points.some(([, y]) => y !== null)),
    bands: cooldowns.map(({ from, to }) => ({ from, to, label: 'cooldown', tone: 'warn' })),
  };
}

/** A line across the chart at the time of the bound. */
function upright(bound: MakespanBound | undefined, points: readonly KeyPoint[]): Series['points'] {
  if (bound === undefined) return [];
  const top = points.reduce((most, { cap, inFlight, limit }) => Math.max(most, cap ?? 0, inFlight, limit ?? 0), 1);
  return [
    [bound.ms, 0],
    [bound.ms, top],
  ];
}

/** `The work could have been done in 1m 30s at best: its critical path, of review.` */
export function boundInWords({ ms, kind, by }: MakespanBound): string {
  const reasons = {
    'critical path': `what one has to do after the other, of ${by}`,
    work: `its work by what is taken at once, ${by}`,
    rate: `what is let through in time, ${by}`,
  } as const;
  return `The work could have been done in ${duration(ms)} at best: ${reasons[kind]}.`;
}

function capTitle(points: readonly KeyPoint[]): string {
  const subject = points.some(({ cap }) => cap !== null) ? 'the cap' : 'requests in flight';
  return points.some(({ limit }) => limit !== null) ? `${subject} against the provider's true limit` : subject;
}

export function queueChart({ key, points }: KeySeries): LineChart {
  const longest = Math.max(0, ...points.map(({ queued }) => queued));
  return {
    ...OVER_TIME,
    title: `${key}: the queue`,
    description: `Requests that wait to be admitted; at most ${number(longest)} at once.`,
    yLabel: 'requests waiting',
    series: [{ name: 'waiting', style: 'area', role: 'primary', points: column(points, 'queued') }],
    bands: [],
  };
}

/** Undefined for a run that always had its full width. */
export function widthChart({ run, points }: RunSeries): LineChart | undefined {
  if (!points.some(({ effective, bound }) => effective < bound)) return undefined;
  const narrowest = points.reduce((least, { effective }) => Math.min(least, effective), Number.POSITIVE_INFINITY);
  return {
    ...OVER_TIME,
    title: `${run}: how many of its subagents can have a request in flight`,
    description: `The smaller of the run's bound and the cap of its narrowest key; at least ${number(narrowest)}.`,
    yLabel: 'requests at once',
    series: [
      { name: 'effective', style: 'step', role: 'primary', points: points.map((p) => [p.tMs, p.effective]) },
      { name: 'bound', style: 'step', role: 'muted', dashed: true, points: points.map((p) => [p.tMs, p.bound]) },
    ],
    bands: [],
  };
}

const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const;

/** Undefined where nothing was admitted. */
export function latencyChart({ wait, service, total }: Summary['latencyMs']): BarChart | undefined {
  const measured = [
    { name: 'wait', role: 'secondary', figures: wait },
    { name: 'service', role: 'limit', figures: service },
    { name: 'total', role: 'primary', figures: total },
  ] as const;
  const shown = measured.filter(({ figures }) => figures.count > 0);
  if (shown.length === 0) return undefined;
  const inSeconds = shown.some(({ figures }) => (figures.p99 ?? 0) >= 10_000);
  return {
    kind: 'bar',
    title: 'How long requests take',
    description: shown.map(({ name, figures }) => latencyInWords(name, figures)).join(' '),
    xLabel: 'percentile',
    yLabel: inSeconds ? 'seconds' : 'milliseconds',
    categories: PERCENTILES,
    series: shown.map(({ name, role, figures }) => ({
      name,
      role,
      values: PERCENTILES.map((p) => (figures[p] ?? 0) / (inSeconds ? 1000 : 1)),
    })),
  };
}

function latencyInWords(name: string, { p50, p95, count }: LatencyFigures): string {
  return `The median ${name} of ${number(count)} is ${duration(p50)}, the 95th percentile ${duration(p95)}.`;
}

function column(points: readonly KeyPoint[], name: 'cap' | 'inFlight' | 'queued' | 'limit'): Series['points'] {
  return points.map((point) => [point.tMs, point[name]]);
}

/** Each refusal at the height of what was in flight when it came. */
function refusals(points: readonly KeyPoint[]): Series['points'] {
  return points.flatMap((point, i) => {
    const before = points[i - 1];
    return before !== undefined && point.refused > before.refused ? [[point.tMs, before.inFlight] as const] : [];
  });
}

function capInWords(points: readonly KeyPoint[]): string {
  const last = points.at(-1);
  const sentences = [
    moved(
      'The cap',
      points.flatMap(({ cap }) => cap ?? []),
      'Nothing governs.',
    ),
    moved(
      "The provider's limit",
      points.flatMap(({ limit }) => limit ?? []),
      'The provider limits no concurrency.',
    ),
    `${counted(last?.refused ?? 0, 'refusal')}.`,
  ];
  return sentences.join(' ');
}

/** Where a level starts and ends, and between which values it moves. */
function moved(subject: string, values: readonly number[], none: string): string {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return none;
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  if (lowest === highest) return `${subject} is ${number(first)}.`;
  return `${subject} starts at ${number(first)}, ends at ${number(last)} and moves between ${number(lowest)} and ${number(highest)}.`;
}
