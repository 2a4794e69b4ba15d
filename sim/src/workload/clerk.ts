/**
 * Writes down what happens in a run: numbers the requests, stamps the time, hands each event to whoever observes, in
 * order. Holds back what a settlement causes until the settlement itself is told, because a cause comes before its
 * effects.
 */

import type { GovernorEvent } from '@tidegate/governor';
import type { TraceEvent } from '../trace/events.js';

/** An event without its time: `t` is stamped when it is told. */
export type Untimed<E> = E extends TraceEvent ? Omit<E, 't'> : never;

export class Clerk {
  readonly #now: () => number;
  readonly #observe: (event: TraceEvent) => void;
  #requests = 0;
  #held: TraceEvent[] | undefined;

  constructor(now: () => number, observe: (event: TraceEvent) => void) {
    this.#now = now;
    this.#observe = observe;
  }

  /** Requests numbered so far. */
  get requests(): number {
    return this.#requests;
  }

  nextRequestId(): number {
    return ++this.#requests;
  }

  tell(event: Untimed<TraceEvent>): void {
    const timed = { t: this.#now(), ...event } as TraceEvent;
    if (this.#held === undefined) this.#observe(timed);
    else this.#held.push(timed);
  }

  /** Lets `settle` cause what it causes, then tells `settled()` first and its effects after it. */
  tellFirst(settle: () => void, settled: () => Untimed<TraceEvent>): void {
    const outer = this.#held;
    const effects: TraceEvent[] = [];
    this.#held = effects;
    settle();
    this.#held = outer;
    this.tell(settled());
    for (const effect of effects) {
      if (outer === undefined) this.#observe(effect);
      else outer.push(effect);
    }
  }

  /** What the governor tells, as the trace has it. */
  readonly hear = (event: GovernorEvent): void => {
    switch (event.type) {
      case 'concurrency-changed': {
        const { at: _, runs: __, ...change } = event;
        return this.tell(change);
      }
      case 'run-caps-changed':
      case 'node-waiting':
      case 'node-executing':
      case 'run-stalled': {
        const { at: _, ...told } = event;
        return this.tell(told);
      }
      case 'cooldown-clamped':
      case 'settled-twice':
        // Not of the run: the settled event shows the hint and the cooldown; a second settlement breaks a check.
        return;
    }
  };
}
