/**
 * A table of values as colours, with lines of equal value and marked cells. The colours run from dark to bright (viridis,
 * readable in grey and by the colour-blind); a bar below the plot says which value is which colour, and where the lines
 * are.
 */

import type { ChartOptions, Chart as Drawn, Scale } from 'chart.js';
import type { DrawnHeatmap } from '../drawn-chart.js';
import type { Drawing } from './frame.js';
import type { Entry, HeatmapConfig, HeatmapPoint, TooltipOf } from './look.js';

export function heatmapConfig(chart: DrawnHeatmap, look: Drawing): HeatmapConfig {
  const { strokes, commonOptions, flushLegend } = look.frame;
  const scale = look.fontSize / 12;
  const [columns, rows] = [chart.x.values.length, chart.y.values.length];
  const all = chart.values.flatMap((row) => row.flatMap((value) => value ?? []));
  const [least, most] = [
    all.reduce((a, b) => Math.min(a, b), all[0] ?? 0),
    all.reduce((a, b) => Math.max(a, b), all[0] ?? 0),
  ];
  const colorOf = (value: number): string => heatColor(most > least ? (value - least) / (most - least) : 0.5);
  const cells = chart.values.flatMap((row, y) => row.flatMap((v, x) => (v === null ? [] : [{ x, y, v }])));
  const holes = chart.values.flatMap((row, y) => row.flatMap((v, x) => (v === null ? [{ x, y, v }] : [])));
  const pens = strokes(chart.marks, look.palette);
  // Between two lines a gap, so that one dataset can hold them all.
  const points = chart.lines.flatMap((line) => [
    ...line.points.map(([x, y]) => ({ x, y })),
    { x: Number.NaN, y: Number.NaN },
  ]);
  const marks = chart.marks.map(({ column, row }) => [{ x: column, y: row }]);
  const matrix = (data: HeatmapPoint[], color: (point: HeatmapPoint) => string) => ({
    type: 'matrix' as const,
    data,
    width: ({ chart: drawn }: { chart: Drawn }) => (drawn.chartArea?.width ?? 0) / columns,
    height: ({ chart: drawn }: { chart: Drawn }) => (drawn.chartArea?.height ?? 0) / rows,
    backgroundColor: ({ dataIndex }: { dataIndex: number }) => color(data[dataIndex]!),
    borderWidth: columns * rows > 900 ? 0 : 0.5 * scale,
    borderColor: look.palette.card,
    order: 3,
  });
  const line = (color: string, width: number, order: number) => ({
    type: 'line' as const,
    data: points,
    borderColor: color,
    borderWidth: width * scale,
    pointRadius: 0,
    pointHitRadius: 0,
    pointHoverRadius: 0,
    spanGaps: false,
    order,
  });
  const markEntries = chart.marks.map(
    ({ name }, i): Entry => ({
      text: name,
      fillStyle: pens[i]!.color,
      strokeStyle: '#ffffff',
      lineWidth: 1.5 * scale,
      pointStyle: pens[i]!.marker,
    }),
  );
  const entries: Entry[] = [
    {
      text: chart.valueLabel,
      fillStyle: heatColor(0.5),
      strokeStyle: heatColor(0.5),
      lineWidth: scale,
      pointStyle: 'rect',
    },
    {
      text: chart.missing,
      fillStyle: look.palette.grid,
      strokeStyle: look.palette.quiet,
      lineWidth: scale,
      pointStyle: 'rect',
    },
    { text: 'equal values', strokeStyle: look.palette.text, lineWidth: 1.5 * scale, pointStyle: 'line' },
    ...markEntries,
  ];
  // The halo of the lines is one with them; an entry without anything to show is none.
  const isShown = (i: number): boolean => (i === 1 ? holes.length > 0 : i === 2 ? points.length > 0 : true);
  const common = commonOptions({ title: chart.title, yLabel: chart.y.label }, entries, look);
  const legend = (common.plugins as ChartOptions['plugins'])?.legend;
  return {
    type: 'matrix',
    plugins: [flushLegend(look), colorBar(chart, least, most, look)],
    data: {
      datasets: [
        { label: chart.valueLabel, ...matrix(cells, ({ v }) => colorOf(v ?? 0)) },
        { label: chart.missing, ...matrix(holes, () => look.palette.grid) },
        { label: 'equal values', ...line('#101418', 1.25, 1) },
        ...chart.marks.map(({ name }, i) => ({
          type: 'scatter' as const,
          label: name,
          data: marks[i]!,
          pointStyle: pens[i]!.marker,
          pointRadius: 7 * scale,
          pointHoverRadius: 8 * scale,
          backgroundColor: pens[i]!.color,
          borderColor: '#ffffff',
          borderWidth: 2 * scale,
          order: 0,
        })),
        { label: 'halo', ...line('#ffffffb0', 3.5, 2) },
      ],
    },
    options: {
      ...common,
      layout: { padding: { top: 2 * scale, right: 6 * scale, bottom: 3 * look.fontSize, left: 0 } },
      interaction: { mode: 'nearest', intersect: true },
      scales: { x: gridAxis(chart.x.values, chart.x.label, look), y: gridAxis(chart.y.values, '', look) },
      plugins: {
        ...common.plugins,
        legend: {
          ...legend,
          labels: {
            ...legend?.labels,
            generateLabels: (drawn: Drawn) =>
              (legend?.labels?.generateLabels?.(drawn) ?? []).filter((_, i) => isShown(i)),
          },
        },
        tooltip: heatmapTooltip(chart, look),
      },
    },
  } as unknown as HeatmapConfig;
}

/** Of a share of the range; viridis by its own stops. */
function heatColor(share: number): string {
  const stops = [
    [68, 1, 84],
    [65, 68, 135],
    [42, 120, 142],
    [34, 168, 132],
    [122, 209, 81],
    [253, 231, 37],
  ];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const below = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[below]!.map((part, i) => Math.round(part + (stops[below + 1]![i]! - part) * (at - below)));
  return `rgb(${mixed.join(', ')})`;
}

/** A place per value; as many labels as have room, evenly spread. */
function gridAxis(values: readonly string[], label: string, look: Drawing) {
  const longest = values.reduce((most, value) => Math.max(most, value.length), 1);
  return {
    type: 'linear' as const,
    min: -0.5,
    max: values.length - 0.5,
    offset: false,
    reverse: false,
    ...look.frame.axisBase(label, look),
    grid: { display: false },
    border: { color: look.palette.border },
    afterBuildTicks: (axis: Scale): void => {
      const isUpright = axis.axis === 'y';
      const room = isUpright ? axis.chart.height * 0.7 : axis.chart.width * 0.8;
      const wanted = isUpright ? 1.6 * look.fontSize : (longest * 0.62 + 1.4) * look.fontSize;
      const step = Math.max(1, Math.ceil((values.length * wanted) / room));
      axis.ticks = values.flatMap((_, value) => (value % step === 0 ? [{ value }] : []));
    },
    ticks: {
      ...look.frame.tickBase(look),
      autoSkip: false,
      callback: (value: number | string): string => look.frame.shorten(values[Number(value)] ?? '', 16),
    },
  };
}

/** Below the plot: the colours from the least to the most value, with a notch for each line that has room for its value. */
function colorBar(chart: DrawnHeatmap, least: number, most: number, look: Drawing) {
  return {
    id: 'color-bar',
    afterDraw: ({ ctx, chartArea, scales }: Drawn): void => {
      const size = look.fontSize;
      const { left, right } = chartArea;
      const top = (scales.x?.bottom ?? chartArea.bottom) + 0.8 * size;
      const gradient = ctx.createLinearGradient(left, 0, right, 0);
      for (let i = 0; i <= 10; i++) gradient.addColorStop(i / 10, heatColor(most > least ? i / 10 : 0.5));
      ctx.save();
      ctx.fillStyle = gradient;
      ctx.fillRect(left, top, right - left, 0.7 * size);
      ctx.font = `${size}px ${look.fontFamily}`;
      ctx.fillStyle = look.palette.quiet;
      ctx.strokeStyle = look.palette.text;
      ctx.lineWidth = 1.25 * (size / 12);
      ctx.textBaseline = 'top';
      const taken: [number, number][] = [];
      const write = (value: number, align: 'left' | 'center' | 'right', at: number): void => {
        const text = look.ticks.formatValue(value, chart.unit);
        const width = ctx.measureText(text).width;
        const from = align === 'left' ? at : align === 'right' ? at - width : at - width / 2;
        if (taken.some(([start, end]) => from < end + size && from + width > start - size)) return;
        taken.push([from, from + width]);
        ctx.textAlign = 'left';
        ctx.fillText(text, from, top + size);
      };
      write(least, 'left', left);
      if (most > least) write(most, 'right', right);
      for (const level of chart.levels) {
        if (level <= least || level >= most) continue;
        const x = left + ((level - least) / (most - least)) * (right - left);
        ctx.beginPath();
        ctx.moveTo(x, top - 0.15 * size);
        ctx.lineTo(x, top + 0.85 * size);
        ctx.stroke();
        write(level, 'center', x);
      }
      ctx.restore();
    },
  };
}

function heatmapTooltip(chart: DrawnHeatmap, look: Drawing): TooltipOf<'matrix'> {
  const marked = (x: number, y: number): readonly string[] =>
    chart.marks.flatMap(({ name, column, row }) => (column === x && row === y ? [name] : []));
  const place = (item: { parsed: { x: number | null; y: number | null } } | undefined): [number, number] => [
    item?.parsed.x ?? 0,
    item?.parsed.y ?? 0,
  ];
  return {
    ...look.frame.tooltip(look),
    callbacks: {
      title: (items) => {
        const [x, y] = place(items[0]);
        return `${chart.x.label} ${chart.x.values[x]}, ${chart.y.label} ${chart.y.values[y]}`;
      },
      label: (item) => {
        const [x, y] = place(item);
        const value = chart.values[y]?.[x] ?? null;
        return value === null ? chart.missing : `${chart.valueLabel}: ${look.ticks.formatValue(value, chart.unit)}`;
      },
      afterBody: (items) => [...marked(...place(items[0]))],
    },
    filter: (_item, index) => index === 0,
  };
}

/** To be run as a classic script; defines `heatmapConfig`. */
export function heatmapSource(): string {
  return [heatmapConfig, heatColor, gridAxis, colorBar, heatmapTooltip].map(String).join('\n');
}
