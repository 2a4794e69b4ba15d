/**
 * A transport to a real endpoint behind safety rails: budgets that no request overruns, and an end at once where an answer
 * says that every further one is useless. After a budget is met nothing more leaves; what is in flight may still come in.
 */

import { PHASE } from '../kernel/kernel.js';
import type { CountedModel } from '../trace/events.js';
import type { Spending } from './budget.js';
import type { Heard, HttpTransport } from './http-transport.js';
import type { Attempt, Transport } from './transport.js';
import type { WallScheduler } from './wall-scheduler.js';

export interface LiveTransportOptions {
  readonly http: HttpTransport;
  readonly scheduler: WallScheduler;
  readonly spending: Spending;
  /** Where an answer makes all further requests useless: why, and what to check. */
  readonly hopelessness: (heard: Heard) => string | undefined;
}

/** For answers that are on their way when a budget is met. */
const GRACE_MS = 30_000;

export class LiveTransport implements Transport {
  readonly #options: LiveTransportOptions;
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
    const { http, spending } = this.#options;
    const objection = this.#stopped ?? spending.objection(attempt);
    if (objection !== undefined) {
      this.#letIn(objection);
      return nothing;
    }
    const { provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck } = attempt;
    spending.leaves(attempt);
    const abandon = http.send({
      ...{ provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck },
      answered: (end) => {
        const rail = spending.ended(attempt, end);
        attempt.answered(end);
        // The answer that ends it all is told before the end; others may come between it and its telling.
        const isItself = this.#isOver && end.class !== 'ok' && end.class !== 'throttle';
        const why = rail ?? (isItself || this.inFlight === 0 ? this.#stopped : undefined);
        if (why !== undefined) this.endNow(why);
      },
    });
    return (): undefined => {
      abandon();
      const rail = spending.abandoned(attempt);
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

  /** Nothing more leaves; ends when what is in flight has come in, or after a while. */
  #letIn(why: string): void {
    const isFirst = this.#stopped === undefined;
    this.#stopped ??= why;
    if (this.inFlight === 0) this.endNow(why);
    else if (isFirst) {
      this.#options.scheduler.after(
        GRACE_MS,
        PHASE.sampling,
        (transport) => transport.endNow(why),
        this as LiveTransport,
      );
    }
  }
}

function nothing(): undefined {}
