/** What a page or a worker loads: core and gate, minified and compressed, with and without the classification rules. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const RULES =
  /core[\\/](classify|provider-rules|answer-body|answer-headers|announced-limits|retry-after|stated-wait)\.js$/;

const withoutRules = {
  name: 'without the classification rules',
  setup(builder) {
    builder.onLoad({ filter: RULES }, () => ({
      contents: `export const classify = () => ({}); export const parseRetryAfter = () => null;
        export const announcedLimits = () => []; export const usageOf = () => ({});`,
    }));
  },
};

async function compressed(plugins) {
  const options = {
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  };
  const { outputFiles } = await build({ ...options, plugins });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

export async function bench() {
  return [
    { name: 'core and gate', value: await compressed([withoutRules]), unit: 'kB', note: '≤ 8, minified and gzipped' },
    { name: 'core, gate and rules', value: await compressed([]), unit: 'kB', note: '≤ 14' },
  ];
}
