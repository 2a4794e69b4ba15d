/** `sim compare FILE --controllers a,b,c`: the same seeds under each controller, and what can be said of the difference. */

import { Command } from 'commander';
import { claims } from '../results/comparison/claims.js';
import { type Comparison, type Contest, comparison, isNarrowEnough, ORACLE } from '../results/comparison/comparison.js';
import { comparisonContents, comparisonJson, seedsLine, tableLines } from '../results/comparison/comparison-report.js';
import { CellStore } from '../results/study/cell-store.js';
import { curveOf } from '../results/study/curve.js';
import { openStudy, type StudiedScenario } from '../results/study/studied-scenario.js';
import { type Cell, type StudyOptions as RunOptions, runCells } from '../results/study/study.js';
import { writeStudy } from '../results/study/study-folder.js';
import { workerThreads } from '../results/study/worker-pool.js';
import { formatProblems } from '../scenario/problems.js';
import { EXIT, type ExitCode, worse } from './exit-codes.js';
import { guarded } from './guarded-study.js';
import { listenForInterrupt } from './interrupt.js';
import { wholeNumber } from './option-values.js';
import { refuse } from './refuse.js';
import { quoted } from './replay-command.js';
import { addStudyOptions, type StudyOptions } from './study-options.js';
import { StudyProgress } from './study-progress.js';
import { VERSION } from './version.js';

interface Options extends StudyOptions {
  readonly controllers: string;
  readonly seeds: number;
}

const EXAMPLES = `
Seeds are added eight at a time until every difference from the first controller is known to 1 % of its time and half a
percentage point of refused share, or until there are as many as --seeds allows. The oracle, which knows the provider, is
always among them; regret is against it.

Exit codes: 0 ok · 2 bad usage or scenario · 3 an invariant broke · 4 a worker died · 130 interrupted.

Try:
  sim compare scenarios/fanout30.yaml --controllers aimd,fixed:5,none --seeds 16
  sim compare scenarios/recovery.yaml --controllers aimd,gradient2,vegas,netflix-aimd --seeds 8`;

const BATCH = 8;

export function compareCommand(finished: (code: ExitCode) => void): Command {
  const command = new Command('compare')
    .description('Compare controllers on one scenario, on the same seeds; claim what the data supports, and no more.')
    .argument('<file>', 'a scenario file')
    .requiredOption('--controllers <names>', 'separated by commas; the first is what the others are compared with')
    .option('--seeds <n>', 'the most runs per controller', wholeNumber(1), 40)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: Options) => {
      finished(await guarded(() => compare(file, options)));
    });
  return addStudyOptions(command);
}

async function compare(file: string, options: Options): Promise<ExitCode> {
  const opened = openStudy([file], options.set);
  if (opened.kind === 'problems') return refuse(formatProblems(opened.problems));
  const studied = opened.scenarios[0]!;
  const names = namesOf(options.controllers);
  const loaded = cellsOf(studied, names, options.set);
  if (typeof loaded === 'string') return refuse(loaded);

  const store = new CellStore(`${options.out}/cells.jsonl`);
  const interrupt = listenForInterrupt('interrupted: finished runs are kept, and the same command goes on from there');
  const workers = workerThreads(options.workers);
  const progress = new StudyProgress();
  try {
    const study = { workers, store, version: VERSION, progress: progress.update, interrupt: interrupt.signal };
    const result = await replicate(studied.scenario.name, names, loaded, options.seeds, study);
    progress.end();
    const courses = await coursesOf(names, loaded);
    const replay = replayOf(file, options);
    const contents = comparisonContents({ comparison: result, question: studied.scenario.question, courses, replay });
    const folder = await writeStudy(options.out, `compare-${studied.scenario.name}`, contents);
    if (options.json) console.log(JSON.stringify(comparisonJson(result)));
    else console.log(said(result, folder, replay).join('\n'));
    return exitCodeOf(result.contests);
  } finally {
    progress.end();
    interrupt.release();
    await workers.close();
  }
}

/** Each once, and the oracle last if it was not asked for. */
function namesOf(controllers: string): readonly string[] {
  const asked = controllers.split(',').map((name) => name.trim());
  return [...new Set([...asked, ORACLE])];
}

/** A cell per controller, or what is wrong with them, all at once. */
function cellsOf(
  { load, folder }: StudiedScenario,
  names: readonly string[],
  set: readonly string[],
): readonly Cell[] | string {
  const loads = names.map((controller) => ({ controller, result: load({ set, controller }) }));
  const problems = loads.flatMap(({ result }) => (result.kind === 'problems' ? result.problems : []));
  if (problems.length > 0) {
    const named = problems.map((problem) =>
      problem.file === '--controller' ? { ...problem, file: '--controllers' } : problem,
    );
    return [...new Set(named.map((problem) => formatProblems([problem])))].join('\n');
  }
  return loads.flatMap(({ controller, result }) =>
    result.kind === 'scenario' ? [{ label: controller, scenario: result.scenario, folder }] : [],
  );
}

type Replicated = Comparison & { readonly contests: readonly Contest[] };

/** Adds seeds until the differences are known well enough, or there are no more. */
async function replicate(
  scenario: string,
  names: readonly string[],
  cells: readonly Cell[],
  most: number,
  study: RunOptions,
): Promise<Replicated> {
  for (let count = Math.min(BATCH, most); ; count = Math.min(count + BATCH, most)) {
    const seeds = Array.from({ length: count }, (_, i) => i + 1);
    const rows = await runCells(cells, seeds, study);
    const contests = names.map((name, i) => ({ name, cell: rows[i]! }));
    const isNarrow = isNarrowEnough(contests, seeds);
    if (!isNarrow && count < most) continue;
    const stopped = isNarrow ? 'narrow' : 'bound';
    return { ...comparison({ scenario, version: VERSION, contests, seeds, stopped }), contests };
  }
}

async function coursesOf(names: readonly string[], cells: readonly Cell[]) {
  const courses = await Promise.all(cells.map((cell) => curveOf(cell, 1, VERSION)));
  return names.flatMap((name, i) => {
    const course = courses[i];
    return course === undefined ? [] : [[name, course] as const];
  });
}

function replayOf(file: string, { controllers, seeds, set }: Options): string {
  const options = ['--controllers', controllers, ...set.flatMap((text) => ['--set', text]), '--seeds', String(seeds)];
  return ['npx', 'sim', 'compare', file, ...options].map(quoted).join(' ');
}

function said(result: Comparison, folder: string, replay: string): readonly string[] {
  return [
    seedsLine(result),
    ...tableLines(result).map((line) => `  ${line}`),
    ...claims(result).map((line) => `  ${line}`),
    `  ${folder}/report.html`,
    replay,
  ];
}

function exitCodeOf(contests: readonly Contest[]): ExitCode {
  const codes = contests.map(({ cell: { rows, died } }) => {
    if (rows.some(({ stop }) => stop === 'broken')) return EXIT.invariantBroken;
    return died === undefined ? EXIT.ok : EXIT.stopped;
  });
  return codes.reduce<ExitCode>(worse, EXIT.ok);
}
