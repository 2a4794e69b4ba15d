/**
 * What is wrong with a scenario. A `Finding` knows its place in the data; a `Problem` knows its line in a file. Problems
 * are collected and shown all at once, never thrown.
 */

import { shorten } from './echo.js';
import { formatPath, type Path } from './path.js';

export interface Problem extends Place {
  /** In the notation of `--set`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
  /** Where the scenario names the file, when the fault lies in one that it names. */
  readonly namedIn?: Place;
}

export interface Place {
  /** The file, or the option of the command line (`--set`) that brought the value. Absent for a scenario without one. */
  readonly file?: string;
  /** From 1; 0 = the problem has no line: it is the file's as a whole, or the command line's. */
  readonly line: number;
  readonly column: number;
}

export interface Finding {
  readonly path: Path;
  /** Whether the name of the last step is at fault, or its value. */
  readonly at: 'name' | 'value';
  readonly message: string;
  /** Set when the fault lies in no line of the scenario. */
  readonly where?: { readonly file: string; readonly line: number; readonly column: number };
}

/** The path of a problem, each of its names cut to a length fit for a message. */
export function shownPath(path: Path): string {
  return formatPath(path.map((part) => (typeof part === 'string' ? shorten(part) : part)));
}

/** `file:line:column  path  message`, without what is not known; of a CSV file also where the scenario names it. */
export function formatProblem(problem: Problem): string {
  const { path, message, namedIn } = problem;
  const naming = namedIn === undefined ? '' : `(named in ${formatPlace(namedIn)})`;
  return [formatPlace(problem), path, [message, naming].filter((text) => text !== '').join(' ')]
    .filter((text) => text !== '')
    .join('  ');
}

function formatPlace({ file, line, column }: Place): string {
  if (line === 0) return file ?? '';
  return file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
}

/** One problem a line, in the order given. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('\n');
}

/** Whether it is no file but an option of the command line. */
export function isOption({ file }: Place): boolean {
  return file?.startsWith('--') === true;
}

/** Each problem once: the command line's first, then the scenario's by line, then those of the files it names. */
export function inOrder(problems: readonly Problem[], scenarioFile: string | undefined): readonly Problem[] {
  const once = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  const rank = (p: Problem): number => (p.file === scenarioFile ? 1 : isOption(p) ? 0 : 2);
  const fileOf = (p: Problem): string => p.file ?? '';
  return [...once.values()].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (fileOf(a) < fileOf(b) ? -1 : fileOf(a) > fileOf(b) ? 1 : 0) ||
      a.line - b.line ||
      a.column - b.column,
  );
}
