/**
 * What a live run tells beyond the figures of every run: how its tokens are known, the pace of its streams, what its
 * failures were, and whether the client kept up. A fold of the trace, as all figures are.
 */

import type { ClientLoad, RequestQueued, RequestSettled, TraceFinished } from '../trace/events.js';
import { costOf, type Prices } from '../transport/budget.js';
import { Latency, type LatencyFigures } from './latency.js';

export interface LiveFigures {
  /** As the budgets count it: the probe included, and at its worst what no answer stated. Null in a trace without its end. */
  readonly spent: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** By the scenario's prices; null without. */
    readonly cost: number | null;
    readonly currency: string | null;
  } | null;
  readonly tokens: {
    /** Successes whose answers stated their tokens, and those whose counts are an estimate. */
    readonly stated: number;
    readonly estimated: number;
    /** Of all output tokens, as far as answers tell them apart. */
    readonly reasoning: number;
  };
  readonly latencyMs: {
    /** Dispatch to the first token of the answer proper, of those that reasoned before it. */
    readonly firstAnswer: LatencyFigures;
    /** Between two arrivals of something generated, the mean of each stream; then the longest of each stream. */
    readonly gap: LatencyFigures;
    readonly longestGap: LatencyFigures;
  };
  readonly rate: {
    /** Requests per second: between the first and the last that came up; null where all came up at once. */
    readonly asked: number | null;
    /** Successes per second of makespan. */
    readonly achieved: number | null;
  };
  /** Attempts that were neither a success nor a refusal, by cause. */
  readonly failures: Readonly<Record<string, number>>;
  readonly client: ClientLoad | null;
}

export class LiveFold {
  readonly #latency = { firstAnswer: new Latency(), gap: new Latency(), longestGap: new Latency() };
  readonly #failures = new Map<string, number>();
  #stated = 0;
  #estimated = 0;
  #reasoning = 0;
  #asked = 0;
  #firstAskedAt = 0;
  #lastAskedAt = 0;
  #client: ClientLoad | null = null;
  readonly #prices: Prices | null;

  constructor(prices: Prices | null) {
    this.#prices = prices;
  }

  queued({ t, attempt }: RequestQueued): void {
    if (attempt > 1) return;
    if (this.#asked === 0) this.#firstAskedAt = t;
    this.#asked++;
    this.#lastAskedAt = t;
  }

  settled({ outcome, observed = {} }: RequestSettled): void {
    const { cause, tokensEstimated, reasoningTokens, firstAnswerMs, gapMs, longestGapMs } = observed;
    if (outcome === 'succeeded') {
      if (tokensEstimated) this.#estimated++;
      else this.#stated++;
    } else if (outcome !== 'throttled') {
      const name = cause ?? 'timeout';
      this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    }
    this.#reasoning += reasoningTokens ?? 0;
    if (firstAnswerMs !== undefined) this.#latency.firstAnswer.record(firstAnswerMs);
    if (gapMs !== undefined) this.#latency.gap.record(gapMs);
    if (longestGapMs !== undefined) this.#latency.longestGap.record(longestGapMs);
  }

  finished({ client }: TraceFinished): void {
    this.#client = client ?? null;
  }

  figures(succeeded: number, makespanMs: number | null): LiveFigures {
    const { firstAnswer, gap, longestGap } = this.#latency;
    const spanMs = this.#lastAskedAt - this.#firstAskedAt;
    return {
      spent: this.#client === null ? null : spentOf(this.#client, this.#prices),
      tokens: { stated: this.#stated, estimated: this.#estimated, reasoning: this.#reasoning },
      latencyMs: { firstAnswer: firstAnswer.figures(), gap: gap.figures(), longestGap: longestGap.figures() },
      rate: {
        asked: spanMs > 0 ? (this.#asked - 1) / (spanMs / 1000) : null,
        achieved: makespanMs === null || makespanMs === 0 ? null : succeeded / (makespanMs / 1000),
      },
      failures: Object.fromEntries([...this.#failures].sort(([a], [b]) => (a < b ? -1 : 1))),
      client: this.#client,
    };
  }
}

function spentOf({ sent, spent }: ClientLoad, prices: Prices | null): LiveFigures['spent'] {
  const { input, output } = spent;
  const cost = prices === null ? null : costOf(prices, input, output);
  return { requests: sent, inputTokens: input, outputTokens: output, cost, currency: prices?.currency ?? null };
}
