/** `sim tune FILE... --grid knob=values`: tries a grid of settings on scenarios and says which one to choose, and why. */

import { Command } from 'commander';
import { counted, duration, number } from '../results/human-numbers.js';
import { CellStore } from '../results/study/cell-store.js';
import { curveOf } from '../results/study/curve.js';
import { runRows } from '../results/study/run-row.js';
import { namesOf, openStudy, type StudiedScenario } from '../results/study/studied-scenario.js';
import { writeStudy } from '../results/study/study-folder.js';
import { workerThreads } from '../results/study/worker-pool.js';
import { findings } from '../results/tuning/findings.js';
import { Grid, type Place } from '../results/tuning/grid.js';
import { gridCell, runGrid } from '../results/tuning/grid-cells.js';
import { type Knob, readKnob } from '../results/tuning/knob.js';
import { settingLines } from '../results/tuning/setting-table.js';
import { type Tuning, tuning } from '../results/tuning/tuning.js';
import { pointsOf, tuningContents, tuningJson } from '../results/tuning/tuning-report.js';
import { formatProblems } from '../scenario/problems.js';
import { EXIT, type ExitCode, worse } from './exit-codes.js';
import { guarded } from './guarded-study.js';
import { listenForInterrupt } from './interrupt.js';
import { collect, wholeNumber } from './option-values.js';
import { refuse } from './refuse.js';
import { quoted } from './replay-command.js';
import { addStudyOptions, type StudyOptions } from './study-options.js';
import { StudyProgress, timed } from './study-progress.js';
import { readObjective, searchGrid } from './tune-search.js';
import { VERSION } from './version.js';

interface Options extends StudyOptions {
  readonly grid: readonly string[];
  readonly seeds: number;
  readonly yes: boolean;
  readonly goal: readonly string[];
  readonly minimise?: string;
}

const EXAMPLES = `
A knob is an option of the governor by its name, or any path as --set takes it. Values are a list or a range with its step:
1,2,4,8 or 0.5..0.9:0.05 or 1m..10m:3m. Finished cells are kept in DIR/cells.jsonl: what was done before a Ctrl-C is not
done again.

With --goal or --minimise the grid is searched, not tabulated. A goal names a figure of the report (refused.share, makespan,
utilisation, recover, …) or a number of summary.json, and holds in every scenario.

Exit codes: 0 ok · 1 no setting meets the goals · 2 bad usage or scenario · 3 an invariant broke in a cell · 4 a cell's worker died · 130 interrupted.

Try:
  sim tune scenarios/fanout30.yaml --grid decreaseFactor=0.5..0.9:0.1 --grid increaseAfterSuccesses=1,2,4,8 --seeds 5
  sim tune scenarios/fanout30.yaml --grid increaseAfterSuccesses=1..16:1 --goal 'refused.share<0.1' --minimise makespan --seeds 5`;

/** More cells than this are asked about: a grid that large is mostly a typing error. */
const MANY_CELLS = 10_000;

/** Of a knob with more values only the first and the last so many are tried on the scenarios before anything is run. */
const MOST_CHECKED = 200;

export function tuneCommand(finished: (code: ExitCode) => void): Command {
  const command = new Command('tune')
    .description('Try a grid of settings on scenarios, over many seeds; recommend one and say what it costs.')
    .argument('<file...>', 'scenario files')
    .requiredOption('--grid <knob=values>', 'a knob and its values; may be given again', collect)
    .option('--seeds <n>', 'runs per cell, on the seeds 1 to n', wholeNumber(1), 20)
    .option(
      '--goal <bound>',
      'search for a setting that meets it, as refused.share<0.02; may be given again',
      collect,
      [],
    )
    .option('--minimise <figure>', 'what a search makes as small as possible; default: makespan')
    .option('--yes', `run more than ${number(MANY_CELLS)} cells without asking`, false)
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: Options) => {
      finished(await guarded(() => tune(files, options)));
    });
  return addStudyOptions(command);
}

async function tune(files: readonly string[], options: Options): Promise<ExitCode> {
  const { set, workers: count, out, json } = options;
  const opened = openStudy(files, set);
  if (opened.kind === 'problems') return refuse(formatProblems(opened.problems));
  const { scenarios } = opened;
  const grid = readGrid(options.grid, scenarios, set);
  if (Array.isArray(grid)) return refuse(grid.join('\n'));

  const isSearch = options.goal.length > 0 || options.minimise !== undefined;
  const objective = isSearch ? readObjective(options.goal, options.minimise ?? 'makespan', scenarios) : undefined;
  if (Array.isArray(objective)) return refuse(objective.join('\n'));

  const seeds = Array.from({ length: options.seeds }, (_, i) => i + 1);
  if (objective === undefined && grid.size * scenarios.length > MANY_CELLS && !options.yes)
    return askFirst(grid, scenarios, options);

  const store = new CellStore(`${out}/cells.jsonl`);
  const interrupt = listenForInterrupt('interrupted: finished cells are kept, and the same command goes on from there');
  const workers = workerThreads(count);
  const progress = new StudyProgress();
  try {
    const places = Array.from({ length: grid.size }, (_, setting) => grid.place(setting));
    const study = { workers, store, version: VERSION, progress: progress.update, interrupt: interrupt.signal };
    const replay = replayOf(files, options);
    if (objective !== undefined) {
      const request = { grid, objective, scenarios, seeds: seeds.length, set, replay };
      return await searchGrid(request, study, {
        ...options,
        folder: folderName(scenarios),
        done: () => progress.end(),
      });
    }
    const cells = await runGrid(scenarios, grid, places, { ...study, seeds, set });
    progress.end();
    const result = tuning({
      grid,
      places,
      scenarios: namesOf(scenarios),
      cells,
      seeds: seeds.length,
      version: VERSION,
    });
    const courses = await coursesOf(result, grid, scenarios, set);
    const folder = await writeStudy(out, folderName(scenarios), tuningContents({ tuning: result, courses, replay }));
    if (json) console.log(JSON.stringify(tuningJson(result)));
    else console.log(said(result, folder, replay).join('\n'));
    return exitCodeOf(result);
  } finally {
    progress.end();
    interrupt.release();
    await workers.close();
  }
}

/** The grid, or all that is wrong with it: each value of each knob is tried on each scenario by itself. */
function readGrid(
  texts: readonly string[],
  scenarios: readonly StudiedScenario[],
  set: readonly string[],
): Grid | string[] {
  const readings = texts.map((text) => readKnob(text, scenarios[0]!.schema));
  const problems = readings.flatMap((reading) => (reading.kind === 'problem' ? [reading.message] : []));
  const knobs = readings.flatMap((reading) => (reading.kind === 'knob' ? [reading.knob] : []));
  for (const [i, { name, path }] of knobs.entries()) {
    if (knobs.findIndex((other) => other.path === path) < i)
      problems.push(`--grid  ${name}  is given twice; give all its values at once`);
  }
  const faults = knobs.flatMap((knob) => scenarios.flatMap((scenario) => faultsOf(knob, scenario, set)));
  const all = [...new Set([...problems, ...faults])];
  return all.length > 0 ? all : new Grid(knobs);
}

function faultsOf({ path, values }: Knob, { load }: StudiedScenario, set: readonly string[]): readonly string[] {
  const last = values.count - 1;
  const checked = Array.from({ length: Math.min(values.count, MOST_CHECKED) }, (_, i) =>
    i % 2 === 0 ? i / 2 : last - (i - 1) / 2,
  );
  for (const index of checked) {
    const loaded = load({ set: [...set, `${path}=${values.at(index)}`] });
    if (loaded.kind === 'problems') {
      return loaded.problems.map((problem) =>
        formatProblems([problem.file === '--set' ? { ...problem, file: '--grid' } : problem]),
      );
    }
  }
  return [];
}

/** Times one run of each scenario and says what the whole would take. */
async function askFirst(grid: Grid, scenarios: readonly StudiedScenario[], options: Options): Promise<ExitCode> {
  const { seeds, workers, set } = options;
  let totalMs = 0;
  for (const studied of scenarios) {
    const cell = gridCell(studied, grid, grid.place(0), set);
    if (cell.kind === 'invalid') continue;
    const { scenario, folder } = cell;
    const task = { scenario, folder, seeds: [1], fields: [], version: VERSION };
    // The first run also compiles what it runs.
    await runRows(task);
    totalMs += (await timed(() => runRows(task))) * grid.size * seeds;
  }
  const runs = `${number(grid.size)} settings × ${counted(scenarios.length, 'scenario')} × ${counted(seeds, 'seed')}`;
  console.error(
    `${runs} would take about ${duration(totalMs / workers)} on ${counted(workers, 'worker')}; ` +
      'widen the steps of --grid, give fewer --seeds, search with --goal, or add --yes to run it all the same',
  );
  return EXIT.usage;
}

/** Of at most three chosen points, in scenarios whose provider changes; in the first where none does. */
async function coursesOf(result: Tuning, grid: Grid, scenarios: readonly StudiedScenario[], set: readonly string[]) {
  const changing = scenarios.filter(({ scenario }) => scenario.timeline.some(({ kind }) => kind === 'set'));
  const drawn = changing.length > 0 ? changing : scenarios.slice(0, 1);
  const points = pointsOf(result).slice(0, 3);
  return Promise.all(
    scenarios.map(async (studied) => {
      if (!drawn.includes(studied)) return [];
      const courses = points.map(async ([position, names]) => {
        const { place, label } = result.settings[position]!;
        const cell = gridCell(studied, grid, place as Place, set);
        const course = cell.kind === 'cell' ? await curveOf(cell, 1, VERSION) : undefined;
        return course === undefined ? [] : ([[`${names}: ${label}`, course]] as const);
      });
      return (await Promise.all(courses)).flat();
    }),
  );
}

function folderName(scenarios: readonly StudiedScenario[]): string {
  const [first, ...others] = scenarios.map(({ scenario }) => scenario.name);
  return `tune-${first}${others.length === 0 ? '' : `-and-${others.length}-more`}`;
}

function replayOf(files: readonly string[], { grid, goal, minimise, seeds, set }: Options): string {
  const options = [
    ...grid.flatMap((text) => ['--grid', text]),
    ...goal.flatMap((text) => ['--goal', text]),
    ...(minimise === undefined ? [] : ['--minimise', minimise]),
    ...set.flatMap((text) => ['--set', text]),
  ];
  return ['npx', 'sim', 'tune', ...files, ...options, '--seeds', String(seeds)].map(quoted).join(' ');
}

function said(result: Tuning, folder: string, replay: string): readonly string[] {
  const { settings, scenarios, seeds } = result;
  const troubles = settings.flatMap(({ label, cells }) =>
    cells.flatMap(({ status, note }, i) =>
      status === 'ok' ? [] : [`  ${status.toUpperCase()}  ${scenarios[i]}, ${label}: ${note}`],
    ),
  );
  return [
    `${counted(settings.length, 'setting')} × ${counted(scenarios.length, 'scenario')} × ${counted(seeds, 'seed')} · version ${result.version}`,
    ...settingLines(result).map((line) => `  ${line}`),
    ...findings(result).map((line) => `  ${line}`),
    ...troubles.slice(0, 20),
    ...(troubles.length > 20 ? [`  … and ${number(troubles.length - 20)} more; see cells.csv`] : []),
    `  ${folder}/report.html`,
    replay,
  ];
}

function exitCodeOf({ settings }: Tuning): ExitCode {
  const statuses = settings.flatMap(({ cells }) => cells.map(({ status }) => status));
  const codes = statuses.map((status) =>
    status === 'broken' ? EXIT.invariantBroken : status === 'died' ? EXIT.stopped : EXIT.ok,
  );
  return codes.reduce(worse, EXIT.ok);
}
