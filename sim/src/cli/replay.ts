/** `sim replay TRACE`: runs the scenario of a trace again, in the simulator, and says whether the same comes of it. */

import { resolve } from 'node:path';
import { Command } from 'commander';
import { loadController } from '../baselines/controller-module.js';
import type { MakeController } from '../baselines/controllers.js';
import { figuresBeside, tableLines } from '../results/figures-beside.js';
import { Metrics } from '../results/metrics.js';
import { scenarioOf } from '../results/scenario-facts.js';
import { type Comparison, TraceComparison } from '../results/trace-comparison.js';
import { run } from '../run.js';
import { isModulePath } from '../scenario/controllers.js';
import type { Scenario } from '../scenario/scenario.js';
import type { TraceStarted } from '../trace/events.js';
import { linesOf } from '../trace/lines.js';
import { eventIn, readTrace, TraceError } from '../trace/reader.js';
import { simulatedWorld } from '../transport/world.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { listenForInterrupt } from './interrupt.js';
import { Progress } from './progress.js';
import { VERSION } from './version.js';

interface Options {
  readonly json: boolean;
}

const EXAMPLES = `
A trace of the simulator is compared event by event; one over HTTP has times of its own, and is laid beside what the
simulator makes of its scenario.

Exit codes: 0 the same, or laid beside · 2 no trace · 3 not the same: the first event that differs is named ·
130 interrupted.

Try:
  sim run scenarios/fanout30.yaml
  sim replay out/fanout30-1/trace.jsonl`;

export function replayCommand(finished: (code: ExitCode) => void): Command {
  return new Command('replay')
    .description('Run the scenario of a trace again, and compare.')
    .argument('<trace>', 'trace.jsonl of a run')
    .option('--json', 'print the outcome as one line of JSON', false)
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, options: Options) => {
      finished(await replay(path, options));
    });
}

async function replay(path: string, options: Options): Promise<ExitCode> {
  const interrupt = listenForInterrupt('interrupted: comparing no further');
  try {
    const started = startOf(path);
    if (started.version !== VERSION) {
      console.error(`the trace was written by version ${started.version}; this is version ${VERSION}`);
    }
    if (started.mode !== 'simulated') return await layBeside(path, started, options, interrupt.signal);
    const compared = await compare(path, started, interrupt.signal);
    if (interrupt.signal.aborted) return EXIT.interrupted;
    say(path, compared, options);
    return compared.kind === 'identical' ? EXIT.ok : EXIT.invariantBroken;
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    console.error(error.message);
    return EXIT.usage;
  } finally {
    interrupt.release();
  }
}

/** The first event, which has the whole scenario. */
function startOf(path: string): TraceStarted {
  for (const { text } of linesOf(path)) {
    const event = eventIn(text, 1, path);
    if (event === undefined) throw new TraceError(`${path}: line 1 is not JSON; a trace has one event a line`);
    return event as TraceStarted;
  }
  throw new TraceError(`${path}: is empty; a trace begins with a trace-started event`);
}

async function compare(path: string, started: TraceStarted, interrupt: AbortSignal): Promise<Comparison> {
  const comparison = new TraceComparison(linesOf(path));
  const decided = new AbortController();
  await runAgain(started, AbortSignal.any([interrupt, decided.signal]), (event) => {
    comparison.observe(event);
    if (comparison.isDecided) decided.abort();
  });
  return comparison.end();
}

async function layBeside(
  path: string,
  started: TraceStarted,
  { json }: Options,
  interrupt: AbortSignal,
): Promise<ExitCode> {
  const [recorded, replayed] = [new Metrics(), new Metrics()];
  readTrace(path, (event) => recorded.observe(event));
  await runAgain(started, interrupt, (event) => replayed.observe(event));
  if (interrupt.aborted) return EXIT.interrupted;
  const [one, other] = [recorded.figures(), replayed.figures()];
  if (json) console.log(JSON.stringify({ recorded: one, replayed: other }));
  else {
    const head = [`${one.scenario}, seed ${one.seed}`, `recorded, ${one.mode}`, 'simulated'] as const;
    console.log(tableLines(head, figuresBeside(one, other)).join('\n'));
  }
  return EXIT.ok;
}

/** With the version of the trace, so that nothing but what happens is compared. */
async function runAgain(
  started: TraceStarted,
  interrupt: AbortSignal,
  observe: Parameters<typeof run>[0]['observe'],
): Promise<void> {
  const scenario = scenarioOf(started);
  const controller = await controllerOf(scenario);
  const world = simulatedWorld(scenario);
  const progress = new Progress(scenario.name, 'virtual minutes');
  try {
    await run({
      ...{ scenario, world, version: started.version, interrupt },
      ...(controller && { controller }),
      observe(event) {
        progress.observe(event);
        observe(event);
      },
    });
  } finally {
    progress.end();
    await world.close();
  }
}

/** A module is where the scenario was, which the trace does not say: it is looked for from the current folder. */
async function controllerOf({ governor }: Scenario): Promise<MakeController | undefined> {
  const { controller, options } = governor;
  if (!isModulePath(controller)) return undefined;
  try {
    return await loadController(resolve(controller), options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TraceError(`${controller}: ${reason}; replay in the folder of the scenario`, { cause });
  }
}

function say(path: string, compared: Comparison, { json }: Options): void {
  if (json) {
    console.log(JSON.stringify(compared));
  } else if (compared.kind === 'identical') {
    const { events, until } = compared;
    console.log(`${path}: identical, ${events.toLocaleString('en')} events to ${until}`);
  } else {
    const { line, recorded, replayed } = compared;
    console.log(`${path}: the first event that differs is in line ${line}`);
    console.log(`  recorded  ${recorded ?? 'nothing: the record has ended'}`);
    console.log(`  replayed  ${replayed ?? 'nothing: the run has ended'}`);
  }
}
