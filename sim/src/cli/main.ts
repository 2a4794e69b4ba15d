/** The command line: knows the commands by name and what an exit code says, nothing of what they do. */

import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.js';
import { VERSION } from './version.js';
import { wrapped } from './wrapped.js';

const EXAMPLES = `
Try:
  sim run scenarios/fanout30.yaml
  sim list`;

type MakeCommand = (finished: (code: ExitCode) => void) => Command;

/** In the order of the help. Each is loaded when it is asked for: what one needs takes longer to load than others to run. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  run: async () => (await import('./run.js')).runCommand,
  compare: async () => (await import('./compare.js')).compareCommand,
  tune: async () => (await import('./tune.js')).tuneCommand,
  init: async () => (await import('./init.js')).initCommand,
  replay: async () => (await import('./replay.js')).replayCommand,
  report: async () => (await import('./report.js')).reportCommand,
  check: async () => (await import('./check.js')).checkCommand,
  list: async () => (await import('./list.js')).listCommand,
  serve: async () => (await import('./serve.js')).serveCommand,
  calibrate: async () => (await import('./calibrate.js')).calibrateCommand,
  pressure: async () => (await import('./pressure.js')).pressureCommand,
  schema: async () => (await import('./schema.js')).schemaCommand,
};

/** The command that is asked for; all, where it is none of them or the help is. */
async function commandsFor(asked: string | undefined): Promise<readonly MakeCommand[]> {
  const load = asked !== undefined && Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined;
  return Promise.all(load === undefined ? Object.values(COMMANDS).map((each) => each()) : [load()]);
}

function program(commands: readonly MakeCommand[], finished: (code: ExitCode) => void): Command {
  const root = new Command('sim')
    .description('A wind tunnel for LLM fan-outs: drives the real governor against providers that refuse by quota.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ writeOut: (text) => process.stdout.write(wrapped(text, columns())), getOutHelpWidth: columns })
    .addHelpText('after', EXAMPLES);
  for (const command of commands.map((make) => make(finished))) {
    root.addCommand(command.copyInheritedSettings(root));
  }
  return root;
}

/** Of the terminal; of a page where there is none. */
function columns(): number {
  return process.stdout.columns ?? (Number(process.env.COLUMNS) || 80);
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const root = program(await commandsFor(argv[2]), (finished) => {
    code = finished;
  });
  if (argv.length <= 2) {
    root.outputHelp();
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
