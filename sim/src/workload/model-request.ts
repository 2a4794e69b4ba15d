/**
 * One logical model request: queued at the gate, sent, answered or timed out, settled, and again after its backoff until
 * it succeeds or is given up. Drives the governor through its synchronous form.
 */

import { type Ask, Attempts, type Ticket, type Waiter } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { RequestSettled, SettledOutcome } from '../trace/events.js';
import type { Attempt, AttemptEnd, Luck } from '../transport/transport.js';
import { observedOf } from './observed.js';
import type { RequestSizes } from './request-sizes.js';
import type { RequestContext } from './run-context.js';
import { wholeMicroseconds } from './whole-microseconds.js';

type NoSuccess = Exclude<AttemptEnd, { class: 'ok' }>;

const NO_OPTIONS = {};

/** Where a request queues: at the gate through the seat of a subagent, at the gate alone, or past it. */
export type Door = Pick<Ask, 'enqueue' | 'backingOff'>;

/** Who asks, and who hears how it ended. */
export interface Asker {
  readonly name: string;
  readonly luck: Luck;
  /** Spreads the retries. */
  readonly jitter: RandomStream;
  /** @param end Of the last attempt. */
  answered(succeeded: boolean, end: AttemptEnd): void;
}

export class ModelRequest implements Waiter, Attempt {
  readonly #context: RequestContext;
  readonly #asker: Asker;
  readonly #door: Door;
  readonly #attempts: Attempts;
  readonly #id: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
  #ticket: Ticket | undefined;
  #sentAtMs = 0;
  #abandon: (() => void) | undefined;
  #timeout: EventHandle | undefined;

  constructor(context: RequestContext, asker: Asker, door: Door, sizes: RequestSizes) {
    this.#context = context;
    this.#asker = asker;
    this.#door = door;
    this.#attempts = new Attempts(context.retry);
    this.#id = context.clerk.nextRequestId();
    this.inputTokens = sizes.inputTokens;
    this.cachedTokens = sizes.cachedTokens ?? 0;
    this.outputTokens = sizes.outputTokens;
    this.maxTokens = sizes.maxTokens;
  }

  get provider(): string {
    return this.#context.target.provider;
  }

  get model(): string {
    return this.#context.target.model;
  }

  get luck(): Luck {
    return this.#asker.luck;
  }

  queue(): void {
    const { clerk, scheduler, key, runId, observer, target } = this.#context;
    clerk.tell({
      t: scheduler.now(),
      type: 'request-queued',
      id: this.#id,
      attempt: this.#attempts.number,
      key,
      run: runId,
      agent: this.#asker.name,
      observer,
    });
    this.#door.enqueue(target, NO_OPTIONS, this);
  }

  admitted(ticket: Ticket): void {
    this.#ticket = ticket;
    const { clerk, scheduler, key, runId, observer } = this.#context;
    clerk.tellAdmitted({
      t: scheduler.now(),
      type: 'request-admitted',
      id: this.#id,
      attempt: this.#attempts.number,
      key,
      run: runId,
      agent: this.#asker.name,
      observer,
      epoch: ticket.epoch,
      waitMs: wholeMicroseconds(ticket.queuedMs),
    });
    scheduler.after(0, PHASE.dispatch, send, this);
  }

  /** The gate refuses nobody while the run is open; that it did is a defect of this engine. */
  refused(reason: unknown): void {
    throw reason;
  }

  send(): void {
    const { scheduler, transport, timeoutMs } = this.#context;
    this.#sentAtMs = scheduler.now();
    if (timeoutMs !== null) this.#timeout = scheduler.after(timeoutMs, PHASE.timer, timeOut, this);
    this.#abandon = transport.send(this);
  }

  answered(end: AttemptEnd): void {
    if (this.#timeout !== undefined) this.#context.scheduler.cancel(this.#timeout);
    this.#end(end);
  }

  timedOut(): void {
    this.#abandon?.();
    this.#end({ class: 'transient', retryAfterMs: null });
  }

  #end(end: AttemptEnd): void {
    const attempt = this.#attempts.number;
    const retryAfterMs = end.class === 'ok' ? null : end.retryAfterMs;
    const next = this.#attempts.ended({ class: end.class, retryAfterMs }, () => this.#asker.jitter.next());
    const retries = 'delayMs' in next;
    this.#settle(end, attempt, retries);
    if (retries) this.#retryAfter(next.delayMs, attempt);
    else this.#asker.answered(end.class === 'ok', end);
  }

  /** The settlement is told before what it causes; a cooldown is known only once it has been caused. */
  #settle(end: AttemptEnd, attempt: number, retries: boolean): void {
    const { clerk, scheduler, governor, target } = this.#context;
    const ticket = this.#ticket as Ticket;
    switch (end.class) {
      case 'ok':
        clerk.tell(this.#settled('succeeded', end, attempt, retries));
        ticket.succeed();
        return;
      case 'throttle':
      case 'overload':
        clerk.tellFirst(
          () => ticket.throttle(refusalOf(end)),
          () => {
            const until = governor.snapshot(target)?.cooldownUntil ?? 0;
            const cooldownUntil = until > scheduler.now() ? wholeMicroseconds(until) : undefined;
            return this.#settled('throttled', end, attempt, retries, cooldownUntil);
          },
        );
        return;
      case 'transient':
        clerk.tell(this.#settled('failed', end, attempt, retries));
        ticket.fail();
        return;
      default:
        // Nothing that waiting mends: the request is wrong, or the account is.
        clerk.tell(this.#settled('ended', end, attempt, retries));
        ticket.end();
        return;
    }
  }

  #settled(
    outcome: SettledOutcome,
    end: AttemptEnd,
    attempt: number,
    retries: boolean,
    cooldownUntil?: number,
  ): RequestSettled {
    const { scheduler, key, runId, observer } = this.#context;
    const now = scheduler.now();
    const success = end.class === 'ok' ? end : undefined;
    const failure = end.class === 'ok' ? undefined : end;
    return {
      t: now,
      type: 'request-settled',
      id: this.#id,
      attempt,
      key,
      run: runId,
      agent: this.#asker.name,
      observer,
      outcome,
      serviceMs: wholeMicroseconds(now - this.#sentAtMs),
      epoch: (this.#ticket as Ticket).epoch,
      retryAfterMs: failure?.retryAfterMs ?? undefined,
      cooldownUntil,
      refusedBy: failure?.refusedBy,
      fault: end.fault,
      inputTokens: success?.inputTokens,
      cachedTokens: success === undefined || this.cachedTokens === 0 ? undefined : this.cachedTokens,
      outputTokens: success?.outputTokens,
      firstTokenMs: success?.firstTokenMs ?? undefined,
      observed: observedOf(end),
      lost: failure === undefined || retries ? undefined : true,
    };
  }

  #retryAfter(delayMs: number, attempt: number): void {
    const { clerk, scheduler, key, runId } = this.#context;
    // Rounded up here, once: the trace says the very delay that the clock keeps.
    const wholeMs = Math.ceil(delayMs * 1000) / 1000;
    clerk.tell({
      t: scheduler.now(),
      type: 'retry-scheduled',
      id: this.#id,
      attempt,
      key,
      run: runId,
      agent: this.#asker.name,
      delayMs: wholeMs,
    });
    this.#door.backingOff();
    scheduler.after(wholeMs, PHASE.timer, queueAgain, this);
  }
}

function send(request: ModelRequest): void {
  request.send();
}

function timeOut(request: ModelRequest): void {
  request.timedOut();
}

function queueAgain(request: ModelRequest): void {
  request.queue();
}

function refusalOf(end: NoSuccess) {
  return {
    reason: end.class === 'overload' ? ('provider_overloaded' as const) : ('rate_limited' as const),
    ...(end.retryAfterMs === null ? {} : { retryAfterMs: end.retryAfterMs }),
    ...(end.scope === undefined ? {} : { scope: end.scope }),
  };
}
