/**
 * A server that works on so many requests at once and lets the others wait, first come, first served, without a word to
 * them. Knows neither time nor quotas; only who is served and who waits.
 */

export interface ServerSpec {
  /** Requests worked on at once; whole number ≥ 1. */
  readonly slots: number;
  /** Requests that may wait; whole number ≥ 0, null = any number. */
  readonly queue: number | null;
}

/** The name under which a full queue refuses. */
export const QUEUE = 'queue';

export interface InLine {
  /** It is worked on from now on. */
  served(): void;
}

export class ServiceLine {
  #spec: ServerSpec;
  #serving = 0;
  readonly #waiting = new Set<InLine>();

  /** @throws RangeError naming the option, its value and what is allowed. */
  constructor(spec: ServerSpec) {
    checkServer(spec);
    this.#spec = spec;
  }

  get serving(): number {
    return this.#serving;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether nobody more may come. */
  get isFull(): boolean {
    const { slots, queue } = this.#spec;
    return this.#serving >= slots && queue !== null && this.#waiting.size >= queue;
  }

  enter(one: InLine): void {
    this.#waiting.add(one);
    this.#serve();
  }

  /** Answered, or gone; where it was served, the next one is. */
  leave(one: InLine): void {
    if (this.#waiting.delete(one)) return;
    this.#serving -= 1;
    this.#serve();
  }

  /** Those who are served or wait stay, also where there are fewer places now. */
  reconfigured(spec: ServerSpec): void {
    this.#spec = spec;
    this.#serve();
  }

  #serve(): void {
    for (const next of this.#waiting) {
      if (this.#serving >= this.#spec.slots) return;
      this.#waiting.delete(next);
      this.#serving += 1;
      next.served();
    }
  }
}

export function checkServer({ slots, queue }: ServerSpec): void {
  if (!(Number.isSafeInteger(slots) && slots >= 1)) {
    throw new RangeError(`server: slots must be a whole number of at least 1, got ${slots}`);
  }
  if (queue !== null && !(Number.isSafeInteger(queue) && queue >= 0)) {
    throw new RangeError(`server: queue must be a whole number of at least 0 or null, got ${queue}`);
  }
}
