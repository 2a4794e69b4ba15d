import { createRequire } from 'node:module';
import vm from 'node:vm';
import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { Chart, type ChartConfiguration, type ChartItem, registerables } from 'chart.js';
import { MatrixController, MatrixElement } from 'chartjs-chart-matrix';
import annotation from 'chartjs-plugin-annotation';
import { describe, expect, it } from 'vitest';
import { frame } from '../src/charts/frame.js';
import { type ChartConfig, chartConfig, chartSource, type Look } from '../src/charts.js';
import { type DrawnChart, drawnChart } from '../src/drawn-chart.js';
import { type Palette, palettes } from '../src/palette.js';
import type { BarChart, LineChart, Chart as ReportChart, Series } from '../src/report.js';
import { tickSource, ticks } from '../src/ticks.js';
import { heatmapChart, rangesChart, scatterChart } from './small-charts.js';
import { barChart, lineChart } from './small-report.js';

const { strokes } = frame;

const ROLES: readonly Series['role'][] = ['primary', 'secondary', 'limit', 'bad', 'muted'];

/** Of the package's own font, so that widths are the same on every machine. */
const FAMILY = 'Measured Sans';
GlobalFonts.registerFromPath(
  createRequire(import.meta.url).resolve('@fontsource/inter/files/inter-latin-400-normal.woff2'),
  FAMILY,
);

const look: Look = { palette: palettes.light, ticks, fontFamily: FAMILY, fontSize: 13, titleColumns: 0 };

/** Draws for real, on a canvas of that many pixels, and hands out the finished chart. */
function drawn(chart: ReportChart, width: number, height = 300, build = chartConfig): Chart {
  Chart.register(...registerables, annotation, MatrixController, MatrixElement);
  const config = build(drawnChart(chart), look);
  const options = { ...config.options, responsive: false, events: [] };
  const canvas = createCanvas(width, height) as unknown as ChartItem;
  return new Chart(canvas, { ...config, options } as unknown as ChartConfiguration);
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(a: string, b: string): number {
  const luminance = (color: string): number => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each(Object.entries(palettes))('the %s palette', (_name, palette: Palette) => {
  it('has text with a contrast of 4.5 and lines of 3 on both backgrounds', () => {
    const texts = [palette.text, palette.quiet, ...Object.values(palette.tones)];
    const lines = [...Object.values(palette.roles), ...palette.spare];
    for (const background of [palette.page, palette.card]) {
      expect(texts.filter((color) => contrast(color, background) < 4.5)).toEqual([]);
      expect(lines.filter((color) => contrast(color, background) < 3)).toEqual([]);
    }
  });

  it('gives every role, first and repeated, a colour, a dash and a marker that tell it from the others', () => {
    const pens = strokes(
      [...ROLES, 'primary', 'limit', 'primary'].map((role) => ({ role: role as Series['role'] })),
      palette,
    );
    expect(new Set(pens.map((pen) => pen.color)).size).toBe(8);
    expect(new Set(pens.map((pen) => pen.dash.join())).size).toBe(8);
    expect(new Set(pens.slice(0, 5).map((pen) => pen.marker)).size).toBe(5);
  });
});

describe('a series that says whether it is dashed', () => {
  it('is obeyed', () => {
    const pens = strokes(
      [
        { role: 'primary', dashed: true },
        { role: 'limit', dashed: false },
      ],
      palettes.light,
    );
    expect(pens.map((pen) => pen.dash)).toEqual([[8, 5], []]);
  });
});

describe('a line chart', () => {
  it('holds a step until the end of the chart, keeps gaps, fills areas and draws points without a line', () => {
    const { datasets } = chartConfig(lineChart, { ...look, fontSize: 12 }).data;
    expect(datasets.map(({ label, data }) => [label, data.map((point) => Object.values(point as object))])).toEqual([
      [
        'level',
        [
          [0, 4],
          [20_000, 5],
          [40_000, 3],
          [90_000, 3],
        ],
      ],
      [
        'used',
        [
          [0, 1],
          [30_000, null],
          [50_000, 2],
          [90_000, 2],
        ],
      ],
      [
        'most',
        [
          [0, 6],
          [90_000, 6],
        ],
      ],
      ['refused', [[40_000, 5]]],
      ['pause', []],
    ]);
    expect(datasets[0]).toMatchObject({ stepped: 'before', borderDash: [] });
    expect(datasets[1]).toMatchObject({ stepped: 'before', fill: 'origin' });
    expect(datasets[2]).toMatchObject({ borderDash: [8, 5] });
    expect(datasets[3]).toMatchObject({ showLine: false, pointStyle: 'triangle' });
  });

  it('has a legend entry for each kind of band, which shows and hides its bands', () => {
    const chart = drawn(lineChart, 600);
    expect(chart.legend?.legendItems?.map((item) => item.text)).toEqual(['level', 'used', 'most', 'refused', 'pause']);
    const bands = annotation.getAnnotations(chart) as unknown as { options: { display: boolean } }[];
    expect(bands.map((band) => band.options.display)).toEqual([true]);
    chart.hide(4);
    const after = annotation.getAnnotations(chart) as unknown as { options: { display: boolean } }[];
    expect(after.map((band) => band.options.display)).toEqual([false]);
  });

  it('has whole numbers on its upright axis where all values are whole, and zero at its foot', () => {
    const whole = drawn(
      {
        ...lineChart,
        series: [
          {
            ...lineChart.series[0]!,
            points: [
              [0, 0],
              [1000, 2],
            ],
          },
        ],
      },
      600,
    );
    expect(whole.scales.y!.ticks.map((tick) => tick.label)).toEqual(['0', '1', '2', '3']);
    const broken = drawn(
      {
        ...lineChart,
        series: [
          {
            ...lineChart.series[0]!,
            points: [
              [0, 0.1],
              [1000, 0.4],
            ],
          },
        ],
      },
      600,
    );
    expect(broken.scales.y!.ticks.map((tick) => tick.label)).toEqual(['0', '0.1', '0.2', '0.3', '0.4', '0.5']);
  });

  it('starts at zero when the first point is near it, so that charts of one time line up', () => {
    const at = (first: number): unknown =>
      chartConfig(
        {
          ...lineChart,
          series: [
            {
              ...lineChart.series[2]!,
              points: [
                [first, 1],
                [90_000, 1],
              ],
            },
          ],
        },
        look,
      ).options?.scales;
    expect(at(400)).toMatchObject({ x: { min: 0, max: 90_000 } });
    expect(at(60_000)).toMatchObject({ x: { min: 60_000, max: 90_000 } });
  });

  it('labels as many instants as the width has room for', () => {
    const labels = (width: number): unknown => drawn(lineChart, width).scales.x!.ticks.map((tick) => tick.label);
    expect(labels(200)).toEqual(['0s', '1m']);
    expect(labels(300)).toEqual(['0s', '30s', '1m', '1m 30s']);
    expect(labels(700)).toEqual(['0s', '10s', '20s', '30s', '40s', '50s', '1m', '1m 10s', '1m 20s', '1m 30s']);
  });

  it('is drawn even if it has no series, or one point', () => {
    const empty = drawn({ ...lineChart, series: [], bands: [] }, 300);
    expect(empty.scales.x!.ticks.length).toBeGreaterThan(0);
    const single = drawn({ ...lineChart, series: [{ ...lineChart.series[2]!, points: [[5, 5]] }], bands: [] }, 300);
    expect(single.getDatasetMeta(0).data[0]!.options.radius).toBeGreaterThan(2);
  });
});

describe('a bar chart', () => {
  it('lays a few long names down the side, and stands short or many ones up', () => {
    const named = (categories: string[]): unknown => chartConfig({ ...barChart, categories }, look).options?.indexAxis;
    expect(named(['a', 'b', 'c'])).toBe('x');
    expect(named(['a name that is long', 'b', 'c'])).toBe('y');
    expect(named(Array.from({ length: 13 }, (_, i) => `a long name ${i}`))).toBe('x');
  });

  it('tells roles apart by how much of a bar is filled', () => {
    const series = ROLES.map((role) => ({ name: role, role, values: [1, 2, 3] }));
    const { datasets } = chartConfig({ ...barChart, series }, look).data;
    const opacities = datasets.map((dataset) => String(dataset.backgroundColor).slice(7));
    expect(new Set(opacities).size).toBe(5);
  });
});

describe('nothing overlaps in a chart of 300 pixels, what a page of 380 leaves', () => {
  const long = 'a name that goes on and on until no phone can show it in a single line any more';
  const crowded: LineChart = {
    ...lineChart,
    yLabel: long,
    xLabel: long,
    series: [...lineChart.series, ...ROLES.map((role) => ({ ...lineChart.series[0]!, role, name: `${role} ${long}` }))],
  };
  const manyBars: BarChart = {
    ...barChart,
    categories: Array.from({ length: 40 }, (_, i) => `class ${i}`),
    series: [{ name: 'count', role: 'primary', values: Array.from({ length: 40 }, (_, i) => i * 1e4) }],
  };
  const wideBars: BarChart = { ...barChart, categories: [long, `${long}!`, 'short'] };

  it.each([
    ['lines over 90 s', lineChart],
    [
      'lines over 30 h',
      {
        ...lineChart,
        series: [
          {
            ...lineChart.series[0]!,
            points: [
              [0, 1],
              [108e6, 1e6],
            ],
          },
        ],
      } as LineChart,
    ],
    ['lines with long names', crowded],
    ['40 bars', manyBars],
    ['bars with long names', wideBars],
  ])('%s', (_name, chart) => {
    const picture = drawn(chart, 300, 420);
    const { x, y } = picture.scales as { x: Chart['scales'][string]; y: Chart['scales'][string] };
    picture.ctx.font = `${look.fontSize}px ${look.fontFamily}`;
    const spans = x.ticks.map((tick, i): [number, number] => {
      const half = picture.ctx.measureText(String(tick.label)).width / 2;
      return [x.getPixelForTick(i) - half, x.getPixelForTick(i) + half];
    });
    expect(spans.length).toBeGreaterThan(1);
    spans.slice(1).forEach(([left], i) => {
      expect(left, `label ${i + 1} of x`).toBeGreaterThan(spans[i]![1]);
    });
    const rows = y.ticks.map((_tick, i) => y.getPixelForTick(i)).sort((a, b) => a - b);
    rows.slice(1).forEach((row, i) => {
      expect(row - rows[i]!, `row ${i + 1} of y`).toBeGreaterThan(look.fontSize);
    });
    const widths = picture.legend!.legendItems!.map((item) => picture.ctx.measureText(item.text).width);
    expect(Math.max(...widths)).toBeLessThan(300 - 2 * look.fontSize);
    expect(picture.legend!.bottom).toBeLessThanOrEqual(picture.chartArea.top);
    expect(picture.chartArea.height).toBeGreaterThan(100);
  });
});

const KINDS = ['bar', 'heatmap', 'line', 'ranges', 'scatter'] as const;

describe('the source that a page carries', () => {
  const script = `(() => { 'use strict'; ${tickSource()}\n${chartSource(KINDS)}
    return (chart, look) => chartConfig(chart, { ...look, ticks });
  })()`;
  const build = vm.runInThisContext(script) as (chart: DrawnChart, look: Look) => ChartConfig;
  const long: BarChart = { ...barChart, categories: ['a name that is long', 'b', 'c'] };

  it.each([
    ['line chart', lineChart],
    ['bar chart', barChart],
    ['bar chart with long names', long],
    ['heatmap', heatmapChart],
    ['scatter', scatterChart],
    ['ranges', rangesChart],
  ])('builds the same %s as the functions it comes from', (_kind, chart) => {
    expect(plain(build(drawnChart(chart), look))).toEqual(plain(chartConfig(drawnChart(chart), look)));
  });

  // What is called only while Chart.js draws or the reader points must be in the source too.
  it.each([
    ['line chart', lineChart, { title: ['40s'], body: ['level: 3'], after: ['most: 6'] }],
    ['bar chart', barChart, { title: ['1–2'], body: ['done: 30'], after: [] }],
    ['bar chart with long names', long, { title: ['b'], body: ['done: 30'], after: [] }],
    ['heatmap', heatmapChart, { title: ['a 2, b x'], body: ['mean time: 3s'], after: [] }],
    ['scatter', scatterChart, { title: ['a 2'], body: ['time: 1m 30s', 'refused: 10 %'], after: [] }],
    ['ranges', rangesChart, { title: ['third'], body: ['95 % interval: −5 % to 10 %'], after: ['no difference: 0 %'] }],
  ])('draws a %s, its legend, its labels and what a pointer is told', (_kind, chart, told) => {
    const picture = drawn(chart, 300, 300, build);
    const labels = (of: Chart): unknown => [
      Object.values(of.scales).map((scale) => scale.ticks.map((tick) => tick.label)),
      of.legend?.legendItems?.map((item) => item.text),
    ];
    expect(labels(picture)).toEqual(labels(drawn(chart, 300)));
    picture.tooltip!.setActiveElements([{ datasetIndex: 0, index: chart.kind === 'line' ? 2 : 1 }], { x: 0, y: 0 });
    picture.update();
    const { title, body, afterBody } = picture.tooltip!;
    expect({ title, body: body.flatMap((part) => part.lines), after: afterBody }).toEqual(told);
  });
});

/** Functions by their text, everything else as JSON has it. */
function plain(config: ChartConfig): unknown {
  return JSON.parse(JSON.stringify(config, (_key, value) => (typeof value === 'function' ? String(value) : value)));
}
