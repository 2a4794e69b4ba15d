/** What `sim run` may be told: its options, what they may be together, and what they change in a scenario. Runs nothing. */

import type { Command } from 'commander';
import { CONTROLLERS } from '../scenario/controllers.js';
import type { OverrideOptions } from '../scenario/overrides.js';
import type { LiveOptions } from './live.js';
import { addBudgetOptions, addEndpointOptions, LIVE_ONLY } from './live-options.js';
import { collect, numberAbove0, wholeNumber } from './option-values.js';

export interface RunOptions extends LiveOptions {
  readonly seed?: number;
  readonly set?: readonly string[];
  readonly controller?: string;
  readonly out: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly trace: boolean;
  readonly junit?: string;
  readonly loopback: boolean;
  readonly speed?: number;
  readonly live: boolean;
}

/** Gives `sim run` its options. */
export function addRunOptions(command: Command): Command {
  command
    .option('--seed <n>', "seed of all random streams, instead of the scenario's", wholeNumber(0))
    .option('--set <path=value>', 'change one value of the scenario; may be given again', collect)
    .option(
      '--controller <name>',
      `${CONTROLLERS.join(', ')}, fixed:N, or the path of a module, relative to the scenario`,
    )
    .option('--out <dir>', 'where the results go, each run in a folder of its own', 'out')
    .option('--json', 'print the summary alone on stdout, one line per run', false)
    .option('--quiet', 'print only what failed', false)
    .option('--no-trace', 'write no trace.jsonl')
    .option('--junit <file>', 'write what held and what did not as JUnit XML, for CI')
    .option('--loopback', 'in real time, over HTTP, against the providers served on 127.0.0.1', false)
    .option('--speed <n>', 'with --loopback: n times as fast as the scenario says; a number above 0', numberAbove0())
    .option('--live', 'in real time against a real endpoint; shows the plan and asks before it sends', false);
  addBudgetOptions(addEndpointOptions(command));
  command.option('--keep-prompts', 'keep prompts and answers in the trace of a live run', false);
  return command;
}

/** Ends the command with a word on what cannot be asked for together. */
export function checkRunOptions({ speed, loopback, live }: RunOptions, command: Command): void {
  if (live && loopback) command.error("error: '--live' and '--loopback' are two places; choose one");
  const stray = live ? undefined : LIVE_ONLY.find((name) => command.getOptionValueSource(name) === 'cli');
  const option = command.options.find((each) => each.attributeName() === stray);
  if (option !== undefined) command.error(`error: option '${option.flags}' is about a real endpoint: add --live`);
  if (speed !== undefined && !loopback) {
    command.error("error: option '--speed <n>' is about real time: add --loopback, or leave it out");
  }
}

export function overridesOf({ set = [], seed, controller }: RunOptions): OverrideOptions {
  return { set, ...(seed === undefined ? {} : { seed }), ...(controller === undefined ? {} : { controller }) };
}
