/**
 * Progress of a study on stderr: how many of its runs are done and how long the rest will take. Redraws one line on a
 * terminal; elsewhere says a line every few seconds. Not for results.
 */

import { duration, number } from '../results/human-numbers.js';

const REDRAW_MS = 200;
const SAY_MS = 5_000;

export class StudyProgress {
  readonly #startedAt: number = performance.now();
  readonly #isTerminal: boolean = process.stderr.isTTY === true;
  #saidAt: number = performance.now();
  #drawn = false;

  /** @param found runs that need not be done, for they are kept from an earlier study. */
  readonly update = (done: number, total: number, found: number): void => {
    const now = performance.now();
    if (now - this.#saidAt < (this.#isTerminal ? REDRAW_MS : SAY_MS)) return;
    this.#saidAt = now;
    this.#drawn = true;
    const own = done - found;
    const leftMs = own === 0 ? null : ((total - done) / own) * (now - this.#startedAt);
    const eta = leftMs === null ? '' : `, ${duration(leftMs)} to go`;
    const kept = found === 0 ? '' : `, ${number(found)} of them kept from before`;
    const line = `${number(done)} of ${number(total)} runs${kept}${eta}`;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
  };

  end(): void {
    if (this.#drawn && this.#isTerminal) process.stderr.write('\r\u001b[K');
    this.#drawn = false;
  }
}

/** How long `work` takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
