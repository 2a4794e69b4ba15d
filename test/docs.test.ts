/** The READMEs' commands and outputs are what a newcomer sees: they are run here, on the built packages. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withOutputs } from '../docs/console-blocks.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SIM = join(ROOT, 'sim/bin/sim.js');

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function blocksOf(page: string, language: string): readonly string[] {
  const blocks = read(page).matchAll(/```(\w+)\n([\s\S]*?)```/g);
  return [...blocks].flatMap(([, name, text = '']) => (name === language ? [text] : []));
}

describe.each(['README.md', 'README.zh-CN.md'])('%s', (page) => {
  it('has exactly two set-up commands', () => {
    expect(blocksOf(page, 'sh').map((text) => text.trim())).toEqual([
      'npm ci && npx sim run scenarios/fanout30.yaml',
      'npm ci && npm test',
    ]);
  });

  it('shows what its first command prints', () => {
    const out = mkdtempSync(join(tmpdir(), 'tidegate-docs-'));
    try {
      const args = [SIM, 'run', 'scenarios/fanout30.yaml', '--out', out];
      const printed = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      expect(printed.replaceAll(out, 'out')).toBe(blocksOf(page, 'text')[0]);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });

  it('shows what the commands of its recipes print (node docs/console-blocks.mjs writes it anew)', () => {
    const text = read(page);
    expect(withOutputs(text)).toBe(text);
  });
});

describe('the recipe that governs an SDK', () => {
  let server: ReturnType<typeof spawn>;
  let port = 0;
  // Below the root, where its imports are found.
  const folder = join(ROOT, 'node_modules/.cache/tidegate-recipe');

  beforeAll(async () => {
    server = spawn(process.execPath, [SIM, 'serve', 'scenarios/fanout30.yaml', '--port', '0'], { cwd: ROOT });
    for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
      port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0);
      if (port > 0) break;
    }
    mkdirSync(folder, { recursive: true });
  });

  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['README.md', 'README.zh-CN.md'])('works as printed in %s, against a served mock', (page) => {
    const recipe = (blocksOf(page, 'js')[0] as string).replace(':8080', `:${port}`).replaceAll('gpt-5', 'large');
    const file = join(folder, 'recipe.mjs');
    writeFileSync(file, recipe);
    const printed = execFileSync(process.execPath, [file], { cwd: ROOT, encoding: 'utf8' });
    expect(printed).toMatch(/^24 answers, cap [1-8]\n$/);
  });
});

describe('every page', () => {
  const pages = ['.', 'docs', 'docs/decisions', 'governor', 'providers-mock', 'reports', 'sim'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );

  it.each(pages)('%s points to nothing that is not there', (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target as string);
    const local = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  it.each(['profiles', 'scenario-reference'])('docs/%s.md is current', (name) => {
    const maker = join(ROOT, 'docs', `make-${name}.mjs`);
    expect(() => execFileSync(process.execPath, [maker, '--check'], { encoding: 'utf8', stdio: 'pipe' })).not.toThrow();
  });
});
