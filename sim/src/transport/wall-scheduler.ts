/**
 * A scheduler on real time. Its time comes in instants: it is looked up once, then everything that is due happens at that
 * one time, in the order of the kernel, and what it causes at once along with it. So an event and its effects have the
 * same time, as in the simulated world; but an instant begins when the process gets to it, which may be late, and says so.
 */

import { type EventFunction, EventQueue } from '../kernel/event-queue.js';
import { DefectError, type EventHandle, PHASE, type Phase, type VirtualClock } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { WallTime } from './wall-time.js';

export type WallEnd = 'drained' | 'stopped' | 'interrupted';

export interface WallRun {
  readonly interrupt?: AbortSignal;
  /** Told what an event threw; the run is over then. */
  readonly onError: (error: unknown) => void;
  /** Whether something outside may still schedule an event. */
  readonly isAwaited: () => boolean;
}

/**
 * `before`: the time is 0. `between` instants: it is what it really is. `within` one: it stands. `over`: it stands for
 * good.
 */
type State = 'before' | 'between' | 'within' | 'over';

const NO_WAKE = Number.POSITIVE_INFINITY;

export class WallScheduler implements Scheduler {
  readonly clock: VirtualClock = {
    now: () => this.now(),
    schedule: (fn, delayMs) => {
      const handle = this.after(delayMs, PHASE.timer, fn, undefined);
      return () => {
        this.cancel(handle);
      };
    },
  };

  readonly #time: WallTime;
  readonly #queue = new EventQueue();
  #nowUs = 0;
  #state: State = 'before';
  #end: WallEnd | undefined;
  #finish: ((end: WallEnd) => void) | undefined;
  #onError: WallRun['onError'] = rethrow;
  #isAwaited: WallRun['isAwaited'] = () => false;
  /** When the next instant is to begin, by a timer or a turn of the event loop that is under way. */
  #wakeAtUs: number = NO_WAKE;
  #cancelWake: () => void = nothing;

  constructor(time: WallTime) {
    this.#time = time;
  }

  now(): number {
    if (this.#state === 'between') this.#lookUp();
    return this.#nowUs / 1000;
  }

  /** As the kernel's: never early. Throws RangeError for a delay that is negative, NaN or infinite. */
  after<T>(delayMs: number, phase: Phase, fn: (arg: T) => void, arg: T): EventHandle {
    if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`delayMs must be a finite number of milliseconds >= 0, got ${delayMs}`);
    }
    if (this.#state === 'between') this.#lookUp();
    const dueUs = this.#nowUs + Math.ceil(delayMs * 1000);
    const handle = this.#queue.push(dueUs, phase, 0, fn as EventFunction, arg);
    if (this.#state === 'between') this.#arm();
    return handle;
  }

  /** True if the event was pending and now is not. */
  cancel(handle: EventHandle): boolean {
    return this.#queue.cancel(handle);
  }

  /** Lets time pass until the end. Once only. */
  async run({ interrupt, onError, isAwaited }: WallRun): Promise<WallEnd> {
    if (this.#state !== 'before') throw new DefectError('the time of this run has begun before');
    this.#onError = onError;
    this.#isAwaited = isAwaited;
    const finished = new Promise<WallEnd>((resolve) => {
      this.#finish = resolve;
    });
    const hear = (): void => this.#endAs('interrupted');
    interrupt?.addEventListener('abort', hear, { once: true });
    if (interrupt?.aborted) this.#end ??= 'interrupted';
    this.#time.start();
    this.#state = 'between';
    this.#goOn();
    const end = await finished;
    interrupt?.removeEventListener('abort', hear);
    return end;
  }

  /** Ends the run: after the event that calls it, or at once outside of one. */
  stop(): void {
    this.#endAs('stopped');
  }

  /** Ends the run for an error from outside of its events. */
  fail(error: unknown): void {
    this.#onError(error);
    this.stop();
  }

  #endAs(end: WallEnd): void {
    this.#end ??= end;
    if (this.#state === 'between') this.#goOn();
  }

  /** Whole microseconds, rounded down, never back. */
  #lookUp(): void {
    this.#nowUs = Math.max(this.#nowUs, Math.floor(this.#time.nowMs() * 1000));
  }

  /** What comes after an instant. */
  #goOn(): void {
    if (this.#end === undefined && this.#queue.size === 0 && !this.#isAwaited()) this.#end = 'drained';
    if (this.#end === undefined) {
      this.#arm();
      return;
    }
    if (this.#end === 'interrupted') this.#lookUp();
    this.#state = 'over';
    this.#disarm();
    this.#finish?.(this.#end);
  }

  /** A wake-up that turns out to be too early finds nothing due and costs nothing. */
  #arm(): void {
    if (this.#queue.size === 0) return;
    const dueUs = this.#queue.nextTimeUs;
    if (dueUs >= this.#wakeAtUs) return;
    this.#disarm();
    this.#wakeAtUs = dueUs;
    this.#lookUp();
    const restMs = (dueUs - this.#nowUs) / 1000;
    if (restMs > 0) this.#cancelWake = this.#time.after(restMs, this.#wake);
    else this.#time.soon(this.#wake);
  }

  #disarm(): void {
    this.#cancelWake();
    this.#cancelWake = nothing;
    this.#wakeAtUs = NO_WAKE;
  }

  readonly #wake = (): void => {
    if (this.#state !== 'between') return;
    this.#disarm();
    this.#lookUp();
    this.#state = 'within';
    try {
      this.#runDue();
    } catch (error) {
      this.fail(error);
    }
    this.#state = 'between';
    this.#goOn();
  };

  #runDue(): void {
    const queue = this.#queue;
    while (this.#end === undefined && queue.size > 0 && queue.nextTimeUs <= this.#nowUs) {
      const { fn, arg } = queue.pop();
      fn(arg);
    }
  }
}

function nothing(): void {}

function rethrow(error: unknown): void {
  throw error;
}
