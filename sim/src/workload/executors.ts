/**
 * Where steps and tools are executed. With one executor per task nobody waits; in a pool of N, shared by all runs, each
 * step and each tool call takes one of N places for as long as it lasts, first come, first served. A tool that has timed
 * out and cannot be cancelled keeps its place there too.
 */

/** Who waits for a place. */
export interface Executed {
  execute(): void;
}

export class ExecutorPool {
  readonly #places: number;
  /** In the order of their coming; a set, because whoever gives up leaves at once. */
  readonly #line = new Set<Executed>();
  #busy = 0;
  #handing = false;

  /** @param places Whole number ≥ 1. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Why nobody goes on; undefined while a place is free or nobody waits for one. */
  get congestion(): string | undefined {
    const waiting = this.#line.size;
    if (waiting === 0 || this.#busy < this.#places) return undefined;
    return `all executors (${this.#places}) are taken and ${waiting} wait for one; raise workload.executors.pool, or the bound of the runs whose tasks hold them`;
  }

  /** Executes it now or when its turn comes. */
  enter(work: Executed): void {
    this.#line.add(work);
    this.#hand();
  }

  /** It waits no longer. Does nothing if it does not wait. */
  withdraw(work: Executed): void {
    this.#line.delete(work);
  }

  /** A place is free again. */
  leave(): void {
    this.#busy--;
    this.#hand();
  }

  /** Gives no place away until `change` is through with all that it takes out and gives back. */
  during(change: () => void): void {
    this.#handing = true;
    change();
    this.#handing = false;
    this.#hand();
  }

  /** A loop: what is executed may be over at once, or bring more. */
  #hand(): void {
    if (this.#handing) return;
    this.#handing = true;
    for (const work of this.#line) {
      if (this.#busy >= this.#places) break;
      this.#line.delete(work);
      this.#busy++;
      work.execute();
    }
    this.#handing = false;
  }
}
