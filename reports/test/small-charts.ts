/** A small chart of each kind that shows values by colour, by two values, or as ranges. */

import type { HeatmapChart, RangesChart, ScatterChart } from '../src/report.js';

export const heatmapChart: HeatmapChart = {
  kind: 'heatmap',
  title: 'Time by a and b',
  description: 'Least at a 2, b y.',
  x: { label: 'a', values: ['1', '2', '3'] },
  y: { label: 'b', values: ['x', 'y', 'z'] },
  valueLabel: 'mean time',
  unit: 'duration',
  values: [
    [4000, 3000, 4000],
    [3000, 1000, 3000],
    [4000, 3000, null],
  ],
  missing: 'did not finish',
  levels: [2000],
  marks: [{ name: 'best', role: 'primary', column: 1, row: 1 }],
};

export const scatterChart: ScatterChart = {
  kind: 'scatter',
  title: 'Time against refusals',
  description: 'One pays for the other.',
  xLabel: 'time',
  xUnit: 'duration',
  yLabel: 'refused',
  yUnit: 'share',
  series: [
    {
      name: 'all',
      role: 'muted',
      joined: false,
      points: [
        { x: 60_000, y: 0.2, label: 'a 1' },
        { x: 90_000, y: 0.1, label: 'a 2' },
      ],
    },
    { name: 'front', role: 'primary', joined: true, points: [{ x: 60_000, y: 0.2, label: 'a 1' }] },
  ],
};

export const rangesChart: RangesChart = {
  kind: 'ranges',
  title: 'Against the first',
  description: 'The second takes longer, the third may.',
  valueLabel: 'difference',
  unit: 'share',
  baseline: { value: 0, label: 'no difference' },
  markName: 'mean',
  series: [{ name: '95 % interval', role: 'primary' }],
  rows: [
    { label: 'second', ranges: [[0.1, 0.2]], mark: 0.15 },
    { label: 'third', ranges: [[-0.05, 0.1]], mark: 0.02 },
    { label: 'unknown', ranges: [null] },
  ],
};
