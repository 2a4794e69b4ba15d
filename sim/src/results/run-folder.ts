/**
 * Keeps the results of a run in `DIR/<name>-<seed>/`: whole or not at all. The trace streams into a hidden folder beside
 * it; only when everything is written does that folder take the place of an older one, by renaming. Whatever goes wrong
 * before leaves no trace of this run and the older results as they were.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chart, MarkdownOptions, PngOptions, Report } from '@tidegate/reports';
import { isScenarioName } from '../scenario/schema.js';
import { OutputError } from '../trace/output-error.js';
import { TraceWriter } from '../trace/writer.js';
import type { Summary } from './summary.js';
import { intoFolder, WholeFolder } from './whole-folder.js';

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
  /** Takes the events of the run; null where no trace is wanted. */
  readonly trace: TraceWriter | null;
  readonly #folder: WholeFolder;

  /**
   * Prepares the place before anything is run.
   * @throws OutputError if the results could not be kept there.
   */
  constructor({ out, name, seed, trace }: RunFolderOptions) {
    if (!isScenarioName(name)) {
      throw new OutputError(`${JSON.stringify(name)}: names no folder; give the scenario a name without slashes`);
    }
    this.#folder = new WholeFolder(out, `${name}-${seed}`);
    try {
      this.trace = trace ? new TraceWriter(join(this.#folder.partial, 'trace.jsonl')) : null;
    } catch (error) {
      this.#folder.discard();
      throw error;
    }
  }

  /** Where the results are once they are committed. */
  get path(): string {
    return this.#folder.path;
  }

  /**
   * Writes the results beside the trace and puts the folder in its place. Results of a live run that stand there are kept
   * under another name: they have cost money, and no seed brings them back.
   * @returns where those are; undefined where there were none.
   * @param renderers default: those of `@tidegate/reports`, which load nothing before they are used here.
   * @throws OutputError if they cannot be written; then nothing is left of this run.
   */
  async commit(contents: FolderContents, renderers?: Renderers): Promise<string | undefined> {
    try {
      return await this.#folder.commit(async (partial) => {
        this.trace?.close();
        await writeResults(partial, contents, renderers ?? (await import('@tidegate/reports')));
      }, isLive);
    } catch (error) {
      this.trace?.abandon();
      throw error;
    }
  }

  /** Removes what was written. Does nothing once the results are committed. */
  discard(): void {
    this.trace?.abandon();
    this.#folder.discard();
  }
}

/**
 * Writes the results beside a trace that is there, in place of older ones.
 * @throws OutputError if they cannot be written.
 */
export async function writeBeside(folder: string, contents: FolderContents): Promise<void> {
  await intoFolder(folder, async (partial) => writeResults(partial, contents, await import('@tidegate/reports')));
}

function isLive(folder: string): boolean {
  try {
    const { mode } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Partial<Summary>;
    return mode === 'live';
  } catch {
    return false;
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
