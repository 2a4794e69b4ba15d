/** `sim list [DIR]`: the scenarios of a folder and the question each answers. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';

export function listCommand(): Command {
  return new Command('list')
    .description('List the scenarios of a folder with their questions.')
    .argument('[dir]', 'folder', 'scenarios')
    .addHelpText(
      'after',
      `
Try:
  sim list
  sim run scenarios/recovery.yaml`,
    )
    .action(async (dir: string, _options: unknown, command: Command) => {
      const { loadScenarioFile } = await import('../scenario/scenario-file.js');
      for (const file of scenarioFiles(dir, command)) {
        const loaded = loadScenarioFile(file);
        const line = loaded.kind === 'scenario' ? loaded.scenario.question : 'has problems; see: sim check';
        console.log(`${file}\n    ${line}`);
      }
    });
}

function scenarioFiles(dir: string, command: Command): readonly string[] {
  try {
    const names = readdirSync(dir).filter((name) => /\.ya?ml$/.test(name));
    return names.sort().map((name) => join(dir, name));
  } catch {
    return command.error(`${dir}: is not a readable folder; give one that holds scenarios, as: sim list scenarios`);
  }
}
