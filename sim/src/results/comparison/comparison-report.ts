/** From a comparison to its report as data, its pictures and its tables. */

import type { Chart, RangesChart, Report, ScatterChart, Table } from '@tidegate/reports';
import { counted, number } from '../human-numbers.js';
import type { Metric } from '../study/metric.js';
import { csvOf, type StudyContents } from '../study/study-folder.js';
import type { KeySeries } from '../timeseries.js';
import { writtenMetric } from '../tuning/findings.js';
import { courseChart } from '../tuning/tuning-charts.js';
import { claims } from './claims.js';
import { COMPARED, type Comparison, type Contender, NARROW } from './comparison.js';

export interface ComparisonResults {
  readonly comparison: Comparison;
  readonly question: string;
  /** The course of the first run of each contender that has one. */
  readonly courses: readonly (readonly [name: string, course: KeySeries])[];
  /** The command that makes this again. */
  readonly replay: string;
}

export function comparisonContents(results: ComparisonResults): StudyContents {
  const { comparison } = results;
  const report = comparisonReport(results);
  const pictures: Readonly<Record<string, Chart | undefined>> = {
    'makespan.png': differenceChart(comparison, 'makespan'),
    'refused.png': differenceChart(comparison, 'refused.share'),
    'trade-off.png': tradeOff(comparison),
    'cap.png': courseCharts(results)[0],
  };
  return {
    report,
    pictures: Object.fromEntries(Object.entries(pictures).flatMap(([file, chart]) => (chart ? [[file, chart]] : []))),
    texts: {
      'compare.json': `${JSON.stringify(comparisonJson(comparison), null, 2)}\n`,
      'compare.csv': comparisonCsv(comparison),
    },
  };
}

/** `compare.json`: the comparison, with what it says in words. */
export function comparisonJson(comparison: Comparison): object {
  return { ...comparison, claims: claims(comparison) };
}

function comparisonReport({ comparison, question, courses, replay }: ComparisonResults): Report {
  const { scenario, contenders, seeds, stopped, version } = comparison;
  const [first] = contenders;
  const said = claims(comparison);
  const charts = ['makespan', 'refused.share', 'utilisation', 'latencyMs.wait.p99', 'recover'].flatMap(
    (metric) => differenceChart(comparison, metric) ?? [],
  );
  return {
    title: `${scenario}: ${contenders.map(({ name }) => name).join(', ')}`,
    question,
    headline: { text: `${counted(said.length, 'claim')} on ${counted(seeds, 'seed')}`, tone: 'neutral' },
    figures: contenders.slice(0, 6).map(({ name, metrics }) => ({
      label: `Makespan, ${name}`,
      value: writtenMetric(metrics.makespan?.mean ?? null, 'duration'),
      note: `refused ${writtenMetric(metrics['refused.share']?.mean ?? null, 'share')}`,
    })),
    verdicts: [],
    sections: [
      { heading: 'What the data supports', text: said.join('\n\n'), charts: [], tables: [comparisonTable(comparison)] },
      {
        heading: `Differences from ${first?.name ?? ''}`,
        text: 'Each contender minus the first, seed by seed. An interval that holds no difference may be noise.',
        charts: [...charts, ...(tradeOff(comparison) === undefined ? [] : [tradeOff(comparison)!])],
        tables: [differenceTable(comparison)],
      },
      { heading: 'Over time', charts: courseCharts({ courses, comparison }), tables: [] },
    ],
    provenance: [
      { label: 'Scenario', value: scenario },
      { label: 'Seeds', value: `1 to ${seeds}` },
      {
        label: 'Replications ended',
        value:
          stopped === 'narrow'
            ? `when each difference was known to ${NARROW.time * 100} % of the time and ${NARROW.refused * 100} points of refused share`
            : 'at the greatest number of seeds',
      },
      { label: 'Intervals', value: "95 %, Student's t, paired by seed; those of differences share the risk of all" },
      { label: 'Version', value: version },
    ],
    replay,
  };
}

/** Of every metric that any contender has: mean and half of its interval. */
function comparisonTable({ contenders }: Comparison): Table {
  return {
    caption: 'Mean and half of the 95 % interval',
    columns: [{ label: 'Figure', numeric: false }, ...contenders.map(({ name }) => ({ label: name, numeric: true }))],
    rows: COMPARED.filter(({ name }) => contenders.some(({ metrics }) => metrics[name] != null)).map((metric) => [
      metric.label,
      ...contenders.map((contender) => written(contender, metric)),
    ]),
  };
}

function written({ metrics }: Contender, { name, unit }: Metric): string {
  const value = metrics[name];
  if (value == null) return '–';
  const spread = value.halfWidth === null ? '' : ` ± ${writtenMetric(value.halfWidth, unit)}`;
  return `${writtenMetric(value.mean, unit)}${spread}`;
}

function differenceTable({ contenders, differences }: Comparison): Table {
  const others = contenders.slice(1);
  return {
    caption: `Differences from ${contenders[0]?.name ?? ''}, paired by seed`,
    columns: [{ label: 'Figure', numeric: false }, ...others.map(({ name }) => ({ label: name, numeric: true }))],
    rows: COMPARED.flatMap(({ name, label, unit }) => {
      const row = others.map(({ name: contender }) => {
        const found = differences.find((each) => each.contender === contender && each.metric === name);
        if (found === undefined) return '–';
        const { mean, halfWidth } = found.difference;
        const sign = mean < 0 ? '−' : '+';
        return `${sign}${writtenMetric(Math.abs(mean), unit)} ± ${writtenMetric(halfWidth, unit)}`;
      });
      return row.every((cell) => cell === '–') ? [] : [[label, ...row]];
    }),
  };
}

/** The paired differences of one metric; undefined where there is none. */
function differenceChart({ contenders, differences }: Comparison, name: string): RangesChart | undefined {
  const metric = COMPARED.find((each) => each.name === name);
  const shown = differences.filter((each) => each.metric === name);
  const first = contenders[0]?.name ?? '';
  if (metric === undefined || shown.length === 0) return undefined;
  const values = shown.map(({ contender, difference }) => `${contender} ${signed(difference.mean, metric)}`);
  return {
    kind: 'ranges',
    title: `${metric.label[0]!.toUpperCase()}${metric.label.slice(1)}, difference from ${first}`,
    description: `${metric.better === 'lower' ? 'Left is better' : 'Right is better'}. ${values.join(', ')}.`,
    valueLabel: `difference of ${metric.label}`,
    unit: metric.unit,
    baseline: { value: 0, label: `no difference from ${first}` },
    markName: 'mean difference',
    series: [{ name: '95 % interval', role: 'primary' }],
    rows: shown.map(({ contender, difference: { mean, halfWidth } }) => ({
      label: contender,
      ranges: [halfWidth === null ? null : [mean - halfWidth, mean + halfWidth]],
      mark: mean,
    })),
  };
}

function signed(value: number, { unit }: Metric): string {
  return `${value < 0 ? '−' : '+'}${writtenMetric(Math.abs(value), unit)}`;
}

/** Makespan against refused share, a point per contender. */
function tradeOff({ contenders }: Comparison): ScatterChart | undefined {
  const roles = ['primary', 'secondary', 'bad', 'muted', 'limit'] as const;
  const points = contenders.flatMap(({ name, metrics }, i) => {
    const [x, y] = [metrics.makespan?.mean, metrics['refused.share']?.mean];
    if (x === undefined || y === undefined) return [];
    return [{ name, role: roles[i % roles.length]!, joined: false, points: [{ x, y, label: name }] }];
  });
  if (points.length < 2) return undefined;
  return {
    kind: 'scatter',
    title: 'Makespan against refused share',
    description: 'Further left is faster, further down is gentler.',
    xLabel: 'makespan',
    xUnit: 'duration',
    yLabel: 'refused share',
    yUnit: 'share',
    series: points,
  };
}

/** Three contenders to a chart, so that their lines can be told apart. */
function courseCharts({ courses, comparison }: Pick<ComparisonResults, 'courses' | 'comparison'>): readonly Chart[] {
  const charts = Array.from({ length: Math.ceil(courses.length / 3) }, (_, i) => courses.slice(i * 3, i * 3 + 3));
  return charts.map((part) =>
    courseChart(`${comparison.scenario}: the cap under ${part.map(([name]) => name).join(', ')}`, part),
  );
}

/** `compare.csv`: a row per contender and metric. */
function comparisonCsv({ contenders, differences }: Comparison): string {
  const head = ['controller', 'metric', 'mean', 'half_width', 'samples', 'difference', 'difference_half_width'];
  const rows = contenders.flatMap(({ name, metrics }) =>
    COMPARED.map((metric) => {
      const value = metrics[metric.name];
      const found = differences.find((each) => each.contender === name && each.metric === metric.name)?.difference;
      return [
        ...[name, metric.name, value?.mean ?? null, value?.halfWidth ?? null, value?.samples ?? 0],
        ...[found?.mean ?? null, found?.halfWidth ?? null],
      ];
    }),
  );
  return csvOf([head, ...rows]);
}

/** The table for a terminal: a row per metric, a column per contender. */
export function tableLines(comparison: Comparison): readonly string[] {
  const { columns, rows } = comparisonTable(comparison);
  const lines = [['', ...columns.slice(1).map(({ label }) => label)], ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines.map((line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  );
}

/** How many claims a comparison makes, in words. */
export function seedsLine({ seeds, stopped, contenders, version, scenario }: Comparison): string {
  const why = stopped === 'narrow' ? 'the intervals are narrow enough' : 'the most that were allowed';
  return `${scenario} · ${number(contenders.length)} controllers × ${counted(seeds, 'seed')} (${why}) · version ${version}`;
}
