/**
 * The figures of a run, folded out of its trace: `observe` every event in order, then ask for `figures`. A pure function
 * of the trace. Memory is flat in the number of requests: one number per request that is not over, and counts.
 */

import type {
  CountedModel,
  RequestAdmitted,
  RequestQueued,
  RequestSettled,
  RequestWithdrawn,
  TraceEvent,
  TraceFinished,
  TraceStarted,
} from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';
import { isAnswer } from '../transport/answer-cause.js';
import { CrashMetrics } from './crash-metrics.js';
import { KeyMetrics } from './key-metrics.js';
import { Latency } from './latency.js';
import { LiveFold } from './live-figures.js';
import { distanceMs, toMicroseconds } from './microseconds.js';
import { OpenRequests } from './open-requests.js';
import { PipelineMetrics } from './pipeline-metrics.js';
import { RunWidths } from './run-widths.js';
import { gatesAsked, hasReferenceEpochs, scenarioOf } from './scenario-facts.js';
import type { Figures, ProviderFigures, RequestCounts, RunFigures } from './summary.js';
import { TaskMetrics } from './task-metrics.js';

interface RunTotals {
  readonly agents: number;
  readonly startedAt: number;
  bound: number;
  settledAt: number | null;
  waitUs: number;
  cacheHits: number;
  readonly isSkipped: boolean;
}

export class Metrics {
  #started: TraceStarted | undefined;
  #finished: TraceFinished | undefined;
  #now = 0;
  /** The latest settlement. */
  #settledAt = 0;
  /** When each request that is not over was first queued. */
  readonly #open = new OpenRequests<number>();
  readonly #keys = new Map<string, KeyMetrics>();
  #lastKey: string | undefined;
  #lastKeyMetrics: KeyMetrics | undefined;
  readonly #runs = new Map<string, RunTotals>();
  #lastRun: string | undefined;
  #lastRunTotals: RunTotals | undefined;
  /** Runs that a gate may skip. */
  readonly #gated = new Set<string>();
  #widths = new RunWidths(null);
  #tasks: TaskMetrics | undefined;
  #crashes: CrashMetrics | undefined;
  readonly #latency = { wait: new Latency(), service: new Latency(), total: new Latency(), firstToken: new Latency() };
  readonly #pipelines = new PipelineMetrics();
  readonly #counts = { logical: 0, attempts: 0, succeeded: 0, refused: 0, failed: 0, ended: 0, lost: 0 };
  /** Of a live run. */
  #live: LiveFold | undefined;
  readonly #tokens = { input: 0, output: 0, repeated: 0 };
  #firstRefusalAt: number | null = null;
  #waiting = 0;
  #inFlight = 0;
  #mostWaiting = 0;
  #mostInFlight = 0;

  observe(event: TraceEvent): void {
    if (event.t > this.#now) this.#timePassed(event.t);
    switch (event.type) {
      case 'request-queued':
        this.#queued(event);
        break;
      case 'request-admitted':
        this.#admitted(event);
        break;
      case 'request-settled':
        this.#settled(event);
        this.#crashes?.settled(event);
        break;
      // Two per request: told apart early.
      case 'node-waiting':
      case 'node-executing':
        break;
      case 'concurrency-changed':
        this.#key(gateOf(event)).capChanged(event, this.#settledAt);
        this.#widths.capChanged(event.t, gateOf(event), event.next);
        break;
      case 'run-started':
        this.#begun(event.run, runTotals(event));
        this.#widths.started(event.t, event.run, event.bound);
        break;
      case 'run-caps-changed':
        this.#run(event.run).bound = event.bound;
        this.#widths.boundChanged(event.t, event.run, event.bound);
        break;
      case 'run-skipped':
        this.#begun(event.run, skippedTotals(event));
        this.#widths.started(event.t, event.run, 0);
        this.#widths.ended(event.t, event.run);
        break;
      case 'run-finished':
        this.#run(event.run).cacheHits = event.cacheHits;
        this.#widths.ended(event.t, event.run);
        break;
      case 'trace-started':
        this.#begin(event);
        break;
      case 'trace-finished':
        this.#finished = event;
        this.#live?.finished(event);
        break;
      case 'run-resumed':
        this.#run(event.run).bound = event.bound;
        this.#widths.boundChanged(event.t, event.run, event.bound);
        this.#crashes?.observe(event);
        break;
      case 'run-crashed':
      case 'request-resumed':
        this.#crashes?.observe(event);
        break;
      case 'tool-started':
        this.#tasks?.observe(event);
        this.#crashes?.toolStarted(event);
        break;
      case 'step-started':
      case 'tool-finished':
      case 'tool-released':
      case 'context-compacted':
      case 'task-ended':
        this.#tasks?.observe(event);
        break;
      case 'request-withdrawn':
        this.#withdrawn(event);
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
      case 'retry-scheduled':
      case 'run-stalled':
      case 'run-paused':
      case 'provider-changed':
        break;
      default:
        event satisfies never;
    }
  }

  /** @throws RangeError if nothing has been observed. */
  figures(): Figures {
    const started = this.#started;
    if (started === undefined) throw new RangeError('figures: expected a trace, got no trace-started event');
    const crashes = this.#crashes?.figures();
    const { seed, mode, controller, version } = started;
    return {
      scenario: scenarioOf(started).name,
      ...{ seed, mode, controller, version },
      virtualMs: this.#now,
      makespanMs: this.#makespanMs,
      complete: this.#finished?.complete ?? false,
      requests: this.#requestCounts(),
      refused: this.#refusals(),
      tokens: { ...this.#tokens },
      latencyMs: {
        wait: this.#latency.wait.figures(),
        service: this.#latency.service.figures(),
        total: this.#latency.total.figures(),
        firstToken: this.#latency.firstToken.figures(),
      },
      ...this.#levels(),
      runs: Object.fromEntries([...this.#runs].map(([id, run]) => [id, this.#runFigures(id, run)])),
      providers: mapValues(this.#finished?.ledger ?? {}, providerFigures),
      ...this.#tasks?.figures(),
      ...(crashes !== undefined && { crashes }),
      ...(this.#live && { live: this.#live.figures(this.#counts.succeeded, this.#makespanMs) }),
    };
  }

  /** A queue counts when it lasts: whoever is admitted at once is queued for no time at all. */
  #timePassed(t: number): void {
    this.#now = t;
    if (this.#waiting > this.#mostWaiting) this.#mostWaiting = this.#waiting;
  }

  #begin(event: TraceStarted): void {
    this.#started = event;
    if (event.mode === 'live') this.#live = new LiveFold(scenarioOf(event).live?.prices ?? null);
    this.#pipelines.begin(scenarioOf(event));
    this.#widths = new RunWidths(event.initial);
    this.#tasks = new TaskMetrics(scenarioOf(event));
    this.#crashes = new CrashMetrics(scenarioOf(event));
    for (const { id, gate } of scenarioOf(event).workload.runs) if (gate !== undefined) this.#gated.add(id);
    for (const { gate } of gatesAsked(scenarioOf(event))) this.#key(gate);
  }

  #queued(event: RequestQueued): void {
    const { t, id, attempt, run } = event;
    this.#counts.attempts++;
    this.#live?.queued(event);
    if (attempt === 1) {
      this.#counts.logical++;
      this.#open.set(id, t);
    }
    this.#waiting++;
    this.#key(gateOf(event)).queued(t, this.#settledAt);
    if (run !== undefined) this.#widths.asked(t, run, gateOf(event));
  }

  #admitted(event: RequestAdmitted): void {
    const { t, run, waitMs, epoch } = event;
    this.#waiting--;
    this.#inFlight++;
    if (this.#inFlight > this.#mostInFlight) this.#mostInFlight = this.#inFlight;
    this.#latency.wait.record(waitMs);
    this.#key(gateOf(event)).admitted(t, epoch, this.#settledAt);
    if (run !== undefined) this.#run(run).waitUs += toMicroseconds(waitMs);
  }

  #settled(event: RequestSettled): void {
    const { t, id, run, serviceMs, observed, lost } = event;
    this.#settledAt = t;
    this.#live?.settled(event);
    this.#inFlight--;
    this.#key(gateOf(event)).settled(event, t);
    if (run !== undefined) this.#run(run).settledAt = t;
    if (isAnswered(event)) this.#latency.service.record(serviceMs - (observed?.heldMs ?? 0));
    this.#countOutcome(event);
    if (lost === true) {
      this.#counts.lost++;
      this.#open.delete(id);
    }
  }

  /** An attempt that was never admitted has ended all the same. */
  #withdrawn(event: RequestWithdrawn): void {
    const { t, id, from } = event;
    this.#counts.lost++;
    this.#open.delete(id);
    if (from === 'backoff') return;
    this.#counts.ended++;
    this.#waiting--;
    this.#key(gateOf(event)).withdrawn(t, this.#settledAt);
  }

  #countOutcome(event: RequestSettled): void {
    const { outcome } = event;
    switch (outcome) {
      case 'succeeded':
        this.#succeeded(event);
        break;
      case 'throttled':
        this.#counts.refused++;
        this.#firstRefusalAt ??= event.t;
        break;
      case 'failed':
        this.#counts.failed++;
        break;
      case 'ended':
        this.#counts.ended++;
        break;
      default:
        outcome satisfies never;
    }
  }

  #succeeded(event: RequestSettled): void {
    const { t, id, inputTokens, outputTokens, firstTokenMs, repeated } = event;
    this.#pipelines.settled(event);
    this.#counts.succeeded++;
    this.#latency.total.record(t - (this.#open.get(id) ?? t));
    this.#open.delete(id);
    if (inputTokens !== undefined) this.#tokens.input += inputTokens;
    if (outputTokens !== undefined) this.#tokens.output += outputTokens;
    if (repeated === true) this.#tokens.repeated += (inputTokens ?? 0) + (outputTokens ?? 0);
    if (firstTokenMs !== undefined) this.#latency.firstToken.record(firstTokenMs);
  }

  /** Runs and requests come in turns of one key, so the last one is mostly the next one too. */
  #key(name: string): KeyMetrics {
    if (name === this.#lastKey) return this.#lastKeyMetrics as KeyMetrics;
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = new KeyMetrics(
        this.#started?.initial ?? null,
        this.#started !== undefined && hasReferenceEpochs(this.#started),
      );
      this.#keys.set(name, key);
    }
    this.#lastKey = name;
    this.#lastKeyMetrics = key;
    return key;
  }

  #begun(id: string, totals: RunTotals): void {
    this.#runs.set(id, totals);
    this.#lastRun = undefined;
  }

  /** As with keys, the last one is mostly the next one too. */
  #run(id: string): RunTotals {
    if (id === this.#lastRun) return this.#lastRunTotals as RunTotals;
    const run = this.#runs.get(id);
    if (run === undefined) throw new RangeError(`run: expected one that has started, got ${JSON.stringify(id)}`);
    this.#lastRun = id;
    this.#lastRunTotals = run;
    return run;
  }

  get #makespanMs(): number | null {
    const { succeeded, refused, failed, ended } = this.#counts;
    return succeeded + refused + failed + ended === 0 ? null : this.#settledAt;
  }

  #requestCounts(): RequestCounts {
    const { logical, attempts, succeeded, refused, failed, ended, lost } = this.#counts;
    return { logical, attempts, succeeded, refused, failed, ended, lost, unfinished: logical - succeeded - lost };
  }

  #refusals(): Figures['refused'] {
    const { attempts, refused } = this.#counts;
    return {
      share: attempts === 0 ? null : refused / attempts,
      first: this.#firstRefusalAt,
      perMinute: this.#settledAt === 0 ? null : refused / (this.#settledAt / 60_000),
    };
  }

  #levels(): Pick<Figures, 'queue' | 'inFlight' | 'keys'> {
    const figures = [...this.#keys].map(([name, key]) => [name, key.figures(this.#settledAt, this.#now)] as const);
    const total = (level: 'queue' | 'inFlight'): number | null =>
      this.#settledAt === 0 ? null : figures.reduce((sum, [, key]) => sum + (key[level].mean ?? 0), 0);
    return {
      queue: { max: Math.max(this.#mostWaiting, this.#waiting), mean: total('queue') },
      inFlight: { max: this.#mostInFlight, mean: total('inFlight') },
      keys: Object.fromEntries(figures),
    };
  }

  #runFigures(id: string, run: RunTotals): RunFigures {
    const { agents, startedAt, bound, settledAt, waitUs, cacheHits, isSkipped } = run;
    const makespanMs = settledAt === null ? null : distanceMs(startedAt, settledAt);
    const stages = this.#pipelines.figures(id);
    return {
      bound,
      makespanMs,
      effective: this.#widths.figures(id, this.#now),
      waitMs: waitUs / 1000,
      agents,
      cacheHits,
      ...(this.#gated.has(id) && { skipped: isSkipped }),
      ...(stages && { stages }),
    };
  }
}

function runTotals({ t, bound, agents }: Extract<TraceEvent, { type: 'run-started' }>): RunTotals {
  return { agents, startedAt: t, bound, settledAt: null, waitUs: 0, cacheHits: 0, isSkipped: false };
}

function skippedTotals({ t, agents }: Extract<TraceEvent, { type: 'run-skipped' }>): RunTotals {
  return { agents, startedAt: t, bound: 0, settledAt: null, waitUs: 0, cacheHits: 0, isSkipped: true };
}

/** Whether an answer arrived: a success, a refusal, or what else a provider sends. Any other attempt timed out. */
function isAnswered({ outcome, refusedBy, fault, observed }: RequestSettled): boolean {
  if (outcome === 'succeeded' || outcome === 'throttled') return true;
  return refusedBy !== undefined || fault !== undefined || isAnswer(observed?.cause);
}

function providerFigures({ admitted, refused, peakInFlight, refusedBy }: CountedModel): ProviderFigures {
  return { admitted, refused, peakInFlight, refusedBy };
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
