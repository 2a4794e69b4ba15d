/**
 * What settings and controllers are compared by, folded out of a trace: `observe` every event in order, then ask for
 * `figures`. A pure function of the trace. Beside `metrics.ts`, which describes one run, this judges it against what the
 * provider really offered. Holds two times per attempt and two per request, 32 bytes.
 */

import type { RequestQueued, RequestSettled, RequestWithdrawn, TraceEvent, TraceStarted } from '../../trace/events.js';
import { Latency } from '../latency.js';
import { OpenRequests } from '../open-requests.js';
import { keysAsked, scenarioOf } from '../scenario-facts.js';
import { jainIndex } from './fairness.js';
import { Limits } from './limits.js';
import { type CapStep, type PhaseFigures, phaseFigures } from './settling.js';
import { Spans, type Window } from './spans.js';
import { openTime, quotaUse, type Use } from './utilisation.js';

export interface MeasureOptions {
  /** What ended before this time counts for nothing but the settling of the cap; default 0. In ms. */
  readonly fromMs?: number;
}

/** Times in ms; null where there was nothing to measure. */
export interface MeasureFigures {
  /** Whether the run came to its end. */
  readonly complete: boolean;
  /** The last settlement. */
  readonly makespanMs: number | null;
  readonly succeeded: number;
  /** Requests whose last attempt was no success. */
  readonly lost: number;
  /** Successes per second, from the start of the measuring to the last settlement. */
  readonly throughput: number | null;
  /** Refused attempts of all attempts that ended. */
  readonly refusedShare: number | null;
  readonly refusalsPerThousand: number | null;
  /** Of the most used limit of each key, a share of 1; keys weighted by how long they had requests open. */
  readonly utilisation: number | null;
  /** Until every cap has settled at its first limit; null where one never did, or where nothing was to find. */
  readonly convergeMs: number | null;
  /** The longest that a cap took after a change of its limit; null where one never did, or where nothing changed. */
  readonly recoverMs: number | null;
  /** The most of all phases, a share of the limit. */
  readonly overshoot: number | null;
  /** Phases in which a cap never settled. */
  readonly unsettled: number;
  readonly waitP99Ms: number | null;
  /** Jain's index over the successes of the runs while all of them were open; null with fewer than two. */
  readonly fairness: number | null;
  /** Input and output of all successes, and what all other attempts have cost. */
  readonly tokens: number;
  readonly phases: readonly PhaseFigures[];
}

interface Key {
  readonly served: Spans;
  readonly open: Spans;
  readonly amounts: { requests: number; input: number; output: number };
  readonly caps: CapStep[];
  /** The processes that ask for it, each through a gate of its own. */
  readonly gates: Set<string | undefined>;
}

export class Measures {
  readonly #fromMs: number;
  #started: TraceStarted | undefined;
  #limits: Limits | undefined;
  #complete = false;
  #now = 0;
  #settledAt: number | null = null;
  readonly #keys = new Map<string, Key>();
  /** By request: when it was first queued, and when its present attempt was dispatched. */
  readonly #queuedAt = new OpenRequests<{ readonly id: number; readonly key: Key; readonly t: number }>();
  readonly #sentAt = new OpenRequests<{ readonly id: number; readonly key: Key; readonly t: number }>();
  readonly #counts = { succeeded: 0, refused: 0, settled: 0, lost: 0, tokens: 0 };
  readonly #wait = new Latency();
  readonly #runs = new Map<string, number>();
  #runsExpected = 0;
  #oneRunEnded = false;

  constructor({ fromMs = 0 }: MeasureOptions = {}) {
    this.#fromMs = fromMs;
  }

  observe(event: TraceEvent): void {
    this.#now = event.t;
    switch (event.type) {
      case 'trace-started':
        this.#begin(event);
        break;
      case 'request-queued':
        this.#queued(event);
        break;
      case 'request-admitted':
        this.#sentAt.set(event.id, { id: event.id, key: this.#key(event.key), t: event.t });
        if (event.t >= this.#fromMs) this.#wait.record(event.waitMs);
        break;
      case 'request-settled':
        this.#settled(event);
        break;
      case 'request-withdrawn':
        this.#withdrawn(event);
        break;
      case 'concurrency-changed':
        this.#key(event.key).caps.push({ t: event.t, cap: event.next });
        break;
      case 'provider-changed':
        this.#limits?.providerChanged(event);
        break;
      case 'run-started':
        this.#runs.set(event.run, 0);
        break;
      case 'run-finished':
        this.#oneRunEnded = true;
        break;
      case 'trace-finished':
        this.#complete = event.complete;
        break;
      default:
        break;
    }
  }

  /** @throws RangeError if nothing has been observed. */
  figures(): MeasureFigures {
    const limits = this.#limits;
    if (limits === undefined) throw new RangeError('figures: expected a trace, got no trace-started event');
    const window = { from: this.#fromMs, to: Math.max(this.#fromMs, this.#settledAt ?? 0) };
    const { succeeded, refused, settled, lost, tokens } = this.#counts;
    this.#closeOpen();
    const phases = this.#phases(limits);
    return {
      complete: this.#complete,
      makespanMs: this.#settledAt,
      succeeded,
      lost,
      throughput: window.to > window.from ? (succeeded * 1000) / (window.to - window.from) : null,
      refusedShare: settled === 0 ? null : refused / settled,
      refusalsPerThousand: succeeded === 0 ? null : (refused * 1000) / succeeded,
      utilisation: this.#utilisation(limits, window),
      ...settlingFigures(phases),
      waitP99Ms: this.#wait.figures().p99,
      fairness: jainIndex([...this.#runs.values()]),
      tokens,
      phases,
    };
  }

  #begin(event: TraceStarted): void {
    const scenario = scenarioOf(event);
    this.#started = event;
    this.#limits = new Limits(scenario, keysAsked(scenario));
    this.#runsExpected = scenario.workload.runs.length;
    for (const key of keysAsked(scenario)) this.#key(key);
  }

  #queued({ t, id, attempt, key: name, process }: RequestQueued): void {
    const key = this.#key(name);
    key.gates.add(process);
    if (attempt === 1) this.#queuedAt.set(id, { id, key, t });
  }

  #settled(event: RequestSettled): void {
    const { t, id, outcome, refusedBy, lost } = event;
    this.#settledAt = t;
    const sent = this.#sentAt.get(id);
    this.#sentAt.delete(id);
    const isServed = outcome !== 'throttled' && refusedBy === undefined;
    if (sent !== undefined && isServed) sent.key.served.add(sent.t, t);
    if (outcome === 'succeeded' || lost === true) this.#close(id, t);
    if (t < this.#fromMs) return;
    this.#counts.settled++;
    if (outcome === 'throttled') this.#counts.refused++;
    if (lost === true) this.#counts.lost++;
    if (sent !== undefined && isServed) sent.key.amounts.requests++;
    if (outcome === 'succeeded') this.#succeeded(event);
    else this.#counts.tokens += event.spentTokens ?? 0;
  }

  #withdrawn({ t, id, from }: RequestWithdrawn): void {
    this.#close(id, t);
    if (t < this.#fromMs) return;
    this.#counts.lost++;
    // In a backoff its last attempt has ended already.
    if (from === 'queue') this.#counts.settled++;
  }

  #succeeded({ key, run, inputTokens = 0, outputTokens = 0 }: RequestSettled): void {
    this.#counts.succeeded++;
    this.#counts.tokens += inputTokens + outputTokens;
    const { amounts } = this.#key(key);
    amounts.input += inputTokens;
    amounts.output += outputTokens;
    const allAreOpen = this.#runs.size >= this.#runsExpected && !this.#oneRunEnded;
    const ofRun = run === undefined || !allAreOpen ? undefined : this.#runs.get(run);
    if (run !== undefined && ofRun !== undefined) this.#runs.set(run, ofRun + 1);
  }

  #close(id: number, t: number): void {
    const queued = this.#queuedAt.get(id);
    this.#queuedAt.delete(id);
    queued?.key.open.add(queued.t, t);
  }

  /** What is open or in flight when the trace ends, is so until then; what is in flight is taken for served. */
  #closeOpen(): void {
    for (const { id } of this.#queuedAt.values()) this.#close(id, this.#now);
    for (const { id, key, t } of this.#sentAt.values()) {
      key.served.add(t, this.#now);
      this.#sentAt.delete(id);
    }
  }

  #phases(limits: Limits): readonly PhaseFigures[] {
    if (this.#started?.initial === null) return [];
    const window = { from: 0, to: this.#now };
    // Where several processes share a limit, no cap of theirs has it to find for itself.
    const alone = [...this.#keys].filter(([, { gates }]) => gates.size <= 1);
    return alone.flatMap(([name, { caps, open }]) =>
      phaseFigures(name, caps, limits.concurrencyOf(name), open.level(), window),
    );
  }

  #utilisation(limits: Limits, window: Window): number | null {
    const uses = limits.quotas().map((quota) => {
      const use = this.#use(quota.keys);
      return { keys: quota.keys, share: quotaUse(quota, use, window) };
    });
    let [sum, weights] = [0, 0];
    for (const [name, { open }] of this.#keys) {
      const shares = uses.flatMap(({ keys, share }) => (keys.includes(name) && share !== null ? [share] : []));
      if (shares.length === 0) continue;
      const weight = openTime(open.level(), window);
      sum += Math.max(...shares) * weight;
      weights += weight;
    }
    return weights > 0 ? sum / weights : null;
  }

  #use(names: readonly string[]): Use {
    const keys = names.flatMap((name) => this.#keys.get(name) ?? []);
    const total = (of: 'requests' | 'input' | 'output'): number => keys.reduce((sum, key) => sum + key.amounts[of], 0);
    return {
      served: Spans.level(keys.map(({ served }) => served)),
      open: Spans.level(keys.map(({ open }) => open)),
      amounts: { requests: total('requests'), input: total('input'), output: total('output') },
    };
  }

  #key(name: string): Key {
    let key = this.#keys.get(name);
    if (key === undefined) {
      const initial = this.#started?.initial ?? null;
      key = {
        served: new Spans(),
        open: new Spans(),
        amounts: { requests: 0, input: 0, output: 0 },
        caps: initial === null ? [] : [{ t: 0, cap: initial }],
        gates: new Set(),
      };
      this.#keys.set(name, key);
    }
    return key;
  }
}

function settlingFigures(
  phases: readonly PhaseFigures[],
): Pick<MeasureFigures, 'convergeMs' | 'recoverMs' | 'overshoot' | 'unsettled'> {
  const first = phases.filter(({ key }, i) => phases.findIndex((other) => other.key === key) === i);
  const later = phases.filter((phase) => !first.includes(phase));
  return {
    convergeMs: longest(first),
    recoverMs: longest(later),
    overshoot: phases.length === 0 ? null : Math.max(...phases.map(({ overshoot }) => overshoot)),
    unsettled: phases.filter(({ settledMs }) => settledMs === null).length,
  };
}

/** Null where one never settled, or where there is none. */
function longest(phases: readonly PhaseFigures[]): number | null {
  return phases.reduce<number | null>(
    (most, { settledMs }, i) =>
      settledMs === null || (most === null && i > 0) ? null : Math.max(most ?? 0, settledMs),
    null,
  );
}
