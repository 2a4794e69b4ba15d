/**
 * Real time. The one file of this package that touches the process's own clock and timers.
 */

import type { MockClock } from './clock.js';

/** A longer timer fires at once; who waits longer looks at the time and waits again. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer fires up to a millisecond early, and the next one could not be armed for less than a whole one. */
const CLOSE_ENOUGH_MS = 0.5;

export const WALL_CLOCK: MockClock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  after(delayMs, run) {
    const dueMs = performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout>;
    const arm = (waitMs: number): void => {
      // Rounded up, since a timer cuts its delay down to whole milliseconds.
      timer = setTimeout(fire, Math.min(Math.ceil(waitMs), LONGEST_MS));
    };
    const fire = (): void => {
      const restMs = dueMs - performance.now();
      if (restMs > CLOSE_ENOUGH_MS) arm(restMs);
      else run();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
