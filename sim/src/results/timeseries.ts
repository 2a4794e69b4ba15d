/**
 * How a run went over time, folded out of its trace: per key the cap, what is in flight and queued, what was refused and
 * succeeded so far, and what the provider really takes at once; per run how many of it can work. A row per instant in
 * which something changed, thinned to 2000 per key and run; the charts and `timeseries.csv` show the same rows.
 */

import type {
  ConcurrencyChanged,
  ProviderChanged,
  RequestSettled,
  TraceEvent,
  TraceFinished,
  TraceStarted,
} from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';
import { CooldownSpans, type Span } from './cooldown-spans.js';
import { type MakespanBound, MakespanBounds } from './makespan-bound.js';
import { ProviderChanges } from './provider-changes.js';
import { Recorder, T } from './recorder.js';
import { RunPaths, type RunSeries } from './run-paths.js';
import { RunWidths } from './run-widths.js';
import { concurrencyLimit, gatesAsked, scenarioOf } from './scenario-facts.js';

export interface KeySeries {
  /** The key, or the gate to it of a process of its own: `provider/model@process`. */
  readonly key: string;
  readonly points: readonly KeyPoint[];
  readonly cooldowns: readonly Span[];
}

/** The state after all events of the instant. */
export interface KeyPoint {
  readonly tMs: number;
  /** Null where nothing governs. */
  readonly cap: number | null;
  readonly inFlight: number;
  readonly queued: number;
  /** Attempts so far. */
  readonly refused: number;
  readonly succeeded: number;
  /** The smallest concurrency quota; null where the provider has none. */
  readonly limit: number | null;
}

export interface TimeSeriesResult {
  /** In the order of the scenario. */
  readonly keys: readonly KeySeries[];
  /** In the order in which they started. */
  readonly runs: readonly RunSeries[];
  /** How short the run could have been; undefined where nothing succeeded. */
  readonly bound: MakespanBound | undefined;
  /** How the run ended; null where the trace breaks off. */
  readonly ending: TraceFinished | null;
}

/** Columns of a key's row, after the time. */
const CAP = 1;
const IN_FLIGHT = 2;
const QUEUED = 3;
const REFUSED = 4;
const SUCCEEDED = 5;
const LIMIT = 6;
const COLUMNS = 7;

/** What tells the gate of an event. */
type Gated = Parameters<typeof gateOf>[0];

interface GateRecorder {
  readonly key: string;
  readonly recorder: Recorder;
  readonly cooldowns: CooldownSpans;
}

export class TimeSeries {
  #initial: number | null = null;
  #changes = new ProviderChanges({ providers: {}, timeline: [] });
  #now = 0;
  #widths = new RunWidths(null);
  readonly #gates = new Map<string, GateRecorder>();
  #lastGate: string | undefined;
  #lastRecorder: GateRecorder | undefined;
  readonly #runs = new RunPaths();
  readonly #bounds = new MakespanBounds();
  #ending: TraceFinished | undefined;
  #result: TimeSeriesResult | undefined;

  observe(event: TraceEvent): void {
    this.#bounds.observe(event);
    const { t } = event;
    this.#now = t;
    switch (event.type) {
      case 'request-queued':
        this.#changed(event, t)[QUEUED]!++;
        if (event.run !== undefined) this.#widths.asked(t, event.run, gateOf(event));
        break;
      case 'request-admitted': {
        const row = this.#changed(event, t);
        row[QUEUED]!--;
        row[IN_FLIGHT]!++;
        break;
      }
      case 'request-settled':
        this.#settled(event);
        break;
      // Two per request: told apart early.
      case 'node-waiting':
      case 'node-executing':
        break;
      case 'request-withdrawn':
        if (event.from === 'queue') this.#changed(event, t)[QUEUED]!--;
        break;
      case 'concurrency-changed':
        this.#capChanged(event);
        break;
      case 'run-started':
        this.#widths.started(t, event.run, event.bound);
        break;
      case 'run-resumed':
      case 'run-caps-changed':
        this.#widths.boundChanged(t, event.run, event.bound);
        break;
      case 'run-finished':
        this.#widths.ended(t, event.run);
        this.#runs.ended(event.run, t);
        break;
      case 'trace-started':
        this.#begin(event);
        break;
      case 'provider-changed':
        this.#providerChanged(event);
        break;
      case 'retry-scheduled':
      case 'run-stalled':
      case 'run-crashed':
      case 'request-resumed':
      case 'step-started':
      case 'tool-started':
      case 'tool-finished':
      case 'tool-released':
      case 'context-compacted':
      case 'task-ended':
      case 'run-paused':
      case 'run-skipped':
      case 'stage-dispatched':
      case 'stage-refused':
      case 'child-steered':
      case 'budget-warned':
      case 'turn-interrupted':
      case 'child-stopped':
      case 'child-settled':
      case 'pipeline-changed':
        break;
      case 'trace-finished':
        this.#ending = event;
        break;
      default:
        event satisfies never;
    }
  }

  /** Ends the recording; the same result when asked again. */
  series(): TimeSeriesResult {
    this.#result ??= {
      keys: this.#keySeries(),
      runs: this.#runs.series(this.#now),
      bound: this.#bounds.bound(),
      ending: this.#ending ?? null,
    };
    return this.#result;
  }

  #keySeries(): readonly KeySeries[] {
    return [...this.#gates].map(([key, { recorder, cooldowns }]) => {
      recorder.changesAt(this.#now);
      return { key, points: recorder.close().map(keyPoint), cooldowns: cooldowns.until(this.#now) };
    });
  }

  #begin(event: TraceStarted): void {
    const scenario = scenarioOf(event);
    this.#initial = event.initial;
    this.#changes = new ProviderChanges(scenario);
    this.#widths = new RunWidths(event.initial, this.#runs);
    for (const { gate, key } of gatesAsked(scenario)) this.#gate(gate, key);
  }

  /** The row of a gate at `t`, to be changed. */
  #changed(of: Gated, t: number): Float64Array {
    const { recorder } = this.#gate(gateOf(of), of.key);
    recorder.changesAt(t);
    return recorder.row;
  }

  #settled(event: RequestSettled): void {
    const { t, outcome, cooldownUntil } = event;
    const row = this.#changed(event, t);
    row[IN_FLIGHT]!--;
    if (outcome === 'succeeded') row[SUCCEEDED]!++;
    else if (outcome === 'throttled') row[REFUSED]!++;
    if (cooldownUntil !== undefined) this.#gate(gateOf(event), event.key).cooldowns.extend(t, cooldownUntil);
  }

  #capChanged(event: ConcurrencyChanged): void {
    const { t, next } = event;
    this.#changed(event, t)[CAP] = next;
    this.#widths.capChanged(t, gateOf(event), next);
  }

  #providerChanged(event: ProviderChanged): void {
    this.#changes.apply(event);
    for (const { key, recorder } of this.#gates.values()) {
      const limit = concurrencyLimit(key, this.#changes.providers) ?? Number.NaN;
      if (Object.is(limit, recorder.row[LIMIT])) continue;
      recorder.changesAt(event.t);
      recorder.row[LIMIT] = limit;
    }
  }

  #gate(name: string, key: string): GateRecorder {
    if (name === this.#lastGate) return this.#lastRecorder as GateRecorder;
    let gate = this.#gates.get(name);
    if (gate === undefined) {
      gate = { key, recorder: new Recorder(COLUMNS, [CAP, IN_FLIGHT, QUEUED]), cooldowns: new CooldownSpans() };
      gate.recorder.row[CAP] = this.#initial ?? Number.NaN;
      gate.recorder.row[LIMIT] = concurrencyLimit(key, this.#changes.providers) ?? Number.NaN;
      this.#gates.set(name, gate);
    }
    this.#lastGate = name;
    this.#lastRecorder = gate;
    return gate;
  }
}

/** A row has NaN where there is no number. */
function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function keyPoint(row: Float64Array): KeyPoint {
  return {
    tMs: row[T]!,
    cap: known(row[CAP]!),
    inFlight: row[IN_FLIGHT]!,
    queued: row[QUEUED]!,
    refused: row[REFUSED]!,
    succeeded: row[SUCCEEDED]!,
    limit: known(row[LIMIT]!),
  };
}

/**
 * `timeseries.csv`: per key the state after each instant in which something changed. `t_ms` is the time; `cap`, empty
 * where nothing governs; `in_flight` and `queued`, now; `refused` and `succeeded`, attempts so far; `limit`, the smallest
 * concurrency quota of the provider, empty where it has none.
 */
export function toCsv(keys: readonly KeySeries[]): string {
  const rows = keys.flatMap(({ key, points }) =>
    points.map(({ tMs, cap, inFlight, queued, refused, succeeded, limit }) =>
      [tMs, quoted(key), cap ?? '', inFlight, queued, refused, succeeded, limit ?? ''].join(','),
    ),
  );
  return `${['t_ms,key,cap,in_flight,queued,refused,succeeded,limit', ...rows].join('\n')}\n`;
}

/** As RFC 4180 has it. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
