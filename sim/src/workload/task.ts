/**
 * A task: one ask in which an agent goes round model, tools, model. A step is one model request and the tool calls that
 * follow it; their results go into the next request. The context grows with each turn and is summarised, by a request of
 * its own, before it gets too large. Limits end a task before its work is done, each with its name.
 *
 * A request that fails for what it is (not for a throttle or the network) is no end: the error is the agent's next result.
 */

import type { Ask } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { TaskEndReason } from '../trace/task-events.js';
import type { AttemptEnd, Luck } from '../transport/transport.js';
import { Conversation, LatestResults, type Memory, type Prompt, sizeOf } from './conversation.js';
import type { Executed } from './executors.js';
import { type Asker, ModelRequest, NEVER_ASKED } from './model-request.js';
import type { RequestSizes } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import { ToolBench, type ToolResults } from './tool-bench.js';
import { wholeMicroseconds } from './whole-microseconds.js';
import type { Tally, TaskPlan, WorkPlan } from './work-plan.js';

/** Whose task it is. */
export interface Worker {
  readonly name: string;
  readonly luck: Luck;
  readonly jitter: RandomStream;
  /** The sizes of its next request, the context not counted. */
  drawSizes(): RequestSizes;
  /** Share of a request's input that the provider has in its prompt cache. */
  readonly cachedShare: number;
  /** Answered, in this run; whether it was in one that this run replaced. Both numbers from 0. */
  paid(ask: number, request: number): void;
  wasPaid(ask: number, request: number): true | undefined;
}

interface Step {
  readonly kind: 'answer' | 'summary';
  readonly prompt: Prompt;
  /** As sent. */
  readonly sizes: RequestSizes;
  readonly sinceMs: number;
}

type Phase = 'idle' | 'waiting' | 'asking' | 'tools';

export class Task implements Asker, Executed {
  readonly name: string;
  readonly luck: Luck;
  readonly jitter: RandomStream;
  readonly #context: RunContext;
  readonly #worker: Worker;
  readonly #plan: WorkPlan;
  readonly #task: TaskPlan;
  readonly #tally: Tally;
  readonly #ended: (isDone: boolean, hasResult: boolean) => void;
  readonly #memory: Memory;
  readonly #conversation: Conversation | undefined;
  readonly #bench: ToolBench | undefined;
  #number = 0;
  #isStopped = false;
  #isDown = false;
  #isInterrupted = false;
  #windsUp = false;
  #ask: Ask | undefined;
  #phase: Phase = 'idle';
  #startedAtMs = 0;
  #requestsLeft = 0;
  /** Calls of the last step whose arguments were invalid: the next step makes them again. */
  #toRepeat = 0;
  #steps = 0;
  #tokens = 0;
  /** Of the next answer; drawn once, however often the context is summarised before it. */
  #fresh: RequestSizes | undefined;
  #step: Step | undefined;
  /** Of the step, and not over. */
  #request: ModelRequest | undefined;
  #timer: EventHandle | undefined;
  #toolTimer: EventHandle | undefined;
  #toolMsLeft = 0;
  #toolsSinceMs = 0;

  /** @param ended The task is over, with its work done or not, and nothing of it is under way; its ask is to be left. */
  constructor(
    context: RunContext,
    worker: Worker,
    plan: WorkPlan,
    task: TaskPlan,
    tally: Tally,
    ended: (isDone: boolean, hasResult: boolean) => void,
  ) {
    this.name = worker.name;
    this.luck = worker.luck;
    this.jitter = worker.jitter;
    this.#context = context;
    this.#worker = worker;
    this.#plan = plan;
    this.#task = task;
    this.#tally = tally;
    this.#ended = ended;
    this.#conversation = task.context === null ? undefined : new Conversation(task.context);
    this.#memory = this.#conversation ?? new LatestResults();
    if (task.tools !== null) this.#bench = new ToolBench(context, worker.name, plan, task.tools, tally);
  }

  /** The task of this number, in an ask that has a seat. The context of the ones before is still there. */
  begin(ask: Ask, number: number, requests: number = this.#plan.requests): void {
    const { scheduler } = this.#context;
    this.#number = number;
    this.#ask = ask;
    this.#startedAtMs = scheduler.now();
    this.#requestsLeft = requests;
    this.#toRepeat = 0;
    this.#steps = 0;
    this.#tokens = 0;
    this.#fresh = undefined;
    this.#isInterrupted = false;
    this.#windsUp = false;
    this.#toolMsLeft = this.#task.tools?.settings.taskTimeoutMs ?? 0;
    const { timeMs } = this.#task.limits;
    if (timeMs !== null) this.#timer = scheduler.after(timeMs, PHASE.timer, timeIsUp, this);
    this.#next();
  }

  /** A place to execute the step is there: its request is made, or goes on after a crash. */
  execute(): void {
    const { clerk, scheduler, runId } = this.#context;
    const { kind, prompt, sizes, sinceMs } = this.#step as Step;
    this.#phase = 'asking';
    if (this.#request !== undefined) {
      this.#request.resume(this.#ask as Ask);
      return;
    }
    clerk.tell({
      t: scheduler.now(),
      type: 'step-started',
      run: runId,
      agent: this.name,
      task: this.#number,
      step: this.#steps + 1,
      kind,
      waitMs: wholeMicroseconds(scheduler.now() - sinceMs),
      ...prompt,
    });
    const repeats = kind === 'answer' ? this.#worker.wasPaid(this.#number - 1, this.#steps) : undefined;
    this.#request = new ModelRequest(this.#context, this, this.#ask as Ask, sizes, repeats);
    this.#request.queue();
  }

  answered(succeeded: boolean, end: AttemptEnd): void {
    this.#phase = 'idle';
    this.#request = undefined;
    const { kind, sizes } = this.#step as Step;
    this.#context.executors?.leave();
    if (succeeded) this.#tally.succeeded++;
    else if (end !== NEVER_ASKED) this.#tally.lost++;
    if (this.#isStopped) return;
    if (this.#isInterrupted) {
      this.#end('time');
      return;
    }
    if (succeeded && kind === 'answer') this.#worker.paid(this.#number - 1, this.#steps);
    if (succeeded) this.#tokens += sizes.inputTokens + sizes.outputTokens;
    if (kind === 'summary') this.#summarised(succeeded);
    else this.#stepMade(succeeded || isOfTheRequest(end), succeeded);
  }

  /** So many more requests. */
  extend(requests: number): void {
    this.#requestsLeft += requests;
  }

  /** It ends with the step that it is at. */
  windUp(): void {
    this.#windsUp = true;
  }

  /** Its time is up for good: what is under way is given up, inside its tools too, and it ends in this instant. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#bench?.interrupt();
    if (this.#phase === 'waiting') this.#context.executors?.withdraw(this);
    if (this.#request !== undefined) this.#request.interrupt();
    else if (this.#phase !== 'idle') this.#end('time');
  }

  /** Its run is replaced: nothing follows what is under way. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimers();
    if (this.#phase === 'waiting') this.#context.executors?.withdraw(this);
    if (this.#phase === 'tools') this.#bench?.cut();
  }

  /** The process of its run dies: the snapshot has what is finished; what is under way is asked for again. */
  suspend(): void {
    const { executors } = this.#context;
    this.#isDown = true;
    if (this.#phase === 'waiting') executors?.withdraw(this);
    if (this.#phase === 'asking') executors?.leave();
    if (this.#phase === 'asking') this.#phase = 'waiting';
    if (this.#phase === 'tools') this.#stopToolTimer();
    this.#bench?.suspend();
  }

  /** The process is back, and the task has a seat again. */
  resume(ask: Ask): void {
    const { executors, scheduler } = this.#context;
    this.#isDown = false;
    this.#ask = ask;
    if (this.#phase === 'tools') this.#startToolTimer();
    this.#bench?.resume(ask);
    if (this.#phase === 'waiting' && executors !== null) executors.enter(this);
    else if (this.#phase === 'waiting') this.execute();
    const { timeMs } = this.#task.limits;
    if (timeMs !== null && scheduler.now() - this.#startedAtMs >= timeMs) this.timeIsUp();
  }

  /** When its request came to wait for its turn; undefined when it does not. */
  get waitsSinceMs(): number | undefined {
    return this.#request?.waitsSinceMs;
  }

  timeIsUp(): void {
    this.#timer = undefined;
    // A request under way is let come to its end, and what is down goes on first.
    if (this.#isDown || this.#request !== undefined || this.#phase === 'idle') return;
    if (this.#phase === 'waiting') this.#context.executors?.withdraw(this);
    if (this.#phase === 'tools') this.#bench?.cut();
    this.#end('time');
  }

  toolTimeIsUp(): void {
    this.#toolTimer = undefined;
    this.#bench?.cut();
    this.#end('tool-time');
  }

  #next(): void {
    const reason = this.#reasonToEnd();
    if (reason !== undefined) {
      this.#end(reason);
      return;
    }
    this.#fresh ??= this.#worker.drawSizes();
    const prompt = this.#memory.prompt(this.#fresh.inputTokens);
    const size = sizeOf(prompt);
    if (this.#conversation?.mustCompact(size)) this.#begin('summary', prompt, this.#conversation);
    else if (this.#conversation?.fits(size) === false) this.#end('context-window');
    else this.#begin('answer', prompt);
  }

  #reasonToEnd(): TaskEndReason | undefined {
    const { steps, tokens, timeMs } = this.#task.limits;
    const durationMs = this.#context.scheduler.now() - this.#startedAtMs;
    if (this.#windsUp || (this.#requestsLeft === 0 && this.#toRepeat === 0)) return 'done';
    if (timeMs !== null && durationMs >= timeMs) return 'time';
    if (steps !== null && this.#steps >= steps) return 'steps';
    if (tokens !== null && this.#tokens >= tokens) return 'tokens';
    return undefined;
  }

  #begin(kind: 'answer', prompt: Prompt): void;
  #begin(kind: 'summary', prompt: Prompt, conversation: Conversation): void;
  #begin(kind: Step['kind'], next: Prompt, conversation?: Conversation): void {
    const { executors, scheduler } = this.#context;
    // A summary is of what there is already, without what the next request brings.
    const prompt = conversation === undefined ? next : { ...next, fresh: 0 };
    const fresh = this.#fresh as RequestSizes;
    const summary = conversation?.settings.summary;
    const inputTokens = sizeOf(prompt);
    this.#step = {
      kind,
      prompt,
      sizes: {
        inputTokens,
        cachedTokens: Math.floor(inputTokens * this.#worker.cachedShare),
        outputTokens: summary ?? fresh.outputTokens,
        maxTokens: summary ?? fresh.maxTokens,
      },
      sinceMs: scheduler.now(),
    };
    this.#phase = 'waiting';
    if (executors === null) this.execute();
    else executors.enter(this);
  }

  #summarised(succeeded: boolean): void {
    if (!succeeded) {
      this.#end('request-lost');
      return;
    }
    const { clerk, scheduler, runId } = this.#context;
    const fresh = this.#fresh?.inputTokens ?? 0;
    const before = sizeOf(this.#memory.prompt(fresh));
    this.#conversation?.compacted();
    clerk.tell({
      t: scheduler.now(),
      type: 'context-compacted',
      run: runId,
      agent: this.name,
      task: this.#number,
      before,
      after: sizeOf(this.#memory.prompt(fresh)),
    });
    this.#next();
  }

  /** @param goesOn false: the request was given up, and there is nothing to build on. */
  #stepMade(goesOn: boolean, succeeded: boolean): void {
    const fresh = this.#fresh as RequestSizes;
    const calls = this.#toRepeat === 0 ? (this.#task.tools?.settings.parallel ?? 0) : this.#toRepeat;
    if (this.#toRepeat === 0) this.#requestsLeft--;
    this.#toRepeat = 0;
    this.#steps++;
    this.#fresh = undefined;
    this.#memory.said(fresh.inputTokens, succeeded ? fresh.outputTokens : 0);
    if (!goesOn) this.#end('request-lost');
    else if (succeeded && this.#bench !== undefined) this.#callTools(this.#bench, calls);
    else this.#next();
  }

  #startToolTimer(): void {
    const { scheduler } = this.#context;
    this.#toolsSinceMs = scheduler.now();
    this.#toolTimer = scheduler.after(this.#toolMsLeft, PHASE.timer, toolTimeIsUp, this);
  }

  #stopToolTimer(): void {
    const { scheduler } = this.#context;
    if (this.#toolTimer !== undefined) scheduler.cancel(this.#toolTimer);
    this.#toolTimer = undefined;
    this.#toolMsLeft = Math.max(0, this.#toolMsLeft - (scheduler.now() - this.#toolsSinceMs));
  }

  #callTools(bench: ToolBench, calls: number): void {
    this.#phase = 'tools';
    this.#startToolTimer();
    bench.call(this.#ask as Ask, { task: this.#number, step: this.#steps }, calls, this.#toolsReturned);
  }

  readonly #toolsReturned = ({ tokens, invalid }: ToolResults): void => {
    this.#phase = 'idle';
    this.#stopToolTimer();
    this.#toRepeat = invalid;
    this.#memory.returned(tokens);
    this.#next();
  };

  #cancelTimers(): void {
    const { scheduler } = this.#context;
    if (this.#timer !== undefined) scheduler.cancel(this.#timer);
    if (this.#toolTimer !== undefined) scheduler.cancel(this.#toolTimer);
    this.#timer = undefined;
    this.#toolTimer = undefined;
  }

  #end(reason: TaskEndReason): void {
    const { clerk, scheduler, runId } = this.#context;
    this.#phase = 'idle';
    this.#cancelTimers();
    clerk.tell({
      t: scheduler.now(),
      type: 'task-ended',
      run: runId,
      agent: this.name,
      task: this.#number,
      reason,
      steps: this.#steps,
      tokens: this.#tokens,
      durationMs: wholeMicroseconds(scheduler.now() - this.#startedAtMs),
    });
    const leave = (): void => {
      // Its run was replaced while a request of its tools was under way.
      if (this.#isStopped) return;
      this.#ended(reason === 'done', reason !== 'request-lost');
    };
    if (this.#bench === undefined) leave();
    else this.#bench.whenQuiet(leave);
  }
}

function timeIsUp(task: Task): void {
  task.timeIsUp();
}

function toolTimeIsUp(task: Task): void {
  task.toolTimeIsUp();
}

/** Not for a throttle or the network, which another time would have mended: the error says something to the agent. */
function isOfTheRequest({ class: kind }: AttemptEnd): boolean {
  return kind !== 'throttle' && kind !== 'overload' && kind !== 'transient';
}
