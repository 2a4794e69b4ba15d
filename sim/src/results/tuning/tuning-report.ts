/** From a tuning to its report as data, its pictures, and its table of cells. */

import type { Chart, Report, Section, Table } from '@tidegate/reports';
import { counted, number, percent } from '../human-numbers.js';
import { METRICS, REGRET } from '../study/metric.js';
import { csvOf, type StudyContents } from '../study/study-folder.js';
import type { KeySeries } from '../timeseries.js';
import { findings, writtenMetric } from './findings.js';
import type { TunedSetting, Tuning } from './tuning.js';
import { courseChart, type Layer, mapOf, marks, metricLayer, OVERALL, paretoChart, tornado } from './tuning-charts.js';

export interface TuningResults {
  readonly tuning: Tuning;
  /** By number of the scenario: the course of the first run at each chosen point. */
  readonly courses: readonly (readonly (readonly [name: string, course: KeySeries])[])[];
  /** The command that makes this again. */
  readonly replay: string;
}

/** What is mapped of each scenario: the first of these with many scenarios, all with few. */
const MAPPED = ['makespan', 'refused.share', 'utilisation', REGRET.name, 'recover', 'latencyMs.wait.p99'];
const FEW = 3;

export function tuningContents(results: TuningResults): StudyContents {
  const { tuning } = results;
  const report = tuningReport(results);
  const pictures: Readonly<Record<string, Chart | undefined>> = {
    'time-lost.png': mapOf(tuning, OVERALL.time),
    'refused.png': mapOf(tuning, OVERALL.refused),
    'pareto.png': paretoChart(tuning),
    'sensitivity.png': tornado(tuning, 'time'),
  };
  return {
    report,
    pictures: Object.fromEntries(Object.entries(pictures).flatMap(([file, chart]) => (chart ? [[file, chart]] : []))),
    texts: {
      'tune.json': `${JSON.stringify(tuningJson(tuning), null, 2)}\n`,
      'cells.csv': cellsCsv(tuning),
    },
  };
}

/** `tune.json`: the tuning, with what it says in words. */
export function tuningJson(tuning: Tuning): object {
  const at = (position: number | null | undefined): object | null => {
    const setting = position === null || position === undefined ? undefined : tuning.settings[position];
    return setting === undefined ? null : { setting: setting.setting, losses: lossesOf(setting) };
  };
  const { choice } = tuning;
  return {
    version: tuning.version,
    scenarios: tuning.scenarios,
    seeds: tuning.seeds,
    knobs: tuning.knobs,
    recommended: at(choice?.recommended),
    reference: at(tuning.reference),
    fastest: at(choice?.fastest),
    gentlest: at(choice?.gentlest),
    minimax: at(choice?.minimax),
    indistinguishableFromFastest: (choice?.asFast ?? []).map((position) => tuning.settings[position]!.setting),
    findings: findings(tuning),
    pareto: tuning.pareto.map((position) => at(position)),
    sensitivity: tuning.sensitivity,
    cells: tuning.settings.flatMap((setting) =>
      setting.cells.map((cell, scenario) => ({
        scenario: tuning.scenarios[scenario],
        setting: setting.setting,
        ...cell,
      })),
    ),
  };
}

function lossesOf({ losses }: TunedSetting): object | null {
  if (losses === null) return null;
  const { mean, worst, byScenario, refused } = losses;
  return { time: mean, worstTime: worst, timeByScenario: byScenario, refusedShare: refused };
}

function tuningReport({ tuning, courses, replay }: TuningResults): Report {
  const { choice, settings, scenarios, seeds, version } = tuning;
  const recommended = choice === null ? undefined : settings[choice.recommended]!;
  const said = findings(tuning);
  return {
    title: `Tuning ${tuning.knobs.map(({ name }) => name).join(' and ')}`,
    question: `Which setting serves ${scenarios.length === 1 ? scenarios[0] : `these ${scenarios.length} scenarios`} best?`,
    headline: {
      text: recommended === undefined ? 'No setting finishes every run' : `Recommended: ${recommended.label}`,
      tone: recommended === undefined ? 'bad' : 'good',
    },
    figures: [
      ...(recommended?.losses == null
        ? []
        : [
            { label: 'Time lost', value: percent(recommended.losses.mean), note: 'against the fastest setting' },
            { label: 'In the worst scenario', value: percent(recommended.losses.worst), note: 'time lost there' },
            { label: 'Refused', value: percent(recommended.losses.refused), note: 'of its attempts' },
            {
              label: 'As fast, as far as can be told',
              value: number(choice!.asFast.length),
              note: `of ${counted(settings.length, 'setting')}`,
            },
          ]),
      {
        label: 'Runs',
        value: number(settings.length * scenarios.length * seeds),
        note: `${counted(settings.length, 'setting')} × ${counted(scenarios.length, 'scenario')} × ${counted(seeds, 'seed')}`,
      },
    ],
    verdicts: [],
    sections: [
      { heading: 'What it says', text: said.join('\n\n'), charts: [], tables: [settingsTable(tuning)] },
      overview(tuning),
      { heading: 'Sensitivity', charts: some([tornado(tuning, 'time'), tornado(tuning, 'refused')]), tables: [] },
      ...scenarios.map((name, i) => scenarioSection(tuning, name, i, courses[i] ?? [])),
      ...troubleSection(tuning),
    ],
    provenance: [
      { label: 'Scenarios', value: scenarios.join(', ') },
      { label: 'Seeds', value: seeds === 1 ? '1' : `1 to ${seeds}` },
      { label: 'Intervals', value: "95 %, Student's t, of differences paired by seed; shared out over all settings" },
      { label: 'Version', value: version },
    ],
    replay,
  };
}

function overview(tuning: Tuning): Section {
  const layers: readonly Layer[] =
    tuning.scenarios.length === 1 ? [OVERALL.time, OVERALL.refused] : [OVERALL.time, OVERALL.refused, OVERALL.worst];
  return {
    heading: 'Over all scenarios',
    text: 'Time is time per success, as a share of what the fastest setting of the grid takes in the same scenario; each scenario counts alike.',
    charts: some([...layers.map((layer) => mapOf(tuning, layer)), paretoChart(tuning)]),
    tables: [],
  };
}

function scenarioSection(tuning: Tuning, name: string, i: number, courses: TuningResults['courses'][number]): Section {
  const metrics = [...METRICS, REGRET]
    .filter((metric) => MAPPED.includes(metric.name))
    .sort((a, b) => MAPPED.indexOf(a.name) - MAPPED.indexOf(b.name))
    .slice(0, tuning.scenarios.length <= FEW ? MAPPED.length : 2);
  const course = courses.length === 0 ? undefined : courseChart(`${name}: the cap at the chosen points`, courses);
  return {
    heading: name,
    charts: some([...metrics.map((metric) => mapOf(tuning, metricLayer(name, i, metric))), course]),
    tables: [scenarioTable(tuning, i)],
  };
}

function some(charts: readonly (Chart | undefined)[]): readonly Chart[] {
  return charts.flatMap((chart) => chart ?? []);
}

/** The points worth a look, over all scenarios. */
function settingsTable(tuning: Tuning): Table {
  const { settings, scenarios } = tuning;
  return {
    caption: 'The chosen points',
    columns: [
      { label: 'Setting', numeric: false },
      { label: 'What it is', numeric: false },
      ...['Time lost', 'Worst scenario', 'Refused share'].map((label) => ({ label, numeric: true })),
      ...(scenarios.length > 1 ? scenarios.map((name) => ({ label: `Lost in ${name}`, numeric: true })) : []),
    ],
    rows: pointsOf(tuning).map(([position, names]) => {
      const { label, losses } = settings[position]!;
      const shares = losses === null ? [] : [losses.mean, losses.worst, losses.refused];
      const each = losses === null || scenarios.length === 1 ? [] : losses.byScenario;
      return [label, names, ...[...shares, ...each].map(percent)];
    }),
  };
}

/** The chosen points, each once, under all its names. */
export function pointsOf({ choice, reference }: Tuning): readonly (readonly [position: number, names: string])[] {
  const named: readonly (readonly [string, number | null | undefined])[] = [
    ['recommended', choice?.recommended],
    ['reference', reference],
    ['fastest', choice?.fastest],
    ['fewest refusals', choice?.gentlest],
    ['smallest worst case', choice?.minimax],
  ];
  const points = new Map<number, string[]>();
  for (const [name, position] of named) {
    if (position !== null && position !== undefined) points.set(position, [...(points.get(position) ?? []), name]);
  }
  return [...points].map(([position, names]) => [position, names.join(', ')]);
}

function scenarioTable(tuning: Tuning, scenario: number): Table {
  const metrics = [...METRICS, REGRET];
  const points = marks(tuning);
  return {
    caption: `${tuning.scenarios[scenario]} in numbers: mean and half of its 95 % interval`,
    columns: [
      { label: 'Figure', numeric: false },
      ...points.map(({ name, setting }) => ({ label: `${name}: ${setting.label}`, numeric: true })),
    ],
    rows: metrics.flatMap(({ name, label, unit }) => {
      const cells = points.map(({ setting }) => setting.cells[scenario]!.metrics[name] ?? null);
      if (cells.every((cell) => cell === null)) return [];
      const written = cells.map((cell) => {
        if (cell === null) return '–';
        const spread = cell.halfWidth === null ? '' : ` ± ${writtenMetric(cell.halfWidth, unit)}`;
        return `${writtenMetric(cell.mean, unit)}${spread}`;
      });
      return [[label, ...written]];
    }),
  };
}

/** Cells that are not ok, the first hundred of them. */
function troubleSection({ settings, scenarios }: Tuning): readonly Section[] {
  const troubles = settings.flatMap(({ label, cells }) =>
    cells.flatMap(({ status, note }, i) => (status === 'ok' ? [] : [[scenarios[i]!, label, status, note ?? '']])),
  );
  if (troubles.length === 0) return [];
  return [
    {
      heading: 'Cells that did not finish',
      text: 'They are marked in the maps, and no setting is recommended that has one.',
      charts: [],
      tables: [
        {
          caption:
            troubles.length > 100 ? `The first 100 of ${number(troubles.length)}` : counted(troubles.length, 'cell'),
          columns: ['Scenario', 'Setting', 'Status', 'What happened'].map((label) => ({ label, numeric: false })),
          rows: troubles.slice(0, 100),
        },
      ],
    },
  ];
}

/** `cells.csv`: a row per scenario and setting; of each metric its mean, half of its interval, and its number of samples. */
function cellsCsv({ settings, scenarios, knobs }: Tuning): string {
  const names = [...METRICS, REGRET].map(({ name }) => name);
  const head = ['scenario', ...knobs.map(({ name }) => name), 'status', 'note'];
  const rows = settings.flatMap(({ setting, cells }) =>
    cells.map(({ status, note, metrics }, i) => [
      scenarios[i]!,
      ...Object.values(setting),
      status,
      note ?? '',
      ...names.flatMap((name) => {
        const cell = metrics[name];
        return cell == null ? [null, null, 0] : [cell.mean, cell.halfWidth, cell.samples];
      }),
    ]),
  );
  return csvOf([[...head, ...names.flatMap((name) => [name, `${name} ±`, `${name} n`])], ...rows]);
}
