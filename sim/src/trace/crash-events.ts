/**
 * What the trace tells of a run whose process dies and comes back. Its attempts in flight are broken off: they settle as
 * ended, and each is made again, as the next attempt of the same request, when the run is back. An attempt that was not
 * sent yet has nothing to make again: it stays the attempt it is and comes back to its line.
 */

export type CrashEvent = RunCrashed | RunResumed | RequestResumed;

/** Whoever of the run waited, for a seat or at the gate, waits there no longer. */
export interface RunCrashed {
  readonly t: number;
  readonly type: 'run-crashed';
  readonly run: string;
  readonly downForMs: number;
}

/** The run goes on from its last snapshot: what was finished is not done again. */
export interface RunResumed {
  readonly t: number;
  readonly type: 'run-resumed';
  readonly run: string;
  /** In subagents working at once. */
  readonly bound: number;
}

/** An attempt that was queued before the crash, or came due during it, comes to its line now. Its wait counts from then. */
export interface RequestResumed {
  readonly t: number;
  readonly type: 'request-resumed';
  readonly id: number;
  readonly attempt: number;
  /** `provider/model`. */
  readonly key: string;
  readonly run: string | undefined;
  readonly agent: string;
  /** Whose governor it goes through, where the scenario names processes. */
  readonly process?: string | undefined;
}
