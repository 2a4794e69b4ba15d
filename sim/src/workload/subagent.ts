/**
 * One subagent of a run: its asks one after the other, and in each ask its model requests one after the other. A request
 * that is given up ends its ask, because what would follow builds on its answer; the next ask begins all the same. Where
 * there is more to an ask than its requests (tools, a growing context, limits), a `Task` goes through it.
 */

import type { Ask, Run, Starter } from '@tidegate/governor';
import type { RandomStream } from '../kernel/random.js';
import type { AgentRow } from '../scenario/scenario.js';
import type { Luck } from '../transport/transport.js';
import { type Asker, ModelRequest } from './model-request.js';
import { drawSizes, type RequestSizes } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import { Task } from './task.js';
import type { Tally, WorkPlan } from './work-plan.js';

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
  readonly #task: Task | undefined;
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
    if (plan.task !== undefined) this.#task = new Task(context, this, plan, plan.task, tally, () => this.#askEnded());
  }

  /** Waits for a seat and begins the next ask. */
  begin(): void {
    this.#asksLeft--;
    this.#run.enqueue(this.name, {}, this);
  }

  started(ask: Ask): void {
    if (this.#task !== undefined) {
      this.#task.begin(ask);
      return;
    }
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

  /** The sizes of its next request. */
  drawSizes(): RequestSizes {
    return drawSizes(this.#plan.sizes, this.#sizes, this.#row);
  }

  #request(): void {
    this.#requestsLeft--;
    new ModelRequest(this.#context, this, this.#ask as Ask, this.drawSizes()).queue();
  }

  #endAsk(succeeded: boolean): void {
    if (succeeded) this.#ask?.end();
    else this.#ask?.abandon();
    this.#askEnded();
  }

  #askEnded(): void {
    if (this.#asksLeft > 0) this.begin();
    else this.#finished();
  }
}
