/**
 * All that comes of a run, folded out of its events: the figures and verdicts, the time series, the report. A pure function
 * of the trace, so that a trace that is read back gives the same files to the byte. Every event passes the checks first.
 */

import type { Scenario } from '../scenario/scenario.js';
import type { TraceEvent, TraceFinished } from '../trace/events.js';
import { Checks } from './checks.js';
import { summarise } from './expectations.js';
import { Metrics } from './metrics.js';
import type { FolderContents } from './run-folder.js';
import { scenarioOf } from './scenario-facts.js';
import { TimeSeries, toCsv } from './timeseries.js';
import { coverChart, toReport } from './to-report.js';

/** How to see a run again that has its trace beside its report. */
export const REPLAY_TRACE = 'npx sim replay trace.jsonl';

export interface ResultsOptions {
  /** Of the bytes of the trace; null where none was written. */
  readonly traceSha256: string | null;
  /** How to see the run again, for the report. */
  readonly replay: string;
}

export class RunResults {
  readonly #checks = new Checks();
  readonly #metrics = new Metrics();
  readonly #series = new TimeSeries();
  #scenario: Scenario | undefined;
  #ending: TraceFinished | undefined;

  /** How the run ended; undefined where its trace breaks off. */
  get ending(): TraceFinished | undefined {
    return this.#ending;
  }

  /** @throws InvariantBroken at the first event that breaks one. */
  observe(event: TraceEvent): void {
    this.#checks.observe(event);
    this.#metrics.observe(event);
    this.#series.observe(event);
    if (event.type === 'trace-started') this.#scenario = scenarioOf(event);
    else if (event.type === 'trace-finished') this.#ending = event;
  }

  /** @throws RangeError if nothing has been observed. */
  contents({ traceSha256, replay }: ResultsOptions): FolderContents {
    const scenario = this.#scenario;
    if (scenario === undefined) throw new RangeError('results: expected a trace, got no trace-started event');
    const summary = summarise(this.#metrics.figures(), scenario.expect, traceSha256);
    const series = this.#series.series();
    return {
      summary,
      csv: toCsv(series.keys),
      report: toReport({ scenario, summary, series, replay }),
      cover: coverChart(series),
    };
  }
}
