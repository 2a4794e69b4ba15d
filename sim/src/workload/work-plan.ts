/** What the agents of a run have to do, its distributions ready to be drawn from, and what has come of it. */

import { type Sampler, sampler } from '../kernel/distribution.js';
import type { AgentsSettings } from '../scenario/scenario.js';
import type { ContextSettings, LimitsSettings, ToolsSettings } from '../scenario/task-settings.js';
import { type SizePlan, sizePlan } from './request-sizes.js';

export interface WorkPlan {
  readonly asks: number;
  /** Model requests per ask. */
  readonly requests: number;
  readonly sizes: SizePlan;
  /** Absent: an ask is its model requests and nothing else. */
  readonly task?: TaskPlan;
}

/** What stands around the model requests of an ask. */
export interface TaskPlan {
  readonly tools: ToolsPlan | null;
  readonly context: ContextSettings | null;
  readonly limits: LimitsSettings;
}

export interface ToolsPlan {
  readonly settings: ToolsSettings;
  readonly duration: Sampler;
  readonly resultTokens: Sampler;
}

const NO_LIMITS: LimitsSettings = { steps: null, tokens: null, timeMs: null };

/** @param isPooled Steps take places in a pool of executors. */
export function workPlan(
  { asks, requests, tokens, tools, context, limits }: Omit<AgentsSettings, 'population'>,
  isPooled: boolean,
): WorkPlan {
  const isTask = tools !== undefined || context !== undefined || limits !== undefined || isPooled;
  return {
    asks,
    requests,
    sizes: sizePlan(tokens),
    ...(isTask && {
      task: {
        tools: tools === undefined ? null : toolsPlan(tools),
        context: context ?? null,
        limits: limits ?? NO_LIMITS,
      },
    }),
  };
}

function toolsPlan(settings: ToolsSettings): ToolsPlan {
  return { settings, duration: sampler(settings.durationMs), resultTokens: sampler(settings.resultTokens) };
}

/** What came of a run. */
export interface Tally {
  /** Requests. */
  succeeded: number;
  lost: number;
  /** Asks that came to their end with all their answers, those of a replaced run included. */
  finishedAsks: number;
  /** Of these, the ones that a replaced run had finished. */
  cacheHits: number;
}
