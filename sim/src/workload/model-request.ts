/**
 * One logical model request: queued at the gate, sent, answered or timed out, settled, and again after its backoff until
 * it succeeds or is given up. Drives the governor through its synchronous form.
 */

import { type Ask, Attempts, QueueFullError, type Ticket, type Waiter, type Waiting } from '@tidegate/governor';
import { type EventHandle, PHASE } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { RequestSettled, RequestWithdrawn, SettledOutcome } from '../trace/events.js';
import type { Attempt, AttemptEnd, Luck } from '../transport/transport.js';
import { backoffMs } from './listed-backoff.js';
import { observedOf } from './observed.js';
import type { RequestSizes } from './request-sizes.js';
import type { Interruptible, RequestContext, Traveller } from './run-context.js';
import { refusalOf, sampleOf } from './told-to-ticket.js';
import { wholeMicroseconds } from './whole-microseconds.js';

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

/** How a request ends that nobody asked for in the end, that a full queue turned away, or that a pause held back for good. */
const GIVEN_UP: AttemptEnd = { class: 'transient', retryAfterMs: null };
const TURNED_AWAY: AttemptEnd = { class: 'overload', retryAfterMs: null };
export const NEVER_ASKED: AttemptEnd = { class: 'transient', retryAfterMs: null };

export class ModelRequest implements Waiter, Attempt, Interruptible, Traveller {
  readonly #context: RequestContext;
  readonly #asker: Asker;
  #door: Door;
  readonly #attempts: Attempts;
  readonly #repeats: true | undefined;
  /** 0 until it is queued for the first time. */
  #id = 0;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
  /** `held`: not asked yet, in a pause; `granted`: admitted, and sent within this instant. */
  #place: 'held' | 'queue' | 'granted' | 'sent' | 'backoff' = 'queue';
  #isInterrupted = false;
  #waiting: Waiting | undefined;
  #ticket: Ticket | undefined;
  #sentAtMs = 0;
  #abandon: (() => number | undefined) | undefined;
  /** Of the attempt that was abandoned. */
  #spentTokens: number | undefined;
  #timeout: EventHandle | undefined;
  /** Of the backoff, or of the pause. */
  #wake: EventHandle | undefined;
  /** When its run, whose process has died, comes back; undefined while that lives. */
  #upAtMs: number | undefined;
  #queuedAtMs = 0;
  /** Waited before the crash and during it; the gate measures what comes after. */
  #waitedMs = 0;

  /** @param repeats it succeeded before, in a run that this one replaced. */
  constructor(context: RequestContext, asker: Asker, door: Door, sizes: RequestSizes, repeats?: true) {
    this.#context = context;
    this.#asker = asker;
    this.#door = door;
    this.#repeats = repeats;
    this.#attempts = new Attempts(context.retry);
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

  get process(): string | undefined {
    return this.#context.process;
  }

  get runId(): string | undefined {
    return this.#context.runId;
  }

  get luck(): Luck {
    return this.#asker.luck;
  }

  get isWaiting(): boolean {
    return this.#place === 'queue' || this.#place === 'backoff' || this.#place === 'held';
  }

  queue(): void {
    if (this.#id === 0) {
      this.#context.open?.add(this);
      if (this.#isHeld() || this.#isDown()) return;
      this.#id = this.#context.clerk.nextRequestId();
    }
    const { clerk, scheduler, lookout, key, runId, observer, process } = this.#context;
    if (!observer && this.#upAtMs === undefined) lookout?.queued(this);
    this.#queuedAtMs = scheduler.now();
    clerk.tell({
      t: this.#queuedAtMs,
      type: 'request-queued',
      id: this.#id,
      attempt: this.#attempts.number,
      key,
      run: runId,
      agent: this.#asker.name,
      observer,
      process,
      down: this.#upAtMs === undefined ? undefined : true,
    });
    this.#place = 'queue';
    if (this.#upAtMs === undefined) this.#enqueue();
  }

  #enqueue(): void {
    const { measures, target } = this.#context;
    const options = measures ? { tokens: { prompt: this.inputTokens, output: this.maxTokens } } : NO_OPTIONS;
    this.#waiting = this.#door.enqueue(target, options, this);
  }

  /**
   * Gives the request up for good. What waits leaves its line at once, what is in flight is abandoned and settles as ended;
   * one that is just being sent is abandoned when it is. Its asker hears of it within this instant.
   */
  interrupt(): void {
    this.#isInterrupted = true;
    switch (this.#place) {
      case 'queue':
        // Told before it leaves: a line that moves up lets others in.
        this.#tellWithdrawn('queue');
        this.#waiting?.cancel();
        this.#over(false, GIVEN_UP);
        return;
      case 'backoff':
        this.#cancelWake();
        this.#tellWithdrawn('backoff');
        this.#over(false, GIVEN_UP);
        return;
      case 'held':
        this.#cancelWake();
        this.#over(false, NEVER_ASKED);
        return;
      case 'sent':
        this.#giveUp();
        return;
      case 'granted':
        return;
    }
  }

  /** What waits leaves its line with the run; a backoff goes on, for when it ends is in the snapshot. */
  suspend(upAtMs: number): void {
    if (this.#place === 'queue' && this.#upAtMs === undefined) this.#context.lookout?.withdrawn(this);
    this.#upAtMs = upAtMs;
  }

  /** Settles as ended; what is just being sent is broken off when it is. */
  breakOff(): void {
    if (this.#place === 'sent') this.#breakOff();
  }

  /** The process is back, and this is the seat of its agent now. */
  resume(door: Door): void {
    this.#door = door;
    this.#upAtMs = undefined;
    if (this.#place === 'held' && this.#wake === undefined) this.queue();
    else if (this.#place === 'queue') this.#comeBack();
  }

  /** When it came to wait for its turn; undefined when it does not. */
  get waitsSinceMs(): number | undefined {
    return this.#place === 'queue' ? this.#queuedAtMs : undefined;
  }

  #comeBack(): void {
    const { clerk, scheduler, lookout, key, runId, process } = this.#context;
    const t = scheduler.now();
    lookout?.queued(this);
    this.#waitedMs = t - this.#queuedAtMs;
    const { name: agent } = this.#asker;
    const attempt = this.#attempts.number;
    clerk.tell({ t, type: 'request-resumed', id: this.#id, attempt, key, run: runId, agent, process });
    this.#enqueue();
  }

  #breakOff(): void {
    const { clerk, scheduler } = this.#context;
    const t = scheduler.now();
    this.#spentTokens = this.#abandon?.();
    if (this.#timeout !== undefined) scheduler.cancel(this.#timeout);
    const attempt = this.#attempts.number++;
    clerk.tell(this.#settled('ended', GIVEN_UP, attempt, true));
    this.#ticket?.end();
    this.#retryAfter(Math.max(0, (this.#upAtMs ?? t) - t), attempt);
  }

  /** Not asked yet, and nobody is there to ask. */
  #isDown(): boolean {
    if (this.#upAtMs === undefined) return false;
    this.#place = 'held';
    this.#wake = undefined;
    return true;
  }

  /** A pause holds back what has not been asked; it comes again at the end of it. */
  #isHeld(): boolean {
    const { pause, scheduler } = this.#context;
    const leftMs = pause?.leftMs(scheduler.now()) ?? 0;
    if (leftMs === 0) return false;
    this.#place = 'held';
    this.#wake = scheduler.after(leftMs, PHASE.arrival, queueAgain, this);
    return true;
  }

  #cancelWake(): void {
    if (this.#wake !== undefined) this.#context.scheduler.cancel(this.#wake);
  }

  admitted(ticket: Ticket): void {
    this.#place = 'granted';
    this.#ticket = ticket;
    const { clerk, scheduler, lookout, key, runId, observer, process, governor, target } = this.#context;
    lookout?.admitted(this);
    const event = {
      t: scheduler.now(),
      type: 'request-admitted' as const,
      id: this.#id,
      attempt: this.#attempts.number,
      key,
      run: runId,
      agent: this.#asker.name,
      observer,
      process,
      epoch: ticket.epoch,
      waitMs: wholeMicroseconds(ticket.queuedMs + this.#waitedMs),
    };
    clerk.tellAdmitted(event, () => governor.snapshot(target)?.cap);
    this.#waitedMs = 0;
    scheduler.after(0, PHASE.dispatch, send, this);
  }

  /** Whoever is interrupted, and whoever comes to a full queue. The gate refuses nobody else while the run is open. */
  refused(reason: unknown): void {
    if (this.#isInterrupted || this.#upAtMs !== undefined) return;
    if (!(reason instanceof QueueFullError)) throw reason;
    this.#tellWithdrawn('queue', 'queue-full');
    // Not at once: what the agent asks next may be turned away too, and so on.
    this.#context.scheduler.after(0, PHASE.completion, turnedAway, this);
  }

  /** Lost: a governor's own `request` does not try again either. */
  turnedAway(): void {
    if (!this.#isInterrupted) this.#over(false, TURNED_AWAY);
  }

  send(): void {
    const { scheduler, transport, lookout, timeoutMs } = this.#context;
    this.#sentAtMs = scheduler.now();
    if (timeoutMs !== null) this.#timeout = scheduler.after(timeoutMs, PHASE.timer, timeOut, this);
    this.#place = 'sent';
    this.#spentTokens = undefined;
    this.#abandon = transport.send(this);
    lookout?.sent(this);
    if (this.#isInterrupted) this.#giveUp();
    else if (this.#upAtMs !== undefined) this.#breakOff();
  }

  answered(end: AttemptEnd): void {
    if (this.#timeout !== undefined) this.#context.scheduler.cancel(this.#timeout);
    this.#end(end);
  }

  timedOut(): void {
    this.#spentTokens = this.#abandon?.();
    this.#end({ class: 'transient', retryAfterMs: null });
  }

  #over(succeeded: boolean, end: AttemptEnd): void {
    this.#context.open?.delete(this);
    this.#asker.answered(succeeded, end);
  }

  #giveUp(): void {
    const { clerk, scheduler } = this.#context;
    this.#spentTokens = this.#abandon?.();
    if (this.#timeout !== undefined) scheduler.cancel(this.#timeout);
    clerk.tell(this.#settled('ended', GIVEN_UP, this.#attempts.number, false));
    this.#ticket?.end();
    this.#over(false, GIVEN_UP);
  }

  #tellWithdrawn(from: RequestWithdrawn['from'], reason?: RequestWithdrawn['reason']): void {
    const { clerk, scheduler, lookout, key, runId, process } = this.#context;
    const { number } = this.#attempts;
    if (from === 'queue') lookout?.withdrawn(this);
    clerk.tell({
      t: scheduler.now(),
      type: 'request-withdrawn',
      id: this.#id,
      // In a backoff the next attempt has its number already.
      attempt: from === 'backoff' ? number - 1 : number,
      key,
      run: runId,
      agent: this.#asker.name,
      process,
      from,
      reason,
    });
  }

  #end(end: AttemptEnd): void {
    const attempt = this.#attempts.number;
    if (end.class === 'ok') {
      this.#settle(end, attempt, false);
      this.#over(true, end);
      return;
    }
    const next = this.#attempts.ended(end, () => this.#asker.jitter.next());
    const retries = 'delayMs' in next;
    this.#settle(end, attempt, retries);
    if (retries) this.#retryAfter(backoffMs(next.delayMs, this.#context.delaysMs, end.retryAfterMs, attempt), attempt);
    else this.#over(false, end);
  }

  /** The settlement is told before what it causes; a cooldown is known only once it has been caused. */
  #settle(end: AttemptEnd, attempt: number, retries: boolean): void {
    const { clerk, scheduler, governor, target } = this.#context;
    const ticket = this.#ticket as Ticket;
    if (end.limits !== undefined) ticket.learn(end.limits);
    switch (end.class) {
      case 'ok':
        clerk.tell(this.#settled('succeeded', end, attempt, retries));
        ticket.succeed(this.#context.measures ? sampleOf(end) : undefined);
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
    const { scheduler, key, runId, observer, process } = this.#context;
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
      process,
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
      spentTokens: failure?.spentTokens ?? this.#spentTokens,
      observed: observedOf(end),
      repeated: success === undefined ? undefined : this.#repeats,
      lost: failure === undefined || retries ? undefined : true,
    };
  }

  #retryAfter(delayMs: number, attempt: number): void {
    const { clerk, scheduler, key, runId, process } = this.#context;
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
      process,
      delayMs: wholeMs,
    });
    if (this.#upAtMs === undefined) this.#door.backingOff();
    this.#place = 'backoff';
    this.#wake = scheduler.after(wholeMs, PHASE.timer, queueAgain, this);
  }
}

function send(request: ModelRequest): void {
  request.send();
}

function turnedAway(request: ModelRequest): void {
  request.turnedAway();
}

function timeOut(request: ModelRequest): void {
  request.timedOut();
}

function queueAgain(request: ModelRequest): void {
  request.queue();
}
