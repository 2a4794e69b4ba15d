/** What a search found, in words, as data and as a report. */

import type { Chart, Report, ScatterChart, Table } from '@tidegate/reports';
import { counted, number } from '../human-numbers.js';
import type { StudyContents } from '../study/study-folder.js';
import { writtenMetric } from './findings.js';
import { type Goal, unitOf } from './goal.js';
import type { Grid } from './grid.js';
import type { Objective, SearchResult, Tried } from './search.js';

export interface SearchStudy {
  readonly grid: Grid;
  readonly objective: Objective;
  readonly scenarios: readonly string[];
  readonly result: SearchResult;
  readonly version: string;
  readonly replay: string;
}

export function isSatisfied({ result }: SearchStudy): boolean {
  return result.best.missed === 0;
}

/** In plain sentences, the most important first. */
export function searchFindings(study: SearchStudy): readonly string[] {
  const { grid, objective, scenarios, result } = study;
  const { best, looked } = result;
  const label = grid.label(best.place);
  const goals = objective.goals.map(({ text }) => text).join(' and ') || 'no goal';
  const head = isSatisfied(study)
    ? `Found: ${label}. Of the settings that were tried it meets ${goals} at the least ${objective.minimise}.`
    : best.missed >= 1e9
      ? `No setting that was tried finishes every run; the nearest is ${label}.`
      : `No setting that was tried meets ${goals}; the closest is ${label}.`;
  const names = [...new Set([...objective.goals.map(({ name }) => name), objective.minimise])];
  const evidence = best.cells.map(({ metrics }, i) => {
    const values = names.map((name) => {
      const value = metrics[name];
      const doubts = objective.goals.filter((goal) => goal.name === name).map((goal) => doubtOf(goal, best, i));
      return `${name} ${value == null ? '–' : `${writtenMetric(value.mean, unitOf(name))} ± ${writtenMetric(value.halfWidth, unitOf(name))}`}${doubts.join('')}`;
    });
    return `${scenarios[i]}: ${values.join(', ')}.`;
  });
  return [head, ...evidence, `${number(looked)} of ${counted(grid.size, 'setting')} were tried.`];
}

/** Whether the interval of a value leaves the bound out of doubt. */
function doubtOf({ name, operator, bound }: Goal, { cells }: Tried, scenario: number): string {
  const value = cells[scenario]!.metrics[name];
  if (value == null) return ' (not measured)';
  const [low, high] = [value.mean - (value.halfWidth ?? 0), value.mean + (value.halfWidth ?? 0)];
  const isBelow = operator.startsWith('<');
  if (isBelow ? value.mean > bound : value.mean < bound) return ' (missed)';
  if (value.halfWidth === null || (isBelow ? high > bound : low < bound)) return ' (met in the mean, within doubt)';
  return ' (met)';
}

/** `tune.json` of a search. */
export function searchJson(study: SearchStudy): object {
  const { grid, objective, scenarios, result, version } = study;
  const told = ({ place, cells, seeds, missed }: Tried): object => ({
    setting: grid.setting(place),
    satisfied: missed === 0,
    seeds,
    cells: cells.map(({ status, metrics }, i) => ({ scenario: scenarios[i], status, metrics })),
  });
  return {
    version,
    scenarios,
    goals: objective.goals,
    minimise: objective.minimise,
    satisfied: isSatisfied(study),
    found: told(result.best),
    looked: result.looked,
    settings: grid.size,
    findings: searchFindings(study),
    tried: result.tried.map(told),
  };
}

export function searchContents(study: SearchStudy): StudyContents {
  const { grid, objective, scenarios, result, version, replay } = study;
  const chart = tradeOff(study);
  const report: Report = {
    title: `The least ${objective.minimise}${objective.goals.length === 0 ? '' : ` with ${objective.goals.map(({ text }) => text).join(' and ')}`}`,
    question: `Which setting of ${grid.knobs.map(({ name }) => name).join(' and ')} gives it, in ${scenarios.join(', ')}?`,
    headline: isSatisfied(study)
      ? { text: `Found: ${grid.label(result.best.place)}`, tone: 'good' }
      : { text: `Not met; the closest is ${grid.label(result.best.place)}`, tone: 'bad' },
    figures: [{ label: 'Tried', value: number(result.looked), note: `of ${counted(grid.size, 'setting')}` }],
    verdicts: objective.goals.map((goal) => ({
      pass: result.best.cells.every((_, i) => !doubtOf(goal, result.best, i).includes('missed')),
      text: goal.text,
    })),
    sections: [
      {
        heading: 'What it says',
        text: searchFindings(study).join('\n\n'),
        charts: chart === undefined ? [] : [chart],
        tables: scenarios.map((name, i) => triedTable(study, name, i)),
      },
    ],
    provenance: [
      { label: 'Scenarios', value: scenarios.join(', ') },
      { label: 'Seeds', value: `1 to ${result.best.seeds}` },
      { label: 'Version', value: version },
    ],
    replay,
  };
  const pictures: Record<string, Chart> = chart === undefined ? {} : { 'trade-off.png': chart };
  return { report, pictures, texts: { 'tune.json': `${JSON.stringify(searchJson(study), null, 2)}\n` } };
}

/** The first goal's figure against what is minimised, in the first scenario. */
function tradeOff({ grid, objective, scenarios, result }: SearchStudy): ScatterChart | undefined {
  const [goal] = objective.goals;
  if (goal === undefined) return undefined;
  const point = ({ place, cells }: Tried) => {
    const [x, y] = [cells[0]!.metrics[objective.minimise]?.mean, cells[0]!.metrics[goal.name]?.mean];
    return x === undefined || y === undefined ? [] : [{ x, y, label: grid.label(place) }];
  };
  const points = result.tried.flatMap(point);
  if (points.length < 2) return undefined;
  return {
    kind: 'scatter',
    title: `${scenarios[0]}: ${objective.minimise} against ${goal.name}`,
    description: `Every setting that was tried on all seeds. ${goal.text} is wanted.`,
    xLabel: objective.minimise,
    xUnit: unitOf(objective.minimise),
    yLabel: goal.name,
    yUnit: goal.unit,
    series: [
      { name: 'tried', role: 'muted', joined: false, points },
      { name: 'found', role: 'primary', joined: false, points: point(result.best) },
    ],
  };
}

function triedTable({ grid, objective, result }: SearchStudy, scenario: string, i: number): Table {
  const names = [...new Set([objective.minimise, ...objective.goals.map(({ name }) => name)])];
  return {
    caption: `${scenario}: the twenty best of ${counted(result.tried.length, 'setting')} that were tried on all seeds`,
    columns: [{ label: 'Setting', numeric: false }, ...names.map((label) => ({ label, numeric: true }))],
    rows: result.tried
      .slice(0, 20)
      .map(({ place, cells }) => [
        grid.label(place),
        ...names.map((name) => writtenMetric(cells[i]!.metrics[name]?.mean ?? null, unitOf(name))),
      ]),
  };
}
