/**
 * `npm run mutants [TEXT]`: proof that the governor's tests bite. Each mutant breaks one rule in a copy of the sources,
 * never in the tree, and the sequence tests, then the properties, are run on it until the first fails. Says which test
 * noticed; fails if a mutant goes unnoticed or its text is no longer found. TEXT selects mutants by name.
 */

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutant-list.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What is cheap and names the rule comes first. */
const SUITES = [['governor/test/aimd.test.ts', 'governor/test/gate'], ['governor/test/properties']];
/** A mutant that hangs is noticed too. The suites take a few seconds on an idle machine. */
const TIMEOUT_MS = 120_000;
/** The same scripts for every run: what is noticed today is noticed tomorrow. */
const env = { ...process.env, TIDEGATE_SEED: '20', CI: '' };

function workspace() {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-mutants-'));
  mkdirSync(join(folder, 'governor'));
  for (const path of ['governor/src', 'governor/test', 'vitest.config.ts', 'package.json']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** The first failed test of one suite; undefined when all pass. */
function firstFailure(folder, suite) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = ['run', ...suite, '--root', folder, '--bail', '1', '--maxWorkers', '1'];
  args.push('--reporter', 'json', '--outputFile', report);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, ...args], { cwd: folder, env, stdio: 'ignore' });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, TIMEOUT_MS);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      if (isLate) resolve(`no end within ${TIMEOUT_MS / 1_000} s`);
      else resolve(code === 0 ? undefined : nameOfFailure(report));
    });
  });
}

function nameOfFailure(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  for (const { name, assertionResults, message } of testResults) {
    const file = name.slice(name.indexOf('governor/test/') + 'governor/test/'.length);
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return `${file}: ${failed.fullName}`;
    if (message) return `${file}: ${message.split('\n')[0]}`;
  }
  return 'an error outside of any test';
}

async function noticedBy(folder) {
  for (const suite of SUITES) {
    const failure = await firstFailure(folder, suite);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** The edits of a mutant as [path, original, changed]; undefined when a text is not there exactly once. */
function editsOf({ file, find, replace, with: others = [] }, folder) {
  const edits = [{ file, find, replace }, ...others].map((edit) => {
    const path = join(folder, 'governor/src', edit.file);
    const original = readFileSync(path, 'utf8');
    const parts = original.split(edit.find);
    return parts.length === 2 ? [path, original, parts.join(edit.replace)] : undefined;
  });
  return edits.includes(undefined) ? undefined : edits;
}

async function work(queue, folder, tally) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const edits = editsOf(mutant, folder);
    if (edits === undefined) {
      tally.lost++;
      console.log(
        `LOST      ${mutant.name}\n          its text is not there exactly once in governor/src/${mutant.file}`,
      );
      continue;
    }
    for (const [path, , changed] of edits) writeFileSync(path, changed);
    const killer = await noticedBy(folder);
    for (const [path, original] of edits) writeFileSync(path, original);
    if (killer === undefined) tally.survived++;
    else tally.killed++;
    console.log(killer === undefined ? `SURVIVED  ${mutant.name}` : `killed    ${mutant.name}\n          ${killer}`);
  }
}

const wanted = process.argv[2] ?? '';
const queue = MUTANTS.filter(({ name }) => name.includes(wanted));
const folders = Array.from({ length: Math.min(availableParallelism(), 4, queue.length) }, workspace);
const tally = { killed: 0, survived: 0, lost: 0 };
try {
  const broken = folders[0] && (await noticedBy(folders[0]));
  if (broken !== undefined) throw new Error(`the tests fail on the unchanged sources already: ${broken}`);
  await Promise.all(folders.map((folder) => work(queue, folder, tally)));
  console.log(`\n${tally.killed} killed, ${tally.survived} survived, ${tally.lost} lost`);
  process.exitCode = tally.killed > 0 && tally.survived + tally.lost === 0 ? 0 : 1;
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
