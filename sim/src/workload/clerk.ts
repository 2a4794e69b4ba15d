/**
 * Writes down what happens in a run: numbers the requests and hands each event to whoever observes, in order. Holds back
 * what a settlement causes until the settlement itself is told, because a cause comes before its effects.
 */

import type { GovernorEvent } from '@tidegate/governor';
import type { RequestAdmitted, TraceEvent } from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';

export class Clerk {
  readonly #observe: (event: TraceEvent) => void;
  readonly #initial: number | null;
  /** What the trace has told of each gate: its cap, and the epoch of its latest admission. */
  readonly #gates = new Map<string, { cap: number; epoch: number }>();
  #requests = 0;
  #held: TraceEvent[] | undefined;

  /** @param initial the governor's initial cap; null where nothing governs. */
  constructor(initial: number | null, observe: (event: TraceEvent) => void) {
    this.#initial = initial;
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

  /**
   * Tells of an admission. A governor may have forgotten an idle key whole, which then begins again at its first epoch with
   * the initial cap; no event of the governor says so, and the trace must.
   */
  tellAdmitted(event: RequestAdmitted): void {
    if (this.#initial !== null) this.#follow(event, this.#initial);
    this.tell(event);
  }

  #follow({ t, key, epoch, process }: RequestAdmitted, initial: number): void {
    const gate = gateOf({ key, process });
    const known = this.#gates.get(gate);
    if (known === undefined) {
      this.#gates.set(gate, { cap: initial, epoch });
      return;
    }
    if (epoch < known.epoch && known.cap !== initial) {
      this.tell({
        t,
        type: 'concurrency-changed',
        key,
        process,
        previous: known.cap,
        next: initial,
        reason: 'idle_reset',
      });
      known.cap = initial;
    }
    known.epoch = epoch;
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

  /** What hears the governor of a process. */
  listener(process: string | undefined): (event: GovernorEvent) => void {
    return (event) => this.#hear(event, process);
  }

  /** What the governor tells, as the trace has it. Told for every request, so each event is made in one piece. */
  #hear(event: GovernorEvent, process: string | undefined): void {
    switch (event.type) {
      case 'concurrency-changed': {
        const { at, type, runs: _, ...change } = event;
        const gate = gateOf({ key: change.key, process });
        const known = this.#gates.get(gate);
        if (known === undefined) this.#gates.set(gate, { cap: change.next, epoch: 0 });
        else known.cap = change.next;
        this.tell({ t: at, type, ...change, process });
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
  }
}
