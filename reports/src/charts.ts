/**
 * Turns a chart of a report into a Chart.js configuration. The PNG renderer calls `chartConfig` here; the HTML page
 * carries the source of these same functions (`chartSource`) and calls them in the browser. For that to hold, the
 * functions of this file refer to nothing but each other and their arguments: imports are types only, constants live
 * inside functions. Never touches a canvas, never knows whether it runs in Node or in a browser.
 */

import type {
  ChartConfiguration,
  ChartOptions,
  Chart as DrawnChart,
  LegendItem,
  Scale,
  TooltipCallbacks,
  TooltipOptions,
} from 'chart.js';
import type {} from 'chartjs-plugin-annotation';
import type { Palette } from './palette.js';
import type { BarChart, Chart, LineChart, Series } from './report.js';
import type { Ticks } from './ticks.js';

/** What a chart looks like where it is drawn. */
export interface Look {
  readonly palette: Palette;
  readonly ticks: Ticks;
  readonly fontFamily: string;
  /** In CSS pixels; every other size follows from it. */
  readonly fontSize: number;
  /** Characters in a line of the title inside the picture; 0 = no title (the page has its own heading). */
  readonly titleColumns: number;
}

type LineConfig = ChartConfiguration<'line', { x: number; y: number | null }[]>;
type BarConfig = ChartConfiguration<'bar', number[], string>;
export type ChartConfig = LineConfig | BarConfig;

type TooltipOf<Kind extends 'line' | 'bar'> = Partial<Omit<TooltipOptions<Kind>, 'callbacks'>> & {
  readonly callbacks: Partial<TooltipCallbacks<Kind>>;
};

/** One line of the legend; the index of an entry is the index of its dataset. */
type Entry = Pick<LegendItem, 'text' | 'fillStyle' | 'strokeStyle' | 'lineDash' | 'lineWidth' | 'pointStyle'>;

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

interface Stroke {
  readonly color: string;
  /** In units of the line's pattern at 12 px text. */
  readonly dash: readonly number[];
  readonly marker: 'circle' | 'rect' | 'rectRot' | 'triangle' | 'crossRot' | 'star';
  readonly width: number;
}

/** A configuration as Chart.js takes it: responsive, without animation. `chart` holds no more points than are drawn. */
export function chartConfig(chart: Chart, look: Look): ChartConfig {
  return chart.kind === 'bar' ? barConfig(chart, look) : lineConfig(chart, look);
}

/** Role decides colour, dash and marker; the second series of a role takes a spare colour and a dash of its own. */
export function strokes(series: readonly { role: Series['role']; dashed?: boolean }[], palette: Palette): Stroke[] {
  const byRole = {
    primary: { dash: [], marker: 'circle', width: 2.5 },
    secondary: { dash: [10, 3, 2, 3], marker: 'rect', width: 2 },
    limit: { dash: [8, 5], marker: 'rectRot', width: 2 },
    bad: { dash: [2, 3], marker: 'triangle', width: 2 },
    muted: { dash: [4, 4], marker: 'crossRot', width: 1.5 },
  } as const;
  const repeats = [
    [14, 4],
    [6, 3, 2, 3],
    [3, 3],
    [16, 3, 3, 3, 3, 3],
  ];
  const seen = new Set<string>();
  let extra = 0;
  return series.map(({ role, dashed }) => {
    const base = byRole[role];
    const isRepeat = seen.has(role);
    seen.add(role);
    const color = isRepeat ? palette.spare[extra % palette.spare.length]! : palette.roles[role];
    const usual: readonly number[] = isRepeat ? repeats[extra % repeats.length]! : base.dash;
    if (isRepeat) extra++;
    const dash = dashed === false ? [] : dashed === true && usual.length === 0 ? [8, 5] : usual;
    return { color, dash, marker: isRepeat ? 'star' : base.marker, width: base.width };
  });
}

function lineConfig(chart: LineChart, look: Look): LineConfig {
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
        y: { ...axisBase('', look), ...valueAxis(ys, look, chart.yMin, chart.yMax) },
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

function lineTooltip(chart: LineChart, look: Look): TooltipOf<'line'> {
  const written = look.ticks.formatNumber;
  return {
    ...tooltip(look),
    callbacks: {
      title: (items) => {
        const x = items[0]?.parsed.x ?? 0;
        return chart.xUnit === 'duration' ? look.ticks.formatDuration(x) : written(x);
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

function barConfig(chart: BarChart, look: Look): BarConfig {
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

function barTooltip(chart: BarChart, look: Look): TooltipOf<'bar'> {
  const value = (series: number, bar: number): number => chart.series[series]?.values[bar] ?? 0;
  return {
    ...tooltip(look),
    callbacks: {
      // The whole name, which the axis may have shortened.
      title: (items) => chart.categories[items[0]?.dataIndex ?? 0] ?? '',
      label: (item) => `${item.dataset.label}: ${look.ticks.formatNumber(value(item.datasetIndex, item.dataIndex))}`,
    },
  };
}

/** What both kinds share: fonts, title, the label of the upright axis above the plot, a legend that wraps. */
function commonOptions(
  chart: { readonly title: string; readonly yLabel: string },
  entries: readonly Entry[],
  look: Look,
): ChartOptions {
  const scale = look.fontSize / 12;
  const font = { family: look.fontFamily, size: look.fontSize };
  const legend = {
    display: entries.length > 1,
    position: 'top' as const,
    align: 'start' as const,
    maxHeight: 1000,
    labels: {
      usePointStyle: true,
      boxHeight: 10 * scale,
      padding: look.fontSize,
      color: look.palette.text,
      font,
      generateLabels: (drawn: DrawnChart): LegendItem[] => {
        drawn.ctx.save();
        drawn.ctx.font = `${look.fontSize}px ${look.fontFamily}`;
        const room = (drawn.legend?.width ?? drawn.width) - 4 * look.fontSize;
        const items = entries.map((entry, datasetIndex) => ({
          ...entry,
          text: fitText(entry.text, room, (text) => drawn.ctx.measureText(text).width),
          fontColor: look.palette.text,
          hidden: !drawn.isDatasetVisible(datasetIndex),
          datasetIndex,
        }));
        drawn.ctx.restore();
        return items;
      },
    },
  };
  return {
    animation: false,
    maintainAspectRatio: false,
    color: look.palette.text,
    borderColor: look.palette.grid,
    font,
    layout: { padding: { top: 2 * scale, right: 6 * scale, bottom: 0, left: 0 } },
    plugins: {
      legend,
      title: {
        display: look.titleColumns > 0,
        align: 'start',
        text: wrapText(chart.title, look.titleColumns),
        color: look.palette.text,
        font: { ...font, size: look.fontSize * 1.35, weight: 600 },
        padding: { top: 0, bottom: 4 * scale },
      },
      subtitle: {
        display: chart.yLabel !== '',
        align: 'start',
        text: shorten(chart.yLabel, 44),
        color: look.palette.quiet,
        font,
        padding: { top: 4 * scale, bottom: 12 * scale },
        // Below the legend (1000), next to the plot.
        ...{ weight: 500 },
      },
    },
  };
}

/** Moves the legend left by its own padding, so that it starts where the labels above and below it start. */
function flushLegend(look: Look) {
  return {
    id: 'flush-legend',
    afterLayout: ({ legend }: DrawnChart): void => {
      if (legend === undefined) return;
      legend.left -= look.fontSize;
      legend.right -= look.fontSize;
    },
  };
}

function axisBase(label: string, look: Look) {
  return {
    title: {
      display: label !== '',
      text: shorten(label, 44),
      color: look.palette.quiet,
      font: { family: look.fontFamily, size: look.fontSize },
    },
  };
}

/** What the tick labels of every axis share; an axis does not inherit the chart's font. */
function tickBase(look: Look) {
  return {
    color: look.palette.quiet,
    font: { family: look.fontFamily, size: look.fontSize },
    maxRotation: 0,
    autoSkipPadding: look.fontSize,
  };
}

/** Ticks on 1, 2, 5, 10, 15, 30 of seconds and minutes; the finest step whose labels have room side by side. */
function durationAxis(look: Look) {
  const fits = (axis: Scale, values: readonly number[]): boolean => {
    const longest = values.reduce((most, value) => Math.max(most, look.ticks.formatDuration(value).length), 0);
    const step = (values[1] ?? axis.max) - (values[0] ?? axis.min);
    return (axis.width * step) / (axis.max - axis.min) >= (longest * 0.6 + 1.2) * look.fontSize;
  };
  return {
    afterBuildTicks: (axis: Scale): void => {
      const choices = [12, 10, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => look.ticks.durationTicks(axis.min, axis.max, n));
      const chosen = choices.find((values) => fits(axis, values)) ?? [axis.min];
      axis.ticks = chosen.map((value) => ({ value }));
    },
    ticks: {
      ...tickBase(look),
      callback: (value: number | string): string => look.ticks.formatDuration(Number(value)),
    },
  };
}

function numberAxis(look: Look, isWhole: boolean) {
  return {
    ticks: {
      ...tickBase(look),
      includeBounds: false,
      ...(isWhole ? { precision: 0 } : {}),
      callback: (value: number | string): string => look.ticks.formatNumber(Number(value)),
    },
  };
}

/** From 0 unless a value is negative, a little air on top, whole numbers only where all values are whole. */
function valueAxis(values: readonly number[], look: Look, lowest: number | undefined, highest: number | undefined) {
  const least = values.reduce((a, value) => Math.min(a, value), 0);
  const most = values.reduce((a, value) => Math.max(a, value), 0);
  const min = lowest ?? (least < 0 ? undefined : 0);
  return {
    type: 'linear' as const,
    ...(min === undefined ? {} : { min }),
    ...(highest === undefined ? { grace: '6%' } : { max: highest }),
    ...(least === 0 && most === 0 ? { suggestedMax: 1 } : {}),
    grid: { color: look.palette.grid, drawTicks: false },
    border: { display: false },
    ticks: {
      ...tickBase(look),
      padding: look.fontSize / 2,
      maxTicksLimit: 7,
      ...(values.every(Number.isInteger) ? { precision: 0 } : {}),
      callback: (value: number | string): string => look.ticks.formatNumber(Number(value)),
    },
  };
}

function tooltip(look: Look) {
  return {
    backgroundColor: look.palette.card,
    borderColor: look.palette.border,
    borderWidth: 1,
    titleColor: look.palette.text,
    bodyColor: look.palette.text,
    titleFont: { family: look.fontFamily, size: look.fontSize, weight: 600 },
    bodyFont: { family: look.fontFamily, size: look.fontSize },
    usePointStyle: true,
    boxPadding: 4,
    padding: 10,
  };
}

function shorten(text: string, columns: number): string {
  const letters = [...text];
  return letters.length <= columns
    ? text
    : `${letters
        .slice(0, columns - 1)
        .join('')
        .trimEnd()}…`;
}

/** The longest beginning of `text` that is no wider than `room`, with an ellipsis if something is left out. */
function fitText(text: string, room: number, widthOf: (text: string) => number): string {
  let fitting = text;
  for (let columns = [...text].length - 1; columns > 1 && widthOf(fitting) > room; columns--) {
    fitting = shorten(text, columns);
  }
  return fitting;
}

/** Lines of at most `columns` characters, broken between words; a longer word is shortened. */
function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of columns > 0 ? text.split(' ') : []) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(shorten(word, columns));
  }
  return lines;
}

/** The source of every function of this file, to be run as a classic script; defines `chartConfig`. */
export function chartSource(): string {
  const parts = [
    chartConfig,
    strokes,
    lineConfig,
    bandKinds,
    lineTooltip,
    extent,
    valueAt,
    lineDataset,
    lineEntry,
    barConfig,
    barTooltip,
    commonOptions,
    flushLegend,
    axisBase,
    tickBase,
    durationAxis,
    numberAxis,
    valueAxis,
    tooltip,
    shorten,
    fitText,
    wrapText,
  ];
  return parts.map(String).join('\n');
}
