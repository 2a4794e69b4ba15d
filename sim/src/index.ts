/**
 * The public surface of `@tidegate/sim`, for those who run scenarios from their own code: load one, run it in a world, fold
 * its events. The command line does the same.
 */

export { loadController } from './baselines/controller-module.js';
export type { MakeController } from './baselines/controllers.js';
export { InvariantBroken } from './results/checks/invariants.js';
export { Checks } from './results/checks.js';
export { evaluate, summarise } from './results/expectations.js';
export { jainIndex } from './results/measures/fairness.js';
export { type MeasureFigures, type MeasureOptions, Measures } from './results/measures/measures.js';
export type { PhaseFigures } from './results/measures/settling.js';
export { Metrics } from './results/metrics.js';
export type { Summary } from './results/summary.js';
export { TimeSeries, toCsv } from './results/timeseries.js';
export { toReport } from './results/to-report.js';
export { type RunInput, run } from './run.js';
export { type LoadResult, loadScenario, type ScenarioSource } from './scenario/load.js';
export { formatProblems, type Problem } from './scenario/problems.js';
export type { Scenario } from './scenario/scenario.js';
export { loadScenarioFile } from './scenario/scenario-file.js';
export { jsonSchema } from './scenario/schema.js';
export type { TraceEvent } from './trace/events.js';
export { readTrace } from './trace/reader.js';
export { simulatedWorld, type World } from './transport/world.js';
