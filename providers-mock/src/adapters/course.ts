/**
 * How far the delivery of one exchange has come: when its next thing is due, which frame is next, and that its place at the
 * provider is given back once. Sends nothing; what is sent where is the deliveries' own.
 */

import type { WireFrame } from '../wire/answer.js';
import type { Exchange } from '../wire/exchange.js';
import type { MockClock } from './clock.js';

export class Course {
  readonly #exchange: Exchange;
  readonly #clock: MockClock;
  #cancelTimer: (() => void) | null = null;
  /** Its place at the provider is given back. */
  #isSettled = false;
  /** Reckoned from the first, so that late timers do not add up. */
  #dueMs = 0;
  #frames: Iterator<WireFrame> | null = null;
  #frame: WireFrame | null = null;

  constructor(exchange: Exchange, clock: MockClock) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /** The next to send; null = there is none left, or none was ever to be. */
  get frame(): WireFrame | null {
    return this.#frame;
  }

  /** Whether the time of the next frame has come. */
  get isDue(): boolean {
    return this.#dueMs <= this.#clock.nowMs();
  }

  /** Runs `beat` every so often, until the answer begins or it is stopped. */
  keepAlive(everyMs: number, beat: () => void): void {
    this.#cancelTimer = this.#clock.after(everyMs, () => {
      beat();
      this.keepAlive(everyMs, beat);
    });
  }

  /** The answer is there, and due in `afterMs`. */
  begin(afterMs: number, run: () => void): void {
    this.stop();
    this.#dueMs = this.#clock.nowMs() + afterMs;
    this.whenDue(run);
  }

  /** From now on these are the frames. */
  play(frames: Iterable<WireFrame>): void {
    this.#frames = frames[Symbol.iterator]();
    this.advance();
  }

  /** On to the next frame. */
  advance(): void {
    const { done, value } = this.#frames!.next();
    this.#frame = done ? null : value;
    this.#dueMs += this.#frame?.afterMs ?? 0;
  }

  /** At once, or when the time has come. */
  whenDue(run: () => void): void {
    const waitMs = this.#dueMs - this.#clock.nowMs();
    if (waitMs <= 0) run();
    else this.#cancelTimer = this.#clock.after(waitMs, run);
  }

  /** Takes back what waits for its time. */
  stop(): void {
    this.#cancelTimer?.();
  }

  /** The answer is about to be complete. */
  settle(): void {
    if (this.#end()) this.#exchange.answered(this.#clock.nowMs());
  }

  /** The client is gone; does nothing once it is settled. */
  abandon(): void {
    this.stop();
    if (this.#end()) this.#exchange.abandoned(this.#clock.nowMs());
  }

  #end(): boolean {
    const isFirst = !this.#isSettled;
    this.#isSettled = true;
    return isFirst;
  }
}
