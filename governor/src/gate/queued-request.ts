/**
 * A request on its way to admission and the lane it waits in. Knows nothing of caps: leaving the line is asked of the
 * gate it queues at.
 */

import { BoundEntry } from '../core/bound-heap.js';
import { Lane } from '../core/fair-queue.js';
import { numberOption, refuseOption } from '../core/options.js';
import type { StatedTokens } from '../core/pacing.js';
import { LineMember } from './line-member.js';
import type { Ticket, TicketIssuer, TicketLane } from './ticket.js';

/** The caller's end of the synchronous form: exactly one of the two is called, once. */
export interface Waiter {
  /** May be called before `enqueue` returns. */
  admitted(ticket: Ticket): void;
  refused(reason: unknown): void;
}

/** A request on its way to admission. */
export interface Waiting {
  /** Leaves the queue and is refused with `reason`. Does nothing once admitted or refused. */
  cancel(reason?: unknown): void;
}

/** Of what was decided at once. */
export const DECIDED: Waiting = Object.freeze({ cancel() {} });

/** Who is told where a queued request stands, beside its waiter: the subagent it belongs to, a tool's deadline. */
export interface WaitObserver {
  queued(now: number): void;
  /** Admitted, cancelled or refused after having been queued; or admitted at once. */
  left(now: number, admitted: boolean): void;
}

/** What the gate needs to know of a run. */
export interface LaneRun {
  readonly id: string;
  readonly open: boolean;
  closedError(): Error;
  /** A request of the run succeeded; it was refused or failed. */
  progressed(): void;
  hindered(now: number): void;
}

/** Of one request at the gate. */
export interface GateOptions {
  readonly signal?: AbortSignal;
  readonly tokens?: StatedTokens;
}

/** @throws RangeError when they are no numbers ≥ 0. */
export function tokensOf(options: GateOptions | undefined): StatedTokens | undefined {
  const tokens = options?.tokens;
  if (tokens === undefined) return undefined;
  if (typeof tokens !== 'object' || tokens === null) return tokenNumber('tokens', tokens);
  tokenNumber('tokens.prompt', tokens.prompt);
  tokenNumber('tokens.output', tokens.output);
  return tokens;
}

function tokenNumber(name: string, value: number | undefined): number {
  if (value === undefined) refuseOption(name, value, 'a number ≥ 0');
  return numberOption(name, value, 0, 'a number ≥ 0', (n) => n >= 0);
}

/** Where a request queues, and where it is taken out again. */
export interface CancellingGate {
  withdraw(request: QueuedRequest): void;
  refuse(request: QueuedRequest, reason: unknown): void;
}

export class QueuedRequest extends LineMember implements Waiting {
  readonly waiter: Waiter;
  readonly askedAt: number;
  readonly observer: WaitObserver | undefined;
  readonly lane: BucketLane;
  /** What its caller takes it to cost. */
  tokens: StatedTokens | undefined = undefined;

  constructor(lane: BucketLane, waiter: Waiter, askedAt: number, observer: WaitObserver | undefined) {
    super();
    this.lane = lane;
    this.waiter = waiter;
    this.askedAt = askedAt;
    this.observer = observer;
  }

  protected withdraw(): void {
    this.lane.gate.withdraw(this);
  }

  protected refuse(reason: unknown): void {
    this.lane.gate.refuse(this, reason);
  }
}

/** What one run, or everyone without a run, has on one key. */
export class BucketLane extends Lane<QueuedRequest> implements TicketLane<BucketLane> {
  readonly gate: CancellingGate & TicketIssuer<BucketLane>;
  readonly run: LaneRun | undefined;
  /** Requests in flight. */
  inFlight = 0;
  /** The run's bound: always, and again when the run stated it. */
  readonly bound: BoundEntry = new BoundEntry(0);
  readonly explicitBound: BoundEntry = new BoundEntry(0);

  constructor(gate: CancellingGate & TicketIssuer<BucketLane>, run: LaneRun | undefined) {
    super();
    this.gate = gate;
    this.run = run;
  }
}
