/**
 * The one runner: a scenario, a world (its clock and its transport) and whoever observes the trace. Simulated, loopback
 * and live differ in the world alone.
 */

import { createGovernor, type Governor, resolveAimdOptions } from '@tidegate/governor';
import { type Baseline, baselineOf, type MakeController } from './baselines/controllers.js';
import { PHASE, TimeStandsStillError } from './kernel/kernel.js';
import { RandomStreams } from './kernel/random.js';
import type { GovernorSettings, Scenario, TimelineEntry } from './scenario/scenario.js';
import type { StopReason, TraceEvent } from './trace/events.js';
import type { World } from './transport/world.js';
import { Clerk } from './workload/clerk.js';
import { whyNever } from './workload/why-never.js';
import { Workload } from './workload/workload.js';

export interface RunInput {
  readonly scenario: Scenario;
  readonly world: World;
  /** Of the simulator; part of the trace. */
  readonly version: string;
  /** Called for every event, in order. What it throws ends the run and is thrown by it. */
  readonly observe: (event: TraceEvent) => void;
  /** What makes a key's controller, where the scenario names a module; `loadController` loads it. */
  readonly controller?: MakeController;
  /** Fires to end the run early: what is there is kept, the trace says `interrupted`. */
  readonly interrupt?: AbortSignal;
}

/** Without a success for this long, and with no change of the provider to come, a run will not end by itself. */
const HOPELESS_MS = 24 * 3_600_000;

interface Stop {
  readonly reason: StopReason;
  /** What bound the run and what to change. */
  readonly detail?: string;
}

const INTERRUPTED: Stop = { reason: 'interrupted' };
const TAKES_TIME =
  'give at least one step of this circle a time above 0: a latency (latency, latency.refusal), a backoff (governor.retry), the time of a tool';
const NOTHING_LEFT = 'nothing is left to happen, and the work is not done';

/** Runs the scenario to its end; the last event observed is `trace-finished`. */
export async function run(input: RunInput): Promise<void> {
  const engine = new Engine(input);
  await engine.run();
}

class Engine {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #input: RunInput;
  readonly #clerk: Clerk;
  /** One per process; undefined: the one that a scenario has anyway. */
  readonly #governors = new Map<string | undefined, Governor>();
  readonly #baseline: Baseline;
  readonly #workload: Workload;
  #changesLeft: number;
  #lastSuccessMs = 0;
  /** As the timeline has left them. */
  #providers: Scenario['providers'];
  #stop: Stop | undefined;
  #defect: { readonly error: unknown } | undefined;

  constructor(input: RunInput) {
    this.#input = input;
    this.#scenario = input.scenario;
    this.#world = input.world;
    this.#baseline = baselineOf(this.#scenario, this.#world, input.controller);
    this.#clerk = new Clerk(this.#baseline.initial, this.#observe);
    const { scheduler, transport } = this.#world;
    this.#workload = new Workload(this.#scenario, {
      governorOf: this.#governorOf,
      scheduler,
      transport,
      clerk: this.#clerk,
      streams: new RandomStreams(this.#scenario.seed),
      lookout: this.#baseline.lookout,
      finished: this.#workloadFinished,
    });
    this.#changesLeft = this.#scenario.timeline.length;
    this.#providers = this.#scenario.providers;
  }

  readonly #governorOf = (process: string | undefined): Governor => {
    let governor = this.#governors.get(process);
    if (governor === undefined) {
      governor = governorOf(this.#scenario.governor, this.#baseline, this.#world, this.#fail);
      governor.onEvent(this.#clerk.listener(process), { runs: false });
      this.#governors.set(process, governor);
    }
    return governor;
  };

  async run(): Promise<void> {
    this.#begin();
    const end = await this.#world.advance({
      ...(this.#input.interrupt === undefined ? {} : { interrupt: this.#input.interrupt }),
      onError: this.#fail,
    });
    if (this.#defect !== undefined) throw this.#defect.error;
    this.#finish(end);
  }

  #begin(): void {
    const { scenario, version } = this.#input;
    const { governor, seed } = scenario;
    const { increaseAfterSuccesses, floor } = controllerFacts(governor);
    const { initial, growthLimit } = this.#baseline;
    this.#clerk.tell({
      t: 0,
      type: 'trace-started',
      scenario,
      seed,
      controller: governor.controller,
      mode: this.#world.mode,
      version,
      initial,
      ...(growthLimit !== undefined && { growthLimit }),
      increaseAfterSuccesses,
      floor,
    });
    for (const entry of scenario.timeline) {
      // A run is replaced, or dies, when all else of the instant is done: what was let in has been sent.
      const phase = entry.kind === 'amend' || entry.kind === 'crash' ? PHASE.sampling : PHASE.arrival;
      this.#world.scheduler.after(entry.atMs, phase, this.#change, entry);
    }
    const { afterMs } = scenario.stop;
    if (afterMs !== null) this.#world.scheduler.after(afterMs, PHASE.sampling, this.#timeIsUp, afterMs);
    this.#workload.schedule();
  }

  #finish(end: 'drained' | 'stopped' | 'interrupted'): void {
    const stop =
      this.#stop ??
      this.#world.whyStopped?.() ??
      (end === 'interrupted' ? INTERRUPTED : this.#unfinished('never-finishes', NOTHING_LEFT));
    const complete = stop.reason === 'done' || stop.reason === 'time';
    const detail = stop.detail === undefined ? {} : { detail: stop.detail };
    const ledger = this.#world.transport.ledger();
    const client = this.#world.client?.();
    this.#clerk.tell({
      t: this.#world.scheduler.now(),
      type: 'trace-finished',
      complete,
      stop: stop.reason,
      ...detail,
      ledger,
      ...(client && { client }),
    });
  }

  /** Every event passes here on its way to the observers; what ends a run early is seen here. */
  readonly #observe = (event: TraceEvent): void => {
    if (this.#defect !== undefined) return;
    try {
      this.#input.observe(event);
    } catch (error) {
      this.#fail(error);
    }
    if (event.type === 'request-queued') this.#checkRequests();
    if (event.type === 'request-settled') this.#checkHope(event);
  };

  #checkRequests(): void {
    const { maxRequests } = this.#scenario.stop;
    if (maxRequests === null || this.#clerk.requests < maxRequests) return;
    this.#end({
      reason: 'max-requests',
      detail: `stop.maxRequests ${maxRequests} requests came before the work was done`,
    });
  }

  #checkHope(event: Extract<TraceEvent, { type: 'request-settled' }>): void {
    const { t, key, outcome } = event;
    if (outcome === 'succeeded' || this.#changesLeft > 0) this.#lastSuccessMs = t;
    if (t - this.#lastSuccessMs < HOPELESS_MS) return;
    const why = whyNever(event, { ...this.#scenario, providers: this.#providers });
    this.#end({
      reason: 'never-finishes',
      detail: `no request of ${key} has succeeded for 24 hours: ${why}; or bound the retries (governor.retry) or the time (stop.after)`,
    });
  }

  readonly #change = (entry: TimelineEntry): void => {
    this.#changesLeft--;
    if (entry.kind === 'pipeline') {
      this.#workload.changePipeline(entry);
      return;
    }
    if (entry.kind !== 'set') {
      this.#workload.change(entry);
      return;
    }
    this.#providers = { ...this.#providers, [entry.provider]: entry.becomes };
    this.#world.reconfigure(entry.provider, entry.becomes);
    this.#clerk.tell({
      t: this.#world.scheduler.now(),
      type: 'provider-changed',
      path: entry.path,
      value: entry.value,
    });
  };

  readonly #workloadFinished = (): void => {
    if (this.#scenario.stop.when === 'done') this.#end({ reason: 'done' });
  };

  readonly #timeIsUp = (afterMs: number): void => {
    if (this.#scenario.stop.when === 'time') this.#end({ reason: 'time' });
    else this.#end(this.#unfinished('after', `stop.after ${afterMs} ms came before the work was done`));
  };

  /** With what holds the work up, where that is known. */
  #unfinished(reason: StopReason, detail: string): Stop {
    const { holdUp } = this.#workload;
    return { reason, detail: holdUp === undefined ? detail : `${detail}: ${holdUp}` };
  }

  #end(stop: Stop): void {
    this.#stop ??= stop;
    this.#world.stop();
  }

  /** A defect, of ours or found by a check: the run ends here and throws it. */
  readonly #fail = (error: unknown): void => {
    if (error instanceof TimeStandsStillError) {
      this.#end({ reason: 'time-stands-still', detail: `${error.circle}; ${TAKES_TIME}` });
      return;
    }
    this.#defect ??= { error };
    this.#world.stop();
  };
}

function governorOf(
  { options }: GovernorSettings,
  { make }: Baseline,
  world: World,
  onError: (error: unknown) => void,
): Governor {
  return createGovernor({
    ...options,
    clock: world.scheduler.clock,
    onError,
    ...(make === undefined ? {} : { controller: make }),
  });
}

/** What the checks of a trace rest on, read off the governor's own defaults. */
function controllerFacts({ options }: GovernorSettings) {
  const { increaseAfterSuccesses, floor } = resolveAimdOptions({ ...options, key: 'any' });
  return { increaseAfterSuccesses, floor };
}
