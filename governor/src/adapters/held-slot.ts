/**
 * A slot that is held while an answer is on its way, and given back in any case: if nothing moves for `bodyTimeoutMs`, the
 * ticket is settled whatever becomes of the answer. Settles once and judges nothing.
 */

import { numberOption } from '../core/options.js';
import { backgroundClock, type Clock } from '../gate/clock.js';
import type { Ticket } from '../gate/ticket.js';

/** How long a slot is held while nothing moves. */
export interface HoldingOptions {
  /**
   * A slot is given back when for this long no piece of the answer has come or been taken: as a failure if somebody
   * waits for the provider, as ended if nobody reads. The answer itself is left alone. Milliseconds above 0; default
   * 300 000.
   */
  readonly bodyTimeoutMs?: number;
  /** For that wait. Default: the process's clock, with timers that do not keep the process alive. */
  readonly clock?: Clock;
}

/** @throws RangeError on a bad `bodyTimeoutMs`. */
export function resolveHolding({ bodyTimeoutMs, clock = backgroundClock }: HoldingOptions): Required<HoldingOptions> {
  const allowed = 'milliseconds above 0';
  return { bodyTimeoutMs: numberOption('bodyTimeoutMs', bodyTimeoutMs, 300_000, allowed, (n) => n > 0), clock };
}

export class HeldSlot {
  /** Somebody waits for the provider's next piece; false while it is the reader who takes their time. */
  awaited = false;
  readonly #ticket: Ticket;
  readonly #clock: Clock;
  readonly #limitMs: number;
  #movedAt: number;
  #cancelTimer: () => void;

  constructor(ticket: Ticket, { bodyTimeoutMs, clock }: Required<HoldingOptions>) {
    this.#ticket = ticket;
    this.#clock = clock;
    this.#limitMs = bodyTimeoutMs;
    this.#movedAt = clock.now();
    this.#cancelTimer = clock.schedule(() => this.#look(), bodyTimeoutMs);
  }

  get isHeld(): boolean {
    return !this.#ticket.settled;
  }

  /** A piece of the answer came or was taken. */
  moved(): void {
    this.#movedAt = this.#clock.now();
  }

  /** Gives the slot back with this verdict, unless it was given back before. */
  settle(verdict: (ticket: Ticket) => void): void {
    if (!this.isHeld) return;
    this.#cancelTimer();
    verdict(this.#ticket);
  }

  /** One timer looks again as often as needed, so that a piece costs no timer. */
  #look(): void {
    const restMs = this.#movedAt + this.#limitMs - this.#clock.now();
    if (restMs > 0) this.#cancelTimer = this.#clock.schedule(() => this.#look(), restMs);
    else this.settle((ticket) => (this.awaited ? ticket.fail() : ticket.end()));
  }
}
