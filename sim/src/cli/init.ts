/** `sim init [FILE]`: writes a scenario to begin with. What is there already it replaces only when told to. */

import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.js';

export function initCommand(finished: (code: ExitCode) => void): Command {
  return new Command('init')
    .description('Write a commented scenario that runs as it is.')
    .argument('[file]', 'where to write it', 'scenario.yaml')
    .option('--force', 'replace the file if it is there already', false)
    .addHelpText(
      'after',
      `
Try:
  sim init
  sim run scenario.yaml`,
    )
    .action(async (file: string, { force }: { readonly force: boolean }) => {
      const { FIRST_SCENARIO } = await import('./first-scenario.js');
      try {
        writeFileSync(file, FIRST_SCENARIO, { flag: force ? 'w' : 'wx' });
      } catch (error) {
        console.error(`sim init: ${file} ${failureOf(error as NodeJS.ErrnoException)}`);
        finished(EXIT.usage);
        return;
      }
      console.log(`${file}\n    written; next: sim run ${file}`);
    });
}

function failureOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EEXIST':
      return 'is there already; give another name, or --force to replace it';
    case 'ENOENT':
      return 'cannot be written: there is no such folder; make it first';
    case 'EISDIR':
      return 'is a folder; give the name of a file';
    default:
      return `cannot be written: ${message}`;
  }
}
