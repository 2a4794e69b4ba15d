/**
 * One subagent of a run: its asks one after the other, and in each ask its model requests one after the other. A request
 * that is given up ends its ask, because what would follow builds on its answer; the next ask begins all the same. Where
 * there is more to an ask than its requests (tools, a growing context, limits), a `Task` goes through it.
 */

import type { Ask, Run, Starter } from '@tidegate/governor';
import type { RandomStream } from '../kernel/random.js';
import type { AgentRow } from '../scenario/scenario.js';
import type { AttemptEnd, Luck } from '../transport/transport.js';
import { type Asker, ModelRequest, NEVER_ASKED } from './model-request.js';
import type { Progress } from './progress.js';
import { drawSizes, type RequestSizes } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import { Task } from './task.js';
import type { Tally, WorkPlan } from './work-plan.js';

/** Where a subagent writes down what it does. */
export interface Books {
  readonly tally: Tally;
  /** Undefined where the run is never replaced. */
  readonly progress: Progress | undefined;
  readonly finished: () => void;
}

export class Subagent implements Starter, Asker {
  readonly name: string;
  readonly luck: Luck;
  readonly jitter: RandomStream;
  readonly #context: RunContext;
  #run: Run;
  readonly #plan: WorkPlan;
  readonly #row: AgentRow;
  readonly #sizes: RandomStream;
  readonly #index: number;
  readonly #books: Books;
  readonly #task: Task | undefined;
  #asksLeft: number;
  #requestsLeft = 0;
  #ask: Ask | undefined;
  #request: ModelRequest | undefined;
  #place: 'seatless' | 'working' | 'over' = 'seatless';
  #isDown = false;
  /** Of its asks that are over, in their order: whether each has a result. Kept where its run may crash. */
  #results: boolean[] | undefined;
  #isInherited = false;
  #isStopped = false;

  /** @param place its row, and the row's number in the run, from 0. */
  constructor(
    context: RunContext,
    run: Run,
    plan: WorkPlan,
    { row, index }: { readonly row: AgentRow; readonly index: number },
    books: Books,
  ) {
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
    this.#index = index;
    this.#books = books;
    this.#asksLeft = plan.asks;
    if (context.open !== undefined) this.#results = [];
    if (plan.task !== undefined) this.#task = new Task(context, this, plan, plan.task, books.tally, this.#taskEnded);
  }

  /** Waits for a seat and begins the next ask; those that a replaced run had finished are passed over. */
  begin(): void {
    this.#place = 'seatless';
    do {
      this.#asksLeft--;
      this.#isInherited = false;
      this.#run.enqueue(this.name, {}, this);
    } while (this.#isInherited && this.#asksLeft > 0);
    if (this.#isInherited) this.#over();
  }

  started(ask: Ask): void {
    if (ask.inherited !== undefined) {
      const { tally } = this.#books;
      tally.cacheHits++;
      tally.finishedAsks++;
      this.#isInherited = true;
      this.#results?.push(true);
      return;
    }
    this.#ask = ask;
    if (this.#isDown) {
      this.#goOn(ask);
      return;
    }
    this.#place = 'working';
    this.#requestsLeft = this.#plan.requests;
    if (this.#task === undefined) this.#next();
    else this.#task.begin(ask, this.#askNumber + 1);
  }

  /** The run turns nobody away while it is open; that it did is a defect of this engine. */
  refused(reason: unknown): void {
    if (!this.#isStopped && !this.#isDown) throw reason;
  }

  answered(succeeded: boolean, end: AttemptEnd): void {
    const { tally } = this.#books;
    if (succeeded) tally.succeeded++;
    else if (end !== NEVER_ASKED) tally.lost++;
    if (this.#isStopped) return;
    if (succeeded) this.paid(this.#askNumber, this.#requestNumber);
    if (succeeded && this.#requestsLeft > 0) this.#next();
    else this.#endAsk(succeeded, succeeded);
  }

  /** Nothing follows what it waits for and has in flight. */
  stop(): void {
    this.#isStopped = true;
    this.#task?.stop();
  }

  /** The process of its run dies. */
  suspend(): void {
    this.#isDown = true;
    if (this.#place === 'working') this.#task?.suspend();
  }

  /** The run is open again: waits for a seat in it, and then goes on where it was. */
  resume(run: Run): void {
    this.#run = run;
    if (this.#place !== 'over') run.enqueue(this.name, {}, this);
  }

  /** Tells the run that is open again what has a result already, so that a successor inherits it. */
  replay(run: Run): void {
    for (const hasResult of this.#results ?? []) {
      run.enqueue(
        this.name,
        {},
        { started: (ask) => (hasResult ? ask.end() : ask.abandon()), refused: (reason) => this.refused(reason) },
      );
    }
  }

  /** Its turn in line when the run is back: those in the middle of an ask first, by the time their request has waited. */
  get rank(): number {
    if (this.#place !== 'working') return Number.POSITIVE_INFINITY;
    return (this.#task ?? this.#request)?.waitsSinceMs ?? Number.MAX_VALUE;
  }

  paid(ask: number, request: number): void {
    this.#books.progress?.succeeded(this.#index, ask, request);
  }

  wasPaid(ask: number, request: number): true | undefined {
    return this.#books.progress?.has(this.#index, ask, request) === true ? true : undefined;
  }

  /** An agent's asks are apart from each other. */
  readonly cachedShare = 0;

  /** The sizes of its next request. */
  drawSizes(): RequestSizes {
    return drawSizes(this.#plan.sizes, this.#sizes, this.#row);
  }

  /** Both from 0. */
  get #askNumber(): number {
    return this.#plan.asks - this.#asksLeft - 1;
  }

  get #requestNumber(): number {
    return this.#plan.requests - this.#requestsLeft - 1;
  }

  #next(): void {
    this.#requestsLeft--;
    const repeats = this.wasPaid(this.#askNumber, this.#requestNumber);
    this.#request = new ModelRequest(this.#context, this, this.#ask as Ask, this.drawSizes(), repeats);
    this.#request.queue();
  }

  #goOn(ask: Ask): void {
    const wasWorking = this.#place === 'working';
    this.#isDown = false;
    if (wasWorking) (this.#task ?? this.#request)?.resume(ask);
    else this.started(ask);
  }

  readonly #taskEnded = (isDone: boolean, hasResult: boolean): void => this.#endAsk(isDone, hasResult);

  #endAsk(isDone: boolean, hasResult: boolean): void {
    if (hasResult) this.#ask?.end();
    else this.#ask?.abandon();
    this.#results?.push(hasResult);
    if (isDone) this.#books.tally.finishedAsks++;
    if (this.#asksLeft > 0) this.begin();
    else this.#over();
  }

  #over(): void {
    this.#place = 'over';
    this.#books.finished();
  }
}
