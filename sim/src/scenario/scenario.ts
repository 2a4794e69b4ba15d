/**
 * A scenario after validation: every default filled in, every duration in milliseconds, every file it names already
 * read. Plain JSON, so that a trace can carry it whole and a replay needs nothing else.
 */

import type {
  FaultSpec,
  OverloadSpec,
  QuotaSpec,
  RefusalStyle,
  RetryAfterSpec,
  ServerSpec,
} from '@tidegate/providers-mock';
import type { Distribution } from '../kernel/distribution.js';
import type { ControllerName, ModulePath } from './controllers.js';
import type { PipelineChange, PipelineSettings } from './pipeline-settings.js';
import type { TargetSettings, TokensSettings } from './request-settings.js';
import type { ContextSettings, LimitsSettings, ToolsSettings } from './task-settings.js';

export type { TargetSettings, TokensSettings } from './request-settings.js';

export interface Scenario {
  readonly name: string;
  readonly question: string;
  readonly seed: number;
  readonly governor: GovernorSettings;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly workload: WorkloadSettings;
  /** In order of time; entries of the same instant in the order of the file. */
  readonly timeline: readonly TimelineEntry[];
  readonly stop: StopRule;
  /** In the order of the file. */
  readonly expect: readonly Expectation[];
  /** Of a run with --live alone; absent where the scenario says nothing of it. */
  readonly live?: LiveHints;
}

/** The names of environment variables, and what tokens cost; what is absent has its default. */
export interface LiveHints {
  readonly baseUrlEnv?: string;
  readonly apiKeyEnv?: string;
  readonly modelEnv?: string;
  readonly wire?: 'openai' | 'anthropic';
  readonly stream?: boolean;
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Per million tokens. */
  readonly prices?: {
    readonly inputPerMillion: number;
    readonly outputPerMillion: number;
    readonly currency: string;
  };
}

/** Option names are those of `GovernorOptions` of the governor, so that they pass through unchanged. */
export interface GovernorSettings {
  readonly preset: 'reference' | 'auto-grow' | 'adaptive';
  readonly controller: ControllerName | ModulePath;
  readonly options: GovernorNumbers;
  readonly retry: RetrySettings;
}

/** Only what the scenario states or its preset sets; the governor owns the defaults. */
export interface GovernorNumbers {
  readonly initial?: number;
  readonly growthLimit?: number;
  readonly growthFactor?: number;
  readonly decreaseFactor?: number;
  readonly increaseStep?: number;
  readonly increaseAfterSuccesses?: number;
  readonly floor?: number;
  readonly rememberGood?: boolean;
  readonly idleResetMs?: number;
  readonly maxCooldownMs?: number;
  readonly resumeStaggerMs?: number;
  readonly freezeOn?: 'any' | 'rate';
  readonly pacing?: 'off' | 'headers';
  readonly latencySignal?: boolean;
  readonly probeBackoffMax?: number;
  readonly recovery?: 'additive' | 'slow-start';
  readonly growth?: 'streak' | 'window';
  readonly maxQueue?: number;
}

/** Names are those of the governor's `RetryPolicy`. `Infinity` is written `null` so that the scenario stays JSON. */
export interface RetrySettings {
  /** Retries per class; null = unlimited. */
  readonly throttle: number | null;
  readonly network: number | null;
  readonly business: number | null;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly maxRetryAfterMs: number;
  /** The backoffs themselves, one after the other, then the last again and again; without luck. Absent: they double. */
  readonly delaysMs?: readonly number[];
}

/**
 * What a scenario does not ask for is absent, so that a trace says of a provider what there is to say. The shapes below it
 * are those of @tidegate/providers-mock.
 */
export interface ProviderSettings {
  readonly wire: 'openai' | 'anthropic' | 'gemini';
  /** How errors and limits look on the wire; absent = as in the dialect. */
  readonly refusal?: RefusalStyle;
  /** The time of day, in ms after midnight UTC, at which the run begins; absent = midnight. */
  readonly startsAtMs?: number;
  /** Of all models at once. */
  readonly overload?: OverloadSpec;
  /** Shared by all models of the provider. */
  readonly quotas: readonly QuotaSettings[];
  readonly models: Readonly<Record<string, ModelSettings>>;
}

export interface ModelSettings {
  readonly quotas: readonly QuotaSettings[];
  readonly retryAfter: RetryAfterSettings;
  readonly latency: LatencySettings;
  readonly overload?: OverloadSpec;
  readonly server?: ServerSpec;
  /** Over HTTP, while a request waits at that server: bytes without meaning this often. Default: nothing. */
  readonly keepAliveMs?: number;
  /** Not empty. */
  readonly faults?: readonly FaultSpec[];
}

export type QuotaSettings = QuotaSpec;
export type RetryAfterSettings = RetryAfterSpec;

export interface LatencySettings {
  readonly service: ServiceSettings;
  /** A share of the requests takes another service time. */
  readonly secondMode?: { readonly share: number; readonly service: ServiceSettings };
  readonly refusalMs: Distribution;
  readonly load: { readonly slope: number; readonly kneeStart: number | null; readonly kneeBase: number };
}

/**
 * `tokens`: first token, per input token before it, and per output token; `service`: one distribution for the whole
 * answer. All in ms, times load.
 */
export type ServiceSettings =
  | {
      readonly kind: 'tokens';
      readonly firstTokenMs: Distribution;
      readonly perInputTokenMs?: Distribution;
      readonly perOutputTokenMs: Distribution;
    }
  | { readonly kind: 'service'; readonly serviceMs: Distribution };

/** What the scenario has none of is absent, but for the runs. */
export interface WorkloadSettings {
  readonly runs: readonly RunSettings[];
  readonly pipelines?: readonly PipelineSettings[];
  /** Open loop: each a request of its own, without a run. */
  readonly arrivals?: readonly ArrivalsSettings[];
  /** The same for requests that never queue and never cool, as a user's own conversation. */
  readonly observers?: readonly ArrivalsSettings[];
  /** The steps and tools of all runs share so many places; absent: each task has an executor of its own. */
  readonly executors?: { readonly pool: number };
}

/** Requests that come when they come, whatever became of those before them. */
export interface ArrivalsSettings {
  readonly id: string;
  readonly target: TargetSettings;
  readonly startMs: number;
  /** Per attempt, from dispatch; null = none. */
  readonly timeoutMs: number | null;
  readonly times: ArrivalTimes;
  readonly tokens: TokensSettings;
  /** Whose governor they go through; absent = the one process that a scenario has anyway. */
  readonly process?: string;
}

/** All since `startMs`. `poisson`: gaps are exponential; `uniform`: all gaps are the same; the first comes after one. */
export type ArrivalTimes =
  | {
      readonly kind: 'poisson' | 'uniform';
      readonly meanGapMs: number;
      /** The end: so many, or so long, whichever comes first; null = not by it. */
      readonly count: number | null;
      readonly forMs: number | null;
    }
  /** As they were recorded; in order of time. */
  | { readonly kind: 'trace'; readonly rows: readonly ArrivalRow[] };

/** A number given here replaces the draw from the distribution. */
export interface ArrivalRow {
  readonly atMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface RunSettings {
  readonly id: string;
  readonly target: TargetSettings;
  readonly startMs: number;
  /** In subagents; null = the governor's default bound. */
  readonly maxConcurrency: number | null;
  /** Per attempt, from dispatch; null = none. */
  readonly timeoutMs: number | null;
  /** In place of the governor's. */
  readonly retry?: RetrySettings;
  /** Whose governor it goes through; absent = the one process that a scenario has anyway. */
  readonly process?: string;
  /** It starts when all of these are over, and `startMs` later; absent = by the clock. */
  readonly after?: readonly string[];
  /** The share of the asks of those before it that must have got all their answers; else it is skipped. Absent = none. */
  readonly gate?: number;
  readonly agents: AgentsSettings;
}

export interface AgentsSettings {
  readonly population:
    | {
        readonly kind: 'count';
        readonly count: number /** `{n}` is the agent's number from 1. */;
        readonly name: string;
      }
    | { readonly kind: 'rows'; readonly rows: readonly AgentRow[] };
  /** Asks of one agent are serial. */
  readonly asks: number;
  /** Model requests per ask, serial. */
  readonly requests: number;
  readonly tokens: TokensSettings;
  /** Absent: an ask is its model requests and nothing else. */
  readonly tools?: ToolsSettings;
  readonly context?: ContextSettings;
  readonly limits?: LimitsSettings;
}

/** One agent of a CSV or a glob; a number given here replaces the draw from the distribution. */
export interface AgentRow {
  readonly name: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export type TimelineEntry = ProviderChange | RunChange | PipelineChange;

export interface ProviderChange {
  readonly kind: 'set';
  readonly atMs: number;
  readonly path: string;
  readonly value: unknown;
  readonly provider: string;
  /** The provider as it is from this instant on, all earlier entries applied. */
  readonly becomes: ProviderSettings;
}

/** What happens to a run, by the id that the scenario gives it: its successors are the same run. */
export type RunChange =
  /** In place; null = back to the default bound. */
  | { readonly kind: 'retune'; readonly atMs: number; readonly run: string; readonly maxConcurrency: number | null }
  /** A field that is absent is left as it is, null goes back to the default. Another target makes a successor. */
  | {
      readonly kind: 'amend';
      readonly atMs: number;
      readonly run: string;
      readonly maxConcurrency?: number | null;
      readonly target?: TargetSettings | null;
    }
  /** No new request for so long. */
  | { readonly kind: 'pause'; readonly atMs: number; readonly run: string; readonly forMs: number }
  /** Its process dies, and is back from its last snapshot so much later. */
  | { readonly kind: 'crash'; readonly atMs: number; readonly run: string; readonly downForMs: number };

export interface StopRule {
  readonly when: 'done' | 'time';
  readonly afterMs: number | null;
  readonly maxRequests: number | null;
}

export interface Expectation {
  /** As written, a path into `summary.json`. */
  readonly path: string;
  readonly min?: number;
  readonly max?: number;
  readonly equals?: number | string | boolean | null;
}
