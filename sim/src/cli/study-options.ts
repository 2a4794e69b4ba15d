/** The options that `sim compare` and `sim tune` share, and how they are read. */

import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';

export interface StudyOptions {
  readonly set: readonly string[];
  readonly workers: number;
  readonly out: string;
  readonly json: boolean;
}

export function addStudyOptions(command: Command): Command {
  return command
    .option('--set <path=value>', 'change one value of every scenario; may be given again', collect, [])
    .option('--workers <n>', 'worker threads; default: one per core', countingNumber, availableParallelism())
    .option('--out <dir>', 'where the report goes, in a folder of its own, and the finished cells', 'out')
    .option('--json', 'print the result alone on stdout, as JSON', false);
}

/** Of an option. @throws InvalidArgumentError for what is no whole number of at least 1. */
export function countingNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It is a whole number ≥ 1.');
  }
  return value;
}

export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
