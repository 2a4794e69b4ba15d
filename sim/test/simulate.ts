/** Runs a scenario in this process and gives back everything that came of it. */

import { createHash } from 'node:crypto';
import { Checks } from '../src/results/checks.js';
import { summarise } from '../src/results/expectations.js';
import { Metrics } from '../src/results/metrics.js';
import type { Summary } from '../src/results/summary.js';
import { run } from '../src/run.js';
import type { LoadResult } from '../src/scenario/load.js';
import { loadScenario } from '../src/scenario/load.js';
import { formatProblems } from '../src/scenario/problems.js';
import type { Scenario } from '../src/scenario/scenario.js';
import { loadScenarioFile } from '../src/scenario/scenario-file.js';
import type { TraceEvent } from '../src/trace/events.js';
import { simulatedWorld, type World } from '../src/transport/world.js';

export interface Simulated {
  readonly events: readonly TraceEvent[];
  readonly summary: Summary;
  /** Of the trace as `trace.jsonl` has it. */
  readonly sha256: string;
}

export function scenarioFile(path: string, set: readonly string[] = []): Scenario {
  return scenarioOf(loadScenarioFile(path, { set }));
}

export function scenarioText(text: string, set: readonly string[] = []): Scenario {
  const readFile = (): never => {
    throw new Error('this scenario names no files');
  };
  return scenarioOf(loadScenario({ text, readFile }, { set }));
}

function scenarioOf(loaded: LoadResult): Scenario {
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.scenario;
}

/** @throws InvariantBroken when a check of the run does not hold. */
export function simulate(scenario: Scenario): Promise<Simulated> {
  return runIn(simulatedWorld(scenario), scenario);
}

/**
 * Runs it in any world, and closes that.
 *
 * @throws InvariantBroken when a check of the run does not hold.
 */
export async function runIn(world: World, scenario: Scenario, interrupt?: AbortSignal): Promise<Simulated> {
  const events: TraceEvent[] = [];
  const checks = new Checks();
  const metrics = new Metrics();
  const hash = createHash('sha256');
  const observe = (event: TraceEvent): void => {
    events.push(event);
    hash.update(`${JSON.stringify(event)}\n`);
    checks.observe(event);
    metrics.observe(event);
  };
  try {
    await run({ scenario, world, version: 'test', observe, ...(interrupt && { interrupt }) });
  } finally {
    await world.close();
  }
  const sha256 = hash.digest('hex');
  return { events, summary: summarise(metrics.figures(), scenario.expect, sha256), sha256 };
}
