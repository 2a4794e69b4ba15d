/**
 * Progress on stderr, for a run that takes longer than a second of real time: how far it is in the time of the run. Redraws one
 * line on a terminal; elsewhere says a line every few seconds. Not for results.
 */

import type { TraceEvent } from '../trace/events.js';

const FIRST_MS = 1_000;
const REDRAW_MS = 250;
const SAY_MS = 5_000;

export class Progress {
  readonly #name: string;
  readonly #unit: string;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #isTerminal: boolean = process.stderr.isTTY === true;
  #virtualMs = 0;
  #settled = 0;
  #drawn = false;

  /** @param unit what a minute of the run is: `virtual minutes`. */
  constructor(name: string, unit: string) {
    this.#name = name;
    this.#unit = unit;
    const everyMs = this.#isTerminal ? REDRAW_MS : SAY_MS;
    let elapsedMs = 0;
    this.#timer = setInterval(() => {
      elapsedMs += everyMs;
      if (elapsedMs >= FIRST_MS) this.#draw();
    }, everyMs);
  }

  observe(event: TraceEvent): void {
    this.#virtualMs = event.t;
    if (event.type === 'request-settled') this.#settled++;
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#drawn && this.#isTerminal) process.stderr.write('\r\u001b[K');
  }

  #draw(): void {
    this.#drawn = true;
    const minutes = (this.#virtualMs / 60_000).toFixed(1);
    const line = `${this.#name}: ${minutes} ${this.#unit}, ${this.#settled.toLocaleString('en')} attempts answered`;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
  }
}
