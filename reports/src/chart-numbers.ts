/**
 * A chart's numbers as a table: what a reader gets who cannot see the picture, or has only text. Bars, cells and ranges are
 * listed whole; of a line, its shape: where it starts, its extremes, where it ends; of many points, the first hundred.
 * Never thins: it reads the series as they came.
 */

import type { BarChart, Chart, HeatmapChart, LineChart, RangesChart, ScatterChart, Table, Unit } from './report.js';
import { formatNumber, formatValue } from './ticks.js';

export function chartNumbers(chart: Chart): Table {
  switch (chart.kind) {
    case 'bar':
      return barNumbers(chart);
    case 'line':
      return lineNumbers(chart);
    case 'heatmap':
      return heatmapNumbers(chart);
    case 'scatter':
      return scatterNumbers(chart);
    case 'ranges':
      return rangesNumbers(chart);
    default:
      return chart satisfies never;
  }
}

function barNumbers(chart: BarChart): Table {
  return {
    caption: chart.title,
    columns: [
      { label: chart.xLabel, numeric: false },
      ...chart.series.map((series) => ({ label: series.name, numeric: true })),
    ],
    rows: chart.categories.map((category, i) => [category, ...chart.series.map((series) => written(series.values[i]))]),
  };
}

function lineNumbers(chart: LineChart): Table {
  const columns = ['points', 'first', 'lowest', 'highest', 'last'].map((label) => ({ label, numeric: true }));
  return {
    caption: chart.yLabel === '' ? chart.title : `${chart.title} (${chart.yLabel})`,
    columns: [{ label: 'series', numeric: false }, ...columns],
    rows: chart.series.map((series) => {
      const ys = series.points.flatMap(([, y]) => (y === null ? [] : [y]));
      const lowest = ys.reduce<number | undefined>((a, y) => (a === undefined ? y : Math.min(a, y)), undefined);
      const highest = ys.reduce<number | undefined>((a, y) => (a === undefined ? y : Math.max(a, y)), undefined);
      const values = [ys[0], lowest, highest, ys.at(-1)].map((y) => written(y, chart.yUnit));
      return [series.name, written(ys.length), ...values];
    }),
  };
}

/** A row per value of y, as it is drawn: the highest first. */
function heatmapNumbers({ title, x, y, valueLabel, unit, values }: HeatmapChart): Table {
  return {
    caption: `${title} (${valueLabel})`,
    columns: [
      { label: `${y.label} \\ ${x.label}`, numeric: false },
      ...x.values.map((label) => ({ label, numeric: true })),
    ],
    rows: y.values
      .map((label, row) => [label, ...(values[row] ?? []).map((value) => written(value, unit))])
      .toReversed(),
  };
}

const MOST_POINTS = 100;

function scatterNumbers(chart: ScatterChart): Table {
  const points = chart.series.flatMap(({ name, points: all }) => all.map((point) => ({ name, ...point })));
  const more = points.length > MOST_POINTS ? `, the first ${MOST_POINTS} of ${formatNumber(points.length)} points` : '';
  return {
    caption: `${chart.title}${more}`,
    columns: [
      { label: 'series', numeric: false },
      { label: 'point', numeric: false },
      { label: chart.xLabel, numeric: true },
      { label: chart.yLabel, numeric: true },
    ],
    rows: points
      .slice(0, MOST_POINTS)
      .map(({ name, label, x, y }) => [name, label, written(x, chart.xUnit), written(y, chart.yUnit)]),
  };
}

function rangesNumbers(chart: RangesChart): Table {
  const hasMarks = chart.rows.some(({ mark }) => mark !== undefined);
  return {
    caption: `${chart.title} (${chart.valueLabel})`,
    columns: [
      { label: '', numeric: false },
      ...(hasMarks ? [{ label: chart.markName ?? 'mean', numeric: true }] : []),
      ...chart.series.map(({ name }) => ({ label: name, numeric: true })),
    ],
    rows: chart.rows.map(({ label, ranges, mark }) => [
      label,
      ...(hasMarks ? [written(mark, chart.unit)] : []),
      ...ranges.map((range) =>
        range === null ? '–' : `${written(range[0], chart.unit)} to ${written(range[1], chart.unit)}`,
      ),
    ]),
  };
}

function written(value: number | null | undefined, unit: Unit = 'number'): string {
  return value === undefined || value === null ? '–' : formatValue(value, unit);
}
