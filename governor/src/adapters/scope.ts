/**
 * On whose behalf an adapter asks for slots: a run, a subagent of it, or nobody in particular. Knows one way into each
 * queue and holds nothing.
 */

import { admission } from '../gate/admission.js';
import type { Ask } from '../gate/ask.js';
import type { Governor } from '../gate/governor.js';
import type { Waiter, Waiting } from '../gate/queued-request.js';
import type { Run } from '../gate/run.js';
import type { Key, Ticket } from '../gate/ticket.js';

/** An adapter serves one scope; making one per run or per ask costs nothing. */
export interface Scope {
  /** The run that the requests belong to. Default: none, they queue as one. */
  readonly run?: Run;
  /** The subagent that asks; takes the place of `run`. */
  readonly ask?: Ask;
  /** As of `ask.acquire`: the requests are made inside a tool of the subagent. Default false. */
  readonly insideTool?: boolean;
}

/** The synchronous form; the waiter may be admitted before it returns. */
export function enqueueIn(
  { run, ask, insideTool = false }: Scope,
  governor: Governor,
  key: Key,
  signal: AbortSignal | undefined,
  waiter: Waiter,
): Waiting {
  const leaving = signal === undefined ? {} : { signal };
  if (ask !== undefined) return ask.enqueue(key, { ...leaving, insideTool }, waiter);
  return governor.enqueue(key, run === undefined ? leaving : { ...leaving, run }, waiter);
}

/** Rejects with `signal.reason`, or with what the gate refuses with. */
export function acquireIn(
  scope: Scope,
  governor: Governor,
  key: Key,
  signal: AbortSignal | undefined,
): Promise<Ticket> {
  return admission((waiter) => enqueueIn(scope, governor, key, signal, waiter));
}
