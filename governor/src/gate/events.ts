/**
 * What a governor tells its listeners, and the telling. Listeners hear of a change after it is complete; one that throws
 * hurts nobody else and is reported.
 */

import type { CapChange } from '../core/controller.js';
import type { Draft } from '../core/draft.js';

/** Every event carries `at`, milliseconds on the governor's clock. */
export type GovernorEvent =
  | ConcurrencyChanged
  | RunCapsChanged
  | NodeWaiting
  | NodeExecuting
  | RunStalled
  | CooldownClamped
  | SettledTwice;

/** The cap of a key moved, or a wait began. */
export interface ConcurrencyChanged extends CapChange {
  readonly type: 'concurrency-changed';
  readonly at: number;
  /** Ids of the open runs it concerns: those with a request in flight or queued on the key, or that have used it. */
  readonly runs: readonly string[];
}

/** The bound of a run was changed in place. */
export interface RunCapsChanged {
  readonly type: 'run-caps-changed';
  readonly at: number;
  readonly run: string;
  readonly previous: number;
  readonly bound: number;
}

/** A subagent starts to wait: for a seat of its run, for a slot at the gate, or for its retry. */
export interface NodeWaiting {
  readonly type: 'node-waiting';
  readonly at: number;
  readonly run: string;
  readonly node: string;
  readonly reason: 'seat' | 'slot' | 'backoff';
}

/** A subagent goes on after a wait, or starts. */
export interface NodeExecuting {
  readonly type: 'node-executing';
  readonly at: number;
  readonly run: string;
  readonly node: string;
}

/** A run has been retrying for 20 minutes without a success. Told once; a success re-arms it. */
export interface RunStalled {
  readonly type: 'run-stalled';
  readonly at: number;
  readonly run: string;
  /** Since the first failure after the last success. */
  readonly stalledMs: number;
}

/** A provider asked for a longer wait than `maxCooldownMs`; the key cools for that long only. */
export interface CooldownClamped {
  readonly type: 'cooldown-clamped';
  readonly at: number;
  readonly key: string;
  readonly askedMs: number;
  readonly maxCooldownMs: number;
}

/** A ticket was settled again; the first settlement stands. */
export interface SettledTwice {
  readonly type: 'settled-twice';
  readonly at: number;
  readonly key: string;
}

/** Of one listener. */
export interface ListenerOptions {
  /**
   * Default true. False: `runs` of `concurrency-changed` may be empty for this listener. Listing them costs time for each
   * open run at every change of a cap; with thousands of runs that is most of the cost of a request.
   */
  readonly runs?: boolean;
}

export function capMoved(change: CapChange, at: number, runs: readonly string[]): ConcurrencyChanged {
  const { key, previous, next, reason, lastGood, lastBad, cooldownMs } = change;
  const event: Draft<ConcurrencyChanged> = { type: 'concurrency-changed', at, key, previous, next, reason, runs };
  if (lastGood !== undefined) event.lastGood = lastGood;
  if (lastBad !== undefined) event.lastBad = lastBad;
  if (cooldownMs !== undefined) event.cooldownMs = cooldownMs;
  return event;
}

type Listener<E> = (event: E) => void;

export class Listeners<E = GovernorEvent> {
  /** False lets the caller skip making the event. */
  present = false;
  /** How many of them read which runs an event concerns. */
  readersOfRuns = 0;
  readonly #listeners = new Set<Listener<E>>();
  readonly #report: (error: unknown) => void;

  /** @param report hears of what a listener or a waiter's callback threw. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(listener: Listener<E>, readsRuns = true): () => void {
    // Wrapped, so that the same function added twice is two listeners and each is taken back alone.
    const own: Listener<E> = (event) => listener(event);
    this.#listeners.add(own);
    this.present = true;
    if (readsRuns) this.readersOfRuns++;
    return () => {
      if (this.#listeners.delete(own) && readsRuns) this.readersOfRuns--;
      this.present = this.#listeners.size > 0;
    };
  }

  tell(event: E): void {
    // As `guard` does; a function made per listener and event would be most of the cost of telling.
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.report(error);
      }
    }
  }

  /** Runs a caller's function; what it throws is reported and goes no further. */
  guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.report(error);
    }
  }

  /** Tells of what a caller's function threw. */
  report(error: unknown): void {
    try {
      this.#report(error);
    } catch {
      // A reporter that throws has nobody left to report to.
    }
  }
}
