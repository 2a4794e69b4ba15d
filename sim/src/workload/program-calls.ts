/**
 * The calls of one parent's program: dispatches of children and follow-ups to them, made in order, so many open at once. A
 * call is open until its child settles. One that was refused stays open until the program's next step, in which it lines
 * up again, behind those that have not been tried. Pure bookkeeping.
 */

import { DefectError } from '../kernel/kernel.js';

export class ProgramCalls<Call> {
  #most: number;
  /** To be made, in order; those before `#made` have been. */
  #line: Call[] = [];
  #made = 0;
  #refused: Call[] = [];
  #open = 0;

  /** @param most open at once; 0 = no bound. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Calls that are open, those refused in this step included. */
  get open(): number {
    return this.#open;
  }

  /** Nothing is to be made, and nothing is open. */
  get isEmpty(): boolean {
    return this.#open === 0 && this.#made === this.#line.length;
  }

  /** Whether a later step has something to do. */
  get hasRefused(): boolean {
    return this.#refused.length > 0;
  }

  setMost(most: number): void {
    this.#most = most;
  }

  add(call: Call): void {
    this.#line.push(call);
  }

  /** The next call to make, which is open from now on; undefined where there is none, or all that may be open are. */
  next(): Call | undefined {
    if (this.#made === this.#line.length || (this.#most > 0 && this.#open >= this.#most)) return undefined;
    const call = this.#line[this.#made] as Call;
    this.#made++;
    this.#open++;
    if (this.#made > 1024 && this.#made * 2 > this.#line.length) this.#forgetMade();
    return call;
  }

  /** The call just made was refused. */
  refused(call: Call): void {
    this.#refused.push(call);
  }

  /** The child of an open call has settled. */
  returned(): void {
    if (this.#open <= this.#refused.length) throw new DefectError('a call of a program returned, and none was open');
    this.#open--;
  }

  /** The program takes its next step: what was refused lines up again. */
  step(): void {
    this.#open -= this.#refused.length;
    this.#forgetMade();
    this.#line = this.#line.concat(this.#refused);
    this.#refused = [];
  }

  /** Now and then, so that a long line costs what its calls cost. */
  #forgetMade(): void {
    this.#line = this.#line.slice(this.#made);
    this.#made = 0;
  }
}
