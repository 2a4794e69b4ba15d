/**
 * Where the tools of one agent run: so many places, of which a call takes one from its start to the end of its work, and
 * the rule that conflicting calls run one at a time. Gives each step back the results of its calls.
 */

import type { Ask } from '@tidegate/governor';
import type { RandomStream } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { ToolsSettings } from '../scenario/task-settings.js';
import type { ToolOutcome } from '../trace/task-events.js';
import { type Asker, type Door, ModelRequest } from './model-request.js';
import { OwnLuck } from './own-luck.js';
import { drawSizes, wholeTokens } from './request-sizes.js';
import type { RunContext } from './run-context.js';
import { type CallFacts, type CallHost, ToolCall } from './tool-call.js';
import type { Tally, ToolsPlan, WorkPlan } from './work-plan.js';

/** What the calls of one step come to. */
export interface ToolResults {
  readonly tokens: number;
  /** Calls with invalid arguments, to be made again. */
  readonly invalid: number;
}

interface Batch {
  readonly done: (results: ToolResults) => void;
  open: number;
  tokens: number;
  invalid: number;
}

/** What says that a call came to nothing. */
const MESSAGE_TOKENS = 50;
/** A call of infinite length is one that outlasts the clock. */
const LONGEST_MS = Number.MAX_VALUE;

export class ToolBench implements CallHost {
  readonly settings: ToolsSettings;
  readonly scheduler: Scheduler;
  /** Whoever makes the model requests inside the calls: the agent, with luck of its own, so that its steps keep theirs. */
  readonly asker: Omit<Asker, 'answered'>;
  readonly #context: RunContext;
  readonly #plan: WorkPlan;
  readonly #tools: ToolsPlan;
  readonly #tally: Tally;
  readonly #draws: Readonly<Record<'duration' | 'arguments' | 'conflict' | 'result' | 'sizes', RandomStream>>;
  #line: ToolCall[] = [];
  readonly #running = new Set<ToolCall>();
  #conflicting: ToolCall | undefined;
  #batch: Batch | undefined;
  #openRequests = 0;
  #isDown = false;
  #quiet: (() => void) | undefined;

  constructor(context: RunContext, agent: string, plan: WorkPlan, tools: ToolsPlan, tally: Tally) {
    const label = `${context.runId}/${agent}/tools`;
    const stream = (purpose: string): RandomStream => context.streams.stream(`${label}/${purpose}`);
    const luck = new OwnLuck(context.streams, label);
    this.settings = tools.settings;
    this.scheduler = context.scheduler;
    this.asker = { name: agent, luck, jitter: luck.jitter };
    this.#context = context;
    this.#plan = plan;
    this.#tools = tools;
    this.#tally = tally;
    this.#draws = {
      duration: stream('duration'),
      arguments: stream('arguments'),
      conflict: stream('conflict'),
      result: stream('result'),
      sizes: stream('sizes'),
    };
  }

  /** Makes the calls of a step. `done` may be called before this returns. */
  call(
    ask: Ask,
    { task, step }: { readonly task: number; readonly step: number },
    calls: number,
    done: (results: ToolResults) => void,
  ): void {
    // A call of its own, so that a step whose calls are all over at once is done when the last one is made, not before.
    const batch: Batch = { done, open: calls + 1, tokens: 0, invalid: 0 };
    this.#batch = batch;
    for (let call = 1; call <= calls; call++) {
      const facts = this.#draw({ task, step, call });
      const made = new ToolCall(this, ask, facts);
      if (facts.isValid) this.#line.push(made);
      else this.#refuse(made, batch);
    }
    this.#advance();
    this.#close(batch);
  }

  /** The task ends: nobody waits for the calls of its step any more. */
  cut(): void {
    this.#batch = undefined;
    const waiting = this.#line;
    this.#line = [];
    for (const call of [...waiting, ...this.#running]) call.giveUp('cut');
  }

  /** The same, and no model request inside a call is let come to its end. */
  interrupt(): void {
    const running = [...this.#running];
    this.cut();
    for (const call of running) call.interrupt();
  }

  /** Calls `then` when no model request inside a call is under way; at once if none is. */
  whenQuiet(then: () => void): void {
    if (this.#openRequests === 0) then();
    else this.#quiet = then;
  }

  request(asker: Asker, door: Door): ModelRequest {
    this.#openRequests++;
    return new ModelRequest(this.#context, asker, door, drawSizes(this.#plan.sizes, this.#draws.sizes, {}));
  }

  doorOf(ask: Ask, deadline: AbortSignal): Door {
    return insideTool(ask, deadline);
  }

  /** The agent crashes: the calls lose their places, not what they have done. */
  suspend(): void {
    this.#isDown = true;
    for (const call of [...this.#running]) call.suspend();
  }

  /** The agent is back: it asks again for what it had asked for, under the same keys. */
  resume(ask: Ask): void {
    this.#isDown = false;
    for (const call of this.#line) call.resume(ask);
    const running = [...this.#running];
    for (const call of running) call.resume(ask);
    for (const call of running) this.#execute(call);
    this.#advance();
  }

  requestEnded(succeeded: boolean): void {
    if (succeeded) this.#tally.succeeded++;
    else this.#tally.lost++;
    this.#openRequests--;
    if (this.#openRequests > 0) return;
    const then = this.#quiet;
    this.#quiet = undefined;
    then?.();
  }

  returned({ facts }: ToolCall, outcome: ToolOutcome): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    batch.tokens += this.#tokensOf(facts, outcome);
    this.#close(batch);
  }

  vacated(call: ToolCall, hasExecutor: boolean): void {
    this.#running.delete(call);
    if (this.#conflicting === call) this.#conflicting = undefined;
    if (hasExecutor) this.#context.executors?.leave();
    this.#advance();
  }

  executorLost(call: ToolCall, hasExecutor: boolean): void {
    if (hasExecutor) this.#context.executors?.leave();
    else this.#context.executors?.withdraw(call);
  }

  tellStarted(facts: CallFacts, waitMs: number, resubmitted: true | undefined): void {
    const { clerk, runId } = this.#context;
    const { task, step, call } = facts;
    const idempotencyKey = `${this.asker.name}/${task}/${step}.${call}`;
    clerk.tell({
      t: this.scheduler.now(),
      type: 'tool-started',
      run: runId,
      ...this.#of(facts),
      idempotencyKey,
      resubmitted,
      waitMs,
    });
  }

  tellFinished(facts: CallFacts, outcome: ToolOutcome, durationMs: number): void {
    const { clerk, runId } = this.#context;
    const resultTokens = this.#tokensOf(facts, outcome);
    clerk.tell({
      t: this.scheduler.now(),
      type: 'tool-finished',
      run: runId,
      ...this.#of(facts),
      outcome,
      durationMs,
      resultTokens,
    });
  }

  tellReleased(facts: CallFacts, lateMs: number): void {
    const { clerk, runId } = this.#context;
    clerk.tell({ t: this.scheduler.now(), type: 'tool-released', run: runId, ...this.#of(facts), lateMs });
  }

  #of({ task, step, call }: CallFacts) {
    return { agent: this.asker.name, task, step, call };
  }

  /** Whatever came to nothing comes back as a message that says so; a task that was cut hears nothing. */
  #tokensOf({ resultTokens }: CallFacts, outcome: ToolOutcome): number {
    if (outcome === 'cut') return 0;
    return outcome === 'done' ? resultTokens : Math.min(MESSAGE_TOKENS, this.settings.maxResultTokens);
  }

  #draw(of: { readonly task: number; readonly step: number; readonly call: number }): CallFacts {
    const { duration, arguments: validity, conflict, result } = this.#draws;
    const { invalidArguments, conflicts, maxResultTokens } = this.settings;
    return {
      ...of,
      workMs: Math.min(LONGEST_MS, this.#tools.duration(duration)),
      isValid: validity.next() >= invalidArguments,
      conflicts: conflict.next() < conflicts,
      resultTokens: Math.min(maxResultTokens, wholeTokens(this.#tools.resultTokens(result))),
    };
  }

  #refuse(call: ToolCall, batch: Batch): void {
    call.refuse();
    batch.invalid++;
    batch.tokens += this.#tokensOf(call.facts, 'invalid-arguments');
    this.#close(batch);
  }

  #close(batch: Batch): void {
    batch.open--;
    if (batch.open > 0 || this.#batch !== batch) return;
    this.#batch = undefined;
    batch.done({ tokens: batch.tokens, invalid: batch.invalid });
  }

  /** Gives free places to whoever waits, in order; a call that must not run now is passed by. */
  #advance(): void {
    if (this.#isDown) return;
    let next = 0;
    while (next < this.#line.length && this.#running.size < this.settings.atOnce) {
      const call = this.#line[next] as ToolCall;
      if (call.facts.conflicts && this.#conflicting !== undefined) next++;
      else this.#place(call, next);
    }
  }

  #place(call: ToolCall, index: number): void {
    this.#line.splice(index, 1);
    this.#running.add(call);
    if (call.facts.conflicts) this.#conflicting = call;
    this.#execute(call);
  }

  #execute(call: ToolCall): void {
    const { executors } = this.#context;
    if (executors === null) call.execute();
    else executors.enter(call);
  }
}

/**
 * Through the seat of the agent, which it never gives up for a request of its tools. A retry after the deadline is nobody's
 * tool any more.
 */
function insideTool(ask: Ask, deadline: AbortSignal): Door {
  const inTime = { insideTool: true, signal: deadline };
  const late = { insideTool: true };
  return {
    enqueue: (key, _, waiter) => ask.enqueue(key, deadline.aborted ? late : inTime, waiter),
    backingOff: () => ask.backingOff(),
  };
}
