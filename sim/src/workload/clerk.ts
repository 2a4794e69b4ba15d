/**
 * Writes down what happens in a run: numbers the requests and hands each event to whoever observes, in order. Holds back
 * what a settlement causes until the settlement itself is told, because a cause comes before its effects.
 */

import type { GovernorEvent } from '@tidegate/governor';
import type { TraceEvent } from '../trace/events.js';

export class Clerk {
  readonly #observe: (event: TraceEvent) => void;
  #requests = 0;
  #held: TraceEvent[] | undefined;

  constructor(observe: (event: TraceEvent) => void) {
    this.#observe = observe;
  }

  /** Requests numbered so far. */
  get requests(): number {
    return this.#requests;
  }

  nextRequestId(): number {
    return ++this.#requests;
  }

  tell(event: TraceEvent): void {
    if (this.#held === undefined) this.#observe(event);
    else this.#held.push(event);
  }

  /** Lets `settle` cause what it causes, then tells `settled()` first and its effects after it. */
  tellFirst(settle: () => void, settled: () => TraceEvent): void {
    const outer = this.#held;
    const effects: TraceEvent[] = [];
    this.#held = effects;
    settle();
    this.#held = outer;
    this.tell(settled());
    for (const effect of effects) this.tell(effect);
  }

  /** What the governor tells, as the trace has it. Told for every request, so each event is made in one piece. */
  readonly hear = (event: GovernorEvent): void => {
    switch (event.type) {
      case 'concurrency-changed': {
        const { at, type, runs: _, ...change } = event;
        this.tell({ t: at, type, ...change });
        return;
      }
      case 'run-caps-changed':
        this.tell({ t: event.at, type: event.type, run: event.run, previous: event.previous, bound: event.bound });
        return;
      case 'node-waiting':
        this.tell({ t: event.at, type: event.type, run: event.run, node: event.node, reason: event.reason });
        return;
      case 'node-executing':
        this.tell({ t: event.at, type: event.type, run: event.run, node: event.node });
        return;
      case 'run-stalled':
        this.tell({ t: event.at, type: event.type, run: event.run, stalledMs: event.stalledMs });
        return;
      case 'cooldown-clamped':
      case 'settled-twice':
        // Not of the run: the settled event shows the hint and the cooldown; a second settlement breaks a check.
        return;
    }
  };
}
