/** Points by two values, some of them joined by a line. */

import type { ChartOptions } from 'chart.js';
import type { ScatterChart, Unit } from '../report.js';
import type { Drawing } from './frame.js';
import type { Entry, ScatterConfig, TooltipOf } from './look.js';

export function scatterConfig(chart: ScatterChart, look: Drawing): ScatterConfig {
  const { strokes, commonOptions, flushLegend, axisBase } = look.frame;
  const scale = look.fontSize / 12;
  const pens = strokes(chart.series, look.palette);
  const entries = chart.series.map(
    ({ name, joined }, i): Entry => ({
      text: name,
      fillStyle: `${pens[i]!.color}cc`,
      strokeStyle: pens[i]!.color,
      lineWidth: (joined ? 2 : 1.25) * scale,
      pointStyle: joined ? 'line' : pens[i]!.marker,
    }),
  );
  const common = commonOptions(chart, entries, look);
  const axis = (of: 'x' | 'y', unit: Unit) => {
    const values = chart.series.flatMap(({ points }) => points.map((point) => point[of]));
    const base = look.frame.valueAxis(values, look, spread(values), undefined, unit);
    const upright = { ...base, ticks: { ...base.ticks, includeBounds: false } };
    return of === 'x' && unit === 'duration' ? { ...upright, ...look.frame.durationAxis(look) } : upright;
  };
  return {
    type: 'scatter',
    plugins: [flushLegend(look)],
    data: {
      datasets: chart.series.map(({ name, points, joined }, i) => ({
        label: name,
        data: points.map(({ x, y }) => ({ x, y })),
        showLine: joined,
        borderColor: pens[i]!.color,
        backgroundColor: `${pens[i]!.color}cc`,
        borderWidth: (joined ? 2 : 1.25) * scale,
        pointStyle: pens[i]!.marker,
        pointRadius: (points.length > 400 ? 2 : points.length === 1 ? 7 : 4) * scale,
        pointHoverRadius: 6 * scale,
        clip: 8 * scale,
        order: chart.series.length - i,
      })),
    },
    options: {
      ...(common as ChartOptions<'scatter'>),
      interaction: { mode: 'nearest', intersect: false },
      scales: {
        x: { ...axis('x', chart.xUnit), ...axisBase(chart.xLabel, look) },
        y: { ...axis('y', chart.yUnit), ...axisBase('', look) },
      },
      plugins: {
        ...(common.plugins as ChartOptions<'scatter'>['plugins']),
        tooltip: scatterTooltip(chart, look),
      },
    },
  };
}

/** Where an axis begins: at 0, unless all values lie far from it and close together. */
function spread(values: readonly number[]): number | undefined {
  const least = values.reduce((a, value) => Math.min(a, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, value) => Math.max(a, value), Number.NEGATIVE_INFINITY);
  if (!(least > 0) || most - least > 0.5 * most) return undefined;
  return least - 0.08 * (most - least || least);
}

function scatterTooltip(chart: ScatterChart, look: Drawing): TooltipOf<'scatter'> {
  const { formatValue } = look.ticks;
  return {
    ...look.frame.tooltip(look),
    callbacks: {
      title: (items) => {
        const [item] = items;
        return item === undefined ? '' : (chart.series[item.datasetIndex]?.points[item.dataIndex]?.label ?? '');
      },
      label: ({ parsed: { x, y } }) => [
        `${chart.xLabel}: ${formatValue(x ?? 0, chart.xUnit)}`,
        `${chart.yLabel}: ${formatValue(y ?? 0, chart.yUnit)}`,
      ],
    },
    filter: (_item, index) => index === 0,
  };
}

/** To be run as a classic script; defines `scatterConfig`. */
export function scatterSource(): string {
  return [scatterConfig, spread, scatterTooltip].map(String).join('\n');
}
