/**
 * `npm run mutation [-- FOLDER | FILE...]`: the mutation score of the governor, in a copy of this tree with the mutants of
 * Stryker's instrumenter in it, all at once and each behind a switch (mutation-loop.ts turns them on). What was measured is
 * kept by file in node_modules/.cache and holds as long as the file stays as it was. Paths that are named are measured anew;
 * without any, all that is not measured yet. Writes the whole to docs/mutation-survivors.md, with the reasons of
 * test/mutation-reasons.json; fails below the scores that the project promises.
 */

import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const STRYKER = '9.6.1';
/** Per cent of the mutants that the tests must notice. */
const PROMISED = { 'governor/src/core': 90, 'governor/src/gate': 80 };

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/tidegate-mutation');
mkdirSync(cache, { recursive: true });
const cachePath = join(cache, 'measured.json');
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const filesOf = (...paths) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...paths], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
const sourcesIn = (path) => filesOf(path).filter((file) => file.endsWith('.ts'));

/** `source` and `mutants` by path, of the files that are still what was measured. */
const measured = Object.fromEntries(
  Object.entries(existsSync(cachePath) ? JSON.parse(readFileSync(cachePath, 'utf8')) : {}).filter(
    ([path, { source }]) => existsSync(join(root, path)) && textOf(path) === source,
  ),
);

const vitestConfig = `import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';
class InOrder {
  sort(specs) { return [...specs].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1)); }
  shard(specs) { return specs; }
}
export default defineConfig({ ...base, test: { ...base.test, maxWorkers: 1, sequence: { sequencer: InOrder }, include: [
  'governor/test/*.test.ts', 'governor/test/gate/*.test.ts', 'governor/test/properties/*.test.ts', 'test/zz-mutants.test.ts',
], exclude: ['**/anywhere.test.ts'], setupFiles: ['./test/mutation.setup.ts'] } });
`;
// The same scripts for each mutant, and no search for the smallest one that fails.
const setup = `import fc from 'fast-check';
import { afterEach, beforeEach } from 'vitest';
import { instrumentation, ran } from './mutation-loop.ts';
fc.configureGlobal({ seed: 1, endOnFailure: true });
let startedAt = 0;
beforeEach(({ task }) => {
  instrumentation.currentTestId = task.id;
  startedAt = performance.now();
});
afterEach(({ task }) => {
  instrumentation.currentTestId = undefined;
  ran.push({ test: task, ms: performance.now() - startedAt });
});
`;
const loop = (ids, log) => `import { it } from 'vitest';
import { ran, runMutants } from './mutation-loop.ts';
it('all mutants', { timeout: 2 ** 31 - 1 }, () => runMutants(${JSON.stringify(ids)}, ${JSON.stringify(log)}));
`;

/** Runs the tests on the mutants; a mutant in which one test takes a minute hangs the thread, and is noticed. */
function runLoop(copy, log) {
  // Fewer scripts per property than in the suite: what they let pass counts as survived.
  const env = { TIDEGATE_RUNS: '0.03', ...process.env };
  const command = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'vitest.mutation.config.ts',
    '--reporter',
    'dot',
  ];
  const child = spawn(process.execPath, command, { cwd: copy, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const watch = setInterval(() => {
    const [id, word] = readFileSync(log, 'utf8').trim().split('\n').at(-1).split(' ');
    const isSilent = Date.now() - statSync(log).mtimeMs > 60_000;
    // What mutants left behind may keep the thread from its end.
    if (id !== 'done' && id !== 'spoilt' && !(isSilent && word === 'begins')) return;
    if (word === 'begins') appendFileSync(log, `${id} Timeout\n`);
    child.kill('SIGKILL');
  }, 1_000);
  return new Promise((resolve) => child.once('close', resolve)).finally(() => clearInterval(watch));
}

/** The same packages, but this tree's own from the copy. */
function linkModules(copy) {
  const from = join(root, 'node_modules');
  const to = join(copy, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== '@tidegate' && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  cpSync(join(from, '@tidegate'), join(to, '@tidegate'), { recursive: true, verbatimSymlinks: true });
}

/** Installed at the first use, in a place of its own: no clone has to have it for its tests. */
function tool() {
  const path = join(cache, 'node_modules/@stryker-mutator/instrumenter');
  if (!existsSync(path)) {
    const name = `@stryker-mutator/instrumenter@${STRYKER}`;
    const install = ['install', '--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund', name];
    execFileSync('npm', install, { cwd: cache, stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return join(path, 'dist/src/index.js');
}

async function measure(paths) {
  const copy = mkdtempSync(join(tmpdir(), 'tidegate-mutation-'));
  try {
    for (const file of filesOf()) cpSync(join(root, file), join(copy, file));
    linkModules(copy);
    const { Instrumenter } = await import(pathToFileURL(tool()).href);
    const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
    const sources = paths.map((path) => ({
      name: path,
      mutate: true,
      content: readFileSync(join(copy, path), 'utf8'),
    }));
    // Words for people are left as they are: a test that pins each of them would only repeat them.
    const options = { ignorers: [], plugins: null, excludedMutations: ['StringLiteral'] };
    const { files, mutants } = await new Instrumenter(silent).instrument(sources, options);
    for (const { name, content } of files) writeFileSync(join(copy, name), content);
    const wanted = mutants.filter(({ status }) => status !== 'Ignored');
    const log = join(copy, 'mutants.log');
    writeFileSync(log, '');
    writeFileSync(join(copy, 'vitest.mutation.config.ts'), vitestConfig);
    writeFileSync(join(copy, 'test/mutation.setup.ts'), setup);
    writeFileSync(
      join(copy, 'test/zz-mutants.test.ts'),
      loop(
        wanted.map(({ id }) => id),
        log,
      ),
    );
    for (let starts = 0; !readFileSync(log, 'utf8').endsWith('done\n'); starts++) {
      if (starts > 100) throw new Error('the tests do not come to an end');
      await runLoop(copy, log);
    }
    const outcomes = new Map(
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /^\d+ [A-Z]/.test(line))
        .map((line) => line.split(' ')),
    );
    for (const { name, content } of sources) {
      const own = mutants.filter(({ fileName }) => fileName === name);
      measured[name] = {
        source: content,
        mutants: own.map(({ id, location, replacement, status }) => ({
          ...{ location, replacement },
          status: status ?? outcomes.get(id),
        })),
      };
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  writeFileSync(cachePath, JSON.stringify(measured));
}

function scoreOf(paths) {
  const mutants = paths.flatMap((path) => measured[path]?.mutants ?? []);
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const counted = noticed + count('Survived', 'NoCoverage');
  return { noticed, counted, hung: count('Timeout'), atImport: count('Ignored'), score: (100 * noticed) / counted };
}

/** Why they stay, by path: pairs of a piece of the line with what it became, and a reason. */
const reasons = JSON.parse(textOf('test/mutation-reasons.json'));

function survivorsOf(path) {
  const { source, mutants } = measured[path];
  const lines = source.split('\n');
  const name = path.replace('governor/src/', '');
  const rows = new Map();
  for (const { status, location, replacement = '' } of mutants) {
    if (status !== 'Survived' && status !== 'NoCoverage') continue;
    // The instrumenter counts lines and columns from 0.
    const { start, end } = location;
    const line = lines[start.line];
    const was = line.slice(start.column, start.line === end.line ? end.column : undefined);
    const [, why = 'a gap'] = (reasons[name] ?? []).find(([piece]) => `${line} → ${replacement}`.includes(piece)) ?? [];
    const key = `${String(start.line).padStart(3)} ${why}`;
    const row = rows.get(key) ?? { line: start.line + 1, why, changes: [] };
    row.changes.push(`${cell(was)} → ${cell(replacement)}`);
    rows.set(key, row);
  }
  if (rows.size === 0) return [];
  const { noticed, counted } = scoreOf([path]);
  return [
    ...[`### ${name}: ${noticed} of ${counted}`, '', '| line | changes | why they stay |', '|---:|---|---|'],
    ...[...rows].sort().map(([, { line, changes, why }]) => `| ${line} | ${changes.join('; ')} | ${why} |`),
    '',
  ];
}

function cell(text) {
  const short = text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 60);
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
}

const { positionals } = parseArgs({ allowPositionals: true });
const all = Object.keys(PROMISED).flatMap(sourcesIn);
const wanted =
  positionals.length > 0 ? positionals.flatMap(sourcesIn) : all.filter((path) => measured[path] === undefined);
if (wanted.length > 0) await measure(wanted);

const rows = Object.entries(PROMISED).map(([folder, promised]) => {
  const { noticed, counted, hung, atImport, score } = scoreOf(sourcesIn(folder));
  if (!(score >= promised)) process.exitCode = 1;
  return `| ${folder} | ${noticed} of ${counted} | ${hung} | ${atImport} | ${counted === 0 ? '—' : `${score.toFixed(1)} %`} | ≥ ${promised} % |`;
});
const missing = all.filter((path) => measured[path] === undefined);
const page = [
  '# Mutants that no test notices',
  '',
  'Written by `npm run mutation`. A survivor is a change of the code that all tests let pass: a shortcut whose absence',
  'changes nothing but speed, a guard that another guard repeats, a value that nothing tells apart, or a gap. On each mutant',
  'the tests of the governor are run that reach it, without those of the adapters, its properties with 3 % of their scripts.',
  'What hangs is noticed too. Left out are mutants of code that runs at import, before they could be turned on, and of words',
  'for people.',
  '',
  '| folder | noticed | of these hang | left out | score | promised |',
  '|---|---|---|---|---|---|',
  ...rows,
  '',
  ...(missing.length === 0 ? [] : ['Not measured as they are now:', '', ...missing.map((path) => `- ${path}`), '']),
  '## The survivors',
  '',
  ...all.filter((path) => measured[path] !== undefined).flatMap(survivorsOf),
].join('\n');
writeFileSync(join(root, 'docs/mutation-survivors.md'), `${page.trimEnd()}\n`);
console.log(rows.join('\n'));
