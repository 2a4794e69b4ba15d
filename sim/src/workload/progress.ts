/**
 * How far a run and those it replaced have come, ask by ask: what a successor asks again has been paid for before. Holds
 * a number per ask that has begun, and is only kept for runs that may be replaced.
 */

export class Progress {
  readonly #asks: number;
  /** By place: the requests of the ask that have succeeded in some run of the line. */
  readonly #done = new Map<number, number>();

  /** @param asks of each agent. */
  constructor(asks: number) {
    this.#asks = asks;
  }

  /** Whether the request has succeeded before. All three numbers count from 0. */
  has(agent: number, ask: number, request: number): boolean {
    return (this.#done.get(this.#place(agent, ask)) ?? 0) > request;
  }

  succeeded(agent: number, ask: number, request: number): void {
    if (!this.has(agent, ask, request)) this.#done.set(this.#place(agent, ask), request + 1);
  }

  #place(agent: number, ask: number): number {
    return agent * this.#asks + ask;
  }
}
