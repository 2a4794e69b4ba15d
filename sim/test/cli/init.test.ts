/** `sim init` as a process: what it writes runs, and what is there stays. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/sim.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tidegate-init-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

it('writes a scenario that runs as it is, and whose expectations hold', () => {
  expect(sim('init')).toEqual({
    status: 0,
    stdout: 'scenario.yaml\n    written; next: sim run scenario.yaml\n',
    stderr: '',
  });
  const run = sim('run', 'scenario.yaml');
  expect(run.status).toBe(0);
  expect(run.stdout.match(/ {2}PASS {2}/g)).toHaveLength(3);
});

it('comments out only what would be right if it were not', () => {
  sim('init', 'all.yaml');
  const text = readFileSync(join(folder, 'all.yaml'), 'utf8');
  // Not the lines in words, and not the second controller.
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^( *)# (?=( *)(initial|maxConcurrency|arrivals|timeline|-) ?)/, '$1'));
  writeFileSync(join(folder, 'all.yaml'), lines.join('\n'));
  const check = sim('check', 'all.yaml');
  expect(check).toEqual({ status: 0, stdout: 'all.yaml: ok\n', stderr: '' });
  expect(lines.filter((line) => /^ *(initial|maxConcurrency|arrivals|timeline):/.test(line))).toHaveLength(4);
});

it('never replaces what is there, unless told to', () => {
  writeFileSync(join(folder, 'mine.yaml'), 'mine');
  expect(sim('init', 'mine.yaml')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'sim init: mine.yaml is there already; give another name, or --force to replace it\n',
  });
  expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe('mine');
  expect(sim('init', 'mine.yaml', '--force').status).toBe(0);
  expect(sim('check', 'mine.yaml').status).toBe(0);
});

it('says what is wrong with a place that it cannot write to', () => {
  expect(sim('init', 'no/such/folder.yaml').stderr).toBe(
    'sim init: no/such/folder.yaml cannot be written: there is no such folder; make it first\n',
  );
});
