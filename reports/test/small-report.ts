/** A report with one of everything, small enough to be read whole in a golden text. */

import type { BarChart, LineChart, Report } from '../src/report.js';

export const lineChart: LineChart = {
  kind: 'line',
  title: 'Level over time',
  description: 'The level rises to 5 and is cut to 3 at 40 s.',
  xLabel: 'time',
  xUnit: 'duration',
  yLabel: 'units',
  series: [
    {
      name: 'level',
      style: 'step',
      role: 'primary',
      points: [
        [0, 4],
        [20_000, 5],
        [40_000, 3],
      ],
    },
    {
      name: 'used',
      style: 'area',
      role: 'secondary',
      points: [
        [0, 1],
        [30_000, null],
        [50_000, 2],
        [90_000, 2],
      ],
    },
    {
      name: 'most',
      style: 'line',
      role: 'limit',
      dashed: true,
      points: [
        [0, 6],
        [90_000, 6],
      ],
    },
    { name: 'refused', style: 'points', role: 'bad', points: [[40_000, 5]] },
  ],
  bands: [{ from: 40_000, to: 55_000, label: 'pause', tone: 'warn' }],
};

export const barChart: BarChart = {
  kind: 'bar',
  title: 'How long it took',
  description: 'Most took under 2 s.',
  xLabel: 'seconds',
  yLabel: 'count',
  categories: ['0–1', '1–2', '2–3'],
  series: [
    { name: 'done', role: 'primary', values: [12, 30, 1200] },
    { name: 'lost', role: 'bad', values: [0, 1, 0] },
  ],
};

export const smallReport: Report = {
  title: 'Does it hold?',
  question: 'Does the level follow the limit?',
  headline: { text: '1 of 2 hold', tone: 'bad' },
  figures: [
    { label: 'Refused', value: '2.1 %', note: '3 of 143' },
    { label: 'Level', value: '3' },
  ],
  verdicts: [
    { pass: true, text: 'lost = 0' },
    { pass: false, text: 'idle_reset = 2 (wanted: at most 1)' },
  ],
  sections: [
    {
      heading: 'Level',
      text: 'It rises.\n\nIt falls.',
      charts: [lineChart, barChart],
      tables: [
        {
          caption: 'Ways compared',
          columns: [
            { label: 'Way', numeric: false },
            { label: 'Time', numeric: true },
          ],
          rows: [
            ['steady', '1m 30s'],
            ['eager', '2m'],
          ],
        },
      ],
    },
  ],
  provenance: [{ label: 'Seed', value: '42' }],
  replay: 'npx tool run "a file.yaml" --seed 42',
};
