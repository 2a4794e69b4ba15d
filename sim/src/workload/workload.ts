/**
 * All that asks the providers in a scenario: its runs, in their order, pipelines, what comes open loop, and the observers. Starts a
 * run when those before it are over, passes on what the timeline does to it, and says when everything is over.
 */

import { type Governor, resolveRetryPolicy } from '@tidegate/governor';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { PipelineChange, PipelineSettings } from '../scenario/pipeline-settings.js';
import type { ArrivalsSettings, RetrySettings, RunChange, RunSettings, Scenario } from '../scenario/scenario.js';
import type { Transport } from '../transport/transport.js';
import type { Clerk } from './clerk.js';
import { ExecutorPool } from './executors.js';
import { gateDoor, OpenLoop, observerDoor } from './open-loop.js';
import { Pause } from './pause.js';
import { PipelineDriver } from './pipeline-driver.js';
import type { Lookout, RequestContext } from './run-context.js';
import { RunDriver } from './run-driver.js';

export interface WorkloadHost {
  /** Of a process; undefined: of the one that a scenario has anyway. */
  governorOf(process: string | undefined): Governor;
  readonly scheduler: Scheduler;
  readonly transport: Transport;
  readonly clerk: Clerk;
  readonly streams: RandomStreams;
  readonly lookout: Lookout | undefined;
  /** Called once, when nothing is left to do. */
  finished(): void;
}

/** Of a share times a number of asks: 7 % of 100 are 7, not the 8 that 7.000000000000001 would want. */
const ROUNDING = 1e-6;

export class Workload {
  readonly #scenario: Scenario;
  readonly #host: WorkloadHost;
  /** By id, in the order of the file. */
  readonly #runs = new Map<string, { readonly settings: RunSettings; readonly driver: RunDriver }>();
  /** By id. */
  readonly #pipelines: ReadonlyMap<string, PipelineDriver>;
  readonly #openLoops: readonly OpenLoop[];
  readonly #executors: ExecutorPool | null;
  readonly #over = new Set<string>();
  /** Runs, pipelines, arrivals and observers that are not over. */
  #left: number;

  constructor(scenario: Scenario, host: WorkloadHost) {
    const { runs, arrivals = [], observers = [], pipelines = [] } = scenario.workload;
    this.#scenario = scenario;
    this.#host = host;
    const { executors } = scenario.workload;
    this.#executors = executors === undefined ? null : new ExecutorPool(executors.pool);
    for (const settings of runs) this.#runs.set(settings.id, { settings, driver: this.#driverOf(settings) });
    this.#pipelines = new Map(pipelines.map((settings) => [settings.id, this.#pipelineOf(settings)]));
    this.#openLoops = [
      ...arrivals.map((one) => this.#openLoopOf(one, undefined)),
      ...observers.map((one) => this.#openLoopOf(one, true)),
    ];
    this.#left = runs.length + pipelines.length + arrivals.length + observers.length;
  }

  schedule(): void {
    for (const { settings, driver } of this.#runs.values()) if (settings.after === undefined) driver.schedule();
    for (const pipeline of this.#pipelines.values()) pipeline.schedule();
    for (const loop of this.#openLoops) loop.schedule();
  }

  /** What holds the work up, where that is known. */
  get holdUp(): string | undefined {
    const reasons = [this.#executors?.congestion, ...[...this.#runs.values()].map(({ driver }) => driver.holdUp)];
    const known = reasons.filter((reason) => reason !== undefined);
    return known.length > 0 ? known.join('; ') : undefined;
  }

  change(change: RunChange): void {
    this.#runs.get(change.run)?.driver.change(change);
  }

  changePipeline(change: PipelineChange): void {
    this.#pipelines.get(change.pipeline)?.become(change);
  }

  #driverOf(settings: RunSettings): RunDriver {
    const { governor, timeline } = this.#scenario;
    const { id } = settings;
    const mayBeReplaced = timeline.some((one) => one.kind === 'amend' && one.run === id && one.target !== undefined);
    const mayCrash = timeline.some((one) => one.kind === 'crash' && one.run === id);
    const pause = timeline.some((one) => one.kind === 'pause' && one.run === id) ? new Pause() : undefined;
    const context = { ...this.#contextOf(settings), runId: id, observer: undefined, pause, executors: this.#executors };
    const governed = governor.controller !== 'none';
    return new RunDriver(context, settings, { governed, mayBeReplaced, mayCrash, finished: () => this.#runOver(id) });
  }

  #pipelineOf(settings: PipelineSettings): PipelineDriver {
    const { id, timeoutMs } = settings;
    const shared = { runId: id, observer: undefined, pause: undefined, executors: this.#executors };
    return new PipelineDriver(settings, {
      governed: this.#scenario.governor.controller !== 'none',
      contextOf: (target) => ({ ...this.#contextOf({ target, timeoutMs }), ...shared }),
      finished: this.#callerOver,
    });
  }

  #openLoopOf(settings: ArrivalsSettings, observer: true | undefined): OpenLoop {
    const context: RequestContext = { ...this.#contextOf(settings), runId: undefined, observer, pause: undefined };
    const door = observer ? observerDoor(context.governor) : gateDoor(context.governor);
    return new OpenLoop(context, settings, door, this.#callerOver);
  }

  #contextOf({ target, timeoutMs, retry, process }: Pick<RunSettings, 'target' | 'timeoutMs' | 'retry' | 'process'>) {
    const { scheduler, transport, clerk, streams, lookout } = this.#host;
    const { pacing, latencySignal } = this.#scenario.governor.options;
    const policy = retry ?? this.#scenario.governor.retry;
    const measures = pacing === 'headers' || latencySignal === true;
    return {
      ...{ target, timeoutMs, key: `${target.provider}/${target.model}`, open: undefined },
      retry: resolveRetryPolicy(retryPolicyOf(policy)),
      delaysMs: policy.delaysMs,
      ...{ process, governor: this.#host.governorOf(process), scheduler, transport, clerk, streams, lookout, measures },
    };
  }

  #runOver(id: string): void {
    this.#over.add(id);
    for (const { settings, driver } of this.#runs.values()) {
      if (settings.after?.includes(id) && settings.after.every((one) => this.#over.has(one))) {
        this.#follow(settings, driver);
      }
    }
    this.#callerOver();
  }

  /** Those before it are over. */
  #follow({ after = [], gate }: RunSettings, driver: RunDriver): void {
    const before = after.flatMap((id) => this.#runs.get(id)?.driver.asks ?? []);
    const asks = before.reduce((sum, { all }) => sum + all, 0);
    const finishedAsks = before.reduce((sum, { finished }) => sum + finished, 0);
    if (gate === undefined || finishedAsks >= Math.ceil(gate * asks - ROUNDING)) driver.schedule();
    else driver.skip({ asks, finishedAsks, gate });
  }

  readonly #callerOver = (): void => {
    this.#left--;
    if (this.#left === 0) this.#host.finished();
  };
}

function retryPolicyOf(retry: RetrySettings) {
  const unlimited = (n: number | null): number => n ?? Number.POSITIVE_INFINITY;
  return {
    ...retry,
    throttle: unlimited(retry.throttle),
    network: unlimited(retry.network),
    business: unlimited(retry.business),
  };
}
