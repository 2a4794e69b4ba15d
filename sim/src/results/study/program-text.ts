/** What the program is that runs the cells: a digest of its own files, so that a changed program is told from the one before. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of this package: where it is built, or its sources where they run themselves. */
const OWN = fileURLToPath(new URL('../..', import.meta.url));
/** What a run is made of besides. */
const PARTS = ['@tidegate/governor', '@tidegate/providers-mock'];
/** Says how a study is asked for, never what comes of it. */
const ASIDE = join(OWN, 'cli');

let ownDigest: string | undefined;

/** Of the program that is running, its dependencies by their versions. */
export function programDigest(): string {
  if (ownDigest === undefined) {
    const { resolve } = createRequire(import.meta.url);
    const manifests = [join(OWN, '../package.json'), ...PARTS.map((name) => resolve(`${name}/package.json`))];
    const folders = manifests.map((manifest) => join(dirname(manifest), basename(OWN)));
    ownDigest = digestOf(folders, manifests);
  }
  return ownDigest;
}

/** Of the modules below the folders and of the files, with their places, in an order of their own. */
export function digestOf(folders: readonly string[], files: readonly string[] = []): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    for (const path of modulesBelow(folder)) hash.update(`${relative(folder, path)}\0`).update(readFileSync(path));
  }
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 32);
}

function modulesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || isModule(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return path === ASIDE ? [] : modulesBelow(path);
    });
}

function isModule(name: string): boolean {
  return ['.js', '.ts'].includes(extname(name)) && !name.endsWith('.d.ts');
}
