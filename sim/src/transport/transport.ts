/**
 * The seam to the provider: an attempt goes in, how it ended comes out. A simulated provider, a mock served over HTTP and
 * a real endpoint are three of these; nothing else of a run knows which one it has.
 */

import type { AnswerClass, Classification, RateLimit } from '@tidegate/governor';
import type { Ahead, FaultKind, RequestFacts } from '@tidegate/providers-mock';
import type { RandomStream } from '../kernel/random.js';
import type { TargetSettings } from '../scenario/scenario.js';
import type { CountedModel } from '../trace/events.js';

/** One sending of a request, and where its end is reported. */
export interface Attempt {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  /** Of these, the ones that the provider has in its prompt cache. */
  readonly cachedTokens: number;
  /** What a full answer has. */
  readonly outputTokens: number;
  readonly maxTokens: number;
  readonly luck: Luck;
  /** Called once, unless the attempt is abandoned first; never before `send` returns. */
  answered(end: AttemptEnd): void;
}

/** The random numbers of one subagent, a stream per purpose, so that no two purposes and no two subagents shift another. */
export interface Luck {
  readonly service: RandomStream;
  /** Of the time per input token, and of the second mode of the times: each shifts only itself. */
  readonly prompt: RandomStream;
  readonly mode: RandomStream;
  readonly refusal: RandomStream;
  readonly hint: RandomStream;
  readonly fault: RandomStream;
}

export type AttemptEnd = {
  /** What the answer's headers say of the rate limits; absent where nobody wants to know. */
  readonly limits?: readonly RateLimit[];
  /** From dispatch until it was really sent, where a budget held it back; no part of its service. */
  readonly heldMs?: number;
} & (
  | {
      readonly class: 'ok';
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** Dispatch to the first generated token; null where the provider does not tell one. */
      readonly firstTokenMs: number | null;
      /** Dispatch to the first token of the answer proper, where reasoning came before it. */
      readonly firstAnswerMs?: number;
      /** Between one arrival of something generated and the next: the mean and the longest; absent below two arrivals. */
      readonly gapMs?: number;
      readonly longestGapMs?: number;
      /** Of the output, as the answer states them. */
      readonly reasoningTokens?: number;
      /** The answer did not state both counts of tokens; what it did not state is an estimate. */
      readonly tokensEstimated?: true;
      readonly texts?: Texts;
      /** The injected fault that befell it all the same. */
      readonly fault?: FaultKind;
    }
  | {
      readonly class: Exclude<AnswerClass, 'ok'>;
      readonly retryAfterMs: number | null;
      /** The quota that refused. */
      readonly refusedBy?: string;
      /** What it has cost all the same, prompt and output; absent = nothing, or nobody can know. */
      readonly spentTokens?: number;
      /** What the limit that refused counts, where the answer tells. */
      readonly scope?: Classification['scope'] | undefined;
      /** Why it is no success, in a word, where there was a real answer to tell it from. */
      readonly cause?: string;
      readonly texts?: Texts;
      /** The injected fault that ended it. */
      readonly fault?: FaultKind | undefined;
    }
);

/** What was asked and what came back; kept on request alone. */
export interface Texts {
  readonly prompt: string;
  /** Empty where there was none. */
  readonly answer: string;
}

export interface Transport {
  /**
   * Sends the attempt; returns what abandons it: the client goes away and will hear nothing. That says what the attempt has
   * cost until then, prompt and output, where somebody knows.
   */
  send(attempt: Attempt): () => number | undefined;
  /**
   * What the provider itself knows: how long until it would admit a request with these facts, as `ProviderModel.waitMs` says.
   * Absent where the provider cannot be looked into.
   */
  waitMs?(target: TargetSettings, facts: RequestFacts, ahead: readonly Ahead[]): number | null;
  /** The provider's own counts, per `provider/model`. */
  ledger(): Readonly<Record<string, CountedModel>>;
}
