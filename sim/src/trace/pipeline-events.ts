/**
 * What the trace tells of pipelines: dispatches and refusals, what budgets did, how turns ended. No other run tells it.
 * `run` is the pipeline's id; `agent` the name of a child.
 */

export type PipelineEvent =
  | StageDispatched
  | StageRefused
  | ChildSteered
  | BudgetWarned
  | TurnInterrupted
  | ChildStopped
  | ChildSettled
  | PipelineChanged;

/** What every event of a child says of it. */
export interface ChildFacts {
  readonly t: number;
  readonly run: string;
  /** Of the parent. */
  readonly session: string;
  readonly stage: string;
  readonly agent: string;
}

/** Why a child runs: it is new, it is asked again, or a message of its parent found it settled. */
export type CallReason = 'dispatch' | 'follow-up' | 'steer';

/** A child runs from now on until it settles. */
export interface StageDispatched extends ChildFacts {
  readonly type: 'stage-dispatched';
  readonly reason: CallReason;
  /** Of the child, from 1; a message begins none. */
  readonly round: number;
}

/** Over a bound: no failure, it is tried again at the parent's next step. */
export interface StageRefused extends ChildFacts {
  readonly type: 'stage-refused';
  readonly reason: CallReason;
  readonly by: 'stage' | 'host';
}

/** A message for a child that runs: its turn becomes longer, which takes no seat. */
export interface ChildSteered extends ChildFacts {
  readonly type: 'child-steered';
  readonly requests: number;
}

export interface BudgetWarned extends ChildFacts {
  readonly type: 'budget-warned';
  readonly elapsedMs: number;
  /** Whether it ends its turn with the request that it is at. */
  readonly finishes: boolean;
}

/** Its time is up: the request that it is at is given up, and it may write a report. */
export interface TurnInterrupted extends ChildFacts {
  readonly type: 'turn-interrupted';
  readonly elapsedMs: number;
}

/** Its grace is over as well: it is gone. */
export interface ChildStopped extends ChildFacts {
  readonly type: 'child-stopped';
  readonly elapsedMs: number;
}

/** A turn is over; the child is kept unless it was stopped. */
export interface ChildSettled extends ChildFacts {
  readonly type: 'child-settled';
  readonly end: TurnEnd;
}

/**
 * `done`: all its requests are made; `wound-up`: it finished after a warning; `lost`: a request was given up; `reported`:
 * interrupted, its report is written; `unreported`: interrupted without one; `stopped`: by the hard stop.
 */
export type TurnEnd = 'done' | 'wound-up' | 'lost' | 'reported' | 'unreported' | 'stopped';

/** The timeline moved a bound: that of a stage, of the host's pool, or of a program's calls. From the next dispatch on. */
export interface PipelineChanged {
  readonly t: number;
  readonly type: 'pipeline-changed';
  readonly run: string;
  readonly bound: 'maxConcurrency' | 'maxActive' | 'maxParallelCalls';
  /** Of `maxConcurrency`. */
  readonly stage?: string;
  /** 0 = none. */
  readonly value: number;
}
