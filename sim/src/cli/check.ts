/** `sim check FILE...`: validates scenarios and runs nothing. */

import { Command } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.js';

export function checkCommand(finished: (code: ExitCode) => void): Command {
  return new Command('check')
    .description('Validate scenarios; list all their problems with lines. Runs nothing.')
    .argument('<file...>', 'scenario files')
    .addHelpText(
      'after',
      `
Try:
  sim check scenarios/fanout30.yaml
  sim check scenarios/*.yaml`,
    )
    .action(async (files: readonly string[]) => {
      const { loadScenarioFile } = await import('../scenario/scenario-file.js');
      const { formatProblems } = await import('../scenario/problems.js');
      for (const file of files) {
        const loaded = loadScenarioFile(file);
        if (loaded.kind === 'scenario') {
          console.log(`${file}: ok`);
        } else {
          console.error(formatProblems(loaded.problems));
          finished(EXIT.usage);
        }
      }
    });
}
