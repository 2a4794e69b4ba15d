/**
 * Writes down what happens in a run: numbers the requests and hands each event to whoever observes, in order. Holds back
 * what a settlement causes until the settlement itself is told, because a cause comes before its effects.
 */

import type { GovernorEvent } from '@tidegate/governor';
import type { RequestAdmitted, TraceEvent } from '../trace/events.js';
import { gateOf } from '../trace/gate-of.js';

interface ToldGate {
  cap: number;
  inFlight: number;
}

export class Clerk {
  readonly #observe: (event: TraceEvent) => void;
  readonly #initial: number | null;
  /** What the trace has told of each gate: its cap, and how many it has in flight. */
  readonly #gates = new Map<string, ToldGate>();
  /** The gate of the last event: most are of the one that the event before was of. */
  #lastName: string | undefined;
  #lastGate: ToldGate | undefined;
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
    if (event.type === 'request-settled') this.#gate(event).inFlight--;
    if (this.#held === undefined) this.#observe(event);
    else this.#held.push(event);
  }

  /**
   * Tells of an admission. A governor may have forgotten an idle key whole, which then begins again with its initial cap; no
   * event of the governor says so, and the trace must.
   *
   * @param capNow of the gate; asked where nothing was in flight, since no other key is ever forgotten.
   */
  tellAdmitted(event: RequestAdmitted, capNow: () => number | undefined): void {
    const gate = this.#gate(event);
    if (gate.inFlight === 0 && this.#initial !== null) this.#follow(event, capNow() ?? gate.cap);
    gate.inFlight++;
    this.tell(event);
  }

  #gate(of: { readonly key: string; readonly process?: string | undefined }): ToldGate {
    const name = gateOf(of);
    if (name === this.#lastName) return this.#lastGate as ToldGate;
    let known = this.#gates.get(name);
    if (known === undefined) {
      known = { cap: this.#initial ?? Number.POSITIVE_INFINITY, inFlight: 0 };
      this.#gates.set(name, known);
    }
    this.#lastName = name;
    this.#lastGate = known;
    return known;
  }

  /** What the gate's cap is before what comes next, where nobody told of it. */
  #follow({ t, key, process }: Pick<RequestAdmitted, 't' | 'key' | 'process'>, next: number): void {
    const gate = this.#gate({ key, process });
    if (gate.cap === next) return;
    this.tell({ t, type: 'concurrency-changed', key, process, previous: gate.cap, next, reason: 'idle_reset' });
    gate.cap = next;
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
        const { at, type, key, previous, next, reason, lastGood, lastBad, cooldownMs } = event;
        this.#follow({ t: at, key, process }, previous);
        this.#gate({ key, process }).cap = next;
        this.tell({ t: at, type, key, previous, next, reason, lastGood, lastBad, cooldownMs, process });
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
