/** The READMEs' commands and outputs are what a newcomer sees: they are run here, on the built packages. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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

describe('the README', () => {
  it('has exactly two set-up commands', () => {
    expect(blocksOf('README.md', 'sh').map((text) => text.trim())).toEqual([
      'npm ci && npx sim run scenarios/fanout30.yaml',
      'npm ci && npm test',
    ]);
  });

  it('shows what its first command prints', () => {
    const out = mkdtempSync(join(tmpdir(), 'tidegate-docs-'));
    try {
      const args = [SIM, 'run', 'scenarios/fanout30.yaml', '--out', out];
      const printed = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      expect(printed.replaceAll(out, 'out')).toBe(blocksOf('README.md', 'text')[0]);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });

  it('shows what the commands of its recipes print (node docs/console-blocks.mjs writes it anew)', () => {
    const text = read('README.md');
    expect(withOutputs(text)).toBe(text);
  });

  it('governs an SDK as printed, against a served mock', async () => {
    const { port, stop } = await served('scenarios/fanout30.yaml');
    // Below the root, where its imports are found.
    const folder = join(ROOT, 'node_modules/.cache/tidegate-recipe');
    mkdirSync(folder, { recursive: true });
    try {
      const [recipe = ''] = blocksOf('README.md', 'js');
      const file = join(folder, 'recipe.mjs');
      writeFileSync(file, recipe.replace(':8080', `:${port}`).replaceAll('gpt-5', 'large'));
      const printed = execFileSync(process.execPath, [file], { cwd: ROOT, encoding: 'utf8' });
      expect(printed).toMatch(/^24 answers, cap [1-8]\n$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await stop();
    }
  });

  it.each(['sh', 'text', 'console', 'js'])('is the same in Chinese: its %s blocks, but for comments', (language) => {
    const withoutComments = (page: string) => blocksOf(page, language).map((text) => text.replaceAll(/ \/\/ .*/g, ''));
    expect(withoutComments('README.zh-CN.md')).toEqual(withoutComments('README.md'));
  });
});

async function served(scenario: string): Promise<{ readonly port: number; stop(): Promise<unknown> }> {
  const server = spawn(process.execPath, [SIM, 'serve', scenario, '--port', '0'], { cwd: ROOT });
  const stop = (): Promise<unknown> => {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    return exited;
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    if (port > 0) return { port, stop };
  }
  throw new Error(`${scenario} is not served`);
}

describe('the pages about tuning', () => {
  it('docs/tuning.md shows what its commands print (node docs/console-blocks.mjs docs/tuning.md writes it anew)', () => {
    const text = read('docs/tuning.md');
    expect(blocksOf('docs/tuning.md', 'console').length).toBeGreaterThan(2);
    expect(withOutputs(text)).toBe(text);
  }, 300_000);

  it.each(readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^0(0[6-9]|1[01])-/.test(name)))(
    '%s is proven or refuted by a tuning on shipped scenarios, which npm run docs:decisions runs',
    (name) => {
      const page = join('docs/decisions', name);
      const tunings = blocksOf(page, 'console').filter((text) => text.startsWith('$ npx sim tune '));
      expect(tunings.length).toBeGreaterThan(0);
      for (const text of tunings) {
        const files = [...text.split('\n')[0]!.matchAll(/scenarios\/\S+\.yaml/g)].map(([file]) => file);
        expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
        expect(text).toMatch(/^ {2}Recommended: /m);
      }
      expect(read('package.json')).toContain(page);
    },
  );
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
