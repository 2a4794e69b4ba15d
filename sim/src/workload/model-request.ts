/**
 * One logical model request: queued at the gate, sent, answered or timed out, settled, and again after its backoff until
 * it succeeds or is given up. Drives the governor through its synchronous form.
 */

import { type Ask, Attempts, type Ticket, type Waiter } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { SettledOutcome } from '../trace/events.js';
import type { Attempt, AttemptEnd, Luck } from '../transport/transport.js';
import type { RunContext } from './run-context.js';

export interface RequestSizes {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
}

/** Who asks, and who hears how it ended. */
export interface Asker {
  readonly name: string;
  readonly luck: Luck;
  /** Spreads the retries. */
  readonly jitter: RandomStream;
  answered(succeeded: boolean): void;
}

export class ModelRequest implements Waiter, Attempt {
  readonly #context: RunContext;
  readonly #asker: Asker;
  readonly #ask: Ask;
  readonly #attempts: Attempts;
  readonly #id: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
  #ticket: Ticket | undefined;
  #sentAtMs = 0;
  #abandon: (() => void) | undefined;
  #timeout: EventHandle | undefined;

  constructor(context: RunContext, asker: Asker, ask: Ask, sizes: RequestSizes) {
    this.#context = context;
    this.#asker = asker;
    this.#ask = ask;
    this.#attempts = new Attempts(context.retry);
    this.#id = context.clerk.nextRequestId();
    this.inputTokens = sizes.inputTokens;
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
    this.#context.clerk.tell({ type: 'request-queued', ...this.#who() });
    this.#ask.enqueue(this.#context.target, {}, this);
  }

  admitted(ticket: Ticket): void {
    this.#ticket = ticket;
    const { clerk, scheduler } = this.#context;
    const waitMs = wholeMicroseconds(ticket.queuedMs);
    clerk.tell({ type: 'request-admitted', ...this.#who(), epoch: ticket.epoch, waitMs });
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
    else this.#asker.answered(end.class === 'ok');
  }

  /** The settlement is told before what it causes; a cooldown is known only once it has been caused. */
  #settle(end: AttemptEnd, attempt: number, retries: boolean): void {
    const { clerk, scheduler, governor, target } = this.#context;
    const ticket = this.#ticket as Ticket;
    const settled = {
      type: 'request-settled' as const,
      ...this.#who(attempt),
      outcome: outcomeOf(end),
      serviceMs: wholeMicroseconds(scheduler.now() - this.#sentAtMs),
      epoch: ticket.epoch,
      ...detailsOf(end),
      ...(end.class === 'ok' || retries ? {} : { lost: true as const }),
    };
    if (end.class === 'throttle' || end.class === 'overload') {
      clerk.tellFirst(
        () => ticket.throttle(refusalOf(end)),
        () => {
          const until = governor.snapshot(target)?.cooldownUntil ?? 0;
          return until > scheduler.now() ? { ...settled, cooldownUntil: wholeMicroseconds(until) } : settled;
        },
      );
      return;
    }
    clerk.tell(settled);
    if (end.class === 'ok') ticket.succeed();
    else if (end.class === 'transient') ticket.fail();
    else ticket.end();
  }

  #retryAfter(delayMs: number, attempt: number): void {
    const { clerk, scheduler } = this.#context;
    // Rounded up here, once: the trace says the very delay that the clock keeps.
    const wholeMs = Math.ceil(delayMs * 1000) / 1000;
    clerk.tell({ type: 'retry-scheduled', ...this.#who(attempt), delayMs: wholeMs });
    this.#ask.backingOff();
    scheduler.after(wholeMs, PHASE.timer, queueAgain, this);
  }

  #who(attempt: number = this.#attempts.number) {
    const { key, runId } = this.#context;
    return { id: this.#id, attempt, key, run: runId, agent: this.#asker.name };
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

function outcomeOf(end: AttemptEnd): SettledOutcome {
  switch (end.class) {
    case 'ok':
      return 'succeeded';
    case 'throttle':
    case 'overload':
      return 'throttled';
    case 'transient':
      return 'failed';
    case 'request_too_large':
      return 'ended';
  }
}

function detailsOf(end: AttemptEnd) {
  if (end.class === 'ok') {
    const { inputTokens, outputTokens, firstTokenMs } = end;
    return { inputTokens, outputTokens, ...(firstTokenMs === null ? {} : { firstTokenMs }) };
  }
  return {
    ...(end.retryAfterMs === null ? {} : { retryAfterMs: end.retryAfterMs }),
    ...(end.refusedBy === undefined ? {} : { refusedBy: end.refusedBy }),
  };
}

function refusalOf(end: Exclude<AttemptEnd, { class: 'ok' }>) {
  return {
    reason: end.class === 'overload' ? ('provider_overloaded' as const) : ('rate_limited' as const),
    ...(end.retryAfterMs === null ? {} : { retryAfterMs: end.retryAfterMs }),
  };
}

/** Differences of millisecond doubles miss their microsecond by a rounding error; the trace has whole ones. */
function wholeMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
