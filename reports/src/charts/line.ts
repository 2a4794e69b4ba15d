/** A chart of lines, steps, areas and marks over time or another number, with shaded spans behind them. */

import type { ChartOptions, Chart as DrawnChart } from 'chart.js';
import type { Palette } from '../palette.js';
import type { LineChart, Series } from '../report.js';
import type { Drawing } from './frame.js';
import type { Entry, LineConfig, Stroke, TooltipOf } from './look.js';

/** What is used of the annotation plugin's box; its own types do not resolve under Node's module rules. */
interface BandBox {
  readonly type: 'box';
  readonly drawTime: 'beforeDatasetsDraw';
  readonly adjustScaleRange: false;
  readonly display: (context: { readonly chart: DrawnChart }) => boolean;
  readonly xMin: number;
  readonly xMax: number;
  readonly backgroundColor: string;
  readonly borderColor: string;
  readonly borderWidth: number;
}

export function lineConfig(chart: LineChart, look: Drawing): LineConfig {
  const { strokes, commonOptions, flushLegend, axisBase, durationAxis, numberAxis, valueAxis } = look.frame;
  const scale = look.fontSize / 12;
  const pens = strokes(chart.series, look.palette);
  const xs = chart.series.flatMap((series) => series.points.map(([x]) => x));
  const ys = chart.series.flatMap((series) => series.points.flatMap(([, y]) => (y === null ? [] : [y])));
  const [xMin, xMax] = extent(xs);
  const bands = bandKinds(chart, look.palette, scale);
  const entries = [...chart.series.map((series, i) => lineEntry(series, pens[i]!, scale)), ...bands.entries];
  const common = commonOptions(chart, entries, look);
  const series = chart.series.map((one, i) => ({ ...lineDataset(one, pens[i]!, xMax, scale), label: one.name }));
  return {
    type: 'line',
    plugins: [flushLegend(look)],
    data: { datasets: [...series, ...bands.entries.map((entry) => ({ label: entry.text, data: [] }))] },
    options: {
      ...(common as ChartOptions<'line'>),
      parsing: false,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      scales: {
        x: {
          type: 'linear',
          min: xMin,
          max: xMax,
          ...axisBase(chart.xLabel, look),
          grid: { drawOnChartArea: false, color: look.palette.border, tickLength: 5 * scale },
          border: { color: look.palette.border },
          ...(chart.xUnit === 'duration' ? durationAxis(look) : numberAxis(look, xs.every(Number.isInteger))),
        },
        y: { ...axisBase('', look), ...valueAxis(ys, look, chart.yMin, chart.yMax, chart.yUnit) },
      },
      plugins: {
        ...(common.plugins as ChartOptions<'line'>['plugins']),
        annotation: { clip: true, annotations: bands.boxes },
        tooltip: lineTooltip(chart, look),
      },
    },
  };
}

/**
 * Bands as boxes behind the lines, and one legend entry for each label and tone. An empty dataset stands for each
 * entry, after those of the series, so that a click on the legend shows and hides the bands as it does the lines.
 */
function bandKinds(chart: LineChart, palette: Palette, scale: number): { entries: Entry[]; boxes: BandBox[] } {
  const kinds: LineChart['bands'][number][] = [];
  const boxes = chart.bands.map((band): BandBox => {
    let kind = kinds.findIndex(({ label, tone }) => label === band.label && tone === band.tone);
    if (kind < 0) kind = kinds.push(band) - 1;
    return {
      type: 'box',
      drawTime: 'beforeDatasetsDraw',
      adjustScaleRange: false,
      display: (context) => context.chart.isDatasetVisible(chart.series.length + kind),
      xMin: band.from,
      xMax: band.to,
      backgroundColor: `${palette.tones[band.tone]}26`,
      // A border keeps a band in sight that is narrower than a pixel.
      borderColor: `${palette.tones[band.tone]}40`,
      borderWidth: 1,
    };
  });
  const entries = kinds.map(({ label, tone }): Entry => {
    const color = palette.tones[tone];
    return { text: label, fillStyle: `${color}40`, strokeStyle: `${color}80`, lineWidth: scale, pointStyle: 'rect' };
  });
  return { entries, boxes };
}

function lineTooltip(chart: LineChart, look: Drawing): TooltipOf<'line'> {
  const written = (value: number): string => look.ticks.formatValue(value, chart.yUnit ?? 'number');
  return {
    ...look.frame.tooltip(look),
    callbacks: {
      title: (items) => {
        const x = items[0]?.parsed.x ?? 0;
        return chart.xUnit === 'duration' ? look.ticks.formatDuration(x) : look.ticks.formatNumber(x);
      },
      label: (item) => `${item.dataset.label}: ${written(item.parsed.y ?? 0)}`,
      // The nearest point belongs to one series; the others have a value at that instant too.
      afterBody: (items) => {
        const told = new Set(items.map((item) => item.datasetIndex));
        return chart.series.flatMap((series, i) => {
          const y = series.style === 'points' || told.has(i) ? null : valueAt(series, items[0]?.parsed.x ?? 0);
          return y === null ? [] : [`${series.name}: ${written(y)}`];
        });
      },
    },
    // Of many points in one instant, one per series.
    filter: (item, index, items) => items.findIndex((one) => one.datasetIndex === item.datasetIndex) === index,
  };
}

/** From the first to the last x; from 0 if the first is that close, so that charts of one time line up. Never empty. */
function extent(xs: readonly number[]): [number, number] {
  const least = xs.reduce((a, x) => Math.min(a, x), xs[0] ?? 0);
  const most = xs.reduce((a, x) => Math.max(a, x), xs[0] ?? 1);
  const start = least > 0 && least < most / 10 ? 0 : least;
  return [start, most > start ? most : start + 1];
}

/** The y of the last point at or before `x`; null before the first and in a gap. */
function valueAt(series: Series, x: number): number | null {
  let low = 0;
  let high = series.points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.points[middle]![0] <= x) low = middle + 1;
    else high = middle;
  }
  return series.points[low - 1]?.[1] ?? null;
}

function lineDataset(series: Series, pen: Stroke, xMax: number, scale: number): LineConfig['data']['datasets'][number] {
  const holds = series.style === 'step' || series.style === 'area';
  const data = series.points.map(([x, y]) => ({ x, y }));
  const last = data.at(-1);
  if (holds && last !== undefined && last.y !== null && last.x < xMax) data.push({ x: xMax, y: last.y });
  const isScatter = series.style === 'points';
  const isSparse = data.length === 1 || (series.style === 'line' && series.role !== 'limit' && data.length <= 30);
  return {
    data,
    showLine: !isScatter,
    ...(holds ? { stepped: 'before' } : {}),
    ...(series.style === 'area' ? { fill: 'origin' } : {}),
    borderColor: pen.color,
    backgroundColor: series.style === 'area' ? `${pen.color}3d` : `${pen.color}cc`,
    borderWidth: (series.style === 'area' ? 1.25 : isScatter ? 1.25 : pen.width) * scale,
    borderDash: series.style === 'area' ? [] : pen.dash.map((length) => length * scale),
    borderJoinStyle: 'round',
    pointStyle: pen.marker,
    pointRadius: isScatter ? 4 * scale : isSparse ? 3 * scale : 0,
    pointHoverRadius: 5 * scale,
    pointHitRadius: 8 * scale,
    // A mark on the edge of the plot is drawn whole.
    clip: (isScatter || isSparse ? 8 : 2) * scale,
    order: { area: 4, line: 3, step: series.role === 'limit' ? 2 : 3, points: 1 }[series.style],
  };
}

function lineEntry(series: Series, pen: Stroke, scale: number): Entry {
  const base = { text: series.name, strokeStyle: pen.color };
  if (series.style === 'area') {
    return { ...base, fillStyle: `${pen.color}3d`, lineWidth: 1.25 * scale, pointStyle: 'rect' };
  }
  if (series.style === 'points') {
    return { ...base, fillStyle: `${pen.color}cc`, lineWidth: 1.25 * scale, pointStyle: pen.marker };
  }
  const longest = Math.max(1, ...pen.dash);
  // The sample is short: its pattern is shrunk until two dashes fit.
  const lineDash = pen.dash.map((length) => length * scale * Math.min(1, 5 / longest));
  return { ...base, lineDash, lineWidth: pen.width * scale, pointStyle: 'line' };
}

/** To be run as a classic script; defines `lineConfig`. */
export function lineSource(): string {
  return [lineConfig, bandKinds, lineTooltip, extent, valueAt, lineDataset, lineEntry].map(String).join('\n');
}
