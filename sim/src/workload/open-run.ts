/**
 * A governed run from its opening to its end: its subagents, what came of them, and how it gives way to a successor. The
 * driver of the run decides when it is opened, and when it is replaced.
 */

import type { Run } from '@tidegate/governor';
import type { AgentRow, AgentsSettings } from '../scenario/scenario.js';
import type { Progress } from './progress.js';
import type { RunContext } from './run-context.js';
import { Subagent } from './subagent.js';
import { type Tally, workPlan } from './work-plan.js';

export class OpenRun {
  run: Run;
  readonly tally: Tally = { succeeded: 0, lost: 0, finishedAsks: 0, cacheHits: 0 };
  readonly #context: RunContext;
  readonly #agents: readonly AgentRow[];
  readonly #subagents: readonly Subagent[];
  readonly #finished: () => void;
  #working: number;

  /**
   * @param progress of the run and those it replaced; undefined where it is never replaced.
   * @param finished called when the last subagent is done, and the run is closed.
   */
  constructor(
    context: RunContext,
    run: Run,
    agents: readonly AgentRow[],
    settings: AgentsSettings,
    progress: Progress | undefined,
    finished: () => void,
  ) {
    this.run = run;
    this.#context = context;
    this.#agents = agents;
    this.#finished = finished;
    this.#working = agents.length;
    const plan = workPlan(settings, context.executors !== null);
    const done = { finished: this.#subagentFinished, tally: this.tally, progress };
    this.#subagents = agents.map((row, index) => new Subagent(context, run, plan, { row, index }, done));
  }

  begin(): void {
    const { clerk, scheduler } = this.#context;
    const { id, bound } = this.run;
    clerk.tell({ t: scheduler.now(), type: 'run-started', run: id, bound, agents: this.#agents.length });
    for (const subagent of this.#subagents) subagent.begin();
  }

  /** Gives up whatever it waits for and has in flight, so that another run can take its place. Those in line go first. */
  giveWay(): void {
    for (const subagent of this.#subagents) subagent.stop();
    const open = [...(this.#context.open ?? [])];
    for (const request of open.filter(({ isWaiting }) => isWaiting)) request.interrupt();
    for (const request of this.#context.open ?? []) request.interrupt();
    this.#tellFinished();
  }

  /** Its process dies. Whoever waits leaves with the run, before what is in flight gives its places to others. */
  crash(downForMs: number): void {
    const { clerk, scheduler, executors } = this.#context;
    const t = scheduler.now();
    clerk.tell({ t, type: 'run-crashed', run: this.run.id, downForMs });
    const open = [...(this.#context.open ?? [])];
    for (const request of open) request.suspend(t + downForMs);
    const suspend = (): void => {
      for (const subagent of this.#subagents) subagent.suspend();
    };
    if (executors === null) suspend();
    else executors.during(suspend);
    this.run.close();
    for (const request of open) request.breakOff();
  }

  /** Its process is back, with what the snapshot has; `run` takes the place of the one that died. */
  resume(run: Run): void {
    const { clerk, scheduler } = this.#context;
    this.run = run;
    clerk.tell({ t: scheduler.now(), type: 'run-resumed', run: run.id, bound: run.bound });
    for (const subagent of this.#subagents) subagent.replay(run);
    const inOrder = [...this.#subagents].sort((a, b) => compare(a.rank, b.rank));
    for (const subagent of inOrder) subagent.resume(run);
  }

  readonly #subagentFinished = (): void => {
    this.#working--;
    if (this.#working > 0) return;
    this.run.close();
    this.#tellFinished();
    this.#finished();
  };

  #tellFinished(): void {
    const { clerk, scheduler } = this.#context;
    const { succeeded, lost, cacheHits } = this.tally;
    clerk.tell({ t: scheduler.now(), type: 'run-finished', run: this.run.id, succeeded, lost, cacheHits });
  }
}

/** Infinity is a rank too. */
function compare(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
