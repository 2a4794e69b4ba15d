/** What the sessions and children of one pipeline share. */

import type { Run } from '@tidegate/governor';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { StageSettings } from '../scenario/pipeline-settings.js';
import type { Clerk } from './clerk.js';
import type { PipelinePools } from './pipeline-pools.js';
import type { PipelineSweep } from './pipeline-sweep.js';
import type { SizePlan } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import type { Tally, WorkPlan } from './work-plan.js';

export interface StagePlan {
  readonly index: number;
  readonly settings: StageSettings;
  /** With the target of the stage. */
  readonly context: RunContext;
  readonly work: WorkPlan;
  /** Of closing reports; null and no sweep without a budget. */
  readonly closing: SizePlan | null;
  readonly sweep: PipelineSweep | null;
}

export interface PipelineHost {
  readonly run: Run;
  readonly stages: readonly StagePlan[];
  readonly pools: PipelinePools;
  readonly tally: Tally;
  readonly clerk: Clerk;
  readonly scheduler: Scheduler;
  readonly streams: RandomStreams;
}
