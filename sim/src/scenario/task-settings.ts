/**
 * What an agent does between and around its model requests, resolved: its tools, its growing context, and what ends a task
 * before its work is done. A task is one ask of one agent; a step of it is one model request and the tools it calls.
 */

import type { Distribution } from '../kernel/distribution.js';

export interface ToolsSettings {
  /** When they are called: after each model request of a task. */
  readonly per: 'request';
  /** Calls after each request. */
  readonly parallel: number;
  /** Calls of one agent that run at the same time. */
  readonly atOnce: number;
  /** How long a call works, the model requests inside it not counted. */
  readonly durationMs: Distribution;
  /** Of one call, from its start; stands still while a model request of the call queues at the gate. */
  readonly timeoutMs: number;
  /** Of all waiting for tools in one task. */
  readonly taskTimeoutMs: number;
  /** Model requests made inside each call, one after the other, before its own work. */
  readonly modelRequests: number;
  /** Share of the calls that are refused for their arguments and have to be made again, which costs a step. */
  readonly invalidArguments: number;
  /** Share of the calls that may run only one at a time in their agent. */
  readonly conflicts: number;
  /** Whether a call that has timed out stops working; if not, it keeps its place until its work is done. */
  readonly cancellable: boolean;
  /** What a call adds to the input of the next request, before it is cut to `maxResultTokens`. */
  readonly resultTokens: Distribution;
  readonly maxResultTokens: number;
}

/** All in tokens but `keepTurns`, which counts turns, and `compactAt`, a share of the window. */
export interface ContextSettings {
  /** Sent with every request: instructions, descriptions of tools. */
  readonly fixed: number;
  /** The latest turns, which a compaction leaves as they are. */
  readonly keepTurns: number;
  /** Length of the summary that takes the place of older turns. */
  readonly summary: number;
  readonly window: number;
  readonly compactAt: number;
}

/** Of one task; null = none. */
export interface LimitsSettings {
  /** Model requests, summaries not counted. */
  readonly steps: number | null;
  /** Input and output of its requests together. */
  readonly tokens: number | null;
  readonly timeMs: number | null;
}
