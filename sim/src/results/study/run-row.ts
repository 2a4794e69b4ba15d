/**
 * One run of a study, and what is kept of it: the scenario is run once per seed, with every check of a run on it, and of
 * its trace only the figures stay.
 */

import { resolve } from 'node:path';
import { loadController } from '../../baselines/controller-module.js';
import type { MakeController } from '../../baselines/controllers.js';
import { run } from '../../run.js';
import { isModulePath } from '../../scenario/controllers.js';
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
  /** Of the scenario's file: where the module of its controller is looked for. */
  readonly folder: string;
  readonly seeds: readonly number[];
  /** Fields of `summary.json` to keep beside the metrics. */
  readonly fields: readonly string[];
  readonly version: string;
}

export function isComplete({ stop }: RunRow): boolean {
  return stop === 'done' || stop === 'time';
}

/** Runs the scenario on each of the seeds. What breaks a run is part of its row; nothing is thrown. */
export async function runRows({ scenario, seeds, ...task }: RunTask): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for (const seed of seeds) rows.push(await runRow({ ...scenario, seed }, task));
  return rows;
}

async function runRow(
  scenario: Scenario,
  { folder, fields, version }: Omit<RunTask, 'scenario' | 'seeds'>,
): Promise<RunRow> {
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
    await run({ scenario, world, version, observe, ...(await ownController(scenario, folder)) });
  } catch (error) {
    const why =
      error instanceof InvariantBroken ? error.message : error instanceof Error ? error.message : String(error);
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

/** Of a scenario that names a module, what it makes. @throws Error if the module makes no controller. */
export async function ownController(
  { governor }: Scenario,
  folder: string,
): Promise<{ readonly controller?: MakeController }> {
  const { controller, options } = governor;
  return isModulePath(controller) ? { controller: await loadController(resolve(folder, controller), options) } : {};
}

function numberAt(summary: unknown, field: string): number | null {
  const value = readSummaryField(summary, field);
  return typeof value === 'number' ? value : null;
}
