/**
 * The seats of a pipeline: running children per parent session and stage, and of all of them in the pool of their host. Pure
 * counting. Whoever comes first is seated first; over a bound a dispatch is refused, which is no failure of anything: it
 * is made again later. A lowered bound stops nobody, it only seats nobody until enough have settled.
 */

import { DefectError } from '../kernel/kernel.js';

/** The bound that had no room. */
export type SeatRefusal = 'stage' | 'host';

export interface PoolBounds {
  /** Running children of the whole pipeline; 0 = no bound. */
  readonly maxActive: number;
  /** By stage: running children of one session; 0 = no bound. */
  readonly stages: readonly number[];
}

/** The running children of one parent session, by stage. */
export class SessionSeats {
  readonly running: number[];

  constructor(stages: number) {
    this.running = new Array<number>(stages).fill(0);
  }
}

export class PipelinePools {
  readonly #bounds: number[];
  #maxActive: number;
  #active = 0;

  constructor({ maxActive, stages }: PoolBounds) {
    this.#maxActive = maxActive;
    this.#bounds = [...stages];
  }

  /** Running children. */
  get active(): number {
    return this.#active;
  }

  newSession(): SessionSeats {
    return new SessionSeats(this.#bounds.length);
  }

  /** A new child takes a seat of its stage and one of the host. Null = it has them; else what has no room, the stage first. */
  dispatch({ running }: SessionSeats, stage: number): SeatRefusal | null {
    if (isFull(running[stage] as number, this.#bounds[stage] as number)) return 'stage';
    return this.#sit(running, stage);
  }

  /** A settled child goes on: it takes a seat of the host whatever the bound of its stage, and counts as running in both. */
  wake({ running }: SessionSeats, stage: number): SeatRefusal | null {
    return this.#sit(running, stage);
  }

  settled({ running }: SessionSeats, stage: number): void {
    if (running[stage] === 0) throw new DefectError(`a child of stage ${stage} settled, and none was running`);
    running[stage] = (running[stage] as number) - 1;
    this.#active--;
  }

  /** From the next dispatch on. */
  setBound(stage: number, bound: number): void {
    this.#bounds[stage] = bound;
  }

  /** From the next dispatch on. */
  setMaxActive(bound: number): void {
    this.#maxActive = bound;
  }

  #sit(running: number[], stage: number): SeatRefusal | null {
    if (isFull(this.#active, this.#maxActive)) return 'host';
    running[stage] = (running[stage] as number) + 1;
    this.#active++;
    return null;
  }
}

function isFull(taken: number, bound: number): boolean {
  return bound > 0 && taken >= bound;
}
