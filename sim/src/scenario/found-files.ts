/** One agent per file: the files that a pattern finds beside the scenario, as rows. Reads no disk; it is told what is there. */

import type { z } from 'zod';
import { bytesPerToken } from './agent-rows.js';
import type { CsvFiles } from './csv.js';
import { reasonOf } from './read-failure.js';
import type { AgentRow } from './scenario.js';

export interface FoundFile {
  /** Relative to the scenario, with slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** Finds the files that a pattern matches, relative to the scenario. Throws if it cannot. */
export type FindFiles = (pattern: string) => readonly FoundFile[];

/** Whatever a scenario reads from beside itself. */
export interface ScenarioFiles extends CsvFiles {
  readonly find: FindFiles;
}

/** What is wrong becomes an issue of the field `files`, and there are no rows. */
export function fileRows(
  find: FindFiles,
  pattern: string,
  context: z.RefinementCtx,
  most: number,
): readonly AgentRow[] {
  const rows = foundRows(find, pattern, most);
  if (typeof rows !== 'string') return rows;
  context.addIssue({ code: 'custom', path: ['files'], message: rows });
  return [];
}

/** In order of their paths, code unit by code unit: the same on every machine. */
function foundRows(find: FindFiles, pattern: string, most: number): readonly AgentRow[] | string {
  // A trace carries the names of the agents, and no path of the machine.
  if (/^([/\\]|[A-Za-z]:)/.test(pattern)) return 'is an absolute path; give a pattern relative to the scenario';
  let found: readonly FoundFile[];
  try {
    found = find(pattern);
  } catch (error) {
    return `cannot be searched: ${reasonOf(error)}`;
  }
  if (found.length === 0) return 'matches no file; the pattern is relative to the scenario: "../src/**/*.ts"';
  if (found.length > most) return `matches ${found.length} files; at most ${most} agents run at a time`;
  const inOrder = [...found].sort((a, b) => (a.path < b.path ? -1 : 1));
  return inOrder.map(({ path, bytes }) => ({ name: path, inputTokens: Math.ceil(bytes / bytesPerToken) }));
}
