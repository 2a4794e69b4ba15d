/**
 * One admitted attempt of one model request: the right to be in flight, from admission to settlement. It settles once;
 * the first settlement stands and later ones are counted no-ops, so `release()` in a `finally` is always safe.
 */

// The types of a consumer without it would not know `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />

import { announcedLimits, type RateLimit, usageOf } from '../core/announced-limits.js';
import type { Answer, Classification, Scope } from '../core/answer.js';
import { classify } from '../core/classify.js';
import { type Sample, THROTTLE_REASONS, type ThrottleReason } from '../core/controller.js';
import type { FifoMember } from '../core/fifo.js';
import { refuseOption } from '../core/options.js';
import type { Paced } from '../core/pacing.js';

/** Whose limit it is: one bucket per provider and model. Neither is empty. */
export interface Key {
  /** Contains no `/`. */
  readonly provider: string;
  readonly model: string;
}

/** The right to be in flight with one attempt. The first settlement stands; later ones are reported and do nothing. */
export interface Ticket {
  readonly key: Key;
  /** The id of the run the request belongs to. */
  readonly run: string | undefined;
  /** The controller's epoch at admission. */
  readonly epoch: number;
  /** Asking to admission, milliseconds: at the gate, and for a seat of the run. */
  readonly queuedMs: number;
  readonly settled: boolean;
  /** Answered in full. `sample` overrides what the gate measured. */
  succeed(sample?: Partial<Sample>): void;
  /** The provider refused. `retryAfterMs` ≥ 0. @throws RangeError on an unknown reason or a bad wait. */
  throttle(refusal?: Refusal): void;
  /** A transient failure: timeout, 5xx, network. */
  fail(): void;
  /** Settled without a verdict: cancelled, a permanent error, abandoned. */
  end(): void;
  /** The same as `end`; for a `finally`. */
  release(): void;
  /** What the answer announces of the provider's rate limits, told before it is settled; `settle` reads it by itself. */
  learn(limits: readonly RateLimit[]): void;
  /** Classifies the answer and settles by it. */
  settle(answer: Answer): Classification;
  [Symbol.dispose](): void;
}

/** What a provider said when it refused. */
export interface Refusal {
  /** Default `rate_limited`. */
  readonly reason?: ThrottleReason;
  /** The provider's hint in milliseconds, raw. */
  readonly retryAfterMs?: number;
  /** What the refusing limit counts, where it is known; with `freezeOn: 'rate'` a concurrency limit freezes nothing. */
  readonly scope?: Scope;
}

/** Whom a ticket was given by and reports to. */
export interface TicketIssuer<L extends TicketLane<L>> {
  readonly key: Key;
  /** Whether anyone wants to know what an answer announces and used. */
  readonly paces: boolean;
  learned(limits: readonly RateLimit[]): void;
  succeeded(ticket: GateTicket<L>, sample: Partial<Sample> | undefined): void;
  throttled(ticket: GateTicket<L>, refusal: Refusal & { readonly reason: ThrottleReason }): void;
  failed(ticket: GateTicket<L>): void;
  ended(ticket: GateTicket<L>): void;
  settledTwice(): void;
}

/** Whose request it is: the lane it came through. */
export interface TicketLane<L extends TicketLane<L>> {
  readonly run: { readonly id: string } | undefined;
  readonly gate: TicketIssuer<L>;
}

/** One is made for every request, so it is as small as it can be: what its lane knows, and private methods, it has not. */
export class GateTicket<L extends TicketLane<L>> implements Ticket, FifoMember {
  previous: FifoMember | undefined = undefined;
  next: FifoMember | undefined = undefined;
  declare readonly epoch: number;
  declare readonly queuedMs: number;
  declare readonly admittedAt: number;
  declare readonly inFlightAtAdmission: number;
  /** An observer's ticket may be evidence against the cap but none for it. */
  declare readonly successCounts: boolean;
  declare readonly lane: L;
  settled = false;
  expected: Paced['expected'] = undefined;

  constructor(lane: L, epoch: number, admittedAt: number, queuedMs: number, inFlight: number, successCounts: boolean) {
    this.lane = lane;
    this.epoch = epoch;
    this.admittedAt = admittedAt;
    this.queuedMs = queuedMs;
    this.inFlightAtAdmission = inFlight;
    this.successCounts = successCounts;
  }

  get key(): Key {
    return this.lane.gate.key;
  }

  get run(): string | undefined {
    return this.lane.run?.id;
  }

  succeed(sample?: Partial<Sample>): void {
    if (settles(this)) this.lane.gate.succeeded(this, sample);
  }

  throttle(refusal: Refusal = {}): void {
    if (refusal === null) refuseOption('refusal', refusal, 'an object');
    const { reason = 'rate_limited', retryAfterMs } = refusal;
    if (!THROTTLE_REASONS.includes(reason)) refuseOption('reason', reason, THROTTLE_REASONS.join(', '));
    if (retryAfterMs !== undefined && !(retryAfterMs >= 0 && retryAfterMs < Number.POSITIVE_INFINITY)) {
      refuseOption('retryAfterMs', retryAfterMs, 'finite milliseconds ≥ 0');
    }
    if (settles(this)) this.lane.gate.throttled(this, { ...refusal, reason });
  }

  fail(): void {
    if (settles(this)) this.lane.gate.failed(this);
  }

  end(): void {
    if (settles(this)) this.lane.gate.ended(this);
  }

  release(): void {
    if (!this.settled) this.end();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  learn(limits: readonly RateLimit[]): void {
    if (limits.length > 0) this.lane.gate.learned(limits);
  }

  settle(answer: Answer): Classification {
    const classification = classify({ provider: this.key.provider, ...answer });
    const { paces } = this.lane.gate;
    if (paces) this.learn(announcedLimits(answer, classification.reducesCap ? classification.scope : undefined));
    switch (classification.class) {
      case 'ok':
        this.succeed(paces ? usageOf(answer) : undefined);
        break;
      case 'throttle':
        this.throttle(refusalOf('rate_limited', classification));
        break;
      case 'overload':
        this.throttle(refusalOf('provider_overloaded', classification));
        break;
      case 'transient':
        this.fail();
        break;
      default:
        this.end();
    }
    return classification;
  }
}

/** The first settlement stands. */
function settles<L extends TicketLane<L>>(ticket: GateTicket<L>): boolean {
  if (ticket.settled) {
    ticket.lane.gate.settledTwice();
    return false;
  }
  ticket.settled = true;
  return true;
}

function refusalOf(reason: ThrottleReason, { retryAfterMs, scope }: Classification): Refusal {
  return { reason, ...(retryAfterMs === null ? {} : { retryAfterMs }), ...(scope === undefined ? {} : { scope }) };
}
