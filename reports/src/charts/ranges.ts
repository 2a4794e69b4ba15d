/** Ranges of a value down the side, one row each, with a mark inside and a line across all: intervals, or a tornado. */

import type { ChartOptions, Scale } from 'chart.js';
import type { RangesChart } from '../report.js';
import type { Drawing } from './frame.js';
import type { Entry, RangesConfig, TooltipOf } from './look.js';

export function rangesConfig(chart: RangesChart, look: Drawing): RangesConfig {
  const { strokes, commonOptions, flushLegend, axisBase, tickBase, shorten } = look.frame;
  const scale = look.fontSize / 12;
  const pens = strokes(chart.series, look.palette);
  const labels = chart.rows.map(({ label }) => label);
  const hasMarks = chart.rows.some(({ mark }) => mark !== undefined);
  const markColor = look.palette.text;
  const entries: Entry[] = [
    ...chart.series.map(
      ({ name }, i): Entry => ({
        text: name,
        fillStyle: `${pens[i]!.color}99`,
        strokeStyle: pens[i]!.color,
        lineWidth: 1.25 * scale,
        pointStyle: 'rect',
      }),
    ),
    ...(hasMarks
      ? [
          {
            text: chart.markName ?? 'mean',
            fillStyle: markColor,
            strokeStyle: markColor,
            lineWidth: scale,
            pointStyle: 'rectRot' as const,
          },
        ]
      : []),
  ];
  const common = commonOptions({ title: chart.title, yLabel: chart.valueLabel }, entries, look);
  const ends = chart.rows.flatMap(({ ranges, mark }) => [
    ...ranges.flatMap((range) => range ?? []),
    ...(mark === undefined ? [] : [mark]),
  ]);
  const values = chart.baseline === undefined ? ends : [...ends, chart.baseline.value];
  return {
    type: 'bar',
    plugins: [flushLegend(look)],
    data: {
      labels,
      datasets: [
        ...chart.series.map(({ name }, i) => ({
          label: name,
          data: chart.rows.map(({ ranges }): [number, number] | null => {
            const range = ranges[i];
            return range == null ? null : [range[0], range[1]];
          }),
          grouped: false,
          backgroundColor: `${pens[i]!.color}99`,
          borderColor: pens[i]!.color,
          borderWidth: 1.25 * scale,
          borderSkipped: false as const,
          // An interval of no width is still a line.
          minBarLength: 2 * scale,
          categoryPercentage: 0.7,
          maxBarThickness: 18 * scale,
          order: 2,
        })),
        ...(hasMarks
          ? [
              {
                type: 'scatter' as const,
                label: chart.markName ?? 'mean',
                data: chart.rows.flatMap(({ label, mark }) => (mark === undefined ? [] : [{ x: mark, y: label }])),
                pointStyle: 'rectRot' as const,
                pointRadius: 5 * scale,
                pointHoverRadius: 6 * scale,
                backgroundColor: markColor,
                borderColor: look.palette.card,
                borderWidth: 1.25 * scale,
                order: 1,
              },
            ]
          : []),
      ],
    },
    options: {
      ...(common as ChartOptions<'bar' | 'scatter'>),
      indexAxis: 'y',
      interaction: { mode: 'index', axis: 'y', intersect: false },
      scales: {
        x: { ...axisBase('', look), ...valueRange(chart, values, look) },
        y: {
          ...axisBase('', look),
          type: 'category' as const,
          grid: { display: false },
          border: { color: look.palette.border },
          ticks: {
            ...tickBase(look),
            autoSkip: false,
            callback(this: Scale, _value: number | string, index: number): string {
              return shorten(labels[index] ?? '', Math.floor((this.chart.width * 0.38) / (look.fontSize * 0.56)));
            },
          },
        },
      },
      plugins: {
        ...(common.plugins as ChartOptions<'bar' | 'scatter'>['plugins']),
        annotation: { annotations: baselineOf(chart, look) },
        tooltip: rangesTooltip(chart, look),
      },
    },
  } as RangesConfig;
}

/** A little air on both sides, and no label at an end that is no round number. */
function valueRange({ unit }: RangesChart, values: readonly number[], look: Drawing) {
  const least = values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
  const most = values.reduce((a, b) => Math.max(a, b), values[0] ?? 1);
  const air = 0.06 * (most - least || Math.abs(most) || 1);
  const axis = look.frame.valueAxis(values, look, least - air, most + air, unit);
  const ticks = { ...axis.ticks, includeBounds: false };
  return unit === 'duration' ? { ...axis, ...look.frame.durationAxis(look) } : { ...axis, ticks };
}

function baselineOf({ baseline }: RangesChart, look: Drawing) {
  if (baseline === undefined) return [];
  const scale = look.fontSize / 12;
  return [
    {
      type: 'line' as const,
      scaleID: 'x',
      value: baseline.value,
      borderColor: look.palette.text,
      borderWidth: 1.25 * scale,
      borderDash: [4 * scale, 3 * scale],
    },
  ];
}

function rangesTooltip(chart: RangesChart, look: Drawing): TooltipOf<'bar'> {
  const written = (value: number): string => look.ticks.formatValue(value, chart.unit);
  return {
    ...look.frame.tooltip(look),
    callbacks: {
      title: (items) => chart.rows[items[0]?.dataIndex ?? 0]?.label ?? '',
      label: ({ dataIndex, datasetIndex, dataset }) => {
        const row = chart.rows[dataIndex];
        const range = row?.ranges[datasetIndex];
        if (range != null) return `${dataset.label}: ${written(range[0])} to ${written(range[1])}`;
        return row?.mark === undefined || datasetIndex < chart.series.length
          ? ''
          : `${dataset.label}: ${written(row.mark)}`;
      },
      afterBody: () =>
        chart.baseline === undefined ? [] : [`${chart.baseline.label}: ${written(chart.baseline.value)}`],
    },
  };
}

/** To be run as a classic script; defines `rangesConfig`. */
export function rangesSource(): string {
  return [rangesConfig, valueRange, baselineOf, rangesTooltip].map(String).join('\n');
}
