/**
 * What the checks remember: of each request that is not over, of each key, and of the rules that the run is under.
 * Rebuilt from the trace alone, on a path of its own: nothing here is taken from the governor's code but the names.
 */

import type { Mode } from '../../trace/events.js';
import { EpochWatch } from '../epoch-watch.js';
import { type Lane, Turns, type Waiter } from './turns.js';

/** What `trace-started` says of the run. */
export interface Rules {
  /** Idle this long, a key is forgotten. */
  readonly idleResetMs: number;
  readonly mode: Mode;
  /** Infinity where nothing governs. */
  readonly initial: number;
  readonly floor: number;
  readonly increaseAfterSuccesses: number;
  /** Where the cap may climb without a run that asks for more. */
  readonly growthLimit: number;
  /** The reference controller, whose epochs and raises are checked too. */
  readonly isReference: boolean;
}

/**
 * `down`: its run has crashed, and it is in no line; `arriving`: asked, not yet seen to wait or to be admitted; `parked`: waits for a seat of its run; `queued`: waits at
 * the gate.
 */
export type Phase = 'down' | 'arriving' | 'parked' | 'queued' | 'in-flight' | 'settled' | 'backing-off';

export class WatchedRequest implements Waiter {
  readonly id: number;
  readonly key: WatchedKey;
  readonly lane: Lane;
  readonly agent: string | undefined;
  readonly isObserver: boolean;
  readonly firstQueuedAt: number;
  phase: Phase = 'arriving';
  attempt = 1;
  epoch = 0;
  /** Whether its success counts: an observer's does only where the gate would have let it in. */
  isEvidence = true;
  queuedAt: number;
  /** When it came to its line: queued, or back after a crash. */
  arrivedAt: number;
  admittedAt = 0;
  settledAt = 0;
  /** When the next attempt is due. */
  retryAt = 0;
  /** Wait, service and backoff so far, as the events state them. */
  accountedMs = 0;
  behind: Waiter | undefined = undefined;

  constructor(
    id: number,
    key: WatchedKey,
    t: number,
    run: string | undefined,
    agent: string | undefined,
    isObserver: boolean,
  ) {
    this.id = id;
    this.key = key;
    this.lane = key.turns.lane(run);
    this.agent = agent;
    this.isObserver = isObserver;
    this.firstQueuedAt = t;
    this.queuedAt = t;
    this.arrivedAt = t;
  }
}

/** The gate of one process to one key. */
export class WatchedKey {
  /** The gate's. */
  readonly name: string;
  /** `provider/model`. */
  readonly key: string;
  readonly turns: Turns = new Turns();
  /** The latest admission or settlement. */
  lastUsedAt = 0;
  readonly epochs: EpochWatch;
  readonly refusedBy: Map<string, number> = new Map();
  cap: number;
  inFlight = 0;
  mostInFlight = 0;
  coolingUntil = 0;
  /** Successes in a row in the current epoch since the last raise. */
  streak = 0;
  /** When the latest of them came. */
  provenAt = 0;
  /** The latest settlement turned the epoch, and its cut has not been told. */
  isCutDue = false;
  admitted = 0;
  succeeded = 0;
  refused = 0;
  /** Settled neither as a success nor as a refusal by a quota. */
  others = 0;

  constructor(name: string, key: string, { initial, isReference }: Rules) {
    this.name = name;
    this.key = key;
    this.cap = initial;
    this.epochs = new EpochWatch(isReference);
  }
}
