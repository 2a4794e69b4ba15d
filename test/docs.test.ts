/** The README's commands and outputs are what a newcomer sees: they are run here, on the built packages. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({ language, text }));

describe('the README', () => {
  it('has exactly two set-up commands', () => {
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text?.trim());
    expect(commands).toEqual(['npm ci && npx sim run scenarios/fanout30.yaml', 'npm ci && npm test']);
  });

  it('shows what its first command prints', () => {
    const out = mkdtempSync(join(tmpdir(), 'tidegate-docs-'));
    try {
      const args = ['sim/bin/sim.js', 'run', 'scenarios/fanout30.yaml', '--out', out];
      const printed = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      const shown = blocks.find(({ language }) => language === 'text')?.text;
      expect(printed.replaceAll(out, 'out')).toBe(shown);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }, 30_000);

  it('points to nothing that is not there', () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target as string);
    expect(targets.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});
