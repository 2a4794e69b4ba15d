/** The command line: knows the commands by name and what an exit code says, nothing of what they do. */

import { Command, CommanderError } from 'commander';
import { calibrateCommand } from './calibrate.js';
import { checkCommand } from './check.js';
import { compareCommand } from './compare.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { initCommand } from './init.js';
import { listCommand } from './list.js';
import { pressureCommand } from './pressure.js';
import { replayCommand } from './replay.js';
import { reportCommand } from './report.js';
import { runCommand } from './run.js';
import { schemaCommand } from './schema.js';
import { serveCommand } from './serve.js';
import { tuneCommand } from './tune.js';
import { VERSION } from './version.js';

const EXAMPLES = `
Try:
  sim run scenarios/fanout30.yaml
  sim list`;

/** In the order of the help. */
const COMMANDS = [
  runCommand,
  compareCommand,
  tuneCommand,
  initCommand,
  replayCommand,
  reportCommand,
  checkCommand,
  listCommand,
  serveCommand,
  calibrateCommand,
  pressureCommand,
  schemaCommand,
];

function program(finished: (code: ExitCode) => void): Command {
  const root = new Command('sim')
    .description('A wind tunnel for LLM fan-outs: drives the real governor against providers that refuse by quota.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  for (const command of COMMANDS.map((make) => make(finished))) {
    root.addCommand(command.exitOverride().showSuggestionAfterError());
  }
  return root;
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const root = program((finished) => {
    code = finished;
  });
  if (argv.length <= 2) {
    console.log(root.helpInformation() + EXAMPLES);
    return EXIT.ok;
  }
  try {
    await root.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are asked for; everything else that commander ends early is bad usage.
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}

// Whoever reads the output may stop reading, as `head` does; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`the output cannot be written: ${error.message}\n`);
  process.exit(EXIT.usage);
});

process.exitCode = await main(process.argv);
