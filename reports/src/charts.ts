/**
 * Turns a chart of a report into a Chart.js configuration. The PNG renderer calls `chartConfig` here; the HTML page
 * carries the source of the same functions (`chartSource`) and calls them in the browser. Each kind of chart has a file of
 * its own. Never touches a canvas, never knows whether it runs in Node or in a browser.
 */

import { barConfig, barSource } from './charts/bar.js';
import { frame, frameSource } from './charts/frame.js';
import { heatmapConfig, heatmapSource } from './charts/heatmap.js';
import { lineConfig, lineSource } from './charts/line.js';
import type { ChartConfig, Look } from './charts/look.js';
import { rangesConfig, rangesSource } from './charts/ranges.js';
import { scatterConfig, scatterSource } from './charts/scatter.js';
import type { DrawnChart } from './drawn-chart.js';
import type { Chart } from './report.js';

export type { ChartConfig, Look } from './charts/look.js';

/** A configuration as Chart.js takes it: responsive, without animation. `chart` holds no more points than are drawn. */
export function chartConfig(chart: DrawnChart, look: Look): ChartConfig {
  const drawing = { ...look, frame };
  switch (chart.kind) {
    case 'line':
      return lineConfig(chart, drawing);
    case 'bar':
      return barConfig(chart, drawing);
    case 'heatmap':
      return heatmapConfig(chart, drawing);
    case 'scatter':
      return scatterConfig(chart, drawing);
    case 'ranges':
      return rangesConfig(chart, drawing);
    default:
      return chart satisfies never;
  }
}

const SOURCES: Readonly<Record<Chart['kind'], { readonly name: string; readonly source: () => string }>> = {
  bar: { name: 'barConfig', source: barSource },
  heatmap: { name: 'heatmapConfig', source: heatmapSource },
  line: { name: 'lineConfig', source: lineSource },
  ranges: { name: 'rangesConfig', source: rangesSource },
  scatter: { name: 'scatterConfig', source: scatterSource },
};

/** The source of the builders of these kinds, to be run as a classic script; defines `chartConfig`. */
export function chartSource(kinds: readonly Chart['kind'][]): string {
  const used = [...new Set(kinds)].sort();
  return `${frameSource()}
${used.map((kind) => SOURCES[kind].source()).join('\n')}
const builders = { ${used.map((kind) => `${kind}: ${SOURCES[kind].name}`).join(', ')} };
const chartConfig = (chart, look) => builders[chart.kind](chart, { ...look, frame });`;
}
