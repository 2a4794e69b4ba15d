/**
 * A transport to a real endpoint behind safety rails: budgets that no request overruns, and an end at once where an answer
 * says that every further one is useless. Where only what is in flight keeps a request from leaving, it is held until that
 * is in. After a budget is met nothing more leaves; what is in flight is paid for, and comes in.
 */

import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { CountedModel } from '../trace/events.js';
import type { Spending } from './budget.js';
import type { Heard, HttpTransport } from './http-transport.js';
import { wholeMicroseconds } from './stopwatch.js';
import type { Attempt, Transport } from './transport.js';
import type { WallScheduler } from './wall-scheduler.js';

export interface LiveTransportOptions {
  readonly http: HttpTransport;
  readonly scheduler: WallScheduler;
  readonly spending: Spending;
  /** Where an answer makes all further requests useless: why, and what to check. */
  readonly hopelessness: (heard: Heard) => string | undefined;
}

export class LiveTransport implements Transport {
  readonly #options: LiveTransportOptions;
  /** In the order in which they came; empty while nothing is in flight. */
  readonly #held = new Set<Held>();
  #release: EventHandle | undefined;
  /** Why nothing more leaves. */
  #stopped: string | undefined;
  #isOver = false;

  constructor(options: LiveTransportOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#options.http.inFlight;
  }

  /** Undefined while no rail was met. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  send(attempt: Attempt): () => undefined {
    const { spending, scheduler } = this.#options;
    if (this.#stopped !== undefined) {
      this.#letIn(this.#stopped);
      return nothing;
    }
    const objection = spending.objection(attempt);
    if (objection === undefined && this.#held.size === 0) return this.#sendNow(attempt, undefined);
    if (objection?.mayPass === false) {
      this.#letIn(objection.why);
      return nothing;
    }
    const held: Held = { attempt, sinceMs: scheduler.now(), abandon: undefined };
    this.#held.add(held);
    return (): undefined => {
      if (!this.#held.delete(held)) held.abandon?.();
    };
  }

  #sendNow(attempt: Attempt, heldMs: number | undefined): () => undefined {
    const { http, spending } = this.#options;
    const { provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck } = attempt;
    spending.leaves(attempt);
    const abandon = http.send({
      ...{ provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck },
      answered: (end) => {
        const rail = spending.ended(attempt, end);
        this.#roomIsMade();
        attempt.answered(heldMs === undefined ? end : { ...end, heldMs });
        // The answer that ends it all is told before the end; others may come between it and its telling.
        const isItself = this.#isOver && end.class !== 'ok' && end.class !== 'throttle';
        const why = rail ?? (isItself || this.inFlight === 0 ? this.#stopped : undefined);
        if (why !== undefined) this.endNow(why);
      },
    });
    return (): undefined => {
      abandon();
      const rail = spending.abandoned(attempt);
      this.#roomIsMade();
      if (rail !== undefined) this.endNow(rail);
    };
  }

  /** To be told of every answer as it comes in. */
  readonly hear = (heard: Heard): void => {
    const hopeless = this.#options.hopelessness(heard);
    if (hopeless === undefined) return;
    this.#stopped ??= hopeless;
    // The answer itself is told first.
    this.#isOver = true;
  };

  /** Ends the run with what is in by now. */
  endNow(why: string): void {
    this.#stopped ??= why;
    this.#options.scheduler.stop();
  }

  ledger(): Readonly<Record<string, CountedModel>> {
    return this.#options.http.ledger();
  }

  close(): Promise<void> {
    return this.#options.http.close();
  }

  /** Nothing more leaves. Ends when what is in flight has come in: each has its timeout, so none holds the end up for ever. */
  #letIn(why: string): void {
    this.#stopped ??= why;
    if (this.inFlight === 0) this.endNow(why);
  }

  #roomIsMade(): void {
    if (this.#held.size === 0 || this.#release !== undefined) return;
    this.#release = this.#options.scheduler.after(0, PHASE.dispatch, releaseHeld, this as LiveTransport);
  }

  /** Lets go of those for which there is room by now, in their order. */
  releaseHeld(): void {
    this.#release = undefined;
    const { spending, scheduler } = this.#options;
    for (const held of this.#held) {
      const objection = spending.objection(held.attempt);
      const over = this.#stopped ?? (objection?.mayPass === false ? objection.why : undefined);
      if (over !== undefined) this.#letIn(over);
      if (over !== undefined || objection !== undefined) return;
      this.#held.delete(held);
      held.abandon = this.#sendNow(held.attempt, wholeMicroseconds(scheduler.now() - held.sinceMs));
    }
  }
}

/** A request that waits for what others in flight will leave of the budget. */
interface Held {
  readonly attempt: Attempt;
  readonly sinceMs: number;
  /** Once it is sent. */
  abandon: (() => undefined) | undefined;
}

function releaseHeld(transport: LiveTransport): void {
  transport.releaseHeld();
}

function nothing(): undefined {}
