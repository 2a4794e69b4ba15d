/** One run of a scenario: opens it at its time, sends its subagents in, and closes it when the last one is done. */

import { PHASE } from '../kernel/kernel.js';
import type { AgentRow, AgentsSettings, RunSettings } from '../scenario/scenario.js';
import type { RunContext } from './run-context.js';
import { Subagent } from './subagent.js';
import { type Tally, workPlan } from './work-plan.js';

export class RunDriver {
  readonly #context: RunContext;
  readonly #settings: RunSettings;
  readonly #governed: boolean;
  readonly #finished: () => void;

  /** @param governed false: nothing bounds the run but a bound that the scenario states. */
  constructor(context: RunContext, settings: RunSettings, governed: boolean, finished: () => void) {
    this.#context = context;
    this.#settings = settings;
    this.#governed = governed;
    this.#finished = finished;
  }

  schedule(): void {
    this.#context.scheduler.after(this.#settings.startMs, PHASE.arrival, openRun, this);
  }

  open(): void {
    const { governor, clerk, scheduler } = this.#context;
    const { id, agents: settings } = this.#settings;
    const agents = rowsOf(settings);
    const maxConcurrency = this.#settings.maxConcurrency ?? (this.#governed ? null : Math.max(1, agents.length));
    const run = governor.openRun(id, { maxConcurrency });
    clerk.tell({ t: scheduler.now(), type: 'run-started', run: id, bound: run.bound, agents: agents.length });

    const tally: Tally = { succeeded: 0, lost: 0 };
    let working = agents.length;
    const plan = workPlan(settings, this.#context.executors !== null);
    const finished = (): void => {
      working--;
      if (working > 0) return;
      run.close();
      clerk.tell({ t: scheduler.now(), type: 'run-finished', run: id, ...tally, cacheHits: 0 });
      this.#finished();
    };
    for (const row of agents) new Subagent(this.#context, run, plan, row, tally, finished).begin();
  }
}

function openRun(run: RunDriver): void {
  run.open();
}

/** The subagents of a run; what a row does not state is drawn. */
function rowsOf({ population }: AgentsSettings): readonly AgentRow[] {
  if (population.kind === 'rows') return population.rows;
  return Array.from({ length: population.count }, (_, i) => ({ name: population.name.replaceAll('{n}', `${i + 1}`) }));
}
