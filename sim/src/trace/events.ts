/**
 * The events of a run. A run's only output is a list of these, in order; metrics, checks, expectations and reports are
 * pure functions of it. `t` is in milliseconds since the start of the run, with microsecond resolution. Nothing here
 * holds a wall time, a path, a host or a Node version: the same scenario, seed and version give the same bytes.
 */

import type { LedgerEntry } from '@tidegate/providers-mock';
import type { CrashEvent } from './crash-events.js';
import type { PipelineEvent } from './pipeline-events.js';
import type { TaskEvent } from './task-events.js';

export type TraceEvent =
  | TraceStarted
  | RunStarted
  | RequestQueued
  | RequestAdmitted
  | RequestSettled
  | RetryScheduled
  | RequestWithdrawn
  | ConcurrencyChanged
  | RunCapsChanged
  | RunPaused
  | RunSkipped
  | NodeWaiting
  | NodeExecuting
  | RunStalled
  | ProviderChanged
  | TaskEvent
  | PipelineEvent
  | CrashEvent
  | RunFinished
  | TraceFinished;

export type Mode = 'simulated' | 'loopback' | 'live';

export interface TraceStarted {
  readonly t: number;
  readonly type: 'trace-started';
  /** The resolved scenario, whole: a trace can be replayed with nothing else at hand. */
  readonly scenario: unknown;
  readonly seed: number;
  readonly controller: string;
  readonly mode: Mode;
  readonly version: string;
  /** The governor's initial cap; null where nothing governs (`controller: none`). */
  readonly initial: number | null;
  /** How far a cap may climb where no run asks for more; omitted where the options in the scenario say it. */
  readonly growthLimit?: number;
  /** K, the floor and whether a raise needs them: what the checks of a reference controller rest on. */
  readonly increaseAfterSuccesses: number;
  readonly floor: number;
}

export interface RunStarted {
  readonly t: number;
  readonly type: 'run-started';
  readonly run: string;
  /** In subagents working at once. */
  readonly bound: number;
  readonly agents: number;
}

/** Which attempt of which request an event is about. `id` counts requests from 1 in order of first queueing. */
export interface AttemptEvent {
  readonly t: number;
  readonly id: number;
  readonly attempt: number;
  /** `provider/model`. */
  readonly key: string;
  /** Undefined for a request without a run; its `agent` is the id of the arrivals or observers that it is of. */
  readonly run?: string | undefined;
  readonly agent?: string | undefined;
  /** It never queues and never cools, but counts in flight. Told of queueing, admission and settlement. */
  readonly observer?: true | undefined;
  /** Whose governor it goes through, where the scenario names processes. */
  readonly process?: string | undefined;
}

export interface RequestQueued extends AttemptEvent {
  readonly type: 'request-queued';
  /** Due while its run is down: it comes to its line when it is resumed. */
  readonly down?: true | undefined;
}

export interface RequestAdmitted extends AttemptEvent {
  readonly type: 'request-admitted';
  readonly epoch: number;
  /** As the gate measured it; equals the distance to `request-queued`. */
  readonly waitMs: number;
}

export type SettledOutcome = 'succeeded' | 'throttled' | 'failed' | 'ended';

/** All of these have one shape in memory, absent fields undefined: a fold over millions of them stays fast. */
export interface RequestSettled extends AttemptEvent {
  readonly type: 'request-settled';
  readonly outcome: SettledOutcome;
  /** Dispatch to answer; equals the distance to `request-admitted` (a send follows its grant in the same instant). */
  readonly serviceMs: number;
  readonly epoch: number;
  /** The provider's hint, as it arrived. */
  readonly retryAfterMs?: number | undefined;
  /** The key's cooldown after this answer, when it has one that is not over. */
  readonly cooldownUntil?: number | undefined;
  /** The quota that refused. */
  readonly refusedBy?: string | undefined;
  /** The injected fault that befell the answer; of a success too, where it spoilt nothing. */
  readonly fault?: string | undefined;
  /** Of a success. */
  readonly inputTokens?: number | undefined;
  /** Of the input tokens, those out of the provider's prompt cache; absent = none. */
  readonly cachedTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly firstTokenMs?: number | undefined;
  /** Of no success: what it cost all the same, prompt and output; absent = nothing, or nobody can know. */
  readonly spentTokens?: number | undefined;
  /** What only a real answer tells; absent in virtual time. */
  readonly observed?: Observed | undefined;
  /** Of a success that the run had before, in one that it replaced. */
  readonly repeated?: true | undefined;
  /** The last attempt of this request, and no success. */
  readonly lost?: true | undefined;
}

/** Of an answer that came over HTTP. */
export interface Observed {
  /** Why it was no success, in one word: `status-500`, `connection-reset`, `html-page`, … */
  readonly cause?: string;
  /** Dispatch to the first token of the answer proper, where reasoning came before it. */
  readonly firstAnswerMs?: number;
  /** Between two arrivals of something generated: the mean and the longest. */
  readonly gapMs?: number;
  readonly longestGapMs?: number;
  /** Of the output. */
  readonly reasoningTokens?: number;
  /** The answer did not state its tokens; the counts are an estimate. */
  readonly tokensEstimated?: true;
  /** Of `serviceMs`, what a budget held it back before it was sent: until others in flight left room for it. */
  readonly heldMs?: number;
  /** Only where they were to be kept. */
  readonly prompt?: string;
  readonly answer?: string;
}

export interface RetryScheduled extends AttemptEvent {
  readonly type: 'retry-scheduled';
  /** From now to the next attempt's queueing. `attempt` is the one that ended. */
  readonly delayMs: number;
}

/** Given up for good while it waited: for its turn, which ends the attempt unadmitted, or for its retry. */
export interface RequestWithdrawn extends AttemptEvent {
  readonly type: 'request-withdrawn';
  /** In the backoff, `attempt` is the one that ended. */
  readonly from: 'queue' | 'backoff';
  /** The gate turned it away; absent where whoever asked gave up. */
  readonly reason?: 'queue-full' | undefined;
}

export interface ConcurrencyChanged {
  readonly t: number;
  readonly type: 'concurrency-changed';
  readonly key: string;
  readonly process?: string | undefined;
  readonly previous: number;
  readonly next: number;
  readonly reason: string;
  readonly lastGood?: number | undefined;
  readonly lastBad?: number | undefined;
  readonly cooldownMs?: number | undefined;
}

export interface RunCapsChanged {
  readonly t: number;
  readonly type: 'run-caps-changed';
  readonly run: string;
  readonly previous: number;
  readonly bound: number;
}

/** The run makes no new request until then; what it has asked already goes on. */
export interface RunPaused {
  readonly t: number;
  readonly type: 'run-paused';
  readonly run: string;
  readonly untilMs: number;
}

/** The run never starts: too few of the asks before it came to their end with all their answers. */
export interface RunSkipped {
  readonly t: number;
  readonly type: 'run-skipped';
  readonly run: string;
  readonly agents: number;
  /** Of the runs that it comes after. */
  readonly asks: number;
  readonly finishedAsks: number;
  /** The share of them that had to. */
  readonly gate: number;
}

/** A subagent starts to wait: for a seat of its run, for a slot at the gate, or for its retry. */
export interface NodeWaiting {
  readonly t: number;
  readonly type: 'node-waiting';
  readonly run: string;
  readonly node: string;
  readonly reason: 'seat' | 'slot' | 'backoff';
}

export interface NodeExecuting {
  readonly t: number;
  readonly type: 'node-executing';
  readonly run: string;
  readonly node: string;
}

export interface RunStalled {
  readonly t: number;
  readonly type: 'run-stalled';
  readonly run: string;
  /** How long the run has been retrying without a success. */
  readonly stalledMs: number;
}

/** The timeline changed the provider. */
export interface ProviderChanged {
  readonly t: number;
  readonly type: 'provider-changed';
  readonly path: string;
  readonly value: unknown;
}

export interface RunFinished {
  readonly t: number;
  readonly type: 'run-finished';
  readonly run: string;
  readonly succeeded: number;
  readonly lost: number;
  /** Asks answered from the results of the run that this one replaced. */
  readonly cacheHits: number;
}

/** Why the run ended. `done` and `time` are complete; the others are not. */
export type StopReason =
  | 'done'
  | 'time'
  | 'after'
  | 'max-requests'
  | 'time-stands-still'
  | 'never-finishes'
  /** A live run met a budget, or an answer that makes all further ones useless. */
  | 'safety-rail'
  | 'interrupted';

export interface TraceFinished {
  readonly t: number;
  readonly type: 'trace-finished';
  readonly complete: boolean;
  readonly stop: StopReason;
  /** What to know of a stop that is not `done`: the binding constraint and what to change. */
  readonly detail?: string;
  /** The mock's own counts per `provider/model`; what the governor's counts are checked against. */
  readonly ledger: Readonly<Record<string, CountedModel>>;
  /** What the run cost this process; of a live run alone. */
  readonly client?: ClientLoad;
}

/** How busy the client was, so that nobody takes its slowness for the provider's. */
export interface ClientLoad {
  /** Requests that left, the probe included. */
  readonly sent: number;
  /** Tokens as the budgets count them, the probe's included: as stated, and at its worst what no answer stated. */
  readonly spent: { readonly input: number; readonly output: number };
  /** CPU time of the whole process per request sent, and the share of the time in which its event loop was busy. */
  readonly cpuMsPerRequest: number | null;
  readonly busy: number;
  /** By how much timers of the process fired late. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The client, not the provider, may have set the pace. */
  readonly isBottleneck: boolean;
}

/** The counts that a trace has of a model: they are checked against the governor's, and hold at every speed. */
export type CountedModel = Omit<LedgerEntry, 'requests' | 'tokens'>;
