/** The figures of crashes, folded out of the trace: what broke off, and what was asked for again and not done twice. */

import type { Scenario } from '../scenario/scenario.js';
import type { CrashEvent } from '../trace/crash-events.js';
import type { RequestSettled } from '../trace/events.js';
import type { ToolStarted } from '../trace/task-events.js';
import type { CrashFigures } from './summary.js';

export class CrashMetrics {
  readonly #isExpected: boolean;
  #count = 0;
  #downMs = 0;
  #brokenOff = 0;
  #resumed = 0;
  #duplicatesSuppressed = 0;
  /** The run that has crashed in this instant: what of it ends now is broken off. */
  #crashed: { readonly t: number; readonly run: string } | undefined;

  constructor({ timeline }: Scenario) {
    this.#isExpected = timeline.some(({ kind }) => kind === 'crash');
  }

  observe(event: CrashEvent): void {
    switch (event.type) {
      case 'run-crashed':
        this.#count++;
        this.#downMs += event.downForMs;
        this.#crashed = event;
        break;
      case 'request-resumed':
        this.#resumed++;
        break;
      case 'run-resumed':
        break;
      default:
        event satisfies never;
    }
  }

  settled({ t, run, outcome, lost }: RequestSettled): void {
    if (this.#crashed === undefined) return;
    if (t !== this.#crashed.t) this.#crashed = undefined;
    else if (run === this.#crashed.run && outcome === 'ended' && lost === undefined) this.#brokenOff++;
  }

  toolStarted({ resubmitted }: ToolStarted): void {
    if (resubmitted) this.#duplicatesSuppressed++;
  }

  /** Undefined where nothing is to crash. */
  figures(): CrashFigures | undefined {
    if (!this.#isExpected) return undefined;
    return {
      count: this.#count,
      downMs: this.#downMs,
      brokenOff: this.#brokenOff,
      resumed: this.#resumed,
      duplicatesSuppressed: this.#duplicatesSuppressed,
    };
  }
}
