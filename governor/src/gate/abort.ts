/**
 * Leaving a queue on an AbortSignal. Adding a listener to a signal costs time in proportion to the listeners it has, so
 * a signal gets one listener however many wait on it, and loses it with its last waiter.
 */

export interface Abortable {
  /** The signal fired: leave at once. */
  aborted(reason: unknown): void;
}

interface Group {
  readonly waiters: Set<Abortable>;
  readonly listener: () => void;
}

export class AbortSignals {
  readonly #groups = new Map<AbortSignal, Group>();

  /** Calls `waiter.aborted` when the signal fires. The signal has not fired yet. Returns what takes that back. */
  watch(signal: AbortSignal, waiter: Abortable): () => void {
    const group = this.#groups.get(signal) ?? this.#open(signal);
    group.waiters.add(waiter);
    return () => {
      if (group.waiters.delete(waiter) && group.waiters.size === 0) this.#close(signal, group);
    };
  }

  #open(signal: AbortSignal): Group {
    const group: Group = { waiters: new Set(), listener: () => this.#fire(signal, group) };
    this.#groups.set(signal, group);
    signal.addEventListener('abort', group.listener);
    return group;
  }

  #close(signal: AbortSignal, group: Group): void {
    this.#groups.delete(signal);
    signal.removeEventListener('abort', group.listener);
  }

  #fire(signal: AbortSignal, group: Group): void {
    this.#close(signal, group);
    const waiters = [...group.waiters];
    group.waiters.clear();
    for (const waiter of waiters) waiter.aborted(signal.reason);
  }
}
