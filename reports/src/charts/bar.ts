/** A chart of bars, side by side per category; down the side where the names are long. */

import type { ChartOptions, Scale } from 'chart.js';
import type { BarChart } from '../report.js';
import type { Drawing } from './frame.js';
import type { BarConfig, Entry, TooltipOf } from './look.js';

export function barConfig(chart: BarChart, look: Drawing): BarConfig {
  const { strokes, commonOptions, flushLegend, axisBase, tickBase, valueAxis, shorten } = look.frame;
  const scale = look.fontSize / 12;
  const pens = strokes(chart.series, look.palette);
  // Beside colour, the roles differ in how much of the bar is filled.
  const opacity = { primary: 'e6', secondary: '4d', limit: '00', bad: '99', muted: '26' };
  const fills = chart.series.map((series, i) => `${pens[i]!.color}${opacity[series.role]}`);
  const entries = chart.series.map(
    (series, i): Entry => ({
      text: series.name,
      fillStyle: fills[i]!,
      strokeStyle: pens[i]!.color,
      lineWidth: 1.5 * scale,
      pointStyle: 'rect',
    }),
  );
  // A few long names read better down the side; many names are a scale, of which some can be left out.
  const longest = chart.categories.reduce((most, name) => Math.max(most, name.length), 0);
  const isSideways = chart.categories.length <= 12 && longest > 8;
  const values = chart.series.flatMap((series) => series.values);
  const category = {
    ...axisBase(isSideways ? '' : chart.xLabel, look),
    type: 'category' as const,
    grid: { display: false },
    border: { color: look.palette.border },
    ticks: {
      ...tickBase(look),
      autoSkip: !isSideways,
      callback(this: Scale, _value: number | string, index: number): string {
        const room = isSideways ? this.chart.width * 0.38 : look.fontSize * 10;
        return shorten(chart.categories[index] ?? '', Math.floor(room / (look.fontSize * 0.56)));
      },
    },
  };
  const value = { ...axisBase(isSideways ? chart.yLabel : '', look), ...valueAxis(values, look, undefined, undefined) };
  const common = commonOptions({ ...chart, yLabel: isSideways ? chart.xLabel : chart.yLabel }, entries, look);
  return {
    type: 'bar',
    plugins: [flushLegend(look)],
    data: {
      labels: [...chart.categories],
      datasets: chart.series.map((series, i) => ({
        label: series.name,
        data: [...series.values],
        backgroundColor: fills[i]!,
        borderColor: pens[i]!.color,
        borderWidth: 1.5 * scale,
        borderRadius: 2 * scale,
        categoryPercentage: 0.85,
        barPercentage: 0.95,
        maxBarThickness: 56 * scale,
      })),
    },
    options: {
      ...(common as ChartOptions<'bar'>),
      indexAxis: isSideways ? 'y' : 'x',
      interaction: { mode: 'index', axis: isSideways ? 'y' : 'x', intersect: false },
      scales: isSideways ? { x: value, y: category } : { x: category, y: value },
      plugins: {
        ...(common.plugins as ChartOptions<'bar'>['plugins']),
        tooltip: barTooltip(chart, look),
      },
    },
  };
}

function barTooltip(chart: BarChart, look: Drawing): TooltipOf<'bar'> {
  const value = (series: number, bar: number): number => chart.series[series]?.values[bar] ?? 0;
  return {
    ...look.frame.tooltip(look),
    callbacks: {
      // The whole name, which the axis may have shortened.
      title: (items) => chart.categories[items[0]?.dataIndex ?? 0] ?? '',
      label: (item) => `${item.dataset.label}: ${look.ticks.formatNumber(value(item.datasetIndex, item.dataIndex))}`,
    },
  };
}

/** To be run as a classic script; defines `barConfig`. */
export function barSource(): string {
  return [barConfig, barTooltip].map(String).join('\n');
}
