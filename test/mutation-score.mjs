/**
 * `npm run mutation [-- --workers N] [FOLDER | FILE...]`: the mutation score of the governor by Stryker, in a copy of this
 * tree with the tool added: it brings five hundred packages, which no clone should have to install for its tests. A mutant
 * takes a second or two, and there are some thousands. Writes the survivors to docs/mutation-survivors.md; fails below the
 * scores that the project promises.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const STRYKER = '9.6.1';
/** Per cent of the mutants that the tests must notice. */
const PROMISED = { 'governor/src/core': 90, 'governor/src/gate': 80 };

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { workers: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const folders = positionals.length > 0 ? positionals : Object.keys(PROMISED);
const copy = mkdtempSync(join(tmpdir(), 'tidegate-mutation-'));

const config = {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: folders.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
  coverageAnalysis: 'perTest',
  concurrency: Number(values.workers),
  ignoreStatic: true,
  // Words for people: a test that pins each of them would only repeat them.
  mutator: { excludedMutations: ['StringLiteral'] },
  reporters: ['json', 'progress'],
  allowEmpty: false,
};
const vitestConfig = `import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';
export default defineConfig({ ...base, test: { ...base.test, include: [
  'governor/test/*.test.ts', 'governor/test/gate/*.test.ts', 'governor/test/properties/*.test.ts',
], exclude: ['**/anywhere.test.ts'], setupFiles: [] } });
`;

function scoreOf(files) {
  const mutants = files.flatMap(([, file]) => file.mutants).filter(({ status }) => status !== 'Ignored');
  const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const counted = mutants.filter(({ status }) => status !== 'CompileError' && status !== 'RuntimeError').length;
  return { noticed, counted, score: (100 * noticed) / counted };
}

function survivorsOf(files) {
  return files.flatMap(([path, file]) => {
    const lines = file.source.split('\n');
    return file.mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ location: { start, end }, replacement, mutatorName }) => {
        const was =
          start.line === end.line
            ? lines[start.line - 1].slice(start.column - 1, end.column - 1)
            : lines[start.line - 1].trim();
        const cell = (text) => `\`${text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 70)}\``;
        return `| ${path.replace('governor/src/', '')}:${start.line} | ${mutatorName} | ${cell(was)} | ${cell(replacement ?? '')} |`;
      });
  });
}

try {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  for (const file of files) cpSync(join(root, file), join(copy, file));
  const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });
  const tools = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${STRYKER}`);
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-dev', ...tools);
  writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(config));
  writeFileSync(join(copy, 'vitest.mutation.config.ts'), vitestConfig);
  run('npx', 'stryker', 'run');
  const report = JSON.parse(readFileSync(join(copy, 'reports/mutation/mutation.json'), 'utf8'));
  const results = Object.entries(report.files);
  const rows = folders.map((folder) => {
    const { noticed, counted, score } = scoreOf(results.filter(([path]) => path.startsWith(folder)));
    const promised = PROMISED[folder] ?? 0;
    if (score < promised) process.exitCode = 1;
    return `| ${folder} | ${noticed} of ${counted} | ${score.toFixed(1)} % | ≥ ${promised} % |`;
  });
  const page = [
    '# Mutants that no test notices',
    '',
    'Written by `npm run mutation`. A survivor is a change of the code that all tests let pass: a shortcut whose absence',
    'changes nothing but speed, a guard that another guard repeats, or a gap.',
    '',
    '| folder | noticed | score | promised |',
    '|---|---|---|---|',
    ...rows,
    '',
    '| where | kind | was | became |',
    '|---|---|---|---|',
    ...survivorsOf(results),
    '',
  ].join('\n');
  writeFileSync(join(root, 'docs/mutation-survivors.md'), page);
  console.log(rows.join('\n'));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
