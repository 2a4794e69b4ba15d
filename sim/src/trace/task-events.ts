/**
 * What the trace tells of the tasks of a run: steps, tools, compactions, ends. Only runs whose agents have tools, a context
 * or limits tell it. A task is one ask of one agent, numbered from 1; its steps are its model requests with the tool calls
 * that follow each, numbered from 1 too.
 */

export type TaskEvent = StepStarted | ToolStarted | ToolFinished | ToolReleased | ContextCompacted | TaskEnded;

interface OfTask {
  readonly t: number;
  readonly run: string;
  readonly agent: string;
  readonly task: number;
}

/** A model request of the task is made: the next event of this agent is its `request-queued`. Tokens by kind. */
export interface StepStarted extends OfTask {
  readonly type: 'step-started';
  /** Of a summary, the step that it goes before. */
  readonly step: number;
  readonly kind: 'answer' | 'summary';
  /** For a place in the pool of executors. */
  readonly waitMs: number;
  readonly fixed: number;
  readonly summary: number;
  /** What was said in earlier turns. */
  readonly turns: number;
  /** Results of tools. */
  readonly results: number;
  /** What this request brings along itself. */
  readonly fresh: number;
}

interface OfCall extends OfTask {
  readonly step: number;
  /** From 1 in its step. */
  readonly call: number;
}

export interface ToolStarted extends OfCall {
  readonly type: 'tool-started';
  /** The task and the step, and which call of it: the same when a crash makes it necessary to ask again. */
  readonly idempotencyKey: string;
  /** Asked for again after a crash: what it has done already is not done a second time. */
  readonly resubmitted?: true | undefined;
  /** For a place of its agent, for the end of a call that it conflicts with, and for an executor. */
  readonly waitMs: number;
}

/**
 * `failed`: a model request inside it was given up; `cut`: its task ended. Each comes back as a result: a short message
 * where there is no other.
 */
export type ToolOutcome = 'done' | 'failed' | 'timed-out' | 'invalid-arguments' | 'cut';

export interface ToolFinished extends OfCall {
  readonly type: 'tool-finished';
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
  readonly resultTokens: number;
}

/** A call that timed out or was cut, and could not be cancelled, has come to its end: its place is free. */
export interface ToolReleased extends OfCall {
  readonly type: 'tool-released';
  /** Since it was given up. */
  readonly lateMs: number;
}

/** Older turns have become a summary. Tokens of the next request, before and after. */
export interface ContextCompacted extends OfTask {
  readonly type: 'context-compacted';
  readonly before: number;
  readonly after: number;
}

/**
 * `done`: all its requests are made; `steps`, `tokens`, `time`: a limit of the task; `tool-time`: the time for all its tools;
 * `context-window`: the next request would not fit; `request-lost`: a request was given up.
 */
export type TaskEndReason = 'done' | 'steps' | 'tokens' | 'time' | 'tool-time' | 'context-window' | 'request-lost';

export interface TaskEnded extends OfTask {
  readonly type: 'task-ended';
  readonly reason: TaskEndReason;
  readonly steps: number;
  /** Input and output of its requests. */
  readonly tokens: number;
  readonly durationMs: number;
}
