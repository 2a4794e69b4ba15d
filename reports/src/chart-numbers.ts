/**
 * A chart's numbers as a table: what a reader gets who cannot see the picture, or has only text. Bars are listed whole;
 * of a line, its shape: where it starts, its extremes, where it ends. Never thins: it reads the series as they came.
 */

import type { BarChart, Chart, LineChart, Table } from './report.js';
import { formatNumber } from './ticks.js';

export function chartNumbers(chart: Chart): Table {
  return chart.kind === 'bar' ? barNumbers(chart) : lineNumbers(chart);
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
      return [series.name, ...[ys.length, ys[0], lowest, highest, ys.at(-1)].map(written)];
    }),
  };
}

function written(value: number | undefined): string {
  return value === undefined ? '–' : formatNumber(value);
}
