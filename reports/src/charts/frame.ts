/**
 * What all kinds of charts share: pens, title, legend, axes, tooltips, and texts that fit. The functions refer to nothing
 * but each other and their arguments, so that a page can carry their source.
 */

import type { ChartOptions, Chart as DrawnChart, LegendItem, Scale } from 'chart.js';
import type { Palette } from '../palette.js';
import type { Series, Unit } from '../report.js';
import type { Entry, Look, Stroke } from './look.js';

interface Font {
  readonly family: string;
  readonly size: number;
  readonly weight?: number;
}

interface TickBase {
  readonly color: string;
  readonly font: Font;
  readonly maxRotation: number;
  readonly autoSkipPadding: number;
}

interface WrittenTicks extends TickBase {
  readonly callback: (value: number | string) => string;
}

/** A chart of any kind, as much of it as the legend's place takes. */
interface WithLegend {
  readonly legend?: { left: number; right: number };
}

/** What the functions below give, as much of Chart.js's options as they set. */
interface FrameParts {
  readonly flushLegend: { readonly id: string; readonly afterLayout: (chart: WithLegend) => void };
  readonly axisBase: {
    readonly title: { readonly display: boolean; readonly text: string; readonly color: string; readonly font: Font };
  };
  readonly tickBase: TickBase;
  readonly durationAxis: { readonly afterBuildTicks: (axis: Scale) => void; readonly ticks: WrittenTicks };
  readonly numberAxis: {
    readonly ticks: WrittenTicks & { readonly includeBounds: boolean; readonly precision?: number };
  };
  readonly valueAxis: {
    readonly type: 'linear';
    readonly min?: number;
    readonly max?: number;
    readonly grace?: string;
    readonly suggestedMax?: number;
    readonly grid: { readonly color: string; readonly drawTicks: boolean };
    readonly border: { readonly display: boolean };
    readonly ticks: WrittenTicks & {
      readonly padding: number;
      readonly maxTicksLimit: number;
      readonly precision?: number;
    };
  };
  readonly tooltip: {
    readonly backgroundColor: string;
    readonly borderColor: string;
    readonly borderWidth: number;
    readonly titleColor: string;
    readonly bodyColor: string;
    readonly titleFont: Font;
    readonly bodyFont: Font;
    readonly usePointStyle: boolean;
    readonly boxPadding: number;
    readonly padding: number;
  };
}

/** Role decides colour, dash and marker; the second series of a role takes a spare colour and a dash of its own. */
function strokes(series: readonly { role: Series['role']; dashed?: boolean }[], palette: Palette): Stroke[] {
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
function flushLegend(look: Look): FrameParts['flushLegend'] {
  return {
    id: 'flush-legend',
    afterLayout: ({ legend }: WithLegend): void => {
      if (legend === undefined) return;
      legend.left -= look.fontSize;
      legend.right -= look.fontSize;
    },
  };
}

function axisBase(label: string, look: Look): FrameParts['axisBase'] {
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
function tickBase(look: Look): FrameParts['tickBase'] {
  return {
    color: look.palette.quiet,
    font: { family: look.fontFamily, size: look.fontSize },
    maxRotation: 0,
    autoSkipPadding: look.fontSize,
  };
}

/** Ticks on 1, 2, 5, 10, 15, 30 of seconds and minutes; the finest step whose labels have room side by side. */
function durationAxis(look: Look): FrameParts['durationAxis'] {
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

function numberAxis(look: Look, isWhole: boolean): FrameParts['numberAxis'] {
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
function valueAxis(
  values: readonly number[],
  look: Look,
  lowest: number | undefined,
  highest: number | undefined,
  unit: Unit = 'number',
): FrameParts['valueAxis'] {
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
      ...(unit === 'number' && values.every(Number.isInteger) ? { precision: 0 } : {}),
      callback: (value: number | string): string => look.ticks.formatValue(Number(value), unit),
    },
  };
}

function tooltip(look: Look): FrameParts['tooltip'] {
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

export interface Frame {
  readonly strokes: typeof strokes;
  readonly commonOptions: typeof commonOptions;
  readonly flushLegend: typeof flushLegend;
  readonly axisBase: typeof axisBase;
  readonly tickBase: typeof tickBase;
  readonly durationAxis: typeof durationAxis;
  readonly numberAxis: typeof numberAxis;
  readonly valueAxis: typeof valueAxis;
  readonly tooltip: typeof tooltip;
  readonly shorten: typeof shorten;
}

/** A look with what all kinds of charts share: what a builder is given. */
export interface Drawing extends Look {
  readonly frame: Frame;
}

export const frame: Frame = {
  strokes,
  commonOptions,
  flushLegend,
  axisBase,
  tickBase,
  durationAxis,
  numberAxis,
  valueAxis,
  tooltip,
  shorten,
};

/** The source of this file's functions, to be run as a classic script; defines `frame`. */
export function frameSource(): string {
  const parts = [...Object.values(frame), fitText, wrapText];
  return `${parts.map(String).join('\n')}\nconst frame = { ${Object.keys(frame).join(', ')} };`;
}
