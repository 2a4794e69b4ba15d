/**
 * One child of a stage: a subagent of the pipeline's run that works in turns. Each turn is an ask: it takes a seat of the
 * run and makes its model requests, one after the other, or goes through a `Task` where there is more to it; then the child
 * settles and is kept for a follow-up, whose prompt the provider has cached for the most part. Its budget may warn it, interrupt it and stop it; an interrupted child writes
 * a closing report in the ask that it is in.
 */

import type { Ask, Starter, Waiting } from '@tidegate/governor';
import { DefectError } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { CallReason, ChildFacts, TurnEnd } from '../trace/pipeline-events.js';
import { type Asker, ModelRequest } from './model-request.js';
import { OwnLuck } from './own-luck.js';
import type { PipelineHost, StagePlan } from './pipeline-host.js';
import type { Swept } from './pipeline-sweep.js';
import { drawSizes, type RequestSizes, type SizePlan } from './request-sizes.js';
import { Task, type Worker } from './task.js';
import { WallClockBudget } from './wall-clock-budget.js';

/** Whose child it is. */
export interface Parent {
  /** What the trace tells of each event of the child. */
  factsOf(child: PipelineChild): ChildFacts;
  settled(child: PipelineChild, end: TurnEnd): void;
}

type State = 'idle' | 'seating' | 'working' | 'interrupted' | 'reporting' | 'stopping' | 'gone';

export class PipelineChild implements Starter, Asker, Worker, Swept {
  readonly name: string;
  readonly stage: StagePlan;
  readonly luck: OwnLuck;
  readonly #host: PipelineHost;
  readonly #parent: Parent;
  readonly #sizes: RandomStream;
  #state: State = 'idle';
  #round = 0;
  /** Begun so far, those for a message included. */
  #turns = 0;
  #requestsLeft = 0;
  /** It was warned, and ends its turn with the request that it is at. */
  #windsUp = false;
  #seat: Waiting | undefined;
  #ask: Ask | undefined;
  /** Where its turns have tools, a context or limits. */
  readonly #task: Task | undefined;
  /** Of its own: not one of the task's. */
  #request: ModelRequest | undefined;
  #budget: WallClockBudget | undefined;

  constructor(host: PipelineHost, parent: Parent, stage: StagePlan, name: string) {
    const label = `${host.run.id}/${name}`;
    this.name = name;
    this.stage = stage;
    this.luck = new OwnLuck(host.streams, label);
    this.#sizes = host.streams.stream(`${label}/sizes`);
    this.#host = host;
    this.#parent = parent;
    const { context, work } = stage;
    if (work.task !== undefined) this.#task = new Task(context, this, work, work.task, host.tally, this.#taskEnded);
  }

  /** Spreads its retries. */
  get jitter(): RandomStream {
    return this.luck.jitter;
  }

  /** Whether it has a seat in the pools. */
  get isRunning(): boolean {
    return this.#state !== 'idle' && this.#state !== 'gone';
  }

  /** Stopped for good. */
  get isGone(): boolean {
    return this.#state === 'gone';
  }

  get roundsLeft(): number {
    return this.isGone ? 0 : this.stage.settings.rounds - this.#round;
  }

  /** Begins a turn; it has its seats in the pools. @param steered requests that a message wakes it for. */
  begin(reason: CallReason, steered: number): void {
    const { run, clerk, scheduler } = this.#host;
    const { settings, sweep } = this.stage;
    if (reason !== 'steer') this.#round++;
    this.#turns++;
    this.#requestsLeft = reason === 'steer' ? steered : settings.requests;
    this.#windsUp = false;
    clerk.tell({ ...this.#facts, type: 'stage-dispatched', reason, round: this.#round });
    if (settings.budget !== undefined) this.#budget = new WallClockBudget(settings.budget, scheduler.now());
    sweep?.add(this);
    this.#state = 'seating';
    this.#seat = run.enqueue(this.name, {}, this);
  }

  /** A message of its parent, who knows that it runs. One that reaches it when its time is up changes nothing. */
  steer(requests: number): void {
    this.#host.clerk.tell({ ...this.#facts, type: 'child-steered', requests });
    this.#requestsLeft += requests;
    if (this.#state === 'working') this.#task?.extend(requests);
  }

  started(ask: Ask): void {
    this.#ask = ask;
    this.#state = 'working';
    if (this.#task === undefined) this.#askNext();
    else this.#task.begin(ask, this.#turns, this.#requestsLeft);
    if (this.#windsUp) this.#task?.windUp();
  }

  /** Its time was up before it had a seat of the run; anything else is a defect of this engine. */
  refused(reason: unknown): void {
    if (this.#state === 'interrupted') this.#settle('unreported');
    else throw reason;
  }

  answered(succeeded: boolean): void {
    const { tally } = this.#host;
    if (succeeded) tally.succeeded++;
    else tally.lost++;
    switch (this.#state) {
      case 'working':
        if (!succeeded) this.#settle('lost');
        else if (this.#windsUp) this.#settle('wound-up');
        else if (this.#requestsLeft > 0) this.#askNext();
        else this.#settle('done');
        return;
      case 'interrupted':
        this.#report();
        return;
      case 'reporting':
        this.#settle(succeeded ? 'reported' : 'unreported');
        return;
      case 'stopping':
        this.#settle('stopped');
        return;
      case 'idle':
      case 'seating':
      case 'gone':
        throw new DefectError(`child ${this.name} of ${this.#host.run.id}: answered while ${this.#state}`);
    }
  }

  /** Share of the input of what it asks now. */
  get cachedShare(): number {
    const { cachedPrefix } = this.stage.settings.followUp;
    return this.#turns > 1 || this.#state === 'reporting' ? cachedPrefix : 0;
  }

  drawSizes(): RequestSizes {
    return drawSizes(this.stage.work.sizes, this.#sizes, {});
  }

  /** A pipeline is never replaced: nobody asks what was paid for. */
  wasPaid(): undefined {}

  paid(): void {}

  sweep(nowMs: number): void {
    const budget = this.#budget as WallClockBudget;
    const action = budget.sweep(nowMs);
    if (action === undefined) return;
    const elapsedMs = budget.elapsedMs(nowMs);
    if (action === 'warn') this.#warn(elapsedMs);
    else if (action === 'interrupt') this.#interrupt(elapsedMs);
    else this.#stop(elapsedMs);
  }

  #warn(elapsedMs: number): void {
    const share = this.stage.settings.budget?.finishAfterWarning ?? 0;
    this.#windsUp = this.#stream('warnings').next() < share;
    this.#host.clerk.tell({ ...this.#facts, type: 'budget-warned', elapsedMs, finishes: this.#windsUp });
    if (this.#windsUp && this.#state === 'working') this.#task?.windUp();
  }

  #interrupt(elapsedMs: number): void {
    this.#host.clerk.tell({ ...this.#facts, type: 'turn-interrupted', elapsedMs });
    const wasSeating = this.#state === 'seating';
    this.#state = 'interrupted';
    if (wasSeating) this.#seat?.cancel(new Error(`child ${this.name}: its time was up`));
    else (this.#task ?? this.#request)?.interrupt();
  }

  #stop(elapsedMs: number): void {
    this.#host.clerk.tell({ ...this.#facts, type: 'child-stopped', elapsedMs });
    this.#state = 'stopping';
    this.#request?.interrupt();
  }

  readonly #taskEnded = (_isDone: boolean, hasResult: boolean): void => {
    if (this.#state === 'interrupted') this.#report();
    else if (!hasResult) this.#settle('lost');
    else this.#settle(this.#windsUp ? 'wound-up' : 'done');
  };

  #askNext(): void {
    this.#requestsLeft--;
    this.#send(this.drawSizes());
  }

  #report(): void {
    this.#state = 'reporting';
    this.#send(drawSizes(this.stage.closing as SizePlan, this.#stream('reports'), {}));
  }

  #send(sizes: RequestSizes): void {
    const cachedTokens = Math.floor(sizes.inputTokens * this.cachedShare);
    this.#request = new ModelRequest(this.stage.context, this, this.#ask as Ask, { ...sizes, cachedTokens });
    this.#request.queue();
  }

  #settle(end: TurnEnd): void {
    this.#state = end === 'stopped' ? 'gone' : 'idle';
    this.#request = undefined;
    this.#budget = undefined;
    this.stage.sweep?.remove(this);
    if (end === 'lost' || end === 'stopped') this.#ask?.abandon();
    else this.#ask?.end();
    this.#ask = undefined;
    this.#host.clerk.tell({ ...this.#facts, type: 'child-settled', end });
    this.#parent.settled(this, end);
  }

  /** One for each turn: not every turn draws from it. */
  #stream(purpose: string): RandomStream {
    const { run, streams } = this.#host;
    return streams.stream(`${run.id}/${this.name}/${purpose}-${this.#turns}`);
  }

  get #facts(): ChildFacts {
    return this.#parent.factsOf(this);
  }
}
