/**
 * The browser builds of Chart.js and of its annotation plugin, read from where npm put them, once per process; a page
 * carries them whole, so that it opens from disk without a network. Never downloads.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

let cached: string | undefined;

/** Two classic scripts in one: defines `Chart` and registers the annotation plugin with it. */
export function inlinedLibraries(): string {
  cached ??= ['chart.js/chart.umd.min.js', 'chartjs-plugin-annotation/chartjs-plugin-annotation.min.js']
    .map(readBuild)
    .join('\n');
  return cached;
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
