/**
 * One call of a tool. Gets a place of its agent, then one of the pool of executors where there is one, and runs: first the
 * model requests inside it, one after the other, then its own work. Running it holds no ticket; each request takes its own.
 *
 * When its time is up, or its task ends, the agent stops waiting for it. Its work stops only where a tool can be
 * cancelled; if not, it goes on and keeps its places. A model request under way is let come to its end, and none follows.
 *
 * A crash of its agent loses the places, not the call: what it does goes on where it runs. When the agent is back it asks
 * again under the same idempotency key, and gets what was begun before, done or not; nothing is done twice.
 */

import type { Ask } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { ToolsSettings } from '../scenario/task-settings.js';
import type { ToolOutcome } from '../trace/task-events.js';
import type { Executed } from './executors.js';
import type { Asker, Door, ModelRequest } from './model-request.js';
import { wholeMicroseconds } from './whole-microseconds.js';

/** What is known of a call before it runs. */
export interface CallFacts {
  readonly task: number;
  readonly step: number;
  /** From 1 in its step. */
  readonly call: number;
  readonly workMs: number;
  readonly isValid: boolean;
  /** Runs only while no other call of its agent does that conflicts too. */
  readonly conflicts: boolean;
  /** Of its result, if it comes to one. */
  readonly resultTokens: number;
}

/** Where it runs. */
export interface CallHost {
  readonly settings: ToolsSettings;
  readonly scheduler: Scheduler;
  readonly asker: Omit<Asker, 'answered'>;
  /** Makes the next model request inside the call, whose deadline stands still while it queues. */
  request(asker: Asker, door: Door): ModelRequest;
  doorOf(ask: Ask, deadline: AbortSignal): Door;
  /** Such a request has come to its end. */
  requestEnded(succeeded: boolean): void;
  /** The call has a result, if only a message. */
  returned(call: ToolCall, outcome: ToolOutcome): void;
  /** It needs its place no longer, nor its executor if it has one. */
  vacated(call: ToolCall, hasExecutor: boolean): void;
  /** It has an executor no longer, or waits for none. */
  executorLost(call: ToolCall, hasExecutor: boolean): void;
  tellStarted(facts: CallFacts, waitMs: number, resubmitted: true | undefined): void;
  tellFinished(facts: CallFacts, outcome: ToolOutcome, durationMs: number): void;
  tellReleased(facts: CallFacts, lateMs: number): void;
}

/** The deadline of a call that was given up. */
const LONG_GONE = AbortSignal.abort();

type State = 'waiting' | 'asking' | 'working' | 'over';

export class ToolCall implements Executed {
  readonly facts: CallFacts;
  readonly #host: CallHost;
  #ask: Ask;
  readonly #asker: Asker;
  #issuedAtMs: number;
  #state: State = 'waiting';
  #requestsLeft: number;
  #startedAtMs = 0;
  #deadline: { readonly signal: AbortSignal; done(): void } | undefined;
  #work: EventHandle | undefined;
  /** Inside it, and not over. */
  #request: ModelRequest | undefined;
  #hasExecutor = false;
  /** Its agent has crashed, and has not asked for it again. */
  #isDown = false;
  #isWorkDone = false;
  /** Its agent has stopped waiting for it, and when. */
  #givenUpAtMs: number | undefined;

  constructor(host: CallHost, ask: Ask, facts: CallFacts) {
    this.#host = host;
    this.#ask = ask;
    this.facts = facts;
    this.#issuedAtMs = host.scheduler.now();
    this.#requestsLeft = host.settings.modelRequests;
    this.#asker = { ...host.asker, answered: (succeeded) => this.#answered(succeeded) };
  }

  /** Refused for its arguments: it never runs. */
  refuse(): void {
    this.#start();
    this.#state = 'over';
    this.#tellFinished('invalid-arguments');
  }

  /** Its places are there: it runs, or is asked for again. */
  execute(): void {
    this.#hasExecutor = true;
    const isResubmitted = this.#isDown && this.#state !== 'waiting';
    this.#isDown = false;
    if (this.#givenUpAtMs === undefined) this.#begin(isResubmitted);
    else this.#request?.resume(this.#host.doorOf(this.#ask, LONG_GONE));
  }

  #begin(isResubmitted: boolean): void {
    this.#start(isResubmitted ? true : undefined);
    const deadline = this.#ask.toolDeadline(this.#host.settings.timeoutMs);
    deadline.signal.addEventListener('abort', () => this.giveUp('timed-out'), { once: true });
    this.#deadline = deadline;
    if (!isResubmitted) this.#goOn();
    else if (this.#isWorkDone) this.#finish('done');
    else this.#request?.resume(this.#host.doorOf(this.#ask, deadline.signal));
  }

  /** Its agent crashes. */
  suspend(): void {
    this.#deadline?.done();
    this.#host.executorLost(this, this.#hasExecutor);
    this.#hasExecutor = false;
    this.#isDown = true;
    // Nobody will ask for it again.
    if (this.#state === 'working' && this.#givenUpAtMs !== undefined) this.#stop(this.#givenUpAtMs);
  }

  /** Its agent is back; the places come after. */
  resume(ask: Ask): void {
    this.#ask = ask;
    if (this.#state !== 'waiting') this.#issuedAtMs = this.#host.scheduler.now();
  }

  /** It was given up, and so is a model request inside it. */
  interrupt(): void {
    this.#request?.interrupt();
  }

  /** Its agent waits no longer. */
  giveUp(outcome: 'timed-out' | 'cut'): void {
    if (this.#givenUpAtMs !== undefined || this.#state === 'over') return;
    if (this.#state === 'waiting') {
      this.#state = 'over';
      this.#host.executorLost(this, false);
      this.#host.vacated(this, false);
      return;
    }
    this.#givenUpAtMs = this.#host.scheduler.now();
    this.#deadline?.done();
    this.#tellFinished(outcome);
    const isStopped = this.#state === 'working' && (this.#host.settings.cancellable || this.#isDown);
    if (isStopped) {
      this.#state = 'over';
      this.#cancelWork();
      if (!this.#hasExecutor) this.#host.executorLost(this, false);
      this.#host.vacated(this, this.#hasExecutor);
    }
    this.#host.returned(this, outcome);
  }

  #stop(givenUpAtMs: number): void {
    this.#cancelWork();
    this.#release(givenUpAtMs);
  }

  #cancelWork(): void {
    if (this.#work !== undefined) this.#host.scheduler.cancel(this.#work);
  }

  #start(resubmitted?: true): void {
    this.#startedAtMs = this.#host.scheduler.now();
    this.#host.tellStarted(this.facts, wholeMicroseconds(this.#startedAtMs - this.#issuedAtMs), resubmitted);
  }

  #goOn(): void {
    if (this.#requestsLeft > 0 && this.#deadline !== undefined) {
      this.#state = 'asking';
      this.#requestsLeft--;
      this.#request = this.#host.request(this.#asker, this.#host.doorOf(this.#ask, this.#deadline.signal));
      this.#request.queue();
      return;
    }
    this.#state = 'working';
    this.#work = this.#host.scheduler.after(this.facts.workMs, PHASE.completion, worked, this);
  }

  #answered(succeeded: boolean): void {
    this.#request = undefined;
    if (this.#givenUpAtMs !== undefined) this.#release(this.#givenUpAtMs);
    else if (succeeded) this.#goOn();
    else this.#finish('failed');
    this.#host.requestEnded(succeeded);
  }

  worked(): void {
    if (this.#isDown) this.#isWorkDone = true;
    else if (this.#givenUpAtMs === undefined) this.#finish('done');
    else this.#release(this.#givenUpAtMs);
  }

  #finish(outcome: 'done' | 'failed'): void {
    this.#state = 'over';
    this.#deadline?.done();
    this.#tellFinished(outcome);
    this.#host.vacated(this, this.#hasExecutor);
    this.#host.returned(this, outcome);
  }

  #release(givenUpAtMs: number): void {
    this.#state = 'over';
    this.#host.tellReleased(this.facts, wholeMicroseconds(this.#host.scheduler.now() - givenUpAtMs));
    this.#host.vacated(this, this.#hasExecutor);
  }

  #tellFinished(outcome: ToolOutcome): void {
    this.#host.tellFinished(this.facts, outcome, wholeMicroseconds(this.#host.scheduler.now() - this.#startedAtMs));
  }
}

function worked(call: ToolCall): void {
  call.worked();
}
