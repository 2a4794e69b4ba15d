/** The charts of a tuning's report. Each says in words what it shows, for those who cannot see it. */

import type { Chart, HeatmapChart, LineChart, RangesChart, ScatterChart, Series } from '@tidegate/reports';
import { percent } from '../human-numbers.js';
import { roundLevels } from '../study/levels.js';
import type { Metric, MetricUnit } from '../study/metric.js';
import type { KeySeries } from '../timeseries.js';
import { writtenMetric } from './findings.js';
import type { TunedSetting, Tuning } from './tuning.js';

/** A value of each setting that is shown as a map of the grid. */
export interface Layer {
  readonly title: string;
  readonly valueLabel: string;
  readonly unit: MetricUnit;
  readonly figure: (setting: TunedSetting) => number | null;
}

export const OVERALL: Readonly<Record<'time' | 'refused' | 'worst', Layer>> = {
  time: {
    title: 'Time lost against the fastest setting, all scenarios',
    valueLabel: 'time lost, mean over the scenarios',
    unit: 'share',
    figure: ({ losses }) => losses?.mean ?? null,
  },
  refused: {
    title: 'Refused share, all scenarios',
    valueLabel: 'refused share, mean over the scenarios',
    unit: 'share',
    figure: ({ losses }) => losses?.refused ?? null,
  },
  worst: {
    title: 'Time lost in the worst scenario',
    valueLabel: 'time lost against the fastest, in the worst scenario',
    unit: 'share',
    figure: ({ losses }) => losses?.worst ?? null,
  },
};

export function metricLayer(scenario: string, number: number, { name, label, unit }: Metric): Layer {
  return {
    title: `${scenario}: ${label}`,
    valueLabel: `${label}, mean`,
    unit,
    figure: ({ cells }) => (cells[number]!.status === 'ok' ? (cells[number]!.metrics[name]?.mean ?? null) : null),
  };
}

/** A map of the first two knobs, the others at the recommended value; a line where there is one knob. Undefined where no setting has a value. */
export function mapOf(tuning: Tuning, layer: Layer): Chart | undefined {
  const [x, y] = tuning.knobs;
  if (tuning.settings.every((setting) => layer.figure(setting) === null)) return undefined;
  if (x === undefined) return undefined;
  return y === undefined ? oneKnob(tuning, layer) : twoKnobs(tuning, layer, x, y);
}

type KnobValues = Tuning['knobs'][number];

function twoKnobs(tuning: Tuning, layer: Layer, x: KnobValues, y: KnobValues): HeatmapChart {
  const held = tuning.settings[tuning.choice?.recommended ?? 0]!.place;
  const shown = tuning.settings.filter(({ place }) => place.every((index, knob) => knob < 2 || index === held[knob]));
  const byPlace = new Map(shown.map((setting) => [`${setting.place[0]} ${setting.place[1]}`, setting]));
  const values = y.values.map((_, row) =>
    x.values.map((__, column) => {
      const setting = byPlace.get(`${column} ${row}`);
      return setting === undefined ? null : layer.figure(setting);
    }),
  );
  const others = tuning.knobs.slice(2).map(({ name, values: all }, k) => `${name} ${all[held[k + 2]!]}`);
  return {
    kind: 'heatmap',
    title: layer.title,
    description: `${rangeInWords(shown, layer)}${others.length === 0 ? '' : ` Here with ${others.join(', ')}.`}`,
    x: { label: x.name, values: x.values },
    y: { label: y.name, values: y.values },
    valueLabel: layer.valueLabel,
    unit: layer.unit,
    values,
    missing: 'not finished',
    levels: roundLevels(values.flat()),
    marks: marks(tuning).flatMap(({ name, role, setting }) =>
      shown.includes(setting) ? [{ name, role, column: setting.place[0]!, row: setting.place[1]! }] : [],
    ),
  };
}

function oneKnob(tuning: Tuning, layer: Layer): LineChart {
  const points = (settings: readonly TunedSetting[]): Series['points'] =>
    settings.map((setting) => [setting.place[0]!, layer.figure(setting)]);
  const { name, values } = tuning.knobs[0]!;
  return {
    kind: 'line',
    title: layer.title,
    description: `${rangeInWords(tuning.settings, layer)} From left to right: ${values.join(', ')}.`,
    xLabel: `number of the value of ${name}`,
    xUnit: 'number',
    yLabel: layer.valueLabel,
    yUnit: layer.unit,
    series: [
      { name: layer.valueLabel, style: 'line', role: 'secondary', points: points(tuning.settings) },
      ...marks(tuning).map((mark) => ({
        name: mark.name,
        style: 'points' as const,
        role: mark.role,
        points: points([mark.setting]),
      })),
    ],
    bands: [],
  };
}

interface Mark {
  readonly name: string;
  readonly role: Series['role'];
  readonly setting: TunedSetting;
}

/** The settings to point out, each once, under all its names. */
export function marks({ settings, choice, reference }: Tuning): readonly Mark[] {
  const named: (readonly [string, Series['role'], number | null])[] = [
    ['recommended', 'primary', choice?.recommended ?? null],
    ['reference', 'limit', reference],
    ['smallest worst case', 'secondary', choice?.minimax ?? null],
  ];
  const marked = new Map<number, { names: string[]; role: Series['role'] }>();
  for (const [name, role, position] of named) {
    if (position === null) continue;
    const mark = marked.get(position) ?? { names: [], role };
    mark.names.push(name);
    marked.set(position, mark);
  }
  return [...marked].map(([position, { names, role }]) => ({
    name: names.join(', '),
    role,
    setting: settings[position]!,
  }));
}

function rangeInWords(settings: readonly TunedSetting[], { figure, unit }: Layer): string {
  const known = settings.flatMap((setting) => {
    const value = figure(setting);
    return value === null ? [] : [{ value, label: setting.label }];
  });
  const least = known.reduce((a, b) => (b.value < a.value ? b : a));
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  return `From ${writtenMetric(least.value, unit)} (${least.label}) to ${writtenMetric(most.value, unit)} (${most.label}).`;
}

/** Time lost against refused share, with the settings that no other beats in both. */
export function paretoChart(tuning: Tuning): ScatterChart | undefined {
  const point = ({ label, losses }: TunedSetting) => ({ x: losses!.mean, y: losses!.refused, label });
  const whole = tuning.settings.filter(({ losses }) => losses !== null);
  if (whole.length < 2) return undefined;
  const front = tuning.pareto.map((position) => tuning.settings[position]!);
  const [fast, gentle] = [front[0]!, front.at(-1)!];
  return {
    kind: 'scatter',
    title: 'Time lost against refused share',
    description: `${front.length} settings are beaten by none in both. The front runs from ${fast.label} (${percent(fast.losses!.mean)} of the time lost, ${percent(fast.losses!.refused)} refused) to ${gentle.label} (${percent(gentle.losses!.mean)}, ${percent(gentle.losses!.refused)}).`,
    xLabel: 'time lost against the fastest',
    xUnit: 'share',
    yLabel: 'refused share',
    yUnit: 'share',
    series: [
      { name: 'settings', role: 'muted', joined: false, points: whole.map(point) },
      { name: 'Pareto front', role: 'secondary', joined: true, points: front.map(point) },
      ...marks(tuning)
        .filter(({ setting }) => setting.losses !== null)
        .map(({ name, role, setting }) => ({
          name: `${name} (${setting.label})`,
          role: role === 'secondary' ? ('bad' as const) : role,
          joined: false,
          points: [point(setting)],
        })),
    ],
  };
}

/** The knobs by how far they move the outcome, the most powerful on top. */
export function tornado(tuning: Tuning, what: 'time' | 'refused'): RangesChart | undefined {
  const bars = tuning.sensitivity
    .map(({ knob, values, at }) => {
      const own = values[at]![what];
      const side = (part: typeof values): readonly [number, number] | null => {
        const all = part.map((one) => one[what]);
        return all.length === 0 ? null : [Math.min(own, ...all), Math.max(own, ...all)];
      };
      const label = `${knob}: ${values[0]!.value} … ${values.at(-1)!.value}`;
      return { label, ranges: [side(values.slice(0, at)), side(values.slice(at + 1))], own };
    })
    .sort((a, b) => spanOf(b.ranges) - spanOf(a.ranges));
  const [first] = bars;
  if (first === undefined) return undefined;
  const unit = what === 'time' ? 'time lost, mean over the scenarios' : 'refused share, mean over the scenarios';
  return {
    kind: 'ranges',
    title: what === 'time' ? 'What each knob does to the time' : 'What each knob does to the refused share',
    description: `Each knob turned over its values, the others at the recommended ones. ${first.label.split(':')[0]} moves it most, by ${percent(spanOf(first.ranges))}.`,
    valueLabel: unit,
    unit: 'share',
    baseline: { value: first.own, label: 'recommended' },
    series: [
      { name: 'values before the recommended', role: 'secondary' },
      { name: 'values after it', role: 'primary' },
    ],
    rows: bars.map(({ label, ranges }) => ({ label, ranges })),
  };
}

function spanOf(ranges: readonly (readonly [number, number] | null)[]): number {
  const ends = ranges.flatMap((range) => range ?? []);
  return ends.length === 0 ? 0 : Math.max(...ends) - Math.min(...ends);
}

/** One course of a cap per name, against the provider's limit. */
export function courseChart(
  title: string,
  courses: readonly (readonly [name: string, course: KeySeries])[],
): LineChart {
  const [, first] = courses[0]!;
  const roles: readonly Series['role'][] = ['primary', 'secondary', 'bad'];
  const limit = first.points.map(({ tMs, limit: value }) => [tMs, value] as const);
  const hasLimit = limit.some(([, value]) => value !== null);
  return {
    kind: 'line',
    title,
    description: `The cap of ${first.key} over time, on the first seed.`,
    xLabel: 'time',
    xUnit: 'duration',
    yLabel: 'requests at once',
    yMin: 0,
    series: [
      ...courses.map(([name, { points }], i) => ({
        name,
        style: 'step' as const,
        role: roles[i % roles.length]!,
        points: points.map(({ tMs, cap, inFlight }) => [tMs, cap ?? inFlight] as const),
      })),
      ...(hasLimit
        ? [{ name: "provider's limit", style: 'step' as const, role: 'limit' as const, dashed: true, points: limit }]
        : []),
    ],
    bands: [],
  };
}
