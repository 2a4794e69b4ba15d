/**
 * The hard budgets of a live run. A request leaves only if, at its worst and with all that is in flight at its worst, no
 * budget can be overrun by it; what an answer really used is settled when it is in. Pure arithmetic; sends and stops nothing.
 */

import type { AttemptEnd } from './transport.js';

/** Infinity: none. */
export interface Budget {
  /** Requests that leave, retries and the probe included. */
  readonly requests: number;
  /** Input and output together. */
  readonly tokens: number;
  /** In the currency of the prices. */
  readonly cost: number;
  /** From the first request of the run. */
  readonly timeMs: number;
  /** Failures in a row, without a success or a refusal between them. */
  readonly errors: number;
}

/** Per million tokens. */
export interface Prices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly currency: string;
}

export interface Sizes {
  readonly inputTokens: number;
  readonly maxTokens: number;
}

/** What may have been charged although no answer says so: it went on until the connection was gone. */
const MAY_BE_CHARGED: ReadonlySet<string> = new Set(['cut-off', 'error-in-stream', 'endless-answer']);

export class Spending {
  readonly #budget: Budget;
  readonly #prices: Prices | null;
  #sent = 0;
  #errors = 0;
  /** Spent for sure, and what is in flight at its worst. */
  readonly #spent = { input: 0, output: 0 };
  readonly #open = { input: 0, output: 0 };

  /** @throws RangeError for a budget of money without prices. */
  constructor(budget: Budget, prices: Prices | null) {
    if (prices === null && budget.cost < Number.POSITIVE_INFINITY) {
      throw new RangeError('cost: expected prices to count it by, got none');
    }
    this.#budget = budget;
    this.#prices = prices;
  }

  get sent(): number {
    return this.#sent;
  }

  /** What keeps this request from being sent, in words; undefined if nothing does. */
  objection({ inputTokens, maxTokens }: Sizes): string | undefined {
    const { requests, tokens, cost } = this.#budget;
    if (this.#sent + 1 > requests) return `the budget of ${requests} requests is spent; raise --max-requests`;
    const input = this.#spent.input + this.#open.input + inputTokens;
    const output = this.#spent.output + this.#open.output + maxTokens;
    if (input + output > tokens) {
      return `one more request could overrun the budget of ${tokens} tokens; raise --max-tokens, or ask for shorter answers (tokens.max)`;
    }
    const { currency } = this.#prices ?? { currency: '' };
    if (this.#costOf(input, output) > cost) {
      return `one more request could overrun the budget of ${cost} ${currency}; raise --max-cost, or ask for shorter answers (tokens.max)`;
    }
    return undefined;
  }

  leaves({ inputTokens, maxTokens }: Sizes): void {
    this.#sent++;
    this.#open.input += inputTokens;
    this.#open.output += maxTokens;
  }

  /** Returns what ends the run now, in words. */
  ended(sizes: Sizes, end: AttemptEnd): string | undefined {
    this.#close(sizes);
    if (end.class === 'ok') this.#charge(end.inputTokens, end.outputTokens);
    else if (MAY_BE_CHARGED.has(end.cause ?? '')) this.#charge(sizes.inputTokens, sizes.maxTokens);
    const isError = end.class !== 'ok' && end.class !== 'throttle';
    return this.#count(isError, end.class === 'ok' ? undefined : end.cause);
  }

  /** Given up: the answer may be charged all the same. Returns what ends the run now, in words. */
  abandoned(sizes: Sizes): string | undefined {
    this.#close(sizes);
    this.#charge(sizes.inputTokens, sizes.maxTokens);
    return this.#count(true, 'timeout');
  }

  #count(isError: boolean, cause: string | undefined): string | undefined {
    this.#errors = isError ? this.#errors + 1 : 0;
    if (this.#errors < this.#budget.errors) return undefined;
    return `${this.#errors} failures in a row, the last: ${cause ?? 'unknown'}; mend that, or raise --max-errors`;
  }

  #close({ inputTokens, maxTokens }: Sizes): void {
    this.#open.input -= inputTokens;
    this.#open.output -= maxTokens;
  }

  #charge(input: number, output: number): void {
    this.#spent.input += input;
    this.#spent.output += output;
  }

  #costOf(input: number, output: number): number {
    return this.#prices === null ? 0 : costOf(this.#prices, input, output);
  }
}

export function costOf({ inputPerMillion, outputPerMillion }: Prices, input: number, output: number): number {
  return (input * inputPerMillion + output * outputPerMillion) / 1_000_000;
}
