/**
 * One subagent of a run: its asks one after the other, and in each ask its model requests one after the other. A request
 * that is given up ends its ask, because what would follow builds on its answer; the next ask begins all the same.
 */

import type { Ask, Run, Starter } from '@tidegate/governor';
import { type Sampler, sampler } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type { AgentRow, AgentsSettings } from '../scenario/scenario.js';
import type { Luck } from '../transport/transport.js';
import { type Asker, ModelRequest, type RequestSizes } from './model-request.js';
import type { RunContext } from './run-context.js';

/** How much one subagent of a run has to do, its distributions ready to be drawn from. */
export interface WorkPlan {
  readonly asks: number;
  readonly requests: number;
  readonly input: Sampler;
  readonly output: Sampler;
  /** The `max_tokens` of every request; null = the request's own output. */
  readonly maxTokens: number | null;
}

export function workPlan({ asks, requests, tokens }: AgentsSettings): WorkPlan {
  return { asks, requests, input: sampler(tokens.input), output: sampler(tokens.output), maxTokens: tokens.max };
}

/** What came of a subagent. */
export interface Tally {
  succeeded: number;
  lost: number;
}

export class Subagent implements Starter, Asker {
  readonly name: string;
  readonly luck: Luck;
  readonly jitter: RandomStream;
  readonly #context: RunContext;
  readonly #run: Run;
  readonly #plan: WorkPlan;
  readonly #row: AgentRow;
  readonly #sizes: RandomStream;
  readonly #tally: Tally;
  readonly #finished: () => void;
  #asksLeft: number;
  #requestsLeft = 0;
  #ask: Ask | undefined;

  constructor(context: RunContext, run: Run, plan: WorkPlan, row: AgentRow, tally: Tally, finished: () => void) {
    const stream = (purpose: string): RandomStream => context.streams.stream(`${run.id}/${row.name}/${purpose}`);
    this.name = row.name;
    this.luck = {
      service: stream('service'),
      prompt: stream('prompt'),
      mode: stream('mode'),
      refusal: stream('refusal'),
      hint: stream('hint'),
      fault: stream('fault'),
    };
    this.jitter = stream('jitter');
    this.#sizes = stream('sizes');
    this.#context = context;
    this.#run = run;
    this.#plan = plan;
    this.#row = row;
    this.#tally = tally;
    this.#finished = finished;
    this.#asksLeft = plan.asks;
  }

  /** Waits for a seat and begins the next ask. */
  begin(): void {
    this.#asksLeft--;
    this.#run.enqueue(this.name, {}, this);
  }

  started(ask: Ask): void {
    this.#ask = ask;
    this.#requestsLeft = this.#plan.requests;
    this.#request();
  }

  /** The run turns nobody away while it is open; that it did is a defect of this engine. */
  refused(reason: unknown): void {
    throw reason;
  }

  answered(succeeded: boolean): void {
    if (succeeded) this.#tally.succeeded++;
    else this.#tally.lost++;
    if (succeeded && this.#requestsLeft > 0) this.#request();
    else this.#endAsk(succeeded);
  }

  #request(): void {
    this.#requestsLeft--;
    new ModelRequest(this.#context, this, this.#ask as Ask, this.#drawSizes()).queue();
  }

  #endAsk(succeeded: boolean): void {
    if (succeeded) this.#ask?.end();
    else this.#ask?.abandon();
    if (this.#asksLeft > 0) this.begin();
    else this.#finished();
  }

  /** Draws both sizes whether the row states them or not, so that a stated one shifts nothing. */
  #drawSizes(): RequestSizes {
    const drawnInput = wholeTokens(this.#plan.input(this.#sizes));
    const drawnOutput = wholeTokens(this.#plan.output(this.#sizes));
    const inputTokens = this.#row.inputTokens ?? drawnInput;
    const wantedOutput = this.#row.outputTokens ?? drawnOutput;
    const maxTokens = this.#plan.maxTokens ?? wantedOutput;
    return { inputTokens, outputTokens: Math.min(wantedOutput, maxTokens), maxTokens };
  }
}

/** No context is longer than a thousand million tokens, however heavy the tail of a distribution. */
function wholeTokens(drawn: number): number {
  return Math.min(1e9, Math.round(drawn));
}
