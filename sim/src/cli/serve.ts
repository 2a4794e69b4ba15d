/** `sim serve FILE | --profile NAME`: the providers of a scenario, or a real provider's behaviour, as an HTTP server. */

import { once } from 'node:events';
import { isProfileName, profileNames, profileOf } from '@tidegate/providers-mock';
import { Command } from 'commander';
import type { LoadResult } from '../scenario/load.js';
import type { Scenario } from '../scenario/scenario.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { listenForInterrupt } from './interrupt.js';
import { wholeNumber } from './option-values.js';

interface Options {
  readonly profile?: string;
  readonly port: number;
  readonly host: string;
  readonly apiKey?: string;
}

const EXAMPLES = `
Try:
  sim serve --profile zhipu
  sim serve scenarios/fanout30.yaml --port 8080`;

export function serveCommand(finished: (code: ExitCode) => void): Command {
  const command = new Command('serve')
    .description('Serve mock providers over HTTP, until Ctrl-C.')
    .argument('[file]', 'scenario whose providers are served, with the changes of its timeline')
    .option('--profile <name>', `a real provider's behaviour instead: ${profileNames.join(', ')}`)
    .option('--port <n>', 'port to listen on; 0 = any free one', wholeNumber(0, 65_535), 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--api-key <key>', 'answer requests without this key as unauthorized')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: Options) => {
      if ((file === undefined) === (options.profile === undefined)) {
        command.error('error: give either a scenario file or --profile NAME');
      }
      finished(await serve(file, options));
    });
  return command;
}

async function serve(file: string | undefined, options: Options): Promise<ExitCode> {
  const loaded = file === undefined ? await loadProfile(options.profile as string) : await loadFile(file);
  if (loaded.kind === 'problems') {
    const { formatProblems } = await import('../scenario/problems.js');
    console.error(formatProblems(loaded.problems));
    return EXIT.usage;
  }
  try {
    await serveScenario(loaded.scenario, options);
    return EXIT.ok;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !CANNOT_LISTEN.has(code)) throw error;
    console.error(`cannot listen on ${options.host}:${options.port} (${code}); choose another --port or --host`);
    return EXIT.usage;
  }
}

const CANNOT_LISTEN = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EINVAL']);

async function loadFile(file: string): Promise<LoadResult> {
  const { loadScenarioFile } = await import('../scenario/scenario-file.js');
  return loadScenarioFile(file);
}

/** A profile is a provider of a scenario like any other; the run is there because a scenario needs one. */
async function loadProfile(name: string): Promise<LoadResult> {
  const { loadScenario } = await import('../scenario/load.js');
  if (!isProfileName(name)) {
    const { suggestion } = await import('../scenario/nearest.js');
    const message = `is no profile${suggestion(name, profileNames, 'there are')}`;
    return { kind: 'problems', problems: [{ file: `--profile ${name}`, line: 0, column: 0, path: '', message }] };
  }
  const [model] = Object.keys(profileOf(name).models);
  const runs = [{ id: 'none', target: `${name}/${model}`, agents: { count: 1 } }];
  const text = JSON.stringify({ name, providers: { [name]: { profile: name } }, workload: { runs } });
  return loadScenario({ text, path: `--profile ${name}`, readFile: () => '' });
}

async function serveScenario(scenario: Scenario, { host, port, apiKey }: Options): Promise<void> {
  const [{ startMockServer, WALL_CLOCK }, { RandomStreams }, { servedProvider }] = await Promise.all([
    import('@tidegate/providers-mock/server'),
    import('../kernel/random.js'),
    import('../transport/served-provider.js'),
  ]);
  const streams = new RandomStreams(scenario.seed);
  const providers = Object.entries(scenario.providers).map(([name, settings]) => [
    name,
    servedProvider(name, settings, streams),
  ]);
  const server = await startMockServer({
    providers: Object.fromEntries(providers),
    host,
    port,
    ...(apiKey !== undefined && { apiKey }),
    luck: (label) => {
      const stream = streams.stream(`providers/${label}`);
      return () => stream.next();
    },
  });
  console.log(linesOf(scenario, server.url).join('\n'));
  const changes = scenario.timeline.flatMap((entry) => {
    if (entry.kind !== 'set') return [];
    const change = (): void =>
      server.reconfigure(entry.provider, servedProvider(entry.provider, entry.becomes, streams));
    return [WALL_CLOCK.after(entry.atMs, change)];
  });
  const interrupt = listenForInterrupt('stopping: answering what is in flight');
  await once(interrupt.signal, 'abort');
  for (const cancel of changes) cancel();
  await server.close();
  interrupt.release();
}

/** Where each client has to point, and what it may ask for. */
function linesOf({ providers }: Scenario, url: string): readonly string[] {
  const names = Object.keys(providers);
  const lines = Object.entries(providers).map(([name, { wire, models }]) => {
    const base = names.length === 1 ? url : `${url}/${encodeURIComponent(name)}`;
    return `${name}: base URL ${base}${BASE_PATHS[wire]} · models ${Object.keys(models).join(', ')}`;
  });
  return [`listening on ${url}`, ...lines.map((line) => `  ${line}`), `  ${url}/health · ${url}/ledger · Ctrl-C stops`];
}

/** What the official client of each dialect has in its base URL. */
const BASE_PATHS = { openai: '/v1', anthropic: '', gemini: '' } as const;
