/**
 * The figures of a run: `summary.json`. Times are in milliseconds, every number is finite, and null stands where there
 * were no samples. Computes nothing; `metrics.ts` and `expectations.ts` do.
 */

import type { Mode } from '../trace/events.js';
import type { TaskEndReason } from '../trace/task-events.js';
import type { LatencyFigures } from './latency.js';
import type { LiveFigures } from './live-figures.js';

export interface Summary {
  readonly scenario: string;
  readonly seed: number;
  readonly mode: Mode;
  readonly controller: string;
  readonly version: string;
  /** The clock when the run stopped. */
  readonly virtualMs: number;
  /** The last settlement; null when nothing settled. Means over time are over [0, makespanMs]. */
  readonly makespanMs: number | null;
  readonly complete: boolean;
  readonly requests: RequestCounts;
  readonly refused: {
    /** Refused attempts of all attempts. */
    readonly share: number | null;
    /** The first refusal. */
    readonly first: number | null;
    /** Refusals per minute of makespan. */
    readonly perMinute: number | null;
  };
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    /** Spent again by a successor run for lack of a cached result. */
    readonly repeated: number;
  };
  readonly latencyMs: {
    /** Queued at the gate until admitted, for a seat or a slot; per admitted attempt, zeros included. */
    readonly wait: LatencyFigures;
    /** Dispatch to answer; per attempt that was answered, refusals included. */
    readonly service: LatencyFigures;
    /** First queued to the final answer, backoff included; per succeeded request. */
    readonly total: LatencyFigures;
    /** Dispatch to the first token; per succeeded request whose provider told it. */
    readonly firstToken: LatencyFigures;
  };
  readonly queue: Level;
  readonly inFlight: Level;
  /** By `provider/model`: those that the runs of the scenario ask, in its order. */
  readonly keys: Readonly<Record<string, KeyFigures>>;
  readonly runs: Readonly<Record<string, RunFigures>>;
  /** The provider's own books, by `provider/model`. */
  readonly providers: Readonly<Record<string, ProviderFigures>>;
  /** The four below only where the scenario has such a thing. */
  readonly tasks?: TaskFigures;
  readonly tools?: ToolFigures;
  readonly context?: ContextFigures;
  readonly executors?: ExecutorFigures;
  /** Only where the timeline has one. */
  readonly crashes?: CrashFigures;
  /** Of a live run alone. */
  readonly live?: LiveFigures;
  readonly expectations: readonly ExpectationResult[];
  /** Of the bytes of `trace.jsonl`; null when none was written. */
  readonly traceSha256: string | null;
}

/** What a trace alone gives; expectations and the hash of the file come on top. */
export type Figures = Omit<Summary, 'expectations' | 'traceSha256'>;

export interface RequestCounts {
  /** `succeeded + lost + unfinished`. */
  readonly logical: number;
  /** `succeeded + refused + failed + ended`, and those that were open when the run stopped. Withdrawn ones have ended. */
  readonly attempts: number;
  readonly succeeded: number;
  /** Attempts settled as a throttle. */
  readonly refused: number;
  readonly failed: number;
  readonly ended: number;
  /** Requests whose final attempt was no success. */
  readonly lost: number;
  readonly unfinished: number;
}

export interface Level {
  readonly max: number;
  /** Over time. */
  readonly mean: number | null;
}

export interface KeyFigures {
  /** All null where nothing governs. */
  readonly cap: {
    readonly initial: number | null;
    readonly min: number | null;
    readonly max: number | null;
    readonly final: number | null;
    readonly mean: number | null;
  };
  readonly inFlight: Level;
  readonly queue: Level;
  /** Epochs turned by a throttle, those that could not lower the cap included. */
  readonly cuts: number;
  readonly raises: number;
  /** Reported ones: those that moved the cap. */
  readonly idleResets: number;
  /** The final epoch, as far as the trace shows it. */
  readonly epochs: number;
  /** Time spent cooling, until the run stopped. */
  readonly cooldownMs: number;
  /** `[tMs, cap, reason]`: the initial cap, then every reported change. Empty where nothing governs. */
  readonly capPath: readonly CapStep[];
}

export type CapStep = readonly [tMs: number, cap: number, reason: string];

export interface RunFigures {
  /** In subagents working at once; the latest. */
  readonly bound: number;
  /** From the run's start to its last settlement; null when nothing settled. */
  readonly makespanMs: number | null;
  /** `min(cap of the narrowest key the run uses, bound)` over the run's life; `min` counts no level of no duration. */
  readonly effective: { readonly min: number; readonly mean: number };
  /** Sum over the run's admitted attempts. */
  readonly waitMs: number;
  readonly agents: number;
  readonly cacheHits: number;
  /** Of a run with a gate: whether it was left out, because too little came of what went before. */
  readonly skipped?: boolean;
  /** Of a pipeline, by name of the stage; other runs have none. */
  readonly stages?: Readonly<Record<string, StageFigures>>;
}

/** Over all sessions. */
export interface StageFigures {
  /** Children that were seated. */
  readonly dispatches: number;
  /** Dispatches and follow-ups that found no room and were tried again. */
  readonly refusals: number;
  /** Turns of the children, follow-ups included. */
  readonly rounds: number;
  /** What budgets did: warned, interrupted, stopped; and the reports that interrupted children wrote. */
  readonly warnings: number;
  readonly interrupts: number;
  readonly reports: number;
  readonly hardStops: number;
  /** Input tokens of successes that came out of the provider's prompt cache. */
  readonly cachedTokens: number;
}

export interface ProviderFigures {
  readonly admitted: number;
  readonly refused: number;
  readonly peakInFlight: number;
  readonly refusedBy: Readonly<Record<string, number>>;
}

/** A task is one ask of an agent with tools, a context or limits. */
export interface TaskFigures {
  /** Model requests of all tasks, neither summaries nor those inside tools. */
  readonly steps: number;
  /** Tasks by what ended them. */
  readonly endedBy: Readonly<Record<TaskEndReason, number>>;
  readonly durationMs: LatencyFigures;
}

export interface ToolFigures {
  /** Calls that began, those with invalid arguments included. */
  readonly calls: number;
  readonly done: number;
  /** A model request inside the call was given up. */
  readonly failed: number;
  readonly timedOut: number;
  readonly invalidArguments: number;
  /** Given up because the task ended. */
  readonly cut: number;
  /** Calls that somebody waited for, at most, of all agents together. */
  readonly runningMax: number;
  /** Of all results, short messages included. */
  readonly resultTokens: number;
  /** Issued to begun. */
  readonly waitMs: LatencyFigures;
  /** Of calls that were given up and could not be cancelled: how much longer they kept their places. */
  readonly lateMs: LatencyFigures;
}

/** In tokens, counted when a request is made. */
export interface ContextFigures {
  readonly compactions: number;
  /** The largest request. */
  readonly largest: number;
  readonly inputTokens: {
    readonly fixed: number;
    readonly summary: number;
    readonly turns: number;
    readonly results: number;
    readonly fresh: number;
    /** Of the summarising requests, whatever its kind. */
    readonly summarising: number;
  };
}

export interface ExecutorFigures {
  /** Of the steps of tasks, for a place in the pool; zeros included. */
  readonly waitMs: LatencyFigures;
}

export interface CrashFigures {
  /** Of processes of runs. */
  readonly count: number;
  /** Together. */
  readonly downMs: number;
  /** Attempts that were in flight and had to be made again. */
  readonly brokenOff: number;
  /** Attempts that waited, or came due meanwhile, and came to their line when the run was back. */
  readonly resumed: number;
  /** Tool calls asked for again under the same key, and not done again. */
  readonly duplicatesSuppressed: number;
}

export interface ExpectationResult {
  readonly path: string;
  readonly min?: number;
  readonly max?: number;
  readonly equals?: number | string | boolean | null;
  /** Null where the run has no such figure. */
  readonly actual: number | string | boolean | null;
  readonly pass: boolean;
}
