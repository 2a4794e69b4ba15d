/**
 * The hard budgets of a live run. A request leaves only if, at its worst and with all that is in flight at its worst, no
 * budget can be overrun by it; what an answer really used is settled when it is in, so that a run ends within one request's
 * worst of its budget. Pure arithmetic; sends and stops nothing.
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

/** Why a request may not leave now. */
export interface Objection {
  /** What is in flight is likely to leave room for it. */
  readonly mayPass: boolean;
  readonly why: string;
}

/** Tokens that count against the budgets. */
export interface Spent {
  readonly input: number;
  readonly output: number;
}

/** What may have been charged although no answer says so: it went on until the connection was gone. */
const MAY_BE_CHARGED: ReadonlySet<string> = new Set(['cut-off', 'error-in-stream', 'endless-answer']);

const SOME_SIZE = 100;

export class Spending {
  readonly #budget: Budget;
  readonly #prices: Prices | null;
  #sent = 0;
  #errors = 0;
  /** Spent for sure, and what is in flight at its worst. */
  readonly #spent = { input: 0, output: 0 };
  readonly #open = { input: 0, output: 0 };
  /** How many times as much as it was taken for a request has used at worst: prompts are counted by another's tokenizer. */
  readonly #excess = { input: 1, output: 1 };

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

  /** What counts as spent: what answers stated, and at its worst what none stated or what is still in flight. */
  get spent(): Spent {
    const open = this.#openAtWorst();
    return { input: this.#spent.input + open.input, output: this.#spent.output + open.output };
  }

  /** What keeps this request from being sent; undefined if nothing does. */
  objection({ inputTokens, maxTokens }: Sizes): Objection | undefined {
    const { requests, tokens, cost } = this.#budget;
    if (this.#sent + 1 > requests)
      return { mayPass: false, why: `the budget of ${requests} requests is spent; raise --max-requests` };
    const own = { input: inputTokens * this.#excess.input, output: maxTokens * this.#excess.output };
    const alone = { input: this.#spent.input + own.input, output: this.#spent.output + own.output };
    const open = this.#openAtWorst();
    const all = { input: alone.input + open.input, output: alone.output + open.output };
    const shorter = 'or ask for shorter answers (tokens.max)';
    if (all.input + all.output > tokens) {
      const used = `${number(this.#spent.input + this.#spent.output)} are spent, a request may take ${number(own.input + own.output)}`;
      const why = `one more request could overrun the budget of ${tokens} tokens: ${used}; raise --max-tokens, ${shorter}`;
      return { mayPass: alone.input + alone.output <= tokens, why };
    }
    if (this.#costOf(all) > cost) {
      const used = `${money(this.#costOf(this.#spent))} is spent, a request may take ${money(this.#costOf(own))}`;
      const why = `one more request could overrun the budget of ${cost} ${this.#prices?.currency}: ${used}; raise --max-cost, ${shorter}`;
      return { mayPass: this.#costOf(alone) <= cost, why };
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
    if (end.class === 'ok') {
      this.#charge(end.inputTokens, end.outputTokens);
      this.#learn(sizes, end);
    } else if (MAY_BE_CHARGED.has(end.cause ?? ''))
      this.#charge(sizes.inputTokens * this.#excess.input, sizes.maxTokens * this.#excess.output);
    const isError = end.class !== 'ok' && end.class !== 'throttle';
    return this.#count(isError, end.class === 'ok' ? undefined : end.cause);
  }

  /** Given up: the answer may be charged all the same. Returns what ends the run now, in words. */
  abandoned(sizes: Sizes): string | undefined {
    this.#close(sizes);
    this.#charge(sizes.inputTokens * this.#excess.input, sizes.maxTokens * this.#excess.output);
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

  /** From requests of some size alone: what every prompt and answer has besides is much of a small one. */
  #learn(
    { inputTokens, maxTokens }: Sizes,
    used: { readonly inputTokens: number; readonly outputTokens: number },
  ): void {
    const excess = this.#excess;
    if (inputTokens >= SOME_SIZE) excess.input = Math.max(excess.input, used.inputTokens / inputTokens);
    if (maxTokens >= SOME_SIZE) excess.output = Math.max(excess.output, used.outputTokens / maxTokens);
  }

  #openAtWorst(): Spent {
    return { input: this.#open.input * this.#excess.input, output: this.#open.output * this.#excess.output };
  }

  #costOf({ input, output }: Spent): number {
    return this.#prices === null ? 0 : costOf(this.#prices, input, output);
  }
}

export function costOf({ inputPerMillion, outputPerMillion }: Prices, input: number, output: number): number {
  return (input * inputPerMillion + output * outputPerMillion) / 1_000_000;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function money(value: number): string {
  return value.toPrecision(3);
}
