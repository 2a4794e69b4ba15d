/**
 * A run: a bound of its own, in subagents working at once, above the governor's caps. Starts wait for a seat; a lowered
 * bound makes working subagents park at their next request; nothing in flight is stopped. A run can be retuned in place,
 * or replaced by a successor that inherits what is finished.
 */

import type { CapChangeReason } from '../core/controller.js';
import { objectOption, refuseOption } from '../core/options.js';
import { sameValue } from '../core/same-value.js';
import { Seats } from '../core/seats.js';
import type { AbortSignals } from './abort.js';
import { type Ask, type AskHost, type AskOptions, InheritedAsk, RunningAsk } from './ask.js';
import type { Bucket } from './bucket.js';
import type { Clock } from './clock.js';
import type { Listeners } from './events.js';
import { LineMember, leaveTogether } from './line-member.js';
import { BucketLane, DECIDED, type LaneRun, type Waiter, type Waiting, type WaitObserver } from './queued-request.js';
import type { Key, Ticket } from './ticket.js';

/** What a run is opened or amended with. */
export interface RunOptions {
  /** Subagents working at once: `max(1, floor(n))`, no upper limit; null or omitted = the governor's `initial`. */
  readonly maxConcurrency?: number | null;
  /** Whatever the run depends on (a model, a prompt); changing it makes a successor. */
  readonly settings?: unknown;
}

/** Of the start of one subagent. */
export interface StartOptions {
  /** Leaves the line for a seat at once and rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
  /** The ask whose tool starts this one; the two share a seat. */
  readonly parent?: Ask;
}

/** The caller's end of the synchronous form of `start`. */
export interface Starter {
  started(ask: Ask): void;
  refused(reason: unknown): void;
}

/** What an amendment came to: the same run with another bound, a run that takes its place, or nothing. */
export type AmendResult =
  | { readonly kind: 'retuned'; readonly previous: number; readonly bound: number }
  | { readonly kind: 'successor'; readonly run: Run }
  | { readonly kind: 'refused'; readonly reason: 'unchanged' | 'closed' };

/** Why a run works below its bound. */
export interface RunStatus {
  /** `provider/model` of the narrowest key the run uses. */
  readonly key: string;
  /** `min(cap, bound)`. */
  readonly effective: number;
  readonly cap: number;
  /** Of the change that made the cap; `initial` when there was none. */
  readonly reason: CapChangeReason | 'initial';
  /** When, on the governor's clock. */
  readonly since: number;
}

/** A group of subagents with a bound of its own, above the caps of the keys it uses. */
export interface Run {
  readonly id: string;
  /** Subagents working at once. */
  readonly bound: number;
  readonly settings: unknown;
  /** Waits for a seat. Rejects when a subagent of this name is live, when the signal fires, or when the run closes. */
  start(name: string, options?: StartOptions): Promise<Ask>;
  /** The synchronous form of `start`. */
  enqueue(name: string, options: StartOptions, starter: Starter): Waiting;
  /** A field omitted stays, null goes back to the default, a value is set. @throws RangeError on a non-finite bound. */
  amend(change: RunOptions): AmendResult;
  /** Undefined at full width. */
  status(): RunStatus | undefined;
  /** Refuses whoever waits; requests in flight settle as they end. */
  close(): void;
}

/** Refused because the run was closed or replaced. */
export class RunClosedError extends Error {
  override readonly name = 'RunClosedError';
}

/** What a run needs of its governor. */
export interface RunHost {
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly signals: AbortSignals;
  readonly defaultBound: number;
  bucket(key: Key): Bucket;
  /** Makes and registers the run that takes the place of another. */
  replace(old: GovernedRun, options: RunOptions, inherited: FinishedAsks): Run;
  closed(run: GovernedRun): void;
}

/** Results by subagent name, then by the number of the ask under that name. */
export type FinishedAsks = ReadonlyMap<string, ReadonlyMap<number, unknown>>;

const STALL_MS = 20 * 60_000;

class QueuedStart extends LineMember implements Waiting {
  readonly #run: GovernedRun;
  readonly ask: RunningAsk;
  readonly starter: Starter;

  constructor(run: GovernedRun, ask: RunningAsk, starter: Starter) {
    super();
    this.#run = run;
    this.ask = ask;
    this.starter = starter;
  }

  protected withdraw(): void {
    this.#run.withdrawStart(this);
  }

  protected refuse(reason: unknown): void {
    this.#run.refuseStart(this, reason);
  }
}

export class GovernedRun implements Run, AskHost, LaneRun {
  readonly id: string;
  readonly settings: unknown;
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly signals: AbortSignals;
  readonly #host: RunHost;
  readonly #inherited: FinishedAsks;
  readonly #finished = new Map<string, Map<number, unknown>>();
  /** Asks begun per name; the number of an ask counts from 1. */
  readonly #begun = new Map<string, number>();
  readonly #live = new Map<string, RunningAsk>();
  readonly #lanes = new Map<Bucket, BucketLane>();
  readonly #seats: Seats<QueuedStart, RunningAsk>;
  /** As stated; null = the default bound. */
  #stated: number | null;
  #open = true;
  #seating = false;
  #retryingSince = Number.NaN;
  #stallTold = false;

  constructor(host: RunHost, id: string, options: RunOptions, inherited: FinishedAsks) {
    this.id = id;
    this.#host = host;
    this.clock = host.clock;
    this.listeners = host.listeners;
    this.signals = host.signals;
    this.settings = objectOption('options', options).settings ?? null;
    this.#stated = statedBound(options.maxConcurrency) ?? null;
    this.#seats = new Seats(this.#stated ?? host.defaultBound);
    this.#inherited = inherited;
  }

  get open(): boolean {
    return this.#open;
  }

  get bound(): number {
    return this.#seats.bound;
  }

  /** Whether this governor opened it. */
  isOf(host: RunHost): boolean {
    return this.#host === host;
  }

  start(name: string, options: StartOptions = {}): Promise<Ask> {
    return new Promise((resolve, reject) => {
      this.enqueue(name, options, { started: resolve, refused: reject });
    });
  }

  enqueue(name: string, options: StartOptions, starter: Starter): Waiting {
    objectOption('options', options);
    const refusal = this.#refusalOf(name, options);
    if (refusal !== undefined) {
      this.listeners.guard(() => starter.refused(refusal.reason));
      return DECIDED;
    }
    const inherited = this.#inheritedFor(name);
    if (inherited !== undefined) {
      this.listeners.guard(() => starter.started(inherited));
      return DECIDED;
    }
    const parent = options.parent instanceof RunningAsk ? options.parent : undefined;
    const ask = new RunningAsk(this, name, parent);
    this.#live.set(name, ask);
    if (parent !== undefined) {
      seatOf(parent).sharers++;
      this.#hand(starter, ask);
      return DECIDED;
    }
    const request = new QueuedStart(this, ask, starter);
    if (this.#seats.canStart) {
      this.#seats.sit();
      this.#hand(starter, ask);
      return request;
    }
    if (options.signal !== undefined) request.watched = this.signals.watch(options.signal, request);
    this.#seats.starters.push(request);
    ask.tellWaiting('seat', this.clock.now());
    return request;
  }

  amend(change: RunOptions): AmendResult {
    if (!this.#open) return { kind: 'refused', reason: 'closed' };
    const stated = statedBound(objectOption('change', change).maxConcurrency);
    const boundChanges = stated !== undefined && stated !== this.#stated;
    const settings = change.settings === undefined ? this.settings : change.settings;
    const settingsChange = !sameValue(settings, this.settings);
    if (!boundChanges && !settingsChange) return { kind: 'refused', reason: 'unchanged' };
    const nextStated = boundChanges ? stated : this.#stated;
    if (!settingsChange) return this.#retune(nextStated);
    return { kind: 'successor', run: this.#succeed({ maxConcurrency: nextStated, settings }) };
  }

  status(): RunStatus | undefined {
    let narrowest: RunStatus | undefined;
    for (const bucket of this.#lanes.keys()) {
      const { cap, reason, since } = bucket.standing;
      if (cap >= this.bound || (narrowest !== undefined && cap >= narrowest.cap)) continue;
      narrowest = { key: `${bucket.key.provider}/${bucket.key.model}`, effective: cap, cap, reason, since };
    }
    return narrowest;
  }

  close(): void {
    this.#close(new RunClosedError(`run ${this.id}: it was closed`), false);
  }

  /** The lane of this run on a key; joining a key for the first time moves its growth limit. */
  lane(bucket: Bucket): BucketLane {
    let lane = this.#lanes.get(bucket);
    if (lane === undefined) {
      lane = new BucketLane(bucket, this);
      this.#lanes.set(bucket, lane);
      bucket.join(lane, this.bound, this.#stated !== null);
    }
    return lane;
  }

  enqueueAtGate(key: Key, options: AskOptions, waiter: Waiter, observer: WaitObserver, askedAt: number): Waiting {
    const bucket = this.#host.bucket(key);
    return bucket.enqueue(this.lane(bucket), waiter, options, observer, askedAt);
  }

  tryAcquireAtGate(key: Key): Ticket | undefined {
    if (!this.#open) return undefined;
    const bucket = this.#host.bucket(key);
    return bucket.tryAcquire(this.lane(bucket));
  }

  mustPark(): boolean {
    return this.#seats.mustPark;
  }

  park(ask: RunningAsk): void {
    this.#seats.park(ask);
  }

  unpark(ask: RunningAsk): void {
    this.#seats.unpark(ask);
  }

  ended(ask: RunningAsk, result: { readonly result: unknown } | undefined): void {
    if (!this.#open) return;
    this.#live.delete(ask.name);
    if (result !== undefined) this.#remember(ask.name, result.result);
    this.#leaveSeat(ask);
    this.#seat();
  }

  progressed(): void {
    this.#retryingSince = Number.NaN;
    this.#stallTold = false;
  }

  hindered(now: number): void {
    if (!this.#open) return;
    if (Number.isNaN(this.#retryingSince)) this.#retryingSince = now;
    const stalledMs = now - this.#retryingSince;
    if (this.#stallTold || stalledMs < STALL_MS) return;
    this.#stallTold = true;
    this.listeners.tell({ type: 'run-stalled', at: now, run: this.id, stalledMs });
  }

  closedError(): Error {
    return new RunClosedError(`run ${this.id}: it is closed; nothing more can be asked under it`);
  }

  withdrawStart(request: QueuedStart): void {
    const { ask } = request;
    this.#seats.starters.remove(request);
    this.#live.delete(ask.name);
    this.#begun.set(ask.name, (this.#begun.get(ask.name) as number) - 1);
    ask.state = 'ended';
  }

  refuseStart({ starter }: QueuedStart, reason: unknown): void {
    this.listeners.guard(() => starter.refused(reason));
  }

  #refusalOf(name: string, options: StartOptions): { readonly reason: unknown } | undefined {
    if (options.signal?.aborted) return { reason: options.signal.reason };
    if (!this.#open) return { reason: this.closedError() };
    if (typeof name !== 'string' || name === '') return { reason: new RangeError('name: expected a non-empty string') };
    if (this.#live.has(name)) {
      return { reason: new RangeError(`name: a subagent ${JSON.stringify(name)} of run ${this.id} is live already`) };
    }
    const { parent } = options;
    if (parent instanceof RunningAsk && this.#live.get(parent.name) !== parent) {
      return { reason: new RangeError(`parent: ${JSON.stringify(parent.name)} is no live subagent of run ${this.id}`) };
    }
    return undefined;
  }

  #inheritedFor(name: string): InheritedAsk | undefined {
    const number = (this.#begun.get(name) ?? 0) + 1;
    this.#begun.set(name, number);
    const finished = this.#inherited.get(name);
    if (finished === undefined || !finished.has(number)) return undefined;
    const result = finished.get(number);
    this.#remember(name, result);
    return new InheritedAsk(name, { result });
  }

  #remember(name: string, result: unknown): void {
    const finished = this.#finished.get(name) ?? new Map<number, unknown>();
    finished.set(this.#begun.get(name) as number, result);
    this.#finished.set(name, finished);
  }

  #hand(starter: Starter, ask: RunningAsk): void {
    this.listeners.guard(() => starter.started(ask));
  }

  /** A seat is free when the last of those who share it has ended; a parked subagent held none. */
  #leaveSeat(ask: RunningAsk): void {
    const holder = seatOf(ask);
    holder.sharers--;
    if (holder.sharers > 0) return;
    if (holder.next !== undefined) this.#seats.parked.remove(holder);
    else this.#seats.leave();
  }

  /** Gives free seats away. A loop: whoever starts may end, park or start others at once. */
  #seat(): void {
    if (this.#seating) return;
    this.#seating = true;
    for (let move = this.#seats.next(); move !== undefined; move = this.#seats.next()) {
      if (move.kind === 'unparked') {
        move.subagent.seated();
      } else {
        move.starter.watched?.leave(move.starter);
        this.#hand(move.starter.starter, move.starter.ask);
      }
    }
    this.#seating = false;
  }

  #retune(stated: number | null): AmendResult {
    const previous = this.bound;
    this.#stated = stated;
    this.#seats.bound = stated ?? this.#host.defaultBound;
    const { bound } = this;
    this.listeners.tell({ type: 'run-caps-changed', at: this.clock.now(), run: this.id, previous, bound });
    for (const [bucket, lane] of this.#lanes) bucket.rebound(lane, bound, stated !== null);
    this.#seat();
    return { kind: 'retuned', previous, bound };
  }

  #succeed(options: RunOptions): Run {
    this.#close(new RunClosedError(`run ${this.id}: it was replaced by a successor`), true);
    return this.#host.replace(this, options, this.#finishedOrInherited());
  }

  /** What this run finished, and what it inherited and did not come to. */
  #finishedOrInherited(): FinishedAsks {
    const all = new Map<string, Map<number, unknown>>();
    for (const source of [this.#inherited, this.#finished]) {
      for (const [name, results] of source) all.set(name, new Map([...(all.get(name) ?? []), ...results]));
    }
    return all;
  }

  #close(reason: Error, endTickets: boolean): void {
    if (!this.#open) return;
    this.#open = false;
    const asks = [...this.#live.values()];
    const parked = asks.flatMap((ask) => ask.parked());
    const queued = [...this.#lanes.values()].flatMap((lane) => lane.members());
    leaveTogether([...this.#seats.starters.members(), ...parked, ...queued], reason);
    for (const ask of asks) ask.stopDeadlines();
    for (const [bucket, lane] of this.#lanes) {
      if (endTickets) bucket.endLane(lane);
      bucket.leave(lane);
    }
    this.#host.closed(this);
  }
}

function seatOf(ask: RunningAsk): RunningAsk {
  return ask.parent === undefined ? ask : seatOf(ask.parent);
}

/** Undefined where the change leaves the bound alone; null where it goes back to the default. */
function statedBound(maxConcurrency: number | null | undefined): number | null | undefined {
  if (maxConcurrency === undefined || maxConcurrency === null) return maxConcurrency;
  if (!Number.isFinite(maxConcurrency)) refuseOption('maxConcurrency', maxConcurrency, 'a finite number or null');
  return Math.max(1, Math.floor(maxConcurrency));
}
