/** `sim run FILE...`: runs scenarios, keeps their results, says what came of their expectations. */

import { Command } from 'commander';
import { InvariantBroken } from '../results/checks/invariants.js';
import { RunFolder } from '../results/run-folder.js';
import { REPLAY_TRACE, RunResults } from '../results/run-results.js';
import type { Summary } from '../results/summary.js';
import { brokenSuite, type JunitSuite, suiteOf } from '../results/to-junit.js';
import { type RunInput, run } from '../run.js';
import { formatProblems } from '../scenario/problems.js';
import type { Scenario } from '../scenario/scenario.js';
import type { StopReason, TraceEvent } from '../trace/events.js';
import { OutputError } from '../trace/output-error.js';
import { simulatedWorld, type World } from '../transport/world.js';
import { EXIT, type ExitCode, worse } from './exit-codes.js';
import { listenForInterrupt } from './interrupt.js';
import { writeJunit } from './junit-file.js';
import type { LivePreparation } from './live.js';
import { type LoadedRun, loadForRun } from './load-run.js';
import { Progress } from './progress.js';
import { replayCommand } from './replay-command.js';
import { firstLine, outcomeLines, verdictLines, warnings } from './run-lines.js';
import { addRunOptions, checkRunOptions, type RunOptions } from './run-options.js';
import { VERSION } from './version.js';

const EXAMPLES = `
Exit codes: 0 ok · 1 an expectation failed · 2 bad usage or scenario · 3 an invariant broke · 4 stopped before its end ·
130 interrupted.

Try:
  sim run scenarios/fanout30.yaml
  sim run scenarios/recovery.yaml --seed 7 --set governor.increaseAfterSuccesses=8`;

export function runCommand(finished: (code: ExitCode) => void): Command {
  const command = new Command('run')
    .description('Run scenarios, in virtual time or over HTTP; keep trace, figures and report of each.')
    .argument('<file...>', 'scenario files')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: RunOptions) => {
      checkRunOptions(options, command);
      finished(await runFiles(files, options));
    });
  return addRunOptions(command);
}

/** Loads all before it runs one: with a problem in any, nothing is run. */
async function runFiles(files: readonly string[], options: RunOptions): Promise<ExitCode> {
  const loaded = await Promise.all(files.map((file) => loadForRun(file, options)));
  const problems = loaded.flatMap((one) => (one.kind === 'problems' ? one.problems : []));
  if (problems.length > 0) {
    console.error(formatProblems(problems));
    return EXIT.usage;
  }
  const interrupt = listenForInterrupt('interrupted: keeping what is there');
  const suites: JunitSuite[] = [];
  let code: ExitCode = EXIT.ok;
  for (const one of loaded) {
    if (one.kind === 'problems') continue;
    const own = await runGuarded(one, options, { interrupt: interrupt.signal, suites });
    if (own === EXIT.usage) return own;
    code = worse(code, own);
    if (interrupt.signal.aborted) break;
  }
  interrupt.release();
  return options.junit === undefined || writeJunit(options.junit, suites) ? code : EXIT.usage;
}

/** What all runs of one command share. */
interface Session {
  readonly interrupt: AbortSignal;
  /** What held and what did not, run by run. */
  readonly suites: JunitSuite[];
}

async function runGuarded(loaded: LoadedRun, options: RunOptions, session: Session): Promise<ExitCode> {
  const { file, scenario } = loaded;
  try {
    return await runOne(loaded, options, session);
  } catch (error) {
    if (error instanceof OutputError) {
      console.error(error.message);
      return EXIT.usage;
    }
    if (error instanceof InvariantBroken) {
      console.error(`${file}: ${error.message}`);
      session.suites.push(
        brokenSuite(
          scenario.name,
          scenario.expect.map(({ path }) => path),
          error,
        ),
      );
    } else {
      console.error(`${file}: a defect of the simulator; please report it with the scenario\n`, error);
    }
    return EXIT.invariantBroken;
  }
}

async function runOne(loaded: LoadedRun, options: RunOptions, session: Session): Promise<ExitCode> {
  const { scenario: written } = loaded;
  const folder = new RunFolder({ out: options.out, name: written.name, seed: written.seed, trace: options.trace });
  try {
    const prepared = await prepare(options, written, session.interrupt);
    return prepared.kind === 'none'
      ? prepared.code
      : await runPrepared(loaded, prepared, options, { folder, ...session });
  } finally {
    folder.discard();
  }
}

async function runPrepared(
  { file, controller }: LoadedRun,
  { scenario, world }: Extract<LivePreparation, { kind: 'ready' }>,
  options: RunOptions,
  { folder, interrupt, suites }: Session & { readonly folder: RunFolder },
): Promise<ExitCode> {
  const progress = new Progress(scenario.name, options.live ? 'minutes' : 'virtual minutes');
  try {
    const results = new RunResults();
    const observe = (event: TraceEvent): void => {
      folder.trace?.observe(event);
      results.observe(event);
      progress.observe(event);
    };
    await runIn(world, { scenario, observe, interrupt, ...(controller && { controller }) });

    const replay = replayCommand({ ...options, file, seed: scenario.seed, set: options.set ?? [] });
    const traceSha256 = folder.trace?.close() ?? null;
    // A report with its trace beside it is made of that alone.
    const contents = results.contents({ traceSha256, replay: traceSha256 === null ? replay : REPLAY_TRACE });
    const kept = await folder.commit(contents);
    progress.end();
    if (kept !== undefined) console.error(`the live run that stood at ${folder.path} is kept as ${kept}`);
    const { summary } = contents;
    suites.push(suiteOf(summary));
    for (const line of warnings(summary, results.ending?.detail)) console.error(line);
    say(summary, folder.path, replay, options);
    return exitCodeOf(summary, results.ending?.stop ?? 'interrupted');
  } finally {
    progress.end();
  }
}

async function prepare(options: RunOptions, scenario: Scenario, interrupt: AbortSignal): Promise<LivePreparation> {
  if (!options.live) return { kind: 'ready', scenario, world: await worldOf(options, scenario) };
  const { prepareLive } = await import('./live.js');
  return prepareLive(scenario, options, interrupt);
}

async function runIn(world: World, input: Omit<RunInput, 'world' | 'version'>): Promise<void> {
  try {
    await run({ ...input, world, version: VERSION });
  } finally {
    await world.close();
  }
}

async function worldOf({ loopback, speed }: RunOptions, scenario: Scenario): Promise<World> {
  if (!loopback) return simulatedWorld(scenario);
  // A client and a server take longer to load than most runs take in virtual time.
  const { loopbackWorld } = await import('../transport/loopback-world.js');
  return loopbackWorld(scenario, speed === undefined ? {} : { speed });
}

function say(summary: Summary, folder: string, replay: string, { json, quiet }: RunOptions): void {
  if (json) {
    console.log(JSON.stringify(summary));
    if (!quiet) console.error(`${summary.scenario}: ${folder}/report.html`);
    return;
  }
  const verdicts = verdictLines(summary);
  if (quiet) {
    const failed = verdicts.filter((_, i) => summary.expectations[i]?.pass === false);
    if (failed.length > 0) console.log([firstLine(summary), ...failed, replay].join('\n'));
    return;
  }
  console.log(
    [firstLine(summary), ...verdicts, ...outcomeLines(summary), `  ${folder}/report.html`, replay].join('\n'),
  );
}

function exitCodeOf(summary: Summary, stop: StopReason): ExitCode {
  if (stop === 'interrupted') return EXIT.interrupted;
  if (!summary.complete) return EXIT.stopped;
  return summary.expectations.every(({ pass }) => pass) ? EXIT.ok : EXIT.expectationFailed;
}
