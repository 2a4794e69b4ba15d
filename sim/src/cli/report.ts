/** `sim report TRACE`: figures, time series and report out of a trace, the same bytes as the run left beside it. */

import { dirname } from 'node:path';
import { Command } from 'commander';
import { InvariantBroken } from '../results/checks/invariants.js';
import { RunFolder, writeBeside } from '../results/run-folder.js';
import { REPLAY_TRACE, RunResults } from '../results/run-results.js';
import { OutputError } from '../trace/output-error.js';
import { readTrace, TraceError } from '../trace/reader.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { firstLine, outcomeLines, verdictLines } from './run-lines.js';

interface Options {
  readonly out?: string;
  readonly json: boolean;
}

const EXAMPLES = `
Exit codes: 0 written, whatever it says · 2 no trace, or no place to write · 3 the trace breaks an invariant.

Try:
  sim run scenarios/fanout30.yaml
  sim report out/fanout30-1/trace.jsonl`;

export function reportCommand(finished: (code: ExitCode) => void): Command {
  return new Command('report')
    .description('Make summary, time series and report of a trace anew.')
    .argument('<trace>', 'trace.jsonl of a run')
    .option('--out <dir>', 'where the results go, in a folder of their own; default: beside the trace')
    .option('--json', 'print the summary alone on stdout', false)
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, options: Options) => {
      finished(await reportGuarded(path, options));
    });
}

async function reportGuarded(path: string, options: Options): Promise<ExitCode> {
  try {
    await report(path, options);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof InvariantBroken) {
      console.error(`${path}: ${error.message}`);
      return EXIT.invariantBroken;
    }
    if (!(error instanceof TraceError || error instanceof OutputError)) throw error;
    console.error(error.message);
    return EXIT.usage;
  }
}

async function report(path: string, { out, json }: Options): Promise<void> {
  const results = new RunResults();
  const { sha256, brokenLine } = readTrace(path, (event) => results.observe(event));
  if (brokenLine !== null) console.error(`${path}: line ${brokenLine} breaks off and is left out`);
  const contents = results.contents({ traceSha256: sha256, replay: REPLAY_TRACE });
  const { summary } = contents;
  let folder = dirname(path);
  if (out === undefined) {
    await writeBeside(folder, contents);
  } else {
    const kept = new RunFolder({ out, name: summary.scenario, seed: summary.seed, trace: false });
    await kept.commit(contents);
    folder = kept.path;
  }
  if (json) console.log(JSON.stringify(summary));
  else {
    const said = [firstLine(summary), ...verdictLines(summary), ...outcomeLines(summary)];
    console.log([...said, `  ${folder}/report.html`].join('\n'));
  }
}
