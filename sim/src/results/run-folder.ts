/**
 * Keeps the results of a run in `DIR/<name>-<seed>/`: whole or not at all. The trace streams into a hidden folder beside
 * it; only when everything is written does that folder take the place of an older one, by renaming. Whatever goes wrong
 * before leaves no trace of this run and the older results as they were.
 */

import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chart, MarkdownOptions, PngOptions, Report } from '@tidegate/reports';
import { isScenarioName } from '../scenario/schema.js';
import { OutputError } from '../trace/output-error.js';
import { TraceWriter } from '../trace/writer.js';
import type { Summary } from './summary.js';

export interface RunFolderOptions {
  /** The directory that gets the folder; made if need be. */
  readonly out: string;
  /** Of the scenario; names the folder together with the seed. */
  readonly name: string;
  readonly seed: number;
  /** Whether a trace is written. */
  readonly trace: boolean;
}

export interface FolderContents {
  readonly summary: Summary;
  /** Of `timeseries.csv`. */
  readonly csv: string;
  readonly report: Report;
  /** Of `cap.png`; undefined where there is nothing to draw. */
  readonly cover: Chart | undefined;
}

/** What draws a report; `@tidegate/reports` has them all. */
export interface Renderers {
  renderHtml(report: Report): string;
  renderMarkdown(report: Report, options?: MarkdownOptions): string;
  renderPng(chart: Chart, options?: PngOptions): Promise<Uint8Array>;
}

const COVER = 'cap.png';

export class RunFolder {
  /** Where the results are once they are committed. */
  readonly path: string;
  /** Takes the events of the run; null where no trace is wanted. */
  readonly trace: TraceWriter | null;
  /** The hidden folder that is filled; undefined once it is renamed or removed. */
  #partial: string | undefined;

  /**
   * Prepares the place before anything is run.
   * @throws OutputError if the results could not be kept there.
   */
  constructor({ out, name, seed, trace }: RunFolderOptions) {
    if (!isScenarioName(name)) {
      throw new OutputError(`${JSON.stringify(name)}: names no folder; give the scenario a name without slashes`);
    }
    const folder = `${name}-${seed}`;
    this.path = join(out, folder);
    this.#partial = prepare(out, folder, this.path);
    try {
      this.trace = trace ? new TraceWriter(join(this.#partial, 'trace.jsonl')) : null;
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /**
   * Writes the results beside the trace and puts the folder in its place.
   * @param renderers default: those of `@tidegate/reports`, which load nothing before they are used here.
   * @throws OutputError if they cannot be written; then nothing is left of this run.
   */
  async commit(contents: FolderContents, renderers?: Renderers): Promise<void> {
    const partial = this.#partial;
    if (partial === undefined) throw new OutputError(`${this.path}: this run's results are kept or discarded already`);
    try {
      this.trace?.close();
      await writeResults(partial, contents, renderers ?? (await import('@tidegate/reports')));
      replace(this.path, partial);
      this.#partial = undefined;
    } catch (error) {
      this.discard();
      throw asOutputError(error, this.path);
    }
  }

  /** Removes what was written. Does nothing once the results are committed. */
  discard(): void {
    if (this.#partial === undefined) return;
    this.trace?.abandon();
    rmSync(this.#partial, { recursive: true, force: true });
    this.#partial = undefined;
  }
}

function prepare(out: string, folder: string, target: string): string {
  try {
    mkdirSync(out, { recursive: true });
    const standing = lstatSync(target, { throwIfNoEntry: false });
    if (standing !== undefined && !standing.isDirectory()) {
      throw new OutputError(`${target}: is in the way and no folder; move it, or choose another place with --out DIR`);
    }
    return makePartial(join(out, `.${folder}.partial-${process.pid}`));
  } catch (error) {
    throw asOutputError(error, out);
  }
}

/** Makes the folder, under another name where an earlier one of this name is there. */
function makePartial(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : `${path}-${n}`;
    try {
      mkdirSync(name);
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function writeResults(folder: string, contents: FolderContents, renderers: Renderers): Promise<void> {
  const { summary, csv, report, cover } = contents;
  const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
  write('summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  write('timeseries.csv', csv);
  write('report.html', renderers.renderHtml(report));
  write('report.md', renderers.renderMarkdown(report, cover === undefined ? {} : { images: { [cover.title]: COVER } }));
  if (cover !== undefined) write(COVER, await renderers.renderPng(cover));
}

/** A folder cannot be renamed onto a full one, so the older results step aside first and come back if need be. */
function replace(target: string, partial: string): void {
  const older = `${partial}.older`;
  const isReplaced = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
  if (isReplaced) renameSync(target, older);
  try {
    renameSync(partial, target);
  } catch (error) {
    if (isReplaced) renameSync(older, target);
    throw error;
  }
  rmSync(older, { recursive: true, force: true });
}

/** What the file system refuses is the caller's to mend; all else is a defect and stays what it is. */
function asOutputError(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const advice = 'choose another place with --out DIR';
  return new OutputError(`${path}: results cannot be kept there (${error.message}); ${advice}`, { cause: error });
}
