/**
 * A scenario from the disk. The only file of this folder that reads files. What cannot be a scenario (a directory, a
 * binary, something huge) is one problem, never an exception.
 */

import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import type { FoundFile } from './found-files.js';
import { type LoadResult, type OpenScenario, openScenario } from './load.js';
import type { OverrideOptions } from './overrides.js';
import type { Problem } from './problems.js';
import { reasonOf } from './read-failure.js';

/** A hundred times the largest scenario that a person writes. */
const largestScenario = 4 * 1024 * 1024;

/** A million rows. */
const largestCsv = 64 * 1024 * 1024;

/** Reads and loads a scenario; the files that it names are looked for beside it. */
export function loadScenarioFile(path: string, options: OverrideOptions = {}): LoadResult {
  const opened = openScenarioFile(path);
  return opened.kind === 'problems' ? opened : opened.scenario.load(options);
}

export type OpenResult =
  | { readonly kind: 'open'; readonly scenario: OpenScenario }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/** Reads a scenario, to be loaded many times. */
export function openScenarioFile(path: string): OpenResult {
  let text: string;
  try {
    text = readText(path, largestScenario);
  } catch (error) {
    const message = `cannot be read: ${reasonOf(error)}`;
    return { kind: 'problems', problems: [{ file: path, line: 0, column: 0, path: '', message }] };
  }
  const readFile = (relativePath: string): string => readText(resolve(dirname(path), relativePath), largestCsv);
  const findFiles = (pattern: string): readonly FoundFile[] => find(pattern, dirname(path));
  return { kind: 'open', scenario: openScenario({ text, path, readFile, findFiles }) };
}

/** Links are not followed: what they lead to may be anywhere, and may lead back. */
function find(pattern: string, cwd: string): readonly FoundFile[] {
  const paths = globSync(pattern, { cwd, onlyFiles: true, followSymbolicLinks: false, expandDirectories: false });
  return paths.map((found) => ({ path: found, bytes: statSync(resolve(cwd, found)).size }));
}

/** @throws Error in words fit for a problem, or the system's own. */
function readText(path: string, largest: number): string {
  const stat = statSync(path);
  if (stat.isDirectory()) throw new Error('it is a directory');
  if (!stat.isFile()) throw new Error('it is not a regular file');
  if (stat.size > largest) throw new Error(`it is larger than ${largest / 1024 / 1024} MB`);
  const bytes = readFileSync(path);
  const text = decoded(bytes);
  if (text === undefined || text.includes('\0')) throw new Error('it is not text in UTF-8');
  return text;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
