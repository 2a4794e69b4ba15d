/**
 * One pipeline of a scenario: a governed run whose subagents are the children of its sessions' stages. Opens it at its
 * time, begins the sessions in order, and closes the run when the last one has finished.
 */

import { PHASE } from '../kernel/kernel.js';
import type { PipelineChange, PipelineSettings, StageSettings } from '../scenario/pipeline-settings.js';
import type { TargetSettings } from '../scenario/scenario.js';
import type { PipelineHost, StagePlan } from './pipeline-host.js';
import { PipelinePools } from './pipeline-pools.js';
import { PipelineSession } from './pipeline-session.js';
import { PipelineSweep } from './pipeline-sweep.js';
import { sizePlan } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import { type Tally, workPlan } from './work-plan.js';

export interface PipelineDriverOptions {
  /** False: nothing bounds the run but a bound that the scenario states. */
  readonly governed: boolean;
  /** What requests to this target need. */
  contextOf(target: TargetSettings): RunContext;
  finished(): void;
}

export class PipelineDriver {
  readonly #context: RunContext;
  readonly #settings: PipelineSettings;
  readonly #options: PipelineDriverOptions;
  readonly #pools: PipelinePools;
  #maxParallelCalls: number;
  #sessions: readonly PipelineSession[] = [];

  constructor(settings: PipelineSettings, options: PipelineDriverOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#context = options.contextOf(settings.target);
    const stages = settings.stages.map(({ maxConcurrency }) => maxConcurrency);
    this.#pools = new PipelinePools({ maxActive: settings.host.maxActive, stages });
    this.#maxParallelCalls = settings.maxParallelCalls;
  }

  schedule(): void {
    this.#context.scheduler.after(this.#settings.startMs, PHASE.arrival, openPipeline, this);
  }

  /** A bound is another from the next dispatch on; before the pipeline starts, too. */
  become({ bound, stage, value }: PipelineChange): void {
    const { clerk, scheduler, runId } = this.#context;
    const where = stage === undefined ? {} : { stage };
    clerk.tell({ t: scheduler.now(), type: 'pipeline-changed', run: runId, bound, ...where, value });
    switch (bound) {
      case 'maxConcurrency':
        this.#pools.setBound(
          this.#settings.stages.findIndex(({ name }) => name === stage),
          value,
        );
        return;
      case 'maxActive':
        this.#pools.setMaxActive(value);
        return;
      case 'maxParallelCalls':
        this.#maxParallelCalls = value;
        for (const session of this.#sessions) session.setMaxParallelCalls(value);
    }
  }

  open(): void {
    const { governor, clerk, scheduler, streams } = this.#context;
    const { id, sessions, stages } = this.#settings;
    const children = sessions.count * stages.reduce((sum, stage) => sum + stage.children, 0);
    const maxConcurrency = this.#settings.maxConcurrency ?? (this.#options.governed ? null : children);
    const run = governor.openRun(id, { maxConcurrency });
    clerk.tell({ t: scheduler.now(), type: 'run-started', run: id, bound: run.bound, agents: children });

    const tally: Tally = { succeeded: 0, lost: 0, finishedAsks: 0, cacheHits: 0 };
    const plans = stages.map((stage, index) => this.#planOf(stage, index));
    const host: PipelineHost = { run, stages: plans, pools: this.#pools, tally, clerk, scheduler, streams };
    let open = sessions.count;
    const finished = (): void => {
      open--;
      if (open > 0) return;
      run.close();
      const { succeeded, lost, cacheHits } = tally;
      clerk.tell({ t: scheduler.now(), type: 'run-finished', run: id, succeeded, lost, cacheHits });
      this.#options.finished();
    };
    this.#sessions = Array.from({ length: sessions.count }, (_, i) => {
      const name = sessions.name.replaceAll('{n}', `${i + 1}`);
      return new PipelineSession(host, name, this.#settings, this.#maxParallelCalls, finished);
    });
    for (const session of this.#sessions) session.begin();
  }

  #planOf(settings: StageSettings, index: number): StagePlan {
    const { budget, target } = settings;
    const { scheduler, executors } = this.#context;
    return {
      index,
      settings,
      context: this.#options.contextOf(target),
      work: workPlan({ ...settings, asks: 1 }, executors !== null),
      closing: budget === undefined ? null : sizePlan(budget.closing),
      sweep: budget === undefined ? null : new PipelineSweep(scheduler, budget.sweepMs),
    };
  }
}

function openPipeline(pipeline: PipelineDriver): void {
  pipeline.open();
}
