/**
 * The gallery: every shipped scenario's report and one tuning report, rendered into `docs/samples/`.
 * `npm run samples` writes it; with `--check` it writes nothing and names what is stale. A picture depends on the fonts of
 * the machine, so pictures are never compared; one run and the tuning keep their HTML page, the others their Markdown,
 * because a page carries the code that draws it.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SAMPLES = join(ROOT, 'docs/samples');
const SIM = join(ROOT, 'sim/bin/sim.js');

/** Whose HTML page is kept. */
const WITH_PAGE = 'fanout30';
const TUNING = [
  ...['tune', 'scenarios/fanout30.yaml', 'scenarios/recovery.yaml', '--seeds', '5'],
  ...['--grid', 'decreaseFactor=0.5,0.6,0.75,0.9', '--grid', 'increaseAfterSuccesses=2,4,8'],
];
/** @returns {string} what the command printed; an expectation that fails fails the gallery */
function sim(...args) {
  return execFileSync(process.execPath, [SIM, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Renders all samples into `folder`. */
function render(folder) {
  const out = mkdtempSync(join(tmpdir(), 'tidegate-samples-'));
  try {
    const scenarios = readdirSync(join(ROOT, 'scenarios')).filter((name) => name.endsWith('.yaml'));
    const entries = scenarios.map((file) => {
      const summary = JSON.parse(sim('run', `scenarios/${file}`, '--json', '--out', out));
      const { scenario, seed } = summary;
      keep(join(out, `${scenario}-${seed}`), join(folder, scenario), scenario === WITH_PAGE);
      return { name: scenario, question: questionIn(join(folder, scenario, 'report.md')) };
    });
    sim(...TUNING, '--out', out);
    const tuned = readdirSync(out).find((name) => name.startsWith('tune-'));
    keep(join(out, tuned), join(folder, 'tuning'), true);
    writeFileSync(join(folder, 'README.md'), indexOf(entries));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** What a reader of the gallery looks at: pages, pictures and figures, not the trace and its rows. */
function keep(from, to, withPage) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (/\.(md|png|json)$/.test(name) || (withPage && name.endsWith('.html'))) cpSync(join(from, name), join(to, name));
  }
}

function questionIn(report) {
  const line = readFileSync(report, 'utf8')
    .split('\n')
    .find((text) => text.startsWith('> '));
  return line?.slice(2) ?? '';
}

function indexOf(entries) {
  const runs = entries.map(
    ({ name, question }) => `## [${name}](${name}/report.md)\n\n${question}\n\n![${name}](${name}/cap.png)\n`,
  );
  return [
    '# Samples\n',
    'What `sim` leaves of every shipped scenario, and of one tuning. `npm run samples` makes them anew.\n',
    `A run as one page to download: [${WITH_PAGE}](${WITH_PAGE}/report.html). A tuning: [as a page](tuning/report.html), [as text](tuning/report.md).\n`,
    ...runs,
  ].join('\n');
}

/** Every file below `folder`, by its path in it. */
function filesBelow(folder, under = '') {
  if (!existsSync(join(folder, under))) return [];
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = join(under, entry.name);
    return entry.isDirectory() ? filesBelow(folder, path) : [path];
  });
}

function staleIn(fresh) {
  const names = new Set([...filesBelow(fresh), ...filesBelow(SAMPLES)]);
  return [...names].sort().filter((name) => {
    const [made, kept] = [join(fresh, name), join(SAMPLES, name)];
    if (!existsSync(made) || !existsSync(kept)) return true;
    return !name.endsWith('.png') && readFileSync(made, 'utf8') !== readFileSync(kept, 'utf8');
  });
}

const fresh = mkdtempSync(join(tmpdir(), `tidegate-${basename(SAMPLES)}-`));
try {
  render(fresh);
  if (process.argv.includes('--check')) {
    const stale = staleIn(fresh);
    if (stale.length > 0) {
      console.error(`stale in docs/samples: ${stale.join(', ')}; npm run samples makes them anew`);
      process.exitCode = 1;
    }
  } else {
    rmSync(SAMPLES, { recursive: true, force: true });
    cpSync(fresh, SAMPLES, { recursive: true });
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
