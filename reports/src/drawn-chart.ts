/**
 * A chart as it is drawn: light enough, and with what is computed from its values once, before it is drawn anywhere: of a
 * heatmap the lines of equal value.
 */

import { type IsoLine, isoLines } from './iso-lines.js';
import type { BarChart, Chart, HeatmapChart, LineChart, RangesChart, ScatterChart } from './report.js';
import { thinLines } from './thinning.js';

export type DrawnChart = LineChart | BarChart | DrawnHeatmap | ScatterChart | RangesChart;

export interface DrawnHeatmap extends HeatmapChart {
  readonly lines: readonly IsoLine[];
}

export function drawnChart(chart: Chart): DrawnChart {
  switch (chart.kind) {
    case 'line':
      return thinLines(chart);
    case 'heatmap':
      return { ...chart, lines: chart.levels.flatMap((level) => isoLines(chart.values, level)) };
    case 'bar':
    case 'scatter':
    case 'ranges':
      return chart;
    default:
      return chart satisfies never;
  }
}
