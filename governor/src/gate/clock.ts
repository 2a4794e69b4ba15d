/**
 * The one file of this package that touches a real clock or timer. Everything else is told the time or given a `Clock`.
 */

/** Where a governor gets its time and its timers from. */
export interface Clock {
  /** Milliseconds on a monotonic axis of any origin. */
  now(): number;
  /** Calls `fn` once, no earlier than about `delayMs` from now; returns what takes that back. Delays are finite and ≥ 0. */
  schedule(fn: () => void, delayMs: number): () => void;
}

/** Timers take a signed 32-bit delay; above it they fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The process's monotonic clock. A delay beyond 2³¹−1 ms is waited for in pieces. A timer may fire up to one
 * millisecond early by `now()`, so whoever is called asks the clock again. A pending timer keeps a process alive.
 */
export const systemClock: Clock = processClock(false);

/** The same, but a pending timer does not keep a process alive: for a timer that is only a safety net. */
export const backgroundClock: Clock = processClock(true);

function processClock(background: boolean): Clock {
  return {
    now: () => performance.now(),
    schedule(fn, delayMs) {
      if (!(delayMs >= 0)) throw new RangeError(`delayMs: expected milliseconds ≥ 0, got ${delayMs}`);
      const deadline = performance.now() + delayMs;
      let timer: ReturnType<typeof setTimeout>;
      const arm = (restMs: number): void => {
        timer =
          restMs > LONGEST_TIMER_MS
            ? setTimeout(() => arm(deadline - performance.now()), LONGEST_TIMER_MS)
            : setTimeout(fn, restMs);
        // A number in browsers, an object with `unref` in Node.
        if (background) (timer as { unref?(): void }).unref?.();
      };
      arm(delayMs);
      return () => clearTimeout(timer);
    },
  };
}
