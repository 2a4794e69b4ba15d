/** The time that an adapter goes by. A test or a run at another speed brings its own. */

export interface MockClock {
  /** Milliseconds of a monotonic clock, ≥ 0, with decimals. */
  nowMs(): number;
  /** Milliseconds since 1970, of the provider's wall clock. */
  epochMs(): number;
  /**
   * Calls `run` once, `delayMs` (≥ 0) from now, a real timer perhaps half a millisecond before; what comes back takes it
   * back. Whoever is called takes it that the time has come.
   */
  after(delayMs: number, run: () => void): () => void;
  /** Calls `run` once, when what has happened meanwhile has been seen to. */
  soon(run: () => void): void;
}
