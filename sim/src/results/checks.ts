/**
 * Watches a run: every event passes here, and the first that breaks an invariant ends it. A pure function of the trace,
 * O(1) per event; remembers the requests that are not over and nothing else of them. Only keeps the books; each rule is
 * a unit of its own in `checks/`.
 */

import { resolveAimdOptions } from '@tidegate/governor';
import type { RequestResumed } from '../trace/crash-events.js';
import type {
  ConcurrencyChanged,
  NodeExecuting,
  NodeWaiting,
  RequestAdmitted,
  RequestQueued,
  RequestSettled,
  RequestWithdrawn,
  RetryScheduled,
  TraceEvent,
  TraceStarted,
} from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';
import { checkBalance, checkCooldown, checkRoom, isWelcome } from './checks/admission.js';
import { checkBounds, checkChange, checkEpoch, weigh } from './checks/caps.js';
import { Ceilings } from './checks/ceilings.js';
import { Flow } from './checks/flow.js';
import { Breach, breach, InvariantBroken } from './checks/invariants.js';
import { checkEnds, checkLedgers } from './checks/ledger.js';
import {
  checkAdmitted,
  checkFirstQueued,
  checkQueuedAgain,
  checkResumed,
  checkRetry,
  checkSettled,
  checkWithdrawn,
} from './checks/lifecycle.js';
import { PipelineWatch } from './checks/pipelines.js';
import { accountBackoff, accountService, accountWait, checkTotal } from './checks/times.js';
import { type Rules, WatchedKey, WatchedRequest } from './checks/watched.js';
import { OpenRequests } from './open-requests.js';
import { hasReferenceEpochs, scenarioOf } from './scenario-facts.js';

/** Before `trace-started`; a trace has nothing before it. */
const NO_RULES: Rules = {
  idleResetMs: Number.POSITIVE_INFINITY,
  mode: 'simulated',
  initial: Number.POSITIVE_INFINITY,
  floor: 0,
  increaseAfterSuccesses: 0,
  growthLimit: Number.POSITIVE_INFINITY,
  isReference: false,
};

export class Checks {
  #rules: Rules = NO_RULES;
  #line = 0;
  #now = 0;
  #lastId = 0;
  readonly #open = new OpenRequests<WatchedRequest>();
  readonly #keys = new Map<string, WatchedKey>();
  readonly #ceilings = new Ceilings();
  /** Asked last, and whether it waits at the gate, waits for a seat or passes is told by what follows. */
  #arriving: WatchedRequest | undefined;
  /** Waiting for a seat of their run, by run and agent. */
  readonly #parked = new Map<string, WatchedRequest>();
  readonly #pipelines = new PipelineWatch();
  readonly #flow = new Flow();

  /** @throws InvariantBroken at the first event that breaks one. */
  observe(event: TraceEvent): void {
    this.#line++;
    try {
      this.#see(event);
    } catch (error) {
      throw error instanceof Breach ? new InvariantBroken(error, this.#line, event) : error;
    }
  }

  #see(event: TraceEvent): void {
    if (event.t < this.#now) breach('time-never-goes-back', `${event.t} ms comes after ${this.#now} ms`);
    this.#now = event.t;
    const arriving = this.#arriving;
    if (arriving !== undefined) this.#place(arriving, event);
    switch (event.type) {
      case 'request-queued':
        this.#queued(event);
        break;
      case 'request-admitted':
        this.#admitted(event);
        break;
      case 'request-settled':
        this.#settled(event);
        break;
      case 'retry-scheduled':
        this.#retryScheduled(event);
        break;
      case 'request-withdrawn':
        this.#withdrawn(event);
        break;
      case 'node-waiting':
        // An agent that waits for a seat may ask inside a tool all the same.
        if (arriving === undefined || !isOf(arriving, event)) this.#nodeWaiting(event);
        break;
      case 'concurrency-changed':
        this.#capChanged(event);
        break;
      case 'trace-started':
        this.#rules = rulesOf(event);
        this.#pipelines.begin(scenarioOf(event));
        break;
      case 'run-started':
      case 'run-resumed':
      case 'run-caps-changed':
        this.#ceilings.opened(event.run, event.bound);
        break;
      case 'run-crashed':
        this.#ceilings.closed(event.run);
        this.#crashed(event.run);
        break;
      case 'request-resumed':
        this.#resumed(event);
        break;
      case 'run-finished':
        this.#ceilings.closed(event.run);
        break;
      case 'trace-finished':
        checkEnds(event, this.#open);
        this.#flow.check();
        this.#pipelines.end(event);
        checkLedgers(event, this.#keys, this.#rules.mode);
        break;
      case 'node-executing':
      case 'run-stalled':
      case 'run-paused':
      case 'run-skipped':
      case 'provider-changed':
      case 'step-started':
      case 'tool-started':
      case 'tool-finished':
      case 'tool-released':
      case 'context-compacted':
      case 'task-ended':
        break;
      case 'stage-dispatched':
      case 'stage-refused':
      case 'child-steered':
      case 'budget-warned':
      case 'turn-interrupted':
      case 'child-stopped':
      case 'child-settled':
      case 'pipeline-changed':
        this.#pipelines.observe(event);
        break;
      default:
        event satisfies never;
    }
  }

  #queued(event: RequestQueued): void {
    this.#flow.queued(event.t);
    const { t, id, run, agent, observer } = event;
    let request = this.#open.get(id);
    if (request === undefined) {
      checkFirstQueued(event, this.#lastId);
      this.#lastId = id;
      const key = this.#key(event);
      if (run !== undefined && !key.turns.has(run)) this.#ceilings.asked(run, key.name);
      request = new WatchedRequest(id, key, t, run, agent, observer === true);
      this.#open.set(id, request);
    } else {
      checkQueuedAgain(event, request);
      accountBackoff(event, request, this.#rules.mode);
      request.attempt++;
      request.queuedAt = t;
    }
    if (event.down === true) request.phase = 'down';
    else this.#arrive(request, t);
  }

  #arrive(request: WatchedRequest, t: number): void {
    request.phase = 'arriving';
    request.arrivedAt = t;
    this.#arriving = request;
  }

  /** Whoever of the run waits leaves its line, until it is resumed. */
  #crashed(run: string): void {
    for (const request of this.#open.values()) {
      if (request.lane.run !== run) continue;
      if (request.phase === 'queued') request.key.turns.withdraw(request);
      else if (request.phase === 'parked') this.#parked.delete(placeOf(run, request.agent));
      else continue;
      request.phase = 'down';
    }
  }

  #resumed(event: RequestResumed): void {
    this.#arrive(checkResumed(event, this.#open.get(event.id)), event.t);
  }

  /**
   * Decides where the request that asked last has gone, now that `event` follows. Its run may have asked for the key for
   * the first time: then the cap may move and let others in before the request itself comes to the gate.
   */
  #place(request: WatchedRequest, event: TraceEvent): void {
    const isSameInstant = event.t === request.arrivedAt;
    if (isSameInstant && mayComeBefore(request, event)) return;
    this.#arriving = undefined;
    if (event.type === 'node-waiting' && event.reason === 'seat' && isOf(request, event)) {
      request.phase = 'parked';
      this.#parked.set(placeOf(event.run, event.node), request);
    } else {
      enterGate(request);
    }
  }

  #nodeWaiting({ run, node, reason }: NodeWaiting): void {
    if (reason !== 'slot' || this.#parked.size === 0) return;
    const request = this.#parked.get(placeOf(run, node));
    if (request !== undefined) this.#unpark(request);
  }

  #unpark(request: WatchedRequest): void {
    this.#parked.delete(placeOf(request.lane.run, request.agent));
    enterGate(request);
  }

  #admitted(event: RequestAdmitted): void {
    const request = checkAdmitted(event, this.#open.get(event.id));
    const { key } = request;
    if (request.phase === 'arriving') this.#arriving = undefined;
    if (request.isObserver) {
      request.isEvidence = isWelcome(key, event.t);
    } else {
      if (request.phase === 'arriving') enterGate(request);
      else if (request.phase === 'parked') this.#unpark(request);
      key.turns.leave(request);
      checkRoom(key);
      checkCooldown(key, event.t);
    }
    if (this.#rules.isReference) checkEpoch(key, event.epoch, event.t, this.#rules.idleResetMs);
    accountWait(event, request);
    this.#flow.admitted(event.t, event.waitMs);
    key.admitted++;
    key.inFlight++;
    key.lastUsedAt = event.t;
    if (key.inFlight > key.mostInFlight) key.mostInFlight = key.inFlight;
    request.phase = 'in-flight';
    request.epoch = event.epoch;
    request.admittedAt = event.t;
  }

  #settled(event: RequestSettled): void {
    const { t, id, outcome, lost, refusedBy, cooldownUntil } = event;
    const request = checkSettled(event, this.#open.get(id));
    const key = this.#key(event);
    checkBalance(key, request);
    key.inFlight--;
    key.lastUsedAt = t;
    accountService(event, request);
    this.#flow.settled(event.t, event.serviceMs);
    if (this.#rules.isReference) weigh(event, key, request.isEvidence);
    if (cooldownUntil !== undefined && cooldownUntil > key.coolingUntil) key.coolingUntil = cooldownUntil;
    count(key, outcome, refusedBy);
    if (outcome === 'succeeded' || lost === true) {
      checkTotal(event, request);
      this.#open.delete(id);
    } else {
      request.phase = 'settled';
      request.settledAt = t;
    }
  }

  #retryScheduled(event: RetryScheduled): void {
    const request = checkRetry(event, this.#open.get(event.id));
    request.phase = 'backing-off';
    request.retryAt = event.t + event.delayMs;
  }

  #withdrawn(event: RequestWithdrawn): void {
    const request = checkWithdrawn(event, this.#open.get(event.id));
    if (event.from === 'queue') this.#flow.withdrawn(event.t, event.t - request.queuedAt);
    if (request.phase === 'parked') this.#parked.delete(placeOf(request.lane.run, request.agent));
    else if (request.phase === 'queued') request.key.turns.withdraw(request);
    this.#open.delete(event.id);
  }

  #capChanged(event: ConcurrencyChanged): void {
    const key = this.#key(event);
    checkBounds(event, key, this.#rules, this.#ceilings.of(key.name));
    if (this.#rules.isReference) checkChange(event, key, this.#rules);
    key.cap = event.next;
  }

  #key(of: Pick<RequestQueued, 'key' | 'process'>): WatchedKey {
    const name = gateOf(of);
    let watched = this.#keys.get(name);
    if (watched === undefined) {
      watched = new WatchedKey(name, of.key, this.#rules);
      this.#keys.set(name, watched);
    }
    return watched;
  }
}

function enterGate(request: WatchedRequest): void {
  if (request.isObserver) breach('observers-never-queue', `request ${request.id} observes and waits`);
  request.phase = 'queued';
  request.key.turns.enter(request);
}

/**
 * What the asking can cause before the request itself comes to the gate: an idle reset, and, at others, what the first
 * asking of a run does to the cap.
 */
function mayComeBefore(request: WatchedRequest, event: TraceEvent): boolean {
  if (event.type === 'request-admitted' && event.id === request.id) return true;
  if (request.lane.run === undefined) return event.type === 'concurrency-changed' && event.reason === 'idle_reset';
  switch (event.type) {
    case 'concurrency-changed':
    case 'request-admitted':
      return true;
    case 'node-executing':
    case 'node-waiting':
      return !isOf(request, event);
    default:
      return false;
  }
}

function isOf({ lane, agent }: WatchedRequest, event: NodeWaiting | NodeExecuting): boolean {
  return lane.run === event.run && agent === event.node;
}

function placeOf(run: string | undefined, agent: string | undefined): string {
  return JSON.stringify([run, agent]);
}

function count(key: WatchedKey, outcome: RequestSettled['outcome'], refusedBy: string | undefined): void {
  if (outcome === 'succeeded') {
    key.succeeded++;
  } else if (refusedBy !== undefined) {
    key.refused++;
    key.refusedBy.set(refusedBy, (key.refusedBy.get(refusedBy) ?? 0) + 1);
  } else {
    key.others++;
  }
}

function rulesOf(event: TraceStarted): Rules {
  const { mode, floor, increaseAfterSuccesses } = event;
  const initial = event.initial ?? Number.POSITIVE_INFINITY;
  const { growthLimit = 0, growthFactor = 1, ...options } = scenarioOf(event).governor.options;
  return {
    idleResetMs: resolveAimdOptions({ ...options, key: 'any' }).idleResetMs,
    mode,
    initial,
    floor,
    // A slow start raises with each success.
    increaseAfterSuccesses: options.recovery === 'slow-start' ? 1 : increaseAfterSuccesses,
    growthLimit: Math.max(initial, event.growthLimit ?? 0, growthLimit, Math.floor(growthFactor * initial)),
    isReference: hasReferenceEpochs(event),
  };
}
