/**
 * What a chart's builder is given: what the chart looks like where it is drawn, and what all kinds share. A builder refers
 * to nothing but the functions of its own file and these arguments, so that a page can carry its source; what the kinds
 * share therefore comes in as a value. Types only.
 */

import type { ChartConfiguration, LegendItem, TooltipCallbacks, TooltipOptions } from 'chart.js';
import type {} from 'chartjs-chart-matrix';
import type {} from 'chartjs-plugin-annotation';
import type { Palette } from '../palette.js';
import type { Ticks } from '../ticks.js';

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

export type LineConfig = ChartConfiguration<'line', { x: number; y: number | null }[]>;
export type BarConfig = ChartConfiguration<'bar', number[], string>;
export type HeatmapConfig = ChartConfiguration<'matrix' | 'line' | 'scatter', HeatmapPoint[]>;
export type ScatterConfig = ChartConfiguration<'scatter', { x: number; y: number }[]>;
export type RangesConfig = ChartConfiguration<
  'bar' | 'scatter',
  ([number, number] | null | { x: number; y: string })[],
  string
>;
export type ChartConfig = LineConfig | BarConfig | HeatmapConfig | ScatterConfig | RangesConfig;

/** A cell has a value; a line over the cells and a mark have none. */
export interface HeatmapPoint {
  readonly x: number;
  readonly y: number;
  readonly v?: number | null;
}

export type TooltipOf<Kind extends 'line' | 'bar' | 'scatter' | 'matrix'> = Partial<
  Omit<TooltipOptions<Kind>, 'callbacks'>
> & {
  readonly callbacks: Partial<TooltipCallbacks<Kind>>;
};

/** One line of the legend; the index of an entry is the index of its dataset. */
export type Entry = Pick<LegendItem, 'text' | 'fillStyle' | 'strokeStyle' | 'lineDash' | 'lineWidth' | 'pointStyle'>;

export interface Stroke {
  readonly color: string;
  /** In units of the line's pattern at 12 px text. */
  readonly dash: readonly number[];
  readonly marker: 'circle' | 'rect' | 'rectRot' | 'triangle' | 'crossRot' | 'star';
  readonly width: number;
}
