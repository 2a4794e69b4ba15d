/**
 * A pipeline after validation: parent sessions that each take one item through stages of children. Part of `Scenario`, and
 * plain JSON as that is.
 */

import type { TargetSettings, TokensSettings } from './request-settings.js';
import type { ContextSettings, LimitsSettings, ToolsSettings } from './task-settings.js';

export interface PipelineSettings {
  readonly id: string;
  readonly target: TargetSettings;
  readonly startMs: number;
  /** Of the governed run that the pipeline is, in children; null = the governor's default bound. */
  readonly maxConcurrency: number | null;
  /** Per attempt, from dispatch; null = none. */
  readonly timeoutMs: number | null;
  /** `{n}` is the session's number from 1. */
  readonly sessions: { readonly count: number; readonly name: string };
  /** Running children across stages and sessions; 0 = no bound. */
  readonly host: { readonly maxActive: number };
  /** Open calls of one parent's program; 0 = no bound. */
  readonly maxParallelCalls: number;
  /** What was refused is tried again at the parent's next step, so long after the refusal. */
  readonly stepMs: number;
  readonly stages: readonly StageSettings[];
}

export interface StageSettings {
  readonly name: string;
  readonly target: TargetSettings;
  /** Indices of the stages that must be done, for the same session. */
  readonly after: readonly number[];
  /** Per session. */
  readonly children: number;
  /** Running children per session; 0 = no bound. */
  readonly maxConcurrency: number;
  /** Turns of each child: the first and its follow-ups. */
  readonly rounds: number;
  /** Model requests of a turn, one after the other. */
  readonly requests: number;
  readonly tokens: TokensSettings;
  /** As of the agents of a run; a turn is a task. Absent: it is its model requests and nothing else. */
  readonly tools?: ToolsSettings;
  readonly context?: ContextSettings;
  readonly limits?: LimitsSettings;
  readonly followUp: FollowUpSettings;
  /** Absent = none. */
  readonly steer?: SteerSettings;
  readonly budget?: BudgetSettings;
}

export interface FollowUpSettings {
  /** Share of the input that the provider has cached from the child's earlier turn. */
  readonly cachedPrefix: number;
  /** From the end of a turn until the parent asks for the next one. */
  readonly afterMs: number;
}

/** One message of the parent to each child of the stage. */
export interface SteerSettings {
  /** Since the child's dispatch. */
  readonly afterMs: number;
  /** What it adds to the turn, or what it wakes the child for. */
  readonly requests: number;
}

/** Of each turn of a child. */
export interface BudgetSettings {
  readonly timeMs: number;
  /** A share of the time. */
  readonly warnAt: number;
  /** Of the warned, the share that ends its turn with the request it is at. */
  readonly finishAfterWarning: number;
  /** From the interrupt to the hard stop. */
  readonly graceMs: number;
  /** How often the host looks at its children. */
  readonly sweepMs: number;
  /** Of the report that an interrupted child writes. */
  readonly closing: TokensSettings;
}

/** A bound of a pipeline that the timeline moves. */
export interface PipelineChange {
  readonly kind: 'pipeline';
  readonly atMs: number;
  /** The id of the pipeline. */
  readonly pipeline: string;
  readonly bound: 'maxConcurrency' | 'maxActive' | 'maxParallelCalls';
  /** Whose `maxConcurrency` it is. */
  readonly stage?: string;
  readonly value: number;
}
