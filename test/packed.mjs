/**
 * The packages as a stranger gets them: each is packed, all are installed into an empty project, and used there: the
 * governor by import, by require and by the compiler, a served mock, and the command line.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = ['governor', 'providers-mock', 'reports', 'sim'];
/** Nothing else belongs into a tarball: what runs, what its source maps point to, and what says what it is. */
const PACKED = /^(dist\/|src\/|bin\/|package\.json$|README\.md$|LICENSE$)/;

const scratch = mkdtempSync(join(tmpdir(), 'tidegate-packed-'));
const project = join(scratch, 'project');

function at(cwd, command, ...args) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function says(what, printed, expected) {
  if (!printed.includes(expected)) throw new Error(`${what}: expected ${JSON.stringify(expected)} in\n${printed}`);
  console.log(`${what}: ok`);
}

function pack(folder) {
  const [{ filename, files }] = JSON.parse(
    at(join(ROOT, folder), 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', scratch),
  );
  const strangers = files.map(({ path }) => path).filter((path) => !PACKED.test(path));
  if (strangers.length > 0) throw new Error(`${folder}: packs ${strangers.join(', ')}`);
  return join(scratch, filename);
}

const TYPED = `
import { createGovernor, type Governor } from '@tidegate/governor';
import { AimdController, type ConcurrencyController } from '@tidegate/governor';
import { FixedController } from '@tidegate/governor/controllers';
const governor: Governor = createGovernor({ initial: 4 });
const controller: ConcurrencyController = new FixedController({ key: 'a/b', cap: 3 });
export const cap: number | undefined = governor.snapshot({ provider: 'a', model: 'b' })?.cap;
export const both: ConcurrencyController[] = [controller, new AimdController({ key: 'a/b' })];
`;

try {
  const tarballs = PACKAGES.map(pack);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }\n');
  at(project, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs);

  writeFileSync(
    join(project, 'use.mjs'),
    `import { createGovernor } from '@tidegate/governor';
const governor = createGovernor({ initial: 2 });
const key = { provider: 'acme', model: 'large' };
console.log(await governor.request(key, async () => 'answered'), governor.snapshot(key).cap);\n`,
  );
  says('import', at(project, process.execPath, 'use.mjs'), 'answered 2');

  writeFileSync(
    join(project, 'use.cjs'),
    `const { createGovernor } = require('@tidegate/governor');
console.log(typeof createGovernor({}).acquire);\n`,
  );
  says('require', at(project, process.execPath, 'use.cjs'), 'function');

  writeFileSync(
    join(project, 'clock.mjs'),
    `import { ManualClock } from '@tidegate/governor/testing/clock';
const clock = new ManualClock();
clock.advance(5);
console.log('now', clock.now());\n`,
  );
  says('a clock without fast-check', at(project, process.execPath, 'clock.mjs'), 'now 5');

  writeFileSync(join(project, 'typed.ts'), TYPED);
  for (const [module, resolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'ES2022',
      '--module',
      module,
      '--moduleResolution',
      resolution,
    ];
    at(project, join(ROOT, 'node_modules/.bin/tsc'), ...options, 'typed.ts');
    console.log(`types, ${resolution}: ok`);
  }

  at(project, 'npx', '--no-install', 'sim', 'init', 'first.yaml');
  says('npx sim run', at(project, 'npx', '--no-install', 'sim', 'run', 'first.yaml'), 'requests succeeded');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
