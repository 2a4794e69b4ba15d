/**
 * What a page or a worker loads: core and gate, minified and compressed, with and without the classification rules, and
 * what each part takes of it: what leaving its files out too takes away.
 */

import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../dist/index.js', import.meta.url));

const RULES = {
  'the words of errors': ['provider-rules'],
  'reading bodies': ['answer-body'],
  'reading headers and announced limits': ['answer-headers', 'announced-limits'],
  'reading waits and dates': ['retry-after', 'stated-wait'],
  'what an answer means': ['classify'],
};
const PARTS = {
  'backoff, slow start, window, latency signal': ['growth', 'probe-backoff', 'slow-start', 'latency-signal'],
  'the reference controller': ['aimd', 'fixed'],
  'pacing and stagger': ['pacing', 'meter', 'rolling-sum', 'stagger', 'pace'],
  'runs, asks, seats, tool deadlines': ['run', 'ask', 'seats', 'tool-deadline', 'same-value', 'bound-heap'],
  'request: attempts, retries, seen answers': ['request', 'attempts', 'seen-answer'],
  'checks of options, presets': ['options', 'presets', 'checked-controller'],
  'events of single requests': ['request-events'],
  'abort by signal': ['abort'],
};

/** The named files export what they do, and have nothing in it. */
function without(files) {
  const filter = new RegExp(`[\\\\/](?:core|gate)[\\\\/](?:${files.join('|')})\\.js$`);
  return {
    name: 'without',
    setup(builder) {
      builder.onLoad({ filter }, async ({ path }) => {
        const names = Object.keys(await import(pathToFileURL(path).href));
        return { contents: names.map((name) => `export let ${name};`).join('\n') };
      });
    },
  };
}

async function compressed(files, contents) {
  const { outputFiles } = await build({
    ...(contents === undefined
      ? { entryPoints: [ENTRY] }
      : { stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) } }),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    plugins: files.length > 0 ? [without(files)] : [],
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

export async function bench() {
  const rules = Object.values(RULES).flat();
  const row = (name, value, note) => ({ name, value, unit: 'kB', note });
  const alone = (name) => compressed([], `export { ${name} } from '../dist/index.js'`);
  const rows = [
    row('core and gate', await compressed(rules), '≤ 8 asked, minified and gzipped; why not: docs/decisions/012'),
    row('core, gate and rules', await compressed([]), '≤ 14 asked'),
    row('AimdController alone', await alone('AimdController'), 'what is not imported is not there'),
    row('classify alone', await alone('classify'), 'the same'),
  ];
  const left = [];
  let before = await compressed([]);
  for (const [name, files] of [...Object.entries(RULES), ...Object.entries(PARTS)]) {
    left.push(...files);
    const now = await compressed(left);
    rows.push(row(`  ${name}`, before - now, files.some((file) => rules.includes(file)) ? 'rules' : 'core and gate'));
    before = now;
  }
  rows.push(row('  keys, queues, tickets, cooldowns, events', before, 'what is left of core and gate'));
  return rows;
}
