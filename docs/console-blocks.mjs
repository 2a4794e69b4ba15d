/**
 * The commands that a page shows with their output. A block of language `console` has lines that begin with `$ `, each a
 * command, and under each what it prints. `node docs/console-blocks.mjs PAGE... [--check]` runs them and writes what they print
 * into the pages, or only compares.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BLOCK = /```console\n([\s\S]*?)```/g;

/**
 * The page as it should be. All commands of a page run one after the other in one empty folder that has the scenarios, as
 * a reader's would; what goes to stderr (progress) is not shown.
 *
 * @param {string} page
 * @returns {string}
 */
export function withOutputs(page) {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-console-'));
  try {
    symlinkSync(join(ROOT, 'scenarios'), join(folder, 'scenarios'));
    return page.replaceAll(BLOCK, (_, text) => {
      const commands = text.split('\n').filter((line) => line.startsWith('$ '));
      const shown = commands.map((line) => `${line}\n${printedBy(line.slice(2), folder)}`);
      return `\`\`\`console\n${shown.join('')}\`\`\``;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Through a shell, as the reader's quotes and pipes want it; `npx sim` is the simulator of this clone. */
function printedBy(command, folder) {
  const local = command.replace(/^npx sim\b/, `"${process.execPath}" "${join(ROOT, 'sim/bin/sim.js')}"`);
  const { stdout } = spawnSync(local, {
    cwd: folder,
    encoding: 'utf8',
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = process.argv.slice(2).filter((argument) => argument !== '--check');
  const isCheck = process.argv.includes('--check');
  for (const file of files) {
    const page = readFileSync(file, 'utf8');
    const made = withOutputs(page);
    if (made === page) continue;
    if (!isCheck) writeFileSync(file, made);
    else {
      console.error(`${file} shows what its commands do not print; the same without --check writes it anew`);
      process.exitCode = 1;
    }
  }
}
