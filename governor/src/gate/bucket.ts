/**
 * One key's gate: its controller, its waiting line, its tickets in flight and its one timer. Decides nothing about the
 * cap; enforces it. Settling goes in a fixed order: signal the controller, choose who hears, drop the counts, notify,
 * drain; so whoever is called back sees the final state and may call in again.
 */

import type { RateLimit } from '../core/announced-limits.js';
import { BoundHeap } from '../core/bound-heap.js';
import type { CapChange, CapChangeReason, ConcurrencyController, Sample, ThrottleReason } from '../core/controller.js';
import { FairQueue } from '../core/fair-queue.js';
import { Fifo } from '../core/fifo.js';
import type { Pacer, StatedTokens } from '../core/pacing.js';
import { type BucketSettings, type BucketSnapshot, QueueFullError } from './bucket-settings.js';
import type { Clock } from './clock.js';
import { capMoved } from './events.js';
import { leaveTogether } from './line-member.js';
import { Pace } from './pace.js';
import {
  BucketLane,
  type CancellingGate,
  DECIDED,
  type GateOptions,
  QueuedRequest,
  tokensOf,
  type Waiter,
  type Waiting,
  type WaitObserver,
} from './queued-request.js';
import type { RequestListeners, RequestOutcome } from './request-events.js';
import { GateTicket, type Key, type Refusal, type Ticket, type TicketIssuer } from './ticket.js';

/** Of no request: a refusal that starts a wait and leaves the cap alone. */
const NO_EPOCH = -1;

export class Bucket implements TicketIssuer<BucketLane>, CancellingGate {
  readonly key: Key;
  readonly paces: boolean;
  /** Place in the governor's list of buckets. */
  index = -1;
  /** Of requests without a run. */
  readonly commonLane: BucketLane = new BucketLane(this, undefined);
  readonly #text: string;
  readonly #controller: ConcurrencyController;
  readonly #settings: BucketSettings;
  readonly #clock: Clock;
  readonly #requests: RequestListeners;
  readonly #queue = new FairQueue<QueuedRequest>();
  readonly #tickets = new Fifo<GateTicket<BucketLane>>();
  /** Lanes of open runs that have used the key; of these, the engaged have something in flight or queued. */
  readonly #lanes = new Set<BucketLane>();
  readonly #engaged = new Set<BucketLane>();
  readonly #bounds = new BoundHeap();
  readonly #explicitBounds = new BoundHeap();
  #cap: number;
  #lastChange: { readonly reason: CapChangeReason | 'initial'; readonly at: number };
  /** As the controller holds it; in the past when there is none. */
  #cooldownUntil = Number.NEGATIVE_INFINITY;
  #wakeAt = Number.NaN;
  #cancelWake: (() => void) | undefined;
  #granting = false;
  /** Listeners are being told of a change, in the middle of a call that still needs this bucket. */
  #telling = 0;
  /** Undefined where nothing is staggered or paced, which is the common case. */
  readonly #pace: Pace | undefined;
  readonly #pacer: Pacer | undefined;
  readonly #sample = { latencyMs: 0, inFlightAtAdmission: 0 };

  constructor(key: Key, controller: ConcurrencyController, settings: BucketSettings, now: number) {
    this.key = key;
    this.#text = `${key.provider}/${key.model}`;
    this.#controller = controller;
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#requests = settings.requests;
    this.#pace = Pace.of(settings);
    this.#pacer = this.#pace?.pacer;
    this.paces = this.#pacer !== undefined;
    this.#cap = controller.snapshot().cap;
    this.#lastChange = { reason: 'initial', at: now };
  }

  /** The cap now, and the change that brought it there. */
  get standing(): { readonly cap: number; readonly reason: CapChangeReason | 'initial'; readonly since: number } {
    return { cap: this.#cap, reason: this.#lastChange.reason, since: this.#lastChange.at };
  }

  learned(limits: readonly RateLimit[]): void {
    this.#pacer?.learned(limits, this.#clock.now());
  }

  /** It may have let go; and where it is known and no cap was refused yet, the cap need not feel its way to it. */
  #paceMoved(places: number, now: number): void {
    this.#tellWaiting(now);
    if (places <= this.#cap || this.#isHeld(now) || this.#controller.snapshot().lastBad !== undefined) return;
    this.#announce(this.#controller.seed(now, places), now, true);
  }

  tryAcquire(lane: BucketLane, options?: GateOptions): Ticket | undefined {
    const tokens = tokensOf(options);
    const now = this.#clock.now();
    this.#announce(this.#controller.observed(now), now, false);
    if (this.#queue.size > 0 || lane.run?.open === false || !this.#mayAdmit(now, tokens)) return undefined;
    const ticket = this.#grant(lane, now, 0, tokens);
    if (this.#requests.present) this.#requests.admitted(ticket);
    return ticket;
  }

  /** @param askedAt when the request was asked for, if earlier than now: it may have waited for a seat before. */
  enqueue(
    lane: BucketLane,
    waiter: Waiter,
    options: GateOptions,
    observer: WaitObserver | undefined,
    askedAt?: number,
  ): Waiting {
    const tokens = tokensOf(options);
    const now = this.#clock.now();
    const since = askedAt ?? now;
    this.#announce(this.#controller.observed(now), now, false);
    const refusal = this.#refusalOf(lane, options.signal);
    if (refusal !== undefined) {
      this.#turnAway(waiter, lane, refusal.reason, now);
      return DECIDED;
    }
    if (this.#queue.size === 0 && !this.#granting && this.#mayAdmit(now, tokens)) {
      this.#handOver(waiter, observer, this.#grant(lane, now, now - since, tokens), now);
      if (this.#queue.size > 0) this.#drain();
      return DECIDED;
    }
    const request = new QueuedRequest(lane, waiter, since, observer);
    request.tokens = tokens;
    if (options.signal !== undefined) request.watched = this.#settings.signals.watch(options.signal, request);
    this.#queue.push(lane, request);
    if (lane.run !== undefined && lane.size === 1) this.#engaged.add(lane);
    observer?.queued(now);
    this.#tellWaiting(now);
    if (!this.#granting) this.#arm(now);
    if (this.#requests.present) this.#requests.queued(this.key, lane, now);
    return request;
  }

  /** A ticket at once, whatever the cap and the cooldown say. Its success counts only if it would have been let in. */
  observe(): Ticket {
    const now = this.#clock.now();
    this.#announce(this.#controller.observed(now), now, false);
    const ticket = this.#issue(this.commonLane, now, 0, this.#controller.canAdmit(now));
    this.#pacer?.admitted(ticket, now, undefined);
    if (this.#requests.present) this.#requests.admitted(ticket);
    return ticket;
  }

  withdraw(request: QueuedRequest): void {
    const { lane, observer } = request;
    this.#queue.remove(lane, request);
    this.#disengage(lane);
    observer?.left(this.#clock.now(), false);
  }

  refuse({ waiter, lane }: QueuedRequest, reason: unknown): void {
    const now = this.#clock.now();
    this.#tellWaiting(now);
    this.#turnAway(waiter, lane, reason, now);
    this.#drain();
  }

  /** Settles everything the lane has in flight as ended. */
  endLane(lane: BucketLane): void {
    for (const ticket of this.#tickets.members()) if (ticket.lane === lane) ticket.release();
  }

  /** A run asks for this key for the first time. */
  join(lane: BucketLane, bound: number, explicit: boolean): void {
    this.#lanes.add(lane);
    this.rebound(lane, bound, explicit);
  }

  /** A run's bound changed. */
  rebound(lane: BucketLane, bound: number, explicit: boolean): void {
    lane.bound.bound = bound;
    this.#bounds.put(lane.bound);
    lane.explicitBound.bound = bound;
    if (explicit) this.#explicitBounds.put(lane.explicitBound);
    else this.#explicitBounds.remove(lane.explicitBound);
    this.#boundsChanged();
  }

  /** A run that used this key closed. */
  leave(lane: BucketLane): void {
    this.#lanes.delete(lane);
    this.#engaged.delete(lane);
    this.#bounds.remove(lane.bound);
    this.#explicitBounds.remove(lane.explicitBound);
    this.#boundsChanged();
  }

  /** Nobody waits, nobody is in flight, no open run uses it, and what it learned is about to be forgotten anyway. */
  isIdle(now: number): boolean {
    if (this.#tickets.size > 0 || this.#queue.size > 0 || this.#lanes.size > 0) return false;
    if (this.#telling > 0 || now < this.#cooldownUntil) return false;
    const { lastRequestAt = Number.NEGATIVE_INFINITY } = this.#controller.snapshot();
    return now - lastRequestAt >= this.#settings.idleResetMs;
  }

  snapshot(): BucketSnapshot {
    const oldest = this.#tickets.head;
    const snapshot = { ...this.#controller.snapshot(), queue: this.#queue.size };
    if (oldest === undefined) return snapshot;
    return { ...snapshot, oldestInFlight: { since: oldest.admittedAt, ...(oldest.run && { run: oldest.run }) } };
  }

  /** Refuses all waiters and drops the timer. */
  close(reason: unknown): void {
    leaveTogether(this.#queue.members(), reason);
  }

  succeeded(ticket: GateTicket<BucketLane>, sample: Partial<Sample> | undefined): void {
    const now = this.#clock.now();
    this.#pacer?.succeeded(ticket, now, sample);
    if (this.#pacer !== undefined && this.#queue.size > 0) this.#paceMoved(this.#pacer.places(), now);
    const changes = ticket.successCounts
      ? this.#controller.succeeded(now, ticket.epoch, this.#measured(ticket, sample, now))
      : this.#controller.ended(now);
    ticket.lane.run?.progressed();
    this.#settled(ticket, changes, now, 'succeeded');
  }

  throttled(
    ticket: GateTicket<BucketLane>,
    { reason, retryAfterMs: hintMs, scope }: Refusal & { readonly reason: ThrottleReason },
  ): void {
    const now = this.#clock.now();
    const { maxCooldownMs, freezeOn } = this.#settings;
    // A place frees when any request ends, so the hint of a concurrency limit paces its own request's retry and no other.
    const retryAfterMs = freezeOn === 'rate' && scope === 'concurrency' ? undefined : hintMs;
    const waitMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, maxCooldownMs);
    const isPaced = reason === 'rate_limited' && this.#pacer?.refused(ticket, now, scope) === true;
    const changes = this.#controller.throttled(now, isPaced ? NO_EPOCH : ticket.epoch, reason, waitMs);
    const until = this.#controller.snapshot().cooldownUntil ?? Number.NEGATIVE_INFINITY;
    if (until > this.#cooldownUntil) this.#pace?.stagger.cooldownExtended();
    this.#cooldownUntil = until;
    this.#settled(ticket, changes, now, 'throttled', reason);
    if (retryAfterMs !== undefined && retryAfterMs > maxCooldownMs) {
      const { listeners } = this.#settings;
      listeners.tell({ type: 'cooldown-clamped', at: now, key: this.#text, askedMs: retryAfterMs, maxCooldownMs });
    }
    ticket.lane.run?.hindered(now);
  }

  failed(ticket: GateTicket<BucketLane>): void {
    const now = this.#clock.now();
    this.#settled(ticket, this.#controller.failed(now), now, 'failed');
    ticket.lane.run?.hindered(now);
  }

  ended(ticket: GateTicket<BucketLane>): void {
    const now = this.#clock.now();
    this.#settled(ticket, this.#controller.ended(now), now, 'ended');
  }

  settledTwice(): void {
    this.#settings.listeners.tell({ type: 'settled-twice', at: this.#clock.now(), key: this.#text });
  }

  /** One object for all successes: a controller reads it during the call, and a success allocates nothing. */
  #measured(ticket: GateTicket<BucketLane>, stated: Partial<Sample> | undefined, now: number): Sample {
    const sample = this.#sample;
    sample.latencyMs = now - ticket.admittedAt;
    sample.inFlightAtAdmission = ticket.inFlightAtAdmission;
    return stated === undefined ? sample : { ...sample, ...stated };
  }

  #settled(
    ticket: GateTicket<BucketLane>,
    changes: readonly CapChange[],
    now: number,
    outcome: RequestOutcome,
    reason?: ThrottleReason,
  ): void {
    this.#tickets.remove(ticket);
    if (changes.length > 0 || this.#requests.present) this.#settledWithNews(ticket, changes, now, outcome, reason);
    else this.#drop(ticket.lane);
    if (this.#queue.size > 0) this.#drain();
  }

  /** Apart from the common case, which stays small enough for a compiler to inline it whole. */
  #settledWithNews(
    ticket: GateTicket<BucketLane>,
    changes: readonly CapChange[],
    now: number,
    outcome: RequestOutcome,
    reason: ThrottleReason | undefined,
  ): void {
    const hearing = changes.length > 0 ? this.#hearing(false) : [];
    this.#drop(ticket.lane);
    this.#tell(changes, now, hearing);
    if (this.#requests.present) this.#requests.settled(ticket, outcome, reason, now);
  }

  #drop(lane: BucketLane): void {
    lane.inFlight--;
    if (lane.run !== undefined) this.#disengage(lane);
  }

  #disengage(lane: BucketLane): void {
    if (lane.inFlight === 0 && lane.size === 0) this.#engaged.delete(lane);
  }

  /** Admits while there is room. A loop: whoever is called back may settle, ask or abort on this very key. */
  #drain(): void {
    if (this.#granting) return;
    let now = this.#clock.now();
    while (this.#queue.size > 0) {
      this.#announce(this.#controller.observed(now), now, false);
      if (!this.#mayAdmit(now, this.#queue.next?.tokens)) break;
      const request = this.#queue.shift();
      // Whoever was told of a change may have let everybody through, or taken them away.
      if (request === undefined) break;
      const ticket = this.#grant(request.lane, now, now - request.askedAt, request.tokens);
      this.#tellWaiting(now);
      request.watched?.leave(request);
      this.#handOver(request.waiter, request.observer, ticket, now);
      now = this.#clock.now();
    }
    this.#arm(now);
  }

  #handOver(waiter: Waiter, observer: WaitObserver | undefined, ticket: GateTicket<BucketLane>, now: number): void {
    this.#granting = true;
    try {
      if (this.#requests.present) this.#requests.admitted(ticket);
      observer?.left(now, true);
      waiter.admitted(ticket);
    } catch (error) {
      ticket.release();
      this.#settings.listeners.report(error);
    } finally {
      this.#granting = false;
    }
  }

  #grant(lane: BucketLane, now: number, queuedMs: number, tokens: StatedTokens | undefined): GateTicket<BucketLane> {
    const ticket = this.#issue(lane, now, queuedMs, true);
    if (this.#pace !== undefined) this.#spend(this.#pace, ticket, now, tokens);
    return ticket;
  }

  #spend(pace: Pace, ticket: GateTicket<BucketLane>, now: number, tokens: StatedTokens | undefined): void {
    pace.pacer?.admitted(ticket, now, tokens);
    if (pace.stagger.granted(now)) this.#tellWaiting(now);
  }

  #issue(lane: BucketLane, now: number, queuedMs: number, successCounts: boolean): GateTicket<BucketLane> {
    const epoch = this.#controller.admitted(now);
    const inFlight = this.#tickets.size + 1;
    const ticket = new GateTicket(lane, epoch, now, queuedMs, inFlight, successCounts);
    this.#tickets.push(ticket);
    lane.inFlight++;
    if (lane.run !== undefined && lane.inFlight === 1) this.#engaged.add(lane);
    return ticket;
  }

  #mayAdmit(now: number, tokens: StatedTokens | undefined): boolean {
    if (!this.#controller.canAdmit(now)) return false;
    return this.#pace === undefined || this.#keepsPace(this.#pace, now, tokens);
  }

  #keepsPace(pace: Pace, now: number, tokens: StatedTokens | undefined): boolean {
    if (pace.stagger.begins(now, this.#cooldownUntil, this.#cap)) this.#tellWaiting(now);
    return pace.nextAt(tokens, now) <= now;
  }

  /** A queue held back by the stagger or the pace is no evidence that the cap is too low. */
  #isHeld(now: number): boolean {
    return this.#pace?.isHolding(this.#queue.next?.tokens, now) === true;
  }

  #tellWaiting(now: number): void {
    const count = this.#isHeld(now) ? 0 : this.#queue.size;
    this.#announce(this.#controller.waiting(now, count), now, false);
  }

  /** Why nothing more is let in here: listeners that heard of a reset may just have aborted or closed. */
  #refusalOf({ run }: BucketLane, signal: AbortSignal | undefined): { readonly reason: unknown } | undefined {
    if (signal?.aborted) return { reason: signal.reason };
    if (run !== undefined && !run.open) return { reason: run.closedError() };
    const { maxQueue } = this.#settings;
    if (this.#queue.size < maxQueue) return undefined;
    return { reason: new QueueFullError(`${this.#text}: maxQueue ${maxQueue} requests are already queued`) };
  }

  #turnAway(waiter: Waiter, lane: BucketLane, reason: unknown, now: number): void {
    this.#settings.listeners.guard(() => waiter.refused(reason));
    if (this.#requests.present) this.#requests.withdrawn(this.key, lane, reason, now);
  }

  /** The growth limit follows the bounds of the runs that use the key; a stated bound also seeds. */
  #boundsChanged(): void {
    const now = this.#clock.now();
    const limit = Math.max(this.#settings.growthLimit, this.#bounds.max ?? 0);
    this.#announce(this.#controller.setGrowthLimit(now, limit), now, true);
    const target = this.#explicitBounds.max;
    if (target !== undefined) this.#announce(this.#controller.seed(now, target), now, true);
    this.#drain();
  }

  /** @param toAll also to the open runs that have nothing in flight or queued now. */
  #announce(changes: readonly CapChange[], now: number, toAll: boolean): void {
    if (changes.length > 0) this.#tell(changes, now, this.#hearing(toAll));
  }

  #hearing(toAll: boolean): readonly string[] {
    if (this.#settings.listeners.readersOfRuns === 0) return [];
    return [...(toAll ? this.#lanes : this.#engaged)].flatMap(({ run }) => (run?.open ? [run.id] : []));
  }

  #tell(changes: readonly CapChange[], at: number, runs: readonly string[]): void {
    this.#telling++;
    for (const change of changes) {
      this.#cap = change.next;
      this.#lastChange = { reason: change.reason, at };
      this.#settings.listeners.tell(capMoved(change, at, runs));
    }
    this.#telling--;
  }

  /** One timer, only while someone waits and time alone will let them in. */
  #arm(now: number): void {
    const spacedUntil = this.#controller.notBefore?.(now) ?? Number.NEGATIVE_INFINITY;
    const pacedUntil = this.#pace?.nextAt(this.#queue.next?.tokens, now) ?? Number.NEGATIVE_INFINITY;
    const wakeAt = Math.max(this.#cooldownUntil, spacedUntil, pacedUntil);
    if (this.#queue.size === 0) this.#disarm();
    // A timer that is due may not have fired yet, and nobody else would come back for those who wait: it stays.
    if (this.#queue.size === 0 || wakeAt <= now) return;
    if (this.#cancelWake !== undefined && this.#wakeAt === wakeAt) return;
    this.#disarm();
    this.#wakeAt = wakeAt;
    this.#cancelWake = this.#clock.schedule(() => {
      this.#cancelWake = undefined;
      this.#drain();
    }, wakeAt - now);
  }

  #disarm(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
  }
}
