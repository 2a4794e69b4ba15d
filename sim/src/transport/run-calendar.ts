/** The calendar of all runs, simulated and over HTTP: the same in every run, so that what follows the date does too. */

/** Milliseconds since 1970 at the start of a run: a midnight, so that a time of day is a time of the run. */
export const ORIGIN_MS: number = Date.UTC(2026, 0, 1);
