/**
 * What a governor tells of single requests: queued, admitted, settled. For metrics; it costs one look at a flag while
 * nobody listens. Changes nothing and decides nothing.
 */

import type { ThrottleReason } from '../core/controller.js';
import { Listeners } from './events.js';
import type { GateTicket, Key, TicketLane } from './ticket.js';

/** `at` is milliseconds on the governor's clock. */
export type RequestEvent = RequestQueued | RequestWithdrawn | RequestAdmitted | RequestSettled;

/** What all four have. */
interface RequestNews {
  readonly at: number;
  readonly key: Key;
  /** The id of the run it belongs to. */
  readonly run: string | undefined;
}

/** It has to wait. Its admission or its withdrawal follows. */
export interface RequestQueued extends RequestNews {
  readonly type: 'request-queued';
}

/** It gets no ticket: aborted or cancelled in the queue, turned away by a full one, or its run or the governor closed. */
export interface RequestWithdrawn extends RequestNews {
  readonly type: 'request-withdrawn';
  readonly cause: unknown;
}

/** It has a ticket and is in flight. */
export interface RequestAdmitted extends RequestNews {
  readonly type: 'request-admitted';
  /** Asking to admission, milliseconds; 0 for who did not wait. */
  readonly queuedMs: number;
}

/** Its ticket was settled. */
export interface RequestSettled extends RequestNews {
  readonly type: 'request-settled';
  readonly outcome: RequestOutcome;
  /** Of `throttled`: why the provider refused. */
  readonly reason: ThrottleReason | undefined;
  /** Admission to settlement, milliseconds. */
  readonly heldMs: number;
}

/** How a ticket was settled. */
export type RequestOutcome = 'succeeded' | 'throttled' | 'failed' | 'ended';

/** Ask `present` before calling one of the four. */
export class RequestListeners extends Listeners<RequestEvent> {
  queued<L extends TicketLane<L>>(key: Key, { run }: L, at: number): void {
    this.tell({ type: 'request-queued', at, key, run: run?.id });
  }

  withdrawn<L extends TicketLane<L>>(key: Key, { run }: L, cause: unknown, at: number): void {
    this.tell({ type: 'request-withdrawn', at, key, run: run?.id, cause });
  }

  admitted<L extends TicketLane<L>>({ admittedAt: at, key, run, queuedMs }: GateTicket<L>): void {
    this.tell({ type: 'request-admitted', at, key, run, queuedMs });
  }

  settled<L extends TicketLane<L>>(
    { admittedAt, key, run }: GateTicket<L>,
    outcome: RequestOutcome,
    reason: ThrottleReason | undefined,
    at: number,
  ): void {
    this.tell({ type: 'request-settled', at, key, run, outcome, reason, heldMs: at - admittedAt });
  }
}
