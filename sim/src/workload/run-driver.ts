/**
 * One run of a scenario: opens it at its time, changes it while it is open (another bound, another model, a pause), and
 * hears when it is done. A change that a governed run does not survive makes a successor, `<id>@2`; to the scenario it is
 * the same run all along.
 */

import { PHASE } from '../kernel/kernel.js';
import { formatDuration } from '../scenario/duration.js';
import type { RunChange, RunSettings, TargetSettings } from '../scenario/scenario.js';
import { agentRows } from './agent-names.js';
import { OpenRun } from './open-run.js';
import { Progress } from './progress.js';
import type { Interruptible, RunContext } from './run-context.js';

export interface RunDriverOptions {
  /** False: nothing bounds the run but a bound that the scenario states. */
  readonly governed: boolean;
  /** Whether the timeline may replace it: then it is written down how far it has come. */
  readonly mayBeReplaced: boolean;
  /** Whether the timeline lets its process die. */
  readonly mayCrash: boolean;
  readonly finished: () => void;
}

export class RunDriver {
  readonly #context: RunContext;
  readonly #settings: RunSettings;
  readonly #options: RunDriverOptions;
  readonly #progress: Progress | undefined;
  /** Asks of all agents, and those that came to their end with all their answers. */
  readonly asks: { readonly all: number; finished: number };
  #target: TargetSettings;
  /** As the scenario or its timeline states it; null = the default. */
  #maxConcurrency: number | null;
  #open: OpenRun | undefined;
  /** Its process has died; when it is back. */
  #downUntilMs: number | undefined;
  /** What comes while it is down, for when it is back. */
  #deferred: RunChange[] = [];
  #isOver = false;

  constructor(context: RunContext, settings: RunSettings, options: RunDriverOptions) {
    this.#context = context;
    this.#settings = settings;
    this.#options = options;
    this.#target = settings.target;
    this.#maxConcurrency = settings.maxConcurrency;
    this.asks = { all: agentCount(settings) * settings.agents.asks, finished: 0 };
    if (options.mayBeReplaced) this.#progress = new Progress(settings.agents.asks);
  }

  /** Why nothing of it goes on; undefined while something may. */
  get holdUp(): string | undefined {
    if (this.#isOver) return undefined;
    const { pause, scheduler } = this.#context;
    const { id } = this.#settings;
    if (this.#downUntilMs !== undefined) return `run ${id} is down until ${formatDuration(this.#downUntilMs)}`;
    const pausedMs = pause?.leftMs(scheduler.now()) ?? 0;
    return pausedMs > 0 ? `run ${id} is paused until ${formatDuration(scheduler.now() + pausedMs)}` : undefined;
  }

  schedule(): void {
    this.#context.scheduler.after(this.#settings.startMs, PHASE.arrival, openRun, this);
  }

  open(): void {
    const { governor } = this.#context;
    const run = governor.openRun(this.#settings.id, { maxConcurrency: this.#bound(), settings: this.#target });
    this.#begin(run);
  }

  /** It never starts: too little came of what went before. */
  skip(why: { readonly asks: number; readonly finishedAsks: number; readonly gate: number }): void {
    const { clerk, scheduler } = this.#context;
    const { id } = this.#settings;
    clerk.tell({ t: scheduler.now(), type: 'run-skipped', run: id, agents: agentCount(this.#settings), ...why });
    this.#finished();
  }

  /** What comes before the run is opened holds from its opening on; what comes after its end does nothing. */
  change(change: RunChange): void {
    if (this.#isOver) return;
    if (this.#downUntilMs !== undefined && change.kind !== 'pause') {
      this.#deferred.push(change);
      return;
    }
    switch (change.kind) {
      case 'pause':
        this.#hold(change.forMs);
        return;
      case 'retune':
        this.#amend(change.maxConcurrency, undefined);
        return;
      case 'amend':
        this.#amend(change.maxConcurrency, change.target);
        return;
      case 'crash':
        this.#crash(change.downForMs);
        return;
      default:
        change satisfies never;
    }
  }

  #hold(forMs: number): void {
    const { clerk, scheduler } = this.#context;
    const t = scheduler.now();
    const untilMs = t + forMs;
    this.#context.pause?.extend(untilMs);
    clerk.tell({ t, type: 'run-paused', run: this.#open?.run.id ?? this.#settings.id, untilMs });
  }

  /** Before it is opened there is nothing to die. */
  #crash(downForMs: number): void {
    if (this.#open === undefined) return;
    this.#downUntilMs = this.#context.scheduler.now() + downForMs;
    this.#open.crash(downForMs);
    this.#context.scheduler.after(downForMs, PHASE.timer, resumeRun, this);
  }

  resume(): void {
    const { governor } = this.#context;
    if (this.#open === undefined) return;
    this.#downUntilMs = undefined;
    const { id } = this.#open.run;
    this.#open.resume(governor.openRun(id, { maxConcurrency: this.#bound(), settings: this.#target }));
    const deferred = this.#deferred;
    this.#deferred = [];
    // As ever when all else of the instant is done: what was let in has been sent.
    const change = (one: RunChange): void => this.change(one);
    for (const one of deferred) this.#context.scheduler.after(0, PHASE.sampling, change, one);
  }

  /** Undefined leaves as it is, null goes back to the default. */
  #amend(maxConcurrency: number | null | undefined, target: TargetSettings | null | undefined): void {
    if (maxConcurrency !== undefined) this.#maxConcurrency = maxConcurrency;
    const before = this.#target;
    if (target !== undefined) this.#target = target ?? this.#settings.target;
    if (this.#open === undefined) return;
    // A run that is to be replaced is told off first, so that its requests end before those of others are let in.
    if (before.provider !== this.#target.provider || before.model !== this.#target.model) this.#open.giveWay();
    const bound = maxConcurrency === undefined ? {} : { maxConcurrency: this.#bound() };
    const result = this.#open.run.amend({ ...bound, settings: this.#target });
    if (result.kind === 'successor') this.#begin(result.run);
  }

  #begin(run: OpenRun['run']): void {
    const { agents } = this.#settings;
    const { provider, model } = this.#target;
    const { mayBeReplaced, mayCrash } = this.#options;
    const open = mayBeReplaced || mayCrash ? new Set<Interruptible>() : undefined;
    const context = { ...this.#context, runId: run.id, target: this.#target, key: `${provider}/${model}`, open };
    const rows = agentRows(agents, context.streams.stream(`${run.id}/names`));
    this.#open = new OpenRun(context, run, rows, agents, this.#progress, this.#finished);
    this.#open.begin();
  }

  #bound(): number | null {
    return this.#maxConcurrency ?? (this.#options.governed ? null : Math.max(1, agentCount(this.#settings)));
  }

  readonly #finished = (): void => {
    this.#isOver = true;
    this.asks.finished = this.#open?.tally.finishedAsks ?? 0;
    this.#open = undefined;
    this.#options.finished();
  };
}

function agentCount({ agents: { population } }: RunSettings): number {
  return population.kind === 'rows' ? population.rows.length : population.count;
}

function resumeRun(run: RunDriver): void {
  run.resume();
}

function openRun(run: RunDriver): void {
  run.open();
}
