/**
 * One ask of a subagent: from its start in a run to its end, holding a seat of the run. Its requests go to the gate; when
 * the run's bound has fallen under the working subagents, the next request parks first until a seat is free.
 *
 * A request made inside a tool never parks: the subagent holds its seat while the tool runs. An ask started inside
 * another ask's tool shares the seat of its parent, so it never parks either.
 */

import { Fifo, type FifoMember } from '../core/fifo.js';
import { objectOption, refuseOption } from '../core/options.js';
import type { StatedTokens } from '../core/pacing.js';
import type { AbortSignals } from './abort.js';
import { admission } from './admission.js';
import type { Clock } from './clock.js';
import type { Listeners } from './events.js';
import { LineMember, leaveTogether } from './line-member.js';
import { DECIDED, type Waiter, type Waiting, type WaitObserver } from './queued-request.js';
import type { Key, Ticket } from './ticket.js';
import { ToolDeadline } from './tool-deadline.js';

/** Of one request of a subagent. */
export interface AskOptions {
  /** Leaves every line at once and refuses with `signal.reason`. */
  readonly signal?: AbortSignal;
  /**
   * The request is made inside a tool of the subagent: it never parks, and the tool's deadline pauses while it queues. Of
   * several tools at once it is the one whose deadline's `signal` the request has; without that all of them pause.
   */
  readonly insideTool?: boolean;
  /**
   * What the request may cost, for `pacing`: in all, or its prompt and the most that may come of it; default: the mean of
   * those answered so far. Numbers ≥ 0.
   */
  readonly tokens?: StatedTokens;
}

/** One ask of a subagent, from its start to its end: it holds a seat of its run. */
export interface Ask {
  readonly name: string;
  /** The result that a replaced run already had for this ask; nothing is to be done again, and it holds no seat. */
  readonly inherited: { readonly result: unknown } | undefined;
  /** A ticket at once, or undefined when the request would have to wait. */
  tryAcquire(key: Key): Ticket | undefined;
  /** A ticket when the subagent has a seat and it is the request's turn at the gate. */
  acquire(key: Key, options?: AskOptions): Promise<Ticket>;
  /** The synchronous form of `acquire`. */
  enqueue(key: Key, options: AskOptions, waiter: Waiter): Waiting;
  /**
   * A deadline for a tool: `signal` fires when `ms` have passed, not counting the time its requests queue at the gate. Give
   * the signal to those requests: it says whose they are.
   */
  toolDeadline(ms: number): { readonly signal: AbortSignal; done(): void };
  /** The subagent waits for a retry; for whoever drives requests without `request`. */
  backingOff(): void;
  /** Finished with `result`: a successor run inherits it. */
  end(result?: unknown): void;
  /** Ended without a result: a successor run does it again. */
  abandon(): void;
}

/** What an ask needs of its run. */
export interface AskHost {
  readonly id: string;
  readonly open: boolean;
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly signals: AbortSignals;
  /** The gate, past all seats. */
  enqueueAtGate(key: Key, options: AskOptions, waiter: Waiter, observer: WaitObserver, askedAt: number): Waiting;
  tryAcquireAtGate(key: Key): Ticket | undefined;
  mustPark(): boolean;
  park(ask: RunningAsk): void;
  unpark(ask: RunningAsk): void;
  ended(ask: RunningAsk, result: { readonly result: unknown } | undefined): void;
  closedError(): Error;
}

type State = 'working' | 'parked' | 'ended';

/** A request that waits for a seat, then queues at the gate; one handle for both. */
class ParkedRequest extends LineMember implements Waiting {
  readonly #ask: RunningAsk;
  readonly key: Key;
  readonly options: AskOptions;
  readonly waiter: Waiter;
  readonly askedAt: number;
  atGate: Waiting | undefined = undefined;

  constructor(ask: RunningAsk, key: Key, options: AskOptions, waiter: Waiter, askedAt: number) {
    super();
    this.#ask = ask;
    this.key = key;
    this.options = options;
    this.waiter = waiter;
    this.askedAt = askedAt;
  }

  override cancel(reason?: unknown): void {
    if (this.atGate === undefined) super.cancel(reason);
    else this.atGate.cancel(reason);
  }

  protected withdraw(): void {
    this.#ask.withdrawParked(this);
  }

  protected refuse(reason: unknown): void {
    this.#ask.refuseParked(this, reason);
  }
}

export class RunningAsk implements Ask, WaitObserver, FifoMember {
  previous: FifoMember | undefined = undefined;
  next: FifoMember | undefined = undefined;
  readonly name: string;
  readonly inherited = undefined;
  /** Whose seat it shares. */
  readonly parent: RunningAsk | undefined;
  /** Asks that hold this seat: itself and those started inside its tools. */
  sharers = 1;
  state: State = 'working';
  readonly #host: AskHost;
  readonly #parked = new Fifo<ParkedRequest>();
  readonly #deadlines = new Set<ToolDeadline>();
  /** What the last event said of this subagent. */
  #told: 'nothing' | 'waiting' | 'executing' = 'nothing';

  constructor(host: AskHost, name: string, parent: RunningAsk | undefined) {
    this.#host = host;
    this.name = name;
    this.parent = parent;
  }

  tryAcquire(key: Key): Ticket | undefined {
    if (this.state !== 'working' || this.#mustPark(false)) return undefined;
    const ticket = this.#host.tryAcquireAtGate(key);
    if (ticket !== undefined) this.left(this.#host.clock.now(), true);
    return ticket;
  }

  acquire(key: Key, options: AskOptions = {}): Promise<Ticket> {
    return admission((waiter) => this.enqueue(key, options, waiter));
  }

  enqueue(key: Key, options: AskOptions, waiter: Waiter): Waiting {
    const host = this.#host;
    objectOption('options', options);
    if (options.signal?.aborted) return refusedAtOnce(host, waiter, options.signal.reason);
    if (!host.open) return refusedAtOnce(host, waiter, host.closedError());
    if (this.state === 'ended') return refusedAtOnce(host, waiter, new Error(`ask ${this.name}: it has ended`));
    const now = host.clock.now();
    const insideTool = options.insideTool === true;
    if (!this.#mustPark(insideTool)) return this.#toGate(key, options, waiter, now);
    const request = new ParkedRequest(this, key, options, waiter, now);
    if (options.signal !== undefined) request.watched = host.signals.watch(options.signal, request);
    this.#parked.push(request);
    if (this.state === 'working') {
      this.state = 'parked';
      host.park(this);
      this.tellWaiting('seat', now);
    }
    return request;
  }

  toolDeadline(ms: number): { readonly signal: AbortSignal; done(): void } {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) refuseOption('toolDeadline', ms, 'finite milliseconds ≥ 0');
    const deadline: ToolDeadline = new ToolDeadline(this.#host.clock, ms, () => this.#deadlines.delete(deadline));
    this.#deadlines.add(deadline);
    return deadline;
  }

  backingOff(): void {
    this.tellWaiting('backoff', this.#host.clock.now());
  }

  end(result?: unknown): void {
    this.#finish({ result });
  }

  abandon(): void {
    this.#finish(undefined);
  }

  /** A seat is free: what waited for it goes on to the gate. */
  seated(): void {
    if (this.state === 'parked') this.state = 'working';
    for (let request = this.#parked.shift(); request !== undefined; request = this.#parked.shift()) {
      request.watched?.leave(request);
      request.atGate = this.#toGate(request.key, request.options, request.waiter, request.askedAt);
    }
  }

  withdrawParked(request: ParkedRequest): void {
    this.#parked.remove(request);
    if (this.#parked.size > 0 || this.state !== 'parked') return;
    // Whatever waited for a seat is gone: the subagent goes on without.
    this.state = 'working';
    this.#host.unpark(this);
    this.left(this.#host.clock.now(), true);
  }

  refuseParked({ waiter }: ParkedRequest, reason: unknown): void {
    this.#host.listeners.guard(() => waiter.refused(reason));
  }

  /** What waits for a seat. */
  parked(): readonly LineMember[] {
    return this.#parked.members();
  }

  stopDeadlines(): void {
    for (const deadline of this.#deadlines) deadline.done();
  }

  queued(now: number): void {
    this.tellWaiting('slot', now);
  }

  left(at: number, admitted: boolean): void {
    if (!admitted || this.#told === 'executing') return;
    this.#told = 'executing';
    const { listeners, id } = this.#host;
    if (listeners.present) listeners.tell({ type: 'node-executing', at, run: id, node: this.name });
  }

  tellWaiting(reason: 'seat' | 'slot' | 'backoff', at: number): void {
    this.#told = 'waiting';
    const { listeners, id } = this.#host;
    if (listeners.present) listeners.tell({ type: 'node-waiting', at, run: id, node: this.name, reason });
  }

  #mustPark(insideTool: boolean): boolean {
    if (this.state === 'parked') return !insideTool;
    return !insideTool && this.parent === undefined && this.#host.mustPark();
  }

  #toGate(key: Key, options: AskOptions, waiter: Waiter, askedAt: number): Waiting {
    const observer =
      options.insideTool === true || this.parent !== undefined ? this.#pausingDeadlines(options.signal) : this;
    return this.#host.enqueueAtGate(key, options, waiter, observer, askedAt);
  }

  /** A request inside a tool stops the clocks of the tools it is inside of, here and in the asks around this one. */
  #pausingDeadlines(signal: AbortSignal | undefined): WaitObserver {
    const running = [...this.#deadlines];
    const its = running.filter((deadline) => deadline.signal === signal);
    const deadlines = its.length > 0 ? its : running;
    for (let outer = this.parent; outer !== undefined; outer = outer.parent) deadlines.push(...outer.#deadlines);
    let paused = false;
    return {
      queued: (now) => {
        paused = true;
        for (const deadline of deadlines) deadline.pause(now);
        this.queued(now);
      },
      left: (now, admitted) => {
        if (paused) for (const deadline of deadlines) deadline.resume(now);
        this.left(now, admitted);
      },
    };
  }

  #finish(result: { readonly result: unknown } | undefined): void {
    if (this.state === 'ended') return;
    const wasParked = this.state === 'parked';
    this.state = 'ended';
    this.stopDeadlines();
    // Those who share the seat go on working.
    if (wasParked && this.sharers > 1) this.#host.unpark(this);
    const parked = this.parked();
    // An error holds the stack of where it was made, which costs more than all else here.
    if (parked.length > 0)
      leaveTogether(parked, new Error(`ask ${this.name}: it ended while a request of it was parked`));
    this.#host.ended(this, result);
  }
}

function refusedAtOnce(host: AskHost, waiter: Waiter, reason: unknown): Waiting {
  host.listeners.guard(() => waiter.refused(reason));
  return DECIDED;
}

/** An ask whose result the replaced run already had. It holds nothing, and there is nothing to ask a provider. */
export class InheritedAsk implements Ask {
  readonly name: string;
  readonly inherited: { readonly result: unknown };

  constructor(name: string, inherited: { readonly result: unknown }) {
    this.name = name;
    this.inherited = inherited;
  }

  tryAcquire(): undefined {
    return undefined;
  }

  acquire(): Promise<Ticket> {
    return Promise.reject(this.#nothingToAsk());
  }

  enqueue(_key: Key, _options: AskOptions, waiter: Waiter): Waiting {
    waiter.refused(this.#nothingToAsk());
    return DECIDED;
  }

  toolDeadline(): never {
    throw this.#nothingToAsk();
  }

  backingOff(): void {}

  end(): void {}

  abandon(): void {}

  #nothingToAsk(): Error {
    return new Error(`ask ${this.name}: its result is inherited; use ask.inherited.result instead of asking again`);
  }
}
