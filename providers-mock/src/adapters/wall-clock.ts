/**
 * Real time. The one file of this package that touches the process's own clock and timers.
 */

import type { MockClock } from './clock.js';

/** A longer timer fires at once; who waits longer looks at the time and waits again. */
const LONGEST_MS = 2 ** 31 - 1;

export const WALL_CLOCK: MockClock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  after(delayMs, run) {
    const dueMs = performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout>;
    const arm = (waitMs: number): void => {
      // Rounded up, since a timer cuts its delay down to whole milliseconds; it may still fire a little early.
      timer = setTimeout(fire, Math.min(Math.ceil(waitMs), LONGEST_MS));
    };
    const fire = (): void => {
      const restMs = dueMs - performance.now();
      if (restMs > 0) arm(restMs);
      else run();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
