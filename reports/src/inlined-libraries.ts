/**
 * The browser builds of Chart.js, its annotation plugin and its matrix chart, read from where npm put them, once per process; a page
 * carries them whole, so that it opens from disk without a network. Never downloads.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const CHARTS = ['chart.js/chart.umd.min.js', 'chartjs-plugin-annotation/chartjs-plugin-annotation.min.js'];
const MATRIX = 'chartjs-chart-matrix/chartjs-chart-matrix.min.js';

const builds = new Map<string, string>();

/** Classic scripts in one: defines `Chart`, registers the annotation plugin with it and, if asked for, the matrix chart. */
export function inlinedLibraries({ matrix }: { readonly matrix: boolean }): string {
  return [...CHARTS, ...(matrix ? [MATRIX] : [])].map(buildNamed).join('\n');
}

function buildNamed(name: string): string {
  const known = builds.get(name) ?? readBuild(name);
  builds.set(name, known);
  return known;
}

/** The minified build lies beside the package's entry file; neither package exports it by name. */
function readBuild(name: string): string {
  const [library, file] = name.split('/') as [string, string];
  const entry = createRequire(import.meta.url).resolve(library);
  // A source map is not at hand offline, and an end tag inside a string would end the script.
  return readFileSync(join(dirname(entry), file), 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll('</script', '<\\/script')
    .trim();
}
