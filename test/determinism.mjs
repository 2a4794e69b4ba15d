/**
 * `npm run determinism`: every shipped scenario on this Node and on the other supported majors, each in processes of its
 * own; the traces must be the same to the byte. Not part of `check`: the other Nodes come as packages of 200 MB each.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scenarios = readdirSync(join(root, 'scenarios'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join('scenarios', name));
const out = mkdtempSync(join(tmpdir(), 'tidegate-determinism-'));

/** Scenario name → hash of its trace. */
function hashes([command, ...args]) {
  const run = [...args, 'sim/bin/sim.js', 'run', ...scenarios, '--json', '--out', out];
  const lines = execFileSync(command, run, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
    .trim()
    .split('\n');
  return new Map(lines.map((line) => JSON.parse(line)).map(({ scenario, traceSha256 }) => [scenario, traceSha256]));
}

try {
  const here = hashes([process.execPath]);
  let differences = 0;
  for (const node of [[process.execPath], ['npx', '-y', 'node@24'], ['npx', '-y', 'node@26']]) {
    const version = execFileSync(node[0], [...node.slice(1), '--version'], { encoding: 'utf8' }).trim();
    const there = hashes(node);
    const different = [...here].filter(([name, sha]) => there.get(name) !== sha).map(([name]) => name);
    differences += different.length;
    console.log(
      `${version}: ${different.length === 0 ? `${here.size} traces the same` : `differs in ${different.join(', ')}`}`,
    );
  }
  process.exitCode = differences === 0 ? 0 : 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
