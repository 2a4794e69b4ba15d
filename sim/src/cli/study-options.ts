/** The options that `sim compare` and `sim tune` share, and how they are read. */

import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { collect, wholeNumber } from './option-values.js';

export interface StudyOptions {
  readonly set: readonly string[];
  readonly workers: number;
  readonly out: string;
  readonly json: boolean;
}

export function addStudyOptions(command: Command): Command {
  return command
    .option('--set <path=value>', 'change one value of every scenario; may be given again', collect, [])
    .option('--workers <n>', 'worker threads; default: one per core', wholeNumber(1), availableParallelism())
    .option('--out <dir>', 'where the report goes, in a folder of its own, and the finished cells', 'out')
    .option('--json', 'print the result alone on stdout, as JSON', false);
}
