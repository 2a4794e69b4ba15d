/**
 * How high the bounds of the open runs let the cap of each key go: the highest bound among those that have asked for it.
 * Counted by bound, because runs come and go by the thousand and have few bounds among them.
 */

interface BoundedRun {
  /** Undefined while it is not open. */
  bound: number | undefined;
  /** The gates it has asked at. */
  readonly gates: Set<string>;
}

export class Ceilings {
  readonly #runs = new Map<string, BoundedRun>();
  /** By gate: how many open runs have which bound. */
  readonly #counts = new Map<string, Map<number, number>>();

  /** The run is open, with this bound from now on. */
  opened(id: string, bound: number): void {
    const run = this.#run(id);
    this.#count(run, -1);
    run.bound = bound;
    this.#count(run, 1);
  }

  closed(id: string): void {
    const run = this.#run(id);
    this.#count(run, -1);
    run.bound = undefined;
  }

  /** The run asked at the gate for the first time. */
  asked(id: string, gate: string): void {
    const run = this.#run(id);
    this.#count(run, -1);
    run.gates.add(gate);
    this.#count(run, 1);
  }

  /** 0 where no open run has asked. */
  of(gate: string): number {
    let highest = 0;
    for (const bound of this.#counts.get(gate)?.keys() ?? []) if (bound > highest) highest = bound;
    return highest;
  }

  #run(id: string): BoundedRun {
    let run = this.#runs.get(id);
    if (run === undefined) {
      run = { bound: undefined, gates: new Set() };
      this.#runs.set(id, run);
    }
    return run;
  }

  #count({ bound, gates }: BoundedRun, by: 1 | -1): void {
    if (bound === undefined) return;
    for (const gate of gates) {
      const counts = this.#counts.get(gate) ?? new Map<number, number>();
      this.#counts.set(gate, counts);
      const count = (counts.get(bound) ?? 0) + by;
      if (count === 0) counts.delete(bound);
      else counts.set(bound, count);
    }
  }
}
