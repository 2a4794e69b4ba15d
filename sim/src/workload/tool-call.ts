/**
 * One call of a tool. Gets a place of its agent, then one of the pool of executors where there is one, and runs: first the
 * model requests inside it, one after the other, then its own work. Running it holds no ticket; each request takes its own.
 *
 * When its time is up, or its task ends, the agent stops waiting for it. Its work stops only where a tool can be
 * cancelled; if not, it goes on and keeps its places. A model request under way is let come to its end, and none follows.
 */

import type { Ask } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { ToolsSettings } from '../scenario/task-settings.js';
import type { ToolOutcome } from '../trace/task-events.js';
import type { Executed } from './executors.js';
import type { Asker } from './model-request.js';
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
  /** Makes the next model request inside the call. */
  request(asker: Asker, ask: Ask): void;
  /** Such a request has come to its end. */
  requestEnded(succeeded: boolean): void;
  /** The call has a result, if only a message. */
  returned(call: ToolCall, outcome: ToolOutcome): void;
  /** Its work is over: its places are free. */
  vacated(call: ToolCall): void;
  /** It was given up before it ran; it may wait for an executor. */
  dropped(call: ToolCall): void;
  tellStarted(facts: CallFacts, waitMs: number): void;
  tellFinished(facts: CallFacts, outcome: ToolOutcome, durationMs: number): void;
  tellReleased(facts: CallFacts, lateMs: number): void;
}

type State = 'waiting' | 'asking' | 'working' | 'over';

export class ToolCall implements Executed {
  readonly facts: CallFacts;
  readonly #host: CallHost;
  readonly #ask: Ask;
  readonly #asker: Asker;
  readonly #issuedAtMs: number;
  #state: State = 'waiting';
  #requestsLeft: number;
  #startedAtMs = 0;
  #deadline: { readonly signal: AbortSignal; done(): void } | undefined;
  #work: EventHandle | undefined;
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

  /** Its places are there: it runs. */
  execute(): void {
    this.#start();
    this.#deadline = this.#ask.toolDeadline(this.#host.settings.timeoutMs);
    this.#deadline.signal.addEventListener('abort', () => this.giveUp('timed-out'), { once: true });
    this.#goOn();
  }

  /** Its agent waits no longer. */
  giveUp(outcome: 'timed-out' | 'cut'): void {
    if (this.#givenUpAtMs !== undefined || this.#state === 'over') return;
    if (this.#state === 'waiting') {
      this.#state = 'over';
      this.#host.dropped(this);
      return;
    }
    this.#givenUpAtMs = this.#host.scheduler.now();
    this.#deadline?.done();
    this.#tellFinished(outcome);
    const isCancelled = this.#state === 'working' && this.#host.settings.cancellable;
    if (isCancelled) {
      this.#state = 'over';
      this.#cancelWork();
      this.#host.vacated(this);
    }
    this.#host.returned(this, outcome);
  }

  #cancelWork(): void {
    if (this.#work !== undefined) this.#host.scheduler.cancel(this.#work);
  }

  #start(): void {
    this.#startedAtMs = this.#host.scheduler.now();
    this.#host.tellStarted(this.facts, wholeMicroseconds(this.#startedAtMs - this.#issuedAtMs));
  }

  #goOn(): void {
    if (this.#requestsLeft > 0) {
      this.#state = 'asking';
      this.#requestsLeft--;
      this.#host.request(this.#asker, this.#ask);
      return;
    }
    this.#state = 'working';
    this.#work = this.#host.scheduler.after(this.facts.workMs, PHASE.completion, worked, this);
  }

  #answered(succeeded: boolean): void {
    if (this.#givenUpAtMs !== undefined) this.#release(this.#givenUpAtMs);
    else if (succeeded) this.#goOn();
    else this.#finish('failed');
    this.#host.requestEnded(succeeded);
  }

  worked(): void {
    if (this.#givenUpAtMs === undefined) this.#finish('done');
    else this.#release(this.#givenUpAtMs);
  }

  #finish(outcome: 'done' | 'failed'): void {
    this.#state = 'over';
    this.#deadline?.done();
    this.#tellFinished(outcome);
    this.#host.vacated(this);
    this.#host.returned(this, outcome);
  }

  #release(givenUpAtMs: number): void {
    this.#state = 'over';
    this.#host.tellReleased(this.facts, wholeMicroseconds(this.#host.scheduler.now() - givenUpAtMs));
    this.#host.vacated(this);
  }

  #tellFinished(outcome: ToolOutcome): void {
    this.#host.tellFinished(this.facts, outcome, wholeMicroseconds(this.#host.scheduler.now() - this.#startedAtMs));
  }
}

function worked(call: ToolCall): void {
  call.worked();
}
