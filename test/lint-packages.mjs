/** Lints every package as it would be published: the manifest (publint) and the types in every module mode (attw). */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = ['governor', 'providers-mock', 'reports', 'sim'];

let failed = 0;
for (const folder of packages) {
  for (const [tool, args] of [
    ['publint', ['run', folder, '--strict']],
    ['attw', ['--pack', folder, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']],
  ]) {
    try {
      execFileSync('npx', ['--no-install', tool, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
      console.log(`${folder}: ${tool} ok`);
    } catch (error) {
      failed++;
      console.error(`${folder}: ${tool} failed\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    }
  }
}
process.exitCode = failed === 0 ? 0 : 1;
