/** What became of the stages of pipelines: counts per stage, and the running children's tokens out of the prompt cache. */

import type { Scenario } from '../scenario/scenario.js';
import type { RequestSettled } from '../trace/events.js';
import type { PipelineEvent } from '../trace/pipeline-events.js';
import type { StageFigures } from './summary.js';

type StageTotals = { -readonly [Name in keyof StageFigures]: StageFigures[Name] };

export class PipelineMetrics {
  readonly #pipelines = new Map<string, ReadonlyMap<string, StageTotals>>();
  /** The stage of each running child, by run and name. */
  readonly #running = new Map<string, StageTotals>();

  begin({ workload }: Scenario): void {
    for (const { id, stages } of workload.pipelines ?? []) {
      this.#pipelines.set(id, new Map(stages.map(({ name }) => [name, noFigures()])));
    }
  }

  observe(event: PipelineEvent): void {
    if (event.type === 'pipeline-changed') return;
    const { run, agent } = event;
    const stage = this.#pipelines.get(run)?.get(event.stage);
    if (stage === undefined) throw new RangeError(`stage: expected one of the pipeline ${run}, got ${event.stage}`);
    switch (event.type) {
      case 'stage-dispatched':
        if (event.reason === 'dispatch') stage.dispatches++;
        if (event.reason !== 'steer') stage.rounds++;
        this.#running.set(childOf(run, agent), stage);
        break;
      case 'stage-refused':
        stage.refusals++;
        break;
      case 'budget-warned':
        stage.warnings++;
        break;
      case 'turn-interrupted':
        stage.interrupts++;
        break;
      case 'child-stopped':
        stage.hardStops++;
        break;
      case 'child-settled':
        if (event.end === 'reported') stage.reports++;
        this.#running.delete(childOf(run, agent));
        break;
      case 'child-steered':
        break;
      default:
        event satisfies never;
    }
  }

  settled({ run, agent, cachedTokens }: RequestSettled): void {
    if (cachedTokens === undefined || run === undefined || agent === undefined) return;
    const stage = this.#running.get(childOf(run, agent));
    if (stage !== undefined) stage.cachedTokens += cachedTokens;
  }

  /** By name of the stage; undefined for a run that is no pipeline. */
  figures(run: string): Readonly<Record<string, StageFigures>> | undefined {
    const stages = this.#pipelines.get(run);
    return stages && Object.fromEntries(stages);
  }
}

function childOf(run: string, agent: string): string {
  return JSON.stringify([run, agent]);
}

function noFigures(): StageTotals {
  return {
    dispatches: 0,
    refusals: 0,
    rounds: 0,
    warnings: 0,
    interrupts: 0,
    reports: 0,
    hardStops: 0,
    cachedTokens: 0,
  };
}
