/**
 * Leaving a queue on an AbortSignal. Adding a listener to a signal costs time in proportion to the listeners it has, so
 * a signal gets one listener however many wait on it, and loses it with its last waiter.
 */

import { refuseOption } from '../core/options.js';

export interface Abortable {
  /** The signal fired: leave at once, telling nobody. */
  leave(reason: unknown): void;
  /** Everyone who waited on the signal has left: tell it. */
  told(): void;
}

/** The waiters of one signal; the signal has one listener for all of them. */
export class SignalGroup {
  readonly waiters: Set<Abortable> = new Set();
  readonly #signal: AbortSignal;
  readonly #closed: (signal: AbortSignal) => void;

  constructor(signal: AbortSignal, closed: (signal: AbortSignal) => void) {
    this.#signal = signal;
    this.#closed = closed;
    if (typeof signal?.addEventListener !== 'function') refuseOption('signal', signal, 'an AbortSignal');
    signal.addEventListener('abort', this.#fire);
  }

  /** Does nothing when the waiter has left already. */
  leave(waiter: Abortable): void {
    if (this.waiters.delete(waiter) && this.waiters.size === 0) this.#close();
  }

  readonly #fire = (): void => {
    this.#close();
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const waiter of waiters) waiter.leave(this.#signal.reason);
    for (const waiter of waiters) waiter.told();
  };

  #close(): void {
    this.#signal.removeEventListener('abort', this.#fire);
    this.#closed(this.#signal);
  }
}

export class AbortSignals {
  readonly #groups = new Map<AbortSignal, SignalGroup>();

  /** Lets the waiter leave when the signal, which has not fired yet, fires. `leave` of what it returns takes that back. */
  watch(signal: AbortSignal, waiter: Abortable): SignalGroup {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      group = new SignalGroup(signal, (closed) => this.#groups.delete(closed));
      this.#groups.set(signal, group);
    }
    group.waiters.add(waiter);
    return group;
  }
}
