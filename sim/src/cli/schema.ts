/** `sim schema`: the JSON Schema of the scenario language, on stdout. */

import { Command } from 'commander';

export function schemaCommand(): Command {
  return new Command('schema')
    .description('Print the JSON Schema of the scenario language.')
    .addHelpText(
      'after',
      `
Try:
  sim schema > scenario.schema.json
  sim check scenarios/fanout30.yaml`,
    )
    .action(async () => {
      const { jsonSchema } = await import('../scenario/schema.js');
      process.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
    });
}
