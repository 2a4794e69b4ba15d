/**
 * A folder of results that is there whole or not at all. It is filled under a hidden name beside its place; only when
 * everything is written does it take the place of an older one, by renaming. Whatever goes wrong before leaves the older
 * results as they were.
 */

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OutputError } from '../trace/output-error.js';

export class WholeFolder {
  /** Where the results are once they are committed. */
  readonly path: string;
  /** The hidden folder that is filled; undefined once it is renamed or removed. */
  #partial: string | undefined;

  /**
   * Prepares the place.
   * @param out The directory that gets the folder; made if need be.
   * @throws OutputError if the results could not be kept there.
   */
  constructor(out: string, name: string) {
    this.path = join(out, name);
    this.#partial = prepare(out, name, this.path);
  }

  /** @throws OutputError when the results are kept or discarded already. */
  get partial(): string {
    if (this.#partial === undefined) throw new OutputError(`${this.path}: these results are kept or discarded already`);
    return this.#partial;
  }

  /**
   * Lets `fill` write into the hidden folder and puts it in its place.
   * @param keeps Whether what stands there is to be kept under another name.
   * @returns where that is; undefined where nothing was kept.
   * @throws OutputError if something cannot be written; then nothing is left of these results.
   */
  async commit(
    fill: (folder: string) => Promise<void>,
    keeps: (older: string) => boolean = () => false,
  ): Promise<string | undefined> {
    const { partial } = this;
    try {
      await fill(partial);
      const kept = replace(this.path, partial, keeps);
      this.#partial = undefined;
      return kept;
    } catch (error) {
      this.discard();
      throw asOutputError(error, this.path);
    }
  }

  /** Removes what was written. Does nothing once the results are committed. */
  discard(): void {
    if (this.#partial === undefined) return;
    rmSync(this.#partial, { recursive: true, force: true });
    this.#partial = undefined;
  }
}

/**
 * Puts what `write` makes into a folder that is there, each file whole, in place of one of its name.
 * @throws OutputError if it cannot be written; then no file is half written.
 */
export async function intoFolder(folder: string, write: (partial: string) => Promise<void>): Promise<void> {
  let partial: string | undefined;
  try {
    partial = makePartial(join(folder, `.partial-${process.pid}`));
    await write(partial);
    for (const name of readdirSync(partial)) renameSync(join(partial, name), join(folder, name));
  } catch (error) {
    throw asOutputError(error, folder);
  } finally {
    if (partial !== undefined) rmSync(partial, { recursive: true, force: true });
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

/** A folder cannot be renamed onto a full one, so the older results step aside first and come back if need be. */
function replace(target: string, partial: string, keeps: (older: string) => boolean): string | undefined {
  const isReplaced = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
  const kept = isReplaced && keeps(target) ? freeName(target) : undefined;
  const older = kept ?? `${partial}.older`;
  if (isReplaced) renameSync(target, older);
  try {
    renameSync(partial, target);
  } catch (error) {
    if (isReplaced) renameSync(older, target);
    throw error;
  }
  if (kept === undefined) rmSync(older, { recursive: true, force: true });
  return kept;
}

/** `fanout30-1.kept-1`, or the next that nobody has. */
function freeName(target: string): string {
  for (let n = 1; ; n++) {
    const name = `${target}.kept-${n}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** What the file system refuses is the caller's to mend; all else is a defect and stays what it is. */
function asOutputError(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const advice = 'choose another place with --out DIR';
  return new OutputError(`${path}: results cannot be kept there (${error.message}); ${advice}`, { cause: error });
}
