/**
 * One run of a study, and what is kept of it: the scenario is run once per seed, with every check of a run on it, and of
 * its trace only the figures stay.
 */

import { run } from '../../run.js';
import type { Scenario } from '../../scenario/scenario.js';
import { readSummaryField } from '../../scenario/summary-fields.js';
import type { StopReason, TraceEvent } from '../../trace/events.js';
import { simulatedWorld } from '../../transport/world.js';
import { InvariantBroken } from '../checks/invariants.js';
import { Checks } from '../checks.js';
import { Measures } from '../measures/measures.js';
import { Metrics } from '../metrics.js';
import { metricValues } from './metric.js';

/** Plain JSON: it is sent between threads and kept in a file. */
export interface RunRow {
  readonly seed: number;
  /** By name of the metric or path of the summary; null where there was nothing to measure. */
  readonly values: Readonly<Record<string, number | null>>;
  /** Why the run ended; `broken`: a check did not hold, or the simulator failed. */
  readonly stop: StopReason | 'broken';
  /** What there is to say of an end before its time. */
  readonly detail?: string;
}

export interface RunTask {
  readonly scenario: Scenario;
  readonly seeds: readonly number[];
  /** Fields of `summary.json` to keep beside the metrics. */
  readonly fields: readonly string[];
  readonly version: string;
}

export function isComplete({ stop }: RunRow): boolean {
  return stop === 'done' || stop === 'time';
}

/** Runs the scenario on each of the seeds. What breaks a run is part of its row; nothing is thrown. */
export async function runRows({ scenario, seeds, fields, version }: RunTask): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for (const seed of seeds) rows.push(await runRow({ ...scenario, seed }, fields, version));
  return rows;
}

async function runRow(scenario: Scenario, fields: readonly string[], version: string): Promise<RunRow> {
  const checks = new Checks();
  const measures = new Measures();
  const metrics = fields.length > 0 ? new Metrics() : undefined;
  let stop: StopReason = 'interrupted';
  let detail: string | undefined;
  const observe = (event: TraceEvent): void => {
    checks.observe(event);
    measures.observe(event);
    metrics?.observe(event);
    if (event.type === 'trace-finished') ({ stop, detail } = event);
  };
  const world = simulatedWorld(scenario);
  try {
    await run({ scenario, world, version, observe });
  } catch (error) {
    const why = error instanceof InvariantBroken ? error.message : `a defect of the simulator: ${String(error)}`;
    return { seed: scenario.seed, values: {}, stop: 'broken', detail: why };
  } finally {
    await world.close();
  }
  const summary = metrics?.figures();
  const asked = fields.map((field) => [field, numberAt(summary, field)] as const);
  return {
    seed: scenario.seed,
    values: { ...metricValues(measures.figures()), ...Object.fromEntries(asked) },
    stop,
    ...(detail === undefined ? {} : { detail }),
  };
}

function numberAt(summary: unknown, field: string): number | null {
  const value = readSummaryField(summary, field);
  return typeof value === 'number' ? value : null;
}
